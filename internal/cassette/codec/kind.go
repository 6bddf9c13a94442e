package codec

import (
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/memo"
)

// kindOf returns the kind that a scalar without quotes has in JSON. It returns false if the scalar
// is for YAML a null, a bool or a number that JSON writes in another way.
func kindOf(text string) (kind exactjson.Kind, ok bool) {
	switch text {
	case "", "null":
		return exactjson.Null, true
	case "true", "false":
		return exactjson.Bool, true
	}
	first := text[0]
	isLetter := first >= 'a' && first <= 'z' // as in most texts
	if isLetter || strings.IndexByte("~.+-0123456789NTF", first) < 0 {
		return exactjson.String, true
	}
	end, isNumber := exactjson.ScanNumber(text, 0)
	if isNumber && end == len(text) {
		return exactjson.Number, true
	}
	return exactjson.String, !yamlOnly().MatchString(text)
}

// yamlOnly matches the nulls, bools and numbers of YAML's core schema (YAML 1.2.2, 10.3.2) that
// JSON writes in another way.
var yamlOnly = memo.Regexp(`^(~|N(ull|ULL)|T(rue|RUE)|F(alse|ALSE)|\.(nan|NaN|NAN)|[-+]*\.(inf|Inf|INF)|` +
	`0[xo][0-9a-fA-F]+|[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?)$`)
