package conversation

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// signs are how the bytes of pictures and sounds begin, after so many others.
var signs = []struct {
	after      int
	sign, kind string
}{
	{0, "\x89PNG\r\n\x1a\n", "image/png"}, {0, "\xff\xd8\xff", "image/jpeg"}, {0, "GIF8", "image/gif"}, {8, "WEBP", "image/webp"}, {8, "WAVE", "audio/wav"},
	{0, "ID3", "audio/mpeg"}, {0, "\xff\xfb", "audio/mpeg"}, {0, "\xff\xf3", "audio/mpeg"}, {0, "OggS", "audio/ogg"}, {0, "fLaC", "audio/flac"},
	{4, "ftypM4A", "audio/mp4"}, {4, "ftyp", "video/mp4"}, {0, "\x1aE\xdf\xa3", "video/webm"}, {0, "%PDF-", "application/pdf"},
}

// mediaOf returns the type of a picture, a sound or a film by its first bytes, "" if it is none
// that is known.
func mediaOf(data []byte) string {
	for _, s := range signs {
		if len(data) >= s.after && bytes.HasPrefix(data[s.after:], []byte(s.sign)) {
			return s.kind
		}
	}
	return ""
}

// fromBase64 decodes a text that may be a medium, with or without "data:TYPE;base64," before
// it. It returns nil if it is none.
func fromBase64(text string) []byte {
	const least = 64 // bytes of the smallest picture
	if rest, ok := strings.CutPrefix(text, "data:"); ok {
		_, text, _ = strings.Cut(rest, ",")
	}
	if len(text) < least || strings.ContainsAny(text[:least], " \n{") {
		return nil
	}
	text = strings.TrimRight(text, "=")
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		data, err = base64.RawURLEncoding.DecodeString(text)
	}
	if err != nil {
		return nil
	}
	return data
}

// mediumPart returns the part of a medium.
func mediumPart(name string, data []byte) Part {
	words := slices.DeleteFunc([]string{name, mediaOf(data), fmt.Sprintf("%d bytes", len(data))}, func(w string) bool { return w == "" })
	return Part{Kind: Media, Text: strings.Join(words, ", "), Type: mediaOf(data), Data: data}
}

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
