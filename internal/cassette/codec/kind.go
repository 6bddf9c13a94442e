package codec

import (
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/memo"
)

// kindOf returns the kind of a plain text; ok is false if that is for YAML another one than for
// JSON.
func kindOf(text string) (kind exactjson.Kind, ok bool) {
	switch text {
	case "", "null":
		return exactjson.Null, true
	case "true", "false":
		return exactjson.Bool, true
	}
	if c := text[0]; c >= 'a' && c <= 'z' || strings.IndexByte("~.+-0123456789NTF", c) < 0 {
		return exactjson.String, true
	}
	if end, ok := exactjson.ScanNumber(text, 0); ok && end == len(text) {
		return exactjson.Number, true
	}
	return exactjson.String, !yamlOnly().MatchString(text)
}

// yamlOnly matches what YAML's core schema (YAML 1.2.2, 10.3.2) takes for a null, a bool or a
// number that JSON writes in another way.
var yamlOnly = memo.Regexp(`^(~|N(ull|ULL)|T(rue|RUE)|F(alse|ALSE)|\.(nan|NaN|NAN)|[-+]*\.(inf|Inf|INF)|` +
	`0[xo][0-9a-fA-F]+|[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?)$`)
