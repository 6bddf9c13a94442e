package provider

import (
	"fmt"
	"math"
	"net/http"
	"strings"
)

// cohereEmbed is Cohere's embed, of both versions.
var cohereEmbed = family{
	name:   "cohere.embed",
	vendor: cohere,
	owns:   suffix("/v2/embed", "/v1/embed"),
	answer: answerCohereEmbed,
}

func answerCohereEmbed(c *call) (*answer, *problem) {
	if p := cohereModel(c); p != nil {
		return nil, p
	}
	texts := cohereTexts(c.body)
	if len(texts) == 0 {
		return nil, &problem{status: http.StatusBadRequest, message: "invalid request: valid input must be provided"}
	}
	size := c.body.number("output_dimension")
	if size <= 0 {
		size = 1024
	}
	if size > maxDimensions {
		return nil, &problem{status: http.StatusBadRequest, message: fmt.Sprintf("invalid output_dimension: at most %d", maxDimensions)}
	}
	version := "1"
	if strings.HasSuffix(c.path, "/v2/embed") {
		version = "2"
	}
	count, floats := 0, []any{}
	for _, text := range texts {
		count += len(tokens(text))
		floats = append(floats, embed(text, size))
	}
	kinds := stopsOf(c.body.get("embedding_types"))
	kind, vectors := "embeddings_floats", any(floats)
	if len(kinds) > 0 || version == "2" {
		kind, vectors = "embeddings_by_type", cohereByType(kinds, texts, size)
	}
	return &answer{body: encode(object{
		{"id", cohereID(c)},
		{"texts", texts},
		{"embeddings", vectors},
		{"meta", cohereMeta(version, object{{"input_tokens", count}})},
		{"response_type", kind},
	})}, nil
}

// cohereTexts is what is to be embedded: texts, or inputs of several parts.
func cohereTexts(body object) []string {
	texts := stopsOf(body.get("texts"))
	for _, input := range objects(body.list("inputs")) {
		texts = append(texts, contentText(input.get("content")))
	}
	return append(texts, stopsOf(body.get("images"))...)
}

func cohereByType(kinds, texts []string, size int) object {
	if len(kinds) == 0 {
		kinds = []string{"float"}
	}
	var all object
	for _, kind := range kinds {
		var vectors []any
		for _, text := range texts {
			vectors = append(vectors, cohereVector(kind, embed(text, size)))
		}
		all = append(all, field{kind, vectors})
	}
	return all
}

// cohereVector packs a vector: as base64, as bytes, or a bit for each sign.
func cohereVector(kind string, v []float32) any {
	packed := []any{}
	switch kind {
	case "base64":
		return base64Vector(v)
	case "int8", "uint8":
		for _, x := range v {
			n := int(math.Round(float64(x) * 127))
			if kind == "uint8" {
				n += 128
			}
			packed = append(packed, n)
		}
	case "binary", "ubinary":
		for i := 0; i+8 <= len(v); i += 8 {
			bits := 0
			for _, x := range v[i : i+8] {
				bits <<= 1
				if x > 0 {
					bits |= 1
				}
			}
			if kind == "binary" {
				bits -= 128
			}
			packed = append(packed, bits)
		}
	default:
		return v
	}
	return packed
}
