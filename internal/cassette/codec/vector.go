package codec

import (
	"strconv"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// A vector is a list of numbers that is too long to be read, such as an embedding. What
// stands in the file is how many numbers it has and the asset that has them, as JSON:
// "!numbers 1536@6f1ed002ab559585.json".
const (
	numbersTag = "!numbers"
	minVector  = 1 << 10 // bytes of its JSON
)

func isVector(v *exactjson.Value) bool {
	if v.Kind != exactjson.Array || len(v.Elems)*2 < minVector/16 {
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
	e.keepAsset(name, content)
	e.ref(numbersTag+" ", strconv.Itoa(len(v.Elems))+"@"+name, block)
}
