package fakeprovider

import "encoding/base64"

// countTokens is Anthropic's token counting, on Vertex AI too. The number is that of
// the usage in an answer of [messages] to the same request.
var countTokens = family{
	name:   "anthropic.count_tokens",
	vendor: anthropic,
	owns: suffix("/v1/messages/count_tokens",
		"/publishers/anthropic/models/count-tokens:rawPredict"),
	read:  readCountTokens,
	write: writeCountTokens,
}

func readCountTokens(c *call) (prompt, *Problem) {
	p, problem := readMessagesOf(c, "model", "messages")
	p.free = true
	return p, problem
}

func writeCountTokens(_ *call, _ prompt, replies []Reply) *answer {
	return &answer{body: encode(object{{"input_tokens", replies[0].Usage.Input}})}
}

// bedrockCountTokens is Bedrock's token counting of a request in the format of
// Converse, or in that of a model
// (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html).
var bedrockCountTokens = family{
	name:   "bedrock.count_tokens",
	vendor: aws,
	owns:   bedrockPath("count-tokens"),
	read:   readBedrockCountTokens,
	write:  writeBedrockCountTokens,
}

func readBedrockCountTokens(c *call) (prompt, *Problem) {
	if _, p := bedrockModel(c); p != nil {
		return prompt{}, p
	}
	p, problem := readCounted(c.body.sub("input"))
	p.free = true
	return p, problem
}

// readCounted reads the request whose tokens are counted.
func readCounted(input object) (prompt, *Problem) {
	if converse := input.sub("converse"); converse != nil {
		return conversePrompt(converse), nil
	}

	data, err := base64.StdEncoding.DecodeString(input.sub("invokeModel").text("body"))
	if err != nil || len(data) == 0 {
		return prompt{}, awsInvalid("1 validation error detected: Value at 'input' failed to " +
			"satisfy constraint: Member must not be null")
	}
	v, err := decode(data)
	body, isObject := v.(object)
	if err != nil || !isObject {
		return prompt{}, awsInvalid("Malformed input request: the body is not a JSON object")
	}
	if body.get("anthropic_version") != nil {
		return messagesPrompt(body), nil
	}
	return conversePrompt(body), nil
}

func writeBedrockCountTokens(_ *call, _ prompt, replies []Reply) *answer {
	return &answer{body: encode(object{{"inputTokens", replies[0].Usage.Input}})}
}
