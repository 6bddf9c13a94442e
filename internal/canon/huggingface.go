package canon

// Hugging Face's inference API
// (https://huggingface.co/docs/inference-providers) and Text Generation
// Inference (https://huggingface.co/docs/text-generation-inference), where
// they are not OpenAI's.
var huggingfaceFamilies = []*Family{
	{
		Name:        "huggingface.inference",
		Paths:       []string{"/models/{org}/{model}/pipeline/{task}", "/models/{org}/{model}"},
		Needs:       []string{"inputs"},
		Stream:      "stream",
		Bookkeeping: []string{"options"},
	},
	{
		Name:        "tgi.generate",
		Paths:       []string{"/generate"},
		StreamPaths: []string{"/generate_stream"},
		Needs:       []string{"inputs"},
	},
}
