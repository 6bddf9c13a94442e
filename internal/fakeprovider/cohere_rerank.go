package fakeprovider

import (
	"math"
	"net/http"
	"sort"
)

// cohereRerank is Cohere's rerank, versions 1 and 2. Its inputs are the query and
// the documents: their vectors tell how near they are.
var cohereRerank = family{
	vectors: true,
	name:    "cohere.rerank",
	vendor:  cohere,
	owns:    suffix("/v2/rerank", "/v1/rerank"),
	read:    readCohereRerank,
	write:   writeCohereRerank,
}

func readCohereRerank(c *call) (prompt, *Problem) {
	if p := cohereModel(c); p != nil {
		return prompt{}, p
	}
	query := c.body.text("query")
	documents := c.body.list("documents")
	if query == "" || len(documents) == 0 {
		return prompt{}, &Problem{Status: http.StatusBadRequest,
			Message: "invalid request: query and documents must be provided"}
	}
	inputs := []string{query}
	for _, d := range documents {
		inputs = append(inputs, contentText([]any{d}))
	}
	return prompt{inputs: inputs}, nil
}

func writeCohereRerank(c *call, p prompt, replies []Reply) *answer {
	const size = 256
	all := vectors(p.inputs, size, replies[0])
	scores := make([]float64, len(all)-1)
	order := make([]int, len(scores))
	for i := range scores {
		scores[i] = nearness(all[0], all[i+1])
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return scores[order[i]] > scores[order[j]] })
	if top := c.body.number("top_n"); top > 0 && top < len(order) {
		order = order[:top]
	}
	var results []object
	for _, i := range order {
		o := object{{"index", i}, {"relevance_score", scores[i]}}
		if c.body.flag("return_documents") {
			o = append(o, field{"document", object{{"text", p.inputs[i+1]}}})
		}
		results = append(results, o)
	}
	return &answer{body: encode(object{
		{"id", cohereID(c)},
		{"results", results},
		{"meta", object{
			{"api_version", object{{"version", cohereVersion(c.path)}}},
			{"billed_units", object{{"search_units", 1}}},
		}},
	})}
}

// nearness is the cosine of two vectors, and zero for those that point away from
// each other. It is rounded, so that it is the same on each machine.
func nearness(a, b []float32) float64 {
	var product, sizeA, sizeB float64
	for i := range min(len(a), len(b)) {
		product += float64(a[i]) * float64(b[i])
		sizeA += float64(a[i]) * float64(a[i])
		sizeB += float64(b[i]) * float64(b[i])
	}
	if product <= 0 {
		return 0
	}
	return math.Round(product/math.Sqrt(sizeA*sizeB)*1e6) / 1e6
}
