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

// scalar returns the value of a scalar.
func (r *reader) scalar(n *yaml.Node, field string) exactjson.Value {
	text := r.string(n, field)
	value := func(k exactjson.Kind, text string) exactjson.Value { return exactjson.Value{Kind: k, Text: text} }
	if n.Style != yaml.Plain || n.Tag != "" {
		return value(exactjson.String, text)
	}
	if isNull(n) {
		return value(exactjson.Null, "")
	}
	if pyBool.MatchString(text) {
		return value(exactjson.Bool, strconv.FormatBool(pyTrue(text)))
	}
	if r.isNumber == nil && pyBase60.MatchString(text) {
		r.failf(n, field, "%s is a time without quotes, which vcrpy plays as a number to the base "+
			"60; put it in quotes, or write the number", text)
	}
	if pyNoJSON.MatchString(text) {
		r.failf(n, field, "%s is a number that JSON cannot write; put it in quotes if it is text", text)
	}
	isInt := pyInt.MatchString(text)
	isFloat := pyFloat.MatchString(text)
	if r.isNumber != nil {
		isFloat = r.isNumber(text)
		isInt = isInt && isFloat
	}
	end, isJSON := exactjson.ScanNumber(text, 0)
	if isJSON && end == len(text) && (isInt || isFloat) {
		return value(exactjson.Number, text)
	}
	plain := strings.ReplaceAll(text, "_", "")
	switch {
	case isInt:
		if i, ok := new(big.Int).SetString(plain, 0); ok {
			return value(exactjson.Number, i.String())
		}
	case isFloat:
		if f, err := strconv.ParseFloat(plain, 64); err == nil {
			return value(exactjson.Number, strconv.FormatFloat(f, 'g', -1, 64))
		}
	}
	return value(exactjson.String, text)
}
