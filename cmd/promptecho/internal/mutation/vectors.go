package mutation

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// vectorPaths are the places of the vectors in the answers of embedding models, by the names of the
// families in package canon. A vector is a list of numbers, or their bytes in base64.
var vectorPaths = map[string][]string{
	"openai.embeddings":               {"data/*/embedding", "data/*/embeddings/*"}, // the 2nd: Jina
	"voyage.multimodalembeddings":     {"data/*/embedding"},
	"voyage.contextualizedembeddings": {"data/*/data/*/embedding"},
	"gemini.embedContent":             {"embedding/values"},
	"gemini.batchEmbedContents":       {"embeddings/*/values"},
	"vertex.predict":                  {"predictions/*/embeddings/values"},
	"cohere.embed":                    cohereVectors,
	"cohere.embed_v1":                 cohereVectors,
	"ollama.embed":                    {"embeddings/*"},
	"ollama.embeddings":               {"embedding"},

	// Titan's vector stands in two places. The rest is Cohere's.
	"bedrock.invoke": append([]string{
		"embedding", "embeddingsByType/float", "embeddingsByType/binary",
	}, cohereVectors...),
}

// cohereVectors are lists of vectors by their type, or without types one list.
var cohereVectors = []string{
	"embeddings/float/*", "embeddings/int8/*", "embeddings/uint8/*", "embeddings/binary/*",
	"embeddings/ubinary/*", "embeddings/base64/*", "embeddings/*",
}

// ofEmbedding returns the mutations of the answer of an embedding model.
func ofEmbedding(it *interaction.Interaction, form *canon.Form, o Options) []*Mutation {
	paths := vectorPaths[form.Endpoint]
	if paths == nil || it.Response.Stream != "" {
		return nil
	}
	s := newResponse(it, form, o)
	turn := func(d *document) bool { return turnVector(&d.payloads[0].value, paths) }
	if !turn(s.document()) {
		return nil
	}
	s.editControl()
	s.edit(OtherVector, "the first vector -> its elements moved by one place",
		"assert on what is found with the vector", turn)
	addFailures(s)
	return s.list
}

// turnVector changes the first vector at each path, whose length and norm stay. It returns false if
// there is none that can be changed.
func turnVector(body *exactjson.Value, paths []string) bool {
	isTurned := false
	for _, path := range paths {
		isFirst := true
		body.Each(path, func(v *exactjson.Value) {
			isTurned = isFirst && turn(v) || isTurned
			isFirst = false
		})
	}
	return isTurned
}

// turn moves the elements of a vector by one place. If all are equal, it changes their signs. It
// returns false if v is no vector, or has only zeros.
func turn(v *exactjson.Value) bool {
	if v.Kind == exactjson.String {
		turned, ok := turnBytes(v.Text)
		v.Text = turned
		return ok
	}
	if v.Kind != exactjson.Array || len(v.Elems) == 0 {
		return false
	}
	isAlike := true
	for _, e := range v.Elems {
		if e.Kind != exactjson.Number {
			return false
		}
		isAlike = isAlike && e.Text == v.Elems[0].Text
	}
	if !isAlike {
		last := len(v.Elems) - 1
		v.Elems = append([]exactjson.Value{v.Elems[last]}, v.Elems[:last]...)
		return true
	}
	first := v.Elems[0].Text
	negative := "-" + first
	if positive, ok := strings.CutPrefix(first, "-"); ok {
		negative = positive
	}
	for i := range v.Elems {
		v.Elems[i].Text = negative
	}
	return strings.ContainsAny(first, "123456789")
}

// turnBytes turns a vector of 32-bit numbers in little-endian order. Vectors of bytes are turned by
// four elements, which is as good.
func turnBytes(text string) (turned string, ok bool) {
	const size = 4
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(b) <= size {
		return text, false
	}
	moved := slices.Concat(b[len(b)-size:], b[:len(b)-size])
	if string(moved) == string(b) {
		for i := size - 1; i < len(moved); i += size {
			moved[i] ^= 0x80 // the sign
		}
	}
	hasOther := strings.Trim(string(b), "\x00") != ""
	return base64.StdEncoding.EncodeToString(moved), hasOther
}

// rankPaths are the places of the results of a reranker, the best one first, by the names of the
// families in package canon.
var rankPaths = map[string]string{
	"cohere.rerank":  "results",
	"rerank":         "results|data", // Jina, Voyage
	"bedrock.invoke": "results",
}

// scores are the members of a result that have its score.
var scores = []string{"relevance_score", "score"}

// ofRanking returns the mutations of the answer of a reranker.
func ofRanking(it *interaction.Interaction, form *canon.Form, o Options) []*Mutation {
	path, isRanking := rankPaths[form.Endpoint]
	if !isRanking || it.Response.Stream != "" {
		return nil
	}
	s := newResponse(it, form, o)
	swap := func(d *document) bool {
		isSwapped := swapBest(&d.payloads[0].value) // Text Embeddings Inference has only the list
		d.payloads[0].value.Each(path, func(list *exactjson.Value) {
			isSwapped = swapBest(list) || isSwapped
		})
		return isSwapped
	}
	if !swap(s.document()) {
		return nil
	}
	s.editControl()
	s.edit(FieldValue, "the first two results -> in the other order",
		"assert on the order of the results", swap)
	addFailures(s)
	return s.list
}

// swapBest swaps the first two results of a list, whose scores stay where they are.
func swapBest(list *exactjson.Value) bool {
	if list.Kind != exactjson.Array || len(list.Elems) < 2 {
		return false
	}
	first, second := &list.Elems[0], &list.Elems[1]
	for _, name := range scores {
		a, b := first.Member(name), second.Member(name)
		if a != nil && b != nil && first.Member("index") != nil {
			*a, *b = *b, *a
			*first, *second = *second, *first
			return true
		}
	}
	return false
}
