package provider

import (
	"math"
	"net/http"
	"sort"
	"strings"
)

// rerank is Cohere's rerank of both versions, and that of Voyage and Jina, who
// have the same path: a model "jina-..." is Jina's; a model "rerank-2", or
// "rerank-lite", or a top_k is Voyage's.
var rerank = family{
	name:   "cohere.rerank",
	vendor: cohere,
	owns:   suffix("/rerank"),
	answer: answerRerank,
}

// scored is a document of a request and how near it is to the query.
type scored struct {
	index int
	text  string
	score float64
}

func answerRerank(c *call) (*answer, *problem) {
	if p := cohereModel(c); p != nil {
		return nil, p
	}
	query := c.body.text("query")
	if query == "" || len(c.body.list("documents")) == 0 {
		return nil, &problem{status: http.StatusBadRequest, message: "invalid request: query and documents must not be empty"}
	}
	top := max(c.body.number("top_n"), c.body.number("top_k"))
	ranked, count := scoreDocuments(query, c.body.list("documents"), top)
	model := c.body.text("model")
	usage := field{"usage", object{{"total_tokens", count}}}
	switch {
	case strings.HasPrefix(model, "jina"):
		whole := c.body.get("return_documents") != false
		return &answer{body: encode(object{{"model", model}, usage,
			{"results", rerankResults(ranked, whole, "text")}})}, nil
	case strings.HasPrefix(model, "rerank-2") || strings.HasPrefix(model, "rerank-lite") || c.body.get("top_k") != nil:
		return &answer{body: encode(object{{"object", "list"},
			{"data", rerankResults(ranked, c.body.flag("return_documents"), "")}, {"model", model}, usage})}, nil
	}
	version := "1"
	if strings.Contains(c.path, "/v2/") {
		version = "2"
	}
	return &answer{body: encode(object{
		{"id", cohereID(c)},
		{"results", rerankResults(ranked, c.body.flag("return_documents"), "text")},
		{"meta", cohereMeta(version, object{{"search_units", 1}})},
	})}, nil
}

// scoreDocuments puts the nearest documents first, and counts the tokens of all.
func scoreDocuments(query string, documents []any, top int) ([]scored, int) {
	const size = 256
	var all []scored
	count := len(tokens(query))
	wanted := embed(query, size)
	for i, d := range documents {
		text, ok := d.(string)
		if !ok {
			o, _ := d.(object)
			text = o.text("text")
		}
		count += len(tokens(text))
		sum := 0.0
		for k, x := range embed(text, size) {
			sum += float64(x) * float64(wanted[k])
		}
		// One decimal less than a float32 has, and between 0 and 1.
		all = append(all, scored{i, text, math.Round((sum+1)/2*1e6) / 1e6})
	}
	sort.SliceStable(all, func(i, k int) bool { return all[i].score > all[k].score })
	if top > 0 && top < len(all) {
		all = all[:top]
	}
	return all, count
}

// rerankResults spells results; a document stands in a member of its own, or
// as it is where that has no name.
func rerankResults(ranked []scored, whole bool, member string) []object {
	var out []object
	for _, r := range ranked {
		o := object{{"index", r.index}, {"relevance_score", r.score}}
		if whole && member == "" {
			o = append(o, field{"document", r.text})
		} else if whole {
			o = append(o, field{"document", object{{member, r.text}}})
		}
		out = append(out, o)
	}
	return out
}
