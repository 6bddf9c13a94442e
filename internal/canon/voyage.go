package canon

// Voyage AI (https://docs.voyageai.com/reference) and Jina AI
// (https://jina.ai/embeddings), which share paths; their embeddings are at
// OpenAI's path and in its family.
var voyageFamilies = []*Family{
	{Name: "voyage.multimodalembeddings", Paths: []string{"/multimodalembeddings"}, Rules: []Rule{dropNulls()}},
	{Name: "voyage.contextualizedembeddings", Paths: []string{"/contextualizedembeddings"}, Rules: []Rule{dropNulls()}},
	{Name: "rerank", Paths: []string{"/rerank"}, Rules: []Rule{dropNulls()}},
}
