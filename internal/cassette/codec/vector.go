package codec

import (
	"strconv"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// A vector is a list of numbers that is too long for people to read, such as an embedding. An asset
// has the numbers as JSON. The cassette has their count and the name of the asset:
// "!numbers 1536@6f1ed002ab559585.json".
const (
	numbersTag = "!numbers"
	minVector  = 1 << 10 // the JSON of a vector has more bytes
)

// isVector reports whether v is written as a vector.
func isVector(v *exactjson.Value) bool {
	const maxNumber = 32 // about the most bytes of a number and its comma
	mayBeLong := len(v.Elems) >= minVector/maxNumber
	if v.Kind != exactjson.Array || !mayBeLong {
		return false
	}
	size := 1
	for i := range v.Elems {
		if v.Elems[i].Kind != exactjson.Number {
			return false
		}
		size += len(v.Elems[i].Text) + 1
	}
	return size > minVector
}

// vector writes a vector in block or in flow context.
func (e *encoder) vector(v *exactjson.Value, block bool) {
	content := v.AppendJSON(nil, exactjson.Layout{})
	name := hashAsset(content) + ".json"
	e.addAsset(name, content)
	e.taggedText(numbersTag+" ", strconv.Itoa(len(v.Elems))+"@"+name, block)
}
