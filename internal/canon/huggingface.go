package canon

// Hugging Face's inference API
// (https://huggingface.co/docs/inference-providers) and Text Generation
// Inference (https://huggingface.co/docs/text-generation-inference), where
// they are not OpenAI's.
func huggingfaceFamilies() []*Family {
	return []*Family{
		{
			Name:        "huggingface.inference",
			Paths:       []string{"/models/{org}/{model}/pipeline/{task}", "/models/{org}/{model}"},
			Needs:       []string{"inputs"},
			Stream:      "stream",
			Bookkeeping: []string{"options"},
			Transcript:  generated,
		},
		{
			Name:        "tgi.generate",
			Paths:       []string{"/generate"},
			StreamPaths: []string{"/generate_stream"},
			Needs:       []string{"inputs"},
			Transcript:  generated,
		},
	}
}

// generated is what text generation answers in one piece, alone or in a list.
var generated = Transcript{
	Text:   []string{"generated_text", "*/generated_text"},
	Finish: []string{"details/finish_reason", "*/details/finish_reason"},
	Pieces: pieces{{At: "token/text", To: "generated_text", Grow: all}, {At: "details", To: "details"}},
}
