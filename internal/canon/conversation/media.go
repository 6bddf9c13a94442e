package conversation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// takeMedia takes the pictures and sounds out of a value: what is left says where they were.
func takeMedia(v *exactjson.Value) (parts []Part) {
	if v.Kind == exactjson.String {
		if data := fromBase64(v.Text); data != nil && mediaOf(data) != "" {
			p := mediumPart("", data)
			v.Text = "(" + p.Text + ")"
			parts = append(parts, p)
		}
	}
	for i := range v.Elems {
		parts = append(parts, takeMedia(&v.Elems[i])...)
	}
	return parts
}

// readBodyMedia reads an answer of which nothing else is known: as a picture or a sound, as JSON
// that has some, or as vectors, if it embeds texts. It reports whether it is one.
func (a *Answer) readBodyMedia(resp *interaction.Response, embeds bool) bool {
	if kind := mediaOf(resp.Body); kind != "" {
		a.Parts = []Part{mediumPart("", resp.Body)}
		return true
	}
	v, err := exactjson.Parse(resp.Body)
	if err != nil {
		return false
	}
	if text := vectors(&v); embeds && text != "" {
		a.Parts = []Part{{Kind: Media, Text: text}}
		return true
	}
	media := takeMedia(&v)
	if len(media) == 0 {
		return false
	}
	a.Parts, a.Body = media, string(v.AppendJSON(nil, exactjson.Layout{}))
	return true
}

// vectors returns "3 vectors of 256" for an answer of embeddings, "" for any other.
func vectors(v *exactjson.Value) string {
	const least = 8 // numbers of a vector
	sizes := map[int]int{}
	order := []int{}
	var walk func(v *exactjson.Value)
	walk = func(v *exactjson.Value) {
		n := 0
		switch {
		case v.Kind == exactjson.Array && len(v.Elems) >= least && !slices.ContainsFunc(v.Elems, func(e exactjson.Value) bool { return e.Kind != exactjson.Number }):
			n = len(v.Elems)
		case v.Kind == exactjson.String && v.Name == "embedding":
			n = len(fromBase64(v.Text)) / 4 // numbers of four bytes
		}
		if n > 0 {
			if sizes[n]++; sizes[n] == 1 {
				order = append(order, n)
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
	for _, n := range order {
		what := "vectors"
		if sizes[n] == 1 {
			what = "vector"
		}
		texts = append(texts, fmt.Sprintf("%d %s of %d", sizes[n], what, n))
	}
	return strings.Join(texts, ", ")
}
