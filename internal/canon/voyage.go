package canon

// Voyage AI (https://docs.voyageai.com/reference) and Jina AI
// (https://jina.ai/embeddings), which share paths; their embeddings are at
// OpenAI's path and in its family. Text Embeddings Inference reranks "texts".
func voyageFamilies() []*Family {
	return []*Family{
		{Name: "voyage.multimodalembeddings", Paths: []string{"/multimodalembeddings"}, Needs: []string{"inputs"}, Defaults: multimodalDefaults},
		{Name: "voyage.contextualizedembeddings", Paths: []string{"/contextualizedembeddings"}, Needs: []string{"inputs"}},
		{Name: "rerank", Paths: []string{"/rerank"}, Needs: []string{"documents", "texts"}, Defaults: rerankDefaults},
	}
}
