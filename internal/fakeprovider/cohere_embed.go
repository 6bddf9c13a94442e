package fakeprovider

import (
	"math"
	"net/http"
	"strings"
)

// cohereEmbed is Cohere's embed, version 2.
var cohereEmbed = family{
	vectors: true,
	name:    "cohere.embed",
	vendor:  cohere,
	owns:    suffix("/v2/embed"),
	read:    readCohereEmbed,
	write:   writeCohereEmbed,
}

// cohereEmbedV1 is Cohere's embed, version 1. Without embedding types its vectors
// are a plain list.
var cohereEmbedV1 = family{
	vectors: true,
	name:    "cohere.embed_v1",
	vendor:  cohere,
	owns:    suffix("/v1/embed"),
	read:    readCohereEmbed,
	write:   writeCohereEmbedV1,
}

func readCohereEmbed(c *call) (prompt, *Problem) {
	if p := cohereModel(c); p != nil {
		return prompt{}, p
	}
	var inputs []string
	for _, name := range []string{"texts", "images"} {
		for _, item := range c.body.list(name) {
			text, _ := item.(string)
			inputs = append(inputs, text)
		}
	}
	for _, input := range objects(c.body.list("inputs")) {
		inputs = append(inputs, contentText(input.get("content")))
	}
	if inputs == nil {
		return prompt{}, &Problem{Status: http.StatusBadRequest,
			Message: "invalid request: one of texts, images or inputs must be provided"}
	}
	return prompt{inputs: inputs}, nil
}

func writeCohereEmbed(c *call, p prompt, replies []Reply) *answer {
	types := c.body.list("embedding_types")
	if len(types) == 0 {
		types = []any{"float"}
	}
	all := vectors(p.inputs, cohereVectorSize(c), replies[0])
	return cohereEmbeddings(c, p, replies[0], cohereByType(types, all))
}

func writeCohereEmbedV1(c *call, p prompt, replies []Reply) *answer {
	all := vectors(p.inputs, cohereVectorSize(c), replies[0])
	types := c.body.list("embedding_types")
	if len(types) > 0 {
		return cohereEmbeddings(c, p, replies[0], cohereByType(types, all))
	}
	return cohereEmbeddings(c, p, replies[0], all)
}

// cohereEmbeddings is the response with vectors: a list, or an object that has a
// list for each type.
func cohereEmbeddings(c *call, p prompt, r Reply, vectors any) *answer {
	kind := "embeddings_floats"
	if _, byType := vectors.(object); byType {
		kind = "embeddings_by_type"
	}
	return &answer{body: encode(object{
		{"id", cohereID(c)},
		{"texts", p.inputs},
		{"embeddings", vectors},
		{"meta", object{
			{"api_version", object{{"version", cohereVersion(c.path)}}},
			{"billed_units", object{{"input_tokens", r.Usage.Input}}},
		}},
		{"response_type", kind},
	})}
}

// cohereVectorSize is the number of dimensions: that of the request, or what the
// model has (https://docs.cohere.com/docs/cohere-embed).
func cohereVectorSize(c *call) int {
	if size := c.body.number("output_dimension"); size > 0 {
		return min(size, maxDimensions)
	}
	model := c.body.text("model")
	switch {
	case strings.Contains(model, "light"):
		return 384
	case strings.Contains(model, "v4"):
		return 1536
	}
	return 1024
}

// cohereByType is the vectors in each type that is asked for.
func cohereByType(types []any, vectors [][]float32) object {
	var o object
	for _, t := range types {
		kind, _ := t.(string)
		spell := cohereVectorTypes[kind]
		if spell == nil {
			continue
		}
		list := []any{}
		for _, v := range vectors {
			list = append(list, spell(v))
		}
		o = append(o, field{kind, list})
	}
	return o
}

// cohereVectorTypes are the embedding types: whole numbers are scaled, and the
// binary ones have a bit for each number that is above zero.
var cohereVectorTypes = map[string]func([]float32) any{
	"float":   func(v []float32) any { return v },
	"base64":  func(v []float32) any { return base64Vector(v) },
	"int8":    func(v []float32) any { return scaled(v, 0) },
	"uint8":   func(v []float32) any { return scaled(v, 128) },
	"binary":  func(v []float32) any { return packed(v, -128) },
	"ubinary": func(v []float32) any { return packed(v, 0) },
}

// scaled is numbers from -1 to 1 as whole numbers from -127 to 127, and more.
func scaled(v []float32, more int) []any {
	out := []any{}
	for _, x := range v {
		out = append(out, int(math.Round(float64(x)*127))+more)
	}
	return out
}

// packed is the signs of numbers, eight to a byte, and more.
func packed(v []float32, more int) []any {
	out := []any{}
	for i := 0; i < len(v); i += 8 {
		b := 0
		for k, x := range v[i:min(i+8, len(v))] {
			if x > 0 {
				b |= 1 << (7 - k)
			}
		}
		out = append(out, b+more)
	}
	return out
}
