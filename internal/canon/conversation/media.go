package conversation

import (
	"fmt"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// takeMedia returns the pictures and sounds in a value. In the value, it replaces each of
// them by a description.
func takeMedia(v *exactjson.Value) (parts []Part) {
	if v.Kind == exactjson.String {
		if data := fromBase64(v.Text); data != nil && mediaTypeOf(data) != "" {
			p := mediaPartOf("", data)
			v.Text = "(" + p.Text + ")"
			parts = append(parts, p)
		}
	}
	for i := range v.Elems {
		parts = append(parts, takeMedia(&v.Elems[i])...)
	}
	return parts
}

// readBodyMedia reads a response whose API is unknown: a picture or a sound, JSON that has
// some, or vectors if isEmbedding is set. It reports whether the response is one of these.
func (a *Answer) readBodyMedia(resp *interaction.Response, isEmbedding bool) bool {
	if kind := mediaTypeOf(resp.Body); kind != "" {
		a.Parts = []Part{mediaPartOf("", resp.Body)}
		return true
	}
	v, err := exactjson.Parse(resp.Body)
	if err != nil {
		return false
	}
	if text := vectors(&v); isEmbedding && text != "" {
		a.Parts = []Part{{Kind: Media, Text: text}}
		return true
	}
	media := takeMedia(&v)
	if len(media) == 0 {
		return false
	}
	a.Parts = media
	a.Body = string(v.AppendJSON(nil, exactjson.Layout{}))
	return true
}

// vectors returns "3 vectors of 256" for a response with embeddings, "" for any other.
func vectors(v *exactjson.Value) string {
	counts := map[int]int{} // the number of vectors of each size
	var sizes []int         // in the order of the response
	var walk func(v *exactjson.Value)
	walk = func(v *exactjson.Value) {
		if size := vectorSize(v); size > 0 {
			counts[size]++
			if counts[size] == 1 {
				sizes = append(sizes, size)
			}
			return
		}
		for i := range v.Elems {
			walk(&v.Elems[i])
		}
	}
	for _, name := range []string{"data", "embeddings", "embedding", "predictions"} {
		if m := v.Member(name); m != nil {
			walk(m)
		}
	}
	var texts []string
	for _, size := range sizes {
		noun := "vectors"
		if counts[size] == 1 {
			noun = "vector"
		}
		texts = append(texts, fmt.Sprintf("%d %s of %d", counts[size], noun, size))
	}
	return strings.Join(texts, ", ")
}

// vectorSize returns the size of a vector, or 0 for any other value. A vector is a list of
// numbers, or their bytes in base64.
func vectorSize(v *exactjson.Value) int {
	const (
		least      = 8 // numbers of a vector
		numberSize = 4 // bytes
	)
	switch {
	case v.Kind == exactjson.String && v.Name == "embedding":
		return len(fromBase64(v.Text)) / numberSize
	case v.Kind != exactjson.Array || len(v.Elems) < least:
		return 0
	}
	for _, e := range v.Elems {
		if e.Kind != exactjson.Number {
			return 0
		}
	}
	return len(v.Elems)
}
