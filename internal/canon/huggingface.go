package canon

// huggingfaceFamilies returns the families of Hugging Face's inference API
// (https://huggingface.co/docs/inference-providers) and Text Generation
// Inference (https://huggingface.co/docs/text-generation-inference): the
// endpoints that are not in OpenAI's format.
func huggingfaceFamilies() []*Family {
	return []*Family{
		{
			Name:        "huggingface.inference",
			Paths:       []string{"/models/{org}/{model}/pipeline/{task}", "/models/{org}/{model}"},
			Needs:       []string{"inputs"},
			Stream:      "stream",
			Bookkeeping: []string{"options"},
			Transcript:  textGeneration,
		},
		{
			Name:        "tgi.generate",
			Paths:       []string{"/generate"},
			StreamPaths: []string{"/generate_stream"},
			Needs:       []string{"inputs"},
			Transcript:  textGeneration,
		},
	}
}

// textGeneration is for answers of text generation: an object, or a list of
// objects.
var textGeneration = Transcript{
	Text:   []string{"generated_text", "*/generated_text"},
	Finish: []string{"details/finish_reason", "*/details/finish_reason"},
	Pieces: pieces{
		{At: "token/text", To: "generated_text", Grow: all}, {At: "details", To: "details"},
	},
}
