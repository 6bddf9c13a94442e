package fakeprovider

// nova is Bedrock's InvokeModel, plain and streamed, of Amazon's Nova models, whose
// format is that of Converse
// (https://docs.aws.amazon.com/nova/latest/nova2-userguide/using-invoke-api.html).
// The models of pictures, videos and embeddings are not there.
var nova = family{
	name:   "bedrock.nova",
	vendor: aws,
	owns: bedrockInvoke("amazon.nova-micro", "amazon.nova-lite", "amazon.nova-pro",
		"amazon.nova-premier", "amazon.nova-2-lite", "amazon.nova-2-pro"),
	plans: unlessForced,
	read:  readConverse,
	write: writeNova,
}

func writeNova(c *call, _ prompt, replies []Reply) *answer {
	r := replies[0]
	if !bedrockStreams(c.path) {
		return invokeBody(converseBody(c, r), r.Usage)
	}
	var events []object
	for _, e := range converseEvents(c, r, nil) {
		events = append(events, object{{e.kind, e.data}})
	}
	return invokeStream(events, r)
}
