package canon

// voyageFamilies returns the families of Voyage AI
// (https://docs.voyageai.com/reference) and Jina AI
// (https://jina.ai/embeddings), which have the same paths. Their embeddings have
// OpenAI's path, and belong to its family. Text Embeddings Inference has
// "texts" in place of "documents".
func voyageFamilies() []*Family {
	return []*Family{
		{
			Name:     "voyage.multimodalembeddings",
			Paths:    []string{"/multimodalembeddings"},
			Needs:    []string{"inputs"},
			Defaults: multimodalDefaults,
		},
		{
			Name:  "voyage.contextualizedembeddings",
			Paths: []string{"/contextualizedembeddings"},
			Needs: []string{"inputs"},
		},
		{
			Name:     "rerank",
			Paths:    []string{"/rerank"},
			Needs:    []string{"documents", "texts"},
			Defaults: rerankDefaults,
		},
	}
}
