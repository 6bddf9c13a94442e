package foreign

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/exactjson"
)

// json returns the value of a node as compact JSON.
func (r *reader) json(n *yaml.Node, field string) []byte {
	v := r.value(n, field)
	return v.AppendJSON(nil, exactjson.Layout{})
}

// value returns the value of a node.
func (r *reader) value(n *yaml.Node, field string) (v exactjson.Value) {
	switch n.Kind {
	case yaml.Scalar:
		return r.scalar(n, field)
	case yaml.Sequence:
		v.Kind = exactjson.Array
		for _, e := range n.Elems {
			v.Elems = append(v.Elems, r.value(e, field))
		}
		return v
	}
	v.Kind = exactjson.Object
	for _, e := range n.Elems {
		m := r.value(e, field)
		m.Name = e.Key.Text
		v.Elems = append(v.Elems, m)
	}
	return v
}

// These match the plain texts that PyYAML reads as values by the rules of YAML 1.1
// (https://yaml.org/type). It quotes texts that look like them. Values that JSON does not have, such as
// dates, become texts.
var (
	pyBool  = regexp.MustCompile(`^(?:(yes|Yes|YES|true|True|TRUE|on|On|ON)|no|No|NO|false|False|FALSE|off|Off|OFF)$`)
	pyInt   = regexp.MustCompile(`^[-+]?(?:0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+)$`)
	pyFloat = regexp.MustCompile(`^[-+]?(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+][0-9]+)?$`)
	// 12:30 is 750, and 08:30 is text.
	pyBase60 = regexp.MustCompile(`^[-+]?(?:` +
		`[1-9][0-9_]*(?::[0-5]?[0-9])+|` +
		`[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*` +
		`)$`)
	pyNoJSON = regexp.MustCompile(`^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$`)
)

// pyTrue reports whether plain text means true.
func pyTrue(plain string) bool {
	m := pyBool.FindStringSubmatch(plain)
	return m != nil && m[1] != ""
}

// scalar returns the value of a scalar: null, a boolean, a number, or otherwise a text. A scalar with
// quotes or a tag is a text.
func (r *reader) scalar(n *yaml.Node, field string) exactjson.Value {
	text := r.string(n, field)
	if n.Style != yaml.Plain || n.Tag != "" {
		return exactjson.Value{Kind: exactjson.String, Text: text}
	}
	if isNull(n) {
		return exactjson.Value{Kind: exactjson.Null}
	}
	if pyBool.MatchString(text) {
		return exactjson.Value{Kind: exactjson.Bool, Text: strconv.FormatBool(pyTrue(text))}
	}
	r.refuseNoJSON(n, field, text)
	if number, ok := r.number(text); ok {
		return exactjson.Value{Kind: exactjson.Number, Text: number}
	}
	return exactjson.Value{Kind: exactjson.String, Text: text}
}

// refuseNoJSON sets the error for a plain text that the tool reads as a number for which JSON has no
// notation of its own.
func (r *reader) refuseNoJSON(n *yaml.Node, field, text string) {
	if r.isNumber == nil && pyBase60.MatchString(text) {
		r.failf(n, field, "%s is a time without quotes, which vcrpy plays as a number to the base "+
			"60; put it in quotes, or write the number", text)
	}
	if pyNoJSON.MatchString(text) {
		r.failf(n, field, "%s is a number that JSON cannot write; put it in quotes if it is text", text)
	}
}

// number returns the number that a plain text means as JSON writes it, such as 10 for 0xA and 1000 for
// 1_000. A text that is JSON already is returned as it is. ok is false if the text is not a number.
func (r *reader) number(text string) (number string, ok bool) {
	isInt := pyInt.MatchString(text)
	isFloat := pyFloat.MatchString(text)
	if r.isNumber != nil {
		isFloat = r.isNumber(text)
		isInt = isInt && isFloat
	}
	end, isJSON := exactjson.ScanNumber(text, 0)
	isJSONNumber := isJSON && end == len(text)
	if isJSONNumber && (isInt || isFloat) {
		return text, true
	}
	plain := strings.ReplaceAll(text, "_", "")
	switch {
	case isInt:
		if i, ok := new(big.Int).SetString(plain, 0); ok {
			return i.String(), true
		}
	case isFloat:
		if f, err := strconv.ParseFloat(plain, 64); err == nil {
			return strconv.FormatFloat(f, 'g', -1, 64), true
		}
	}
	return "", false
}
