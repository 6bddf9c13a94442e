package cassette

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/yaml"
)

// str returns the text of n, which must be a string.
func (p *parser) str(n *yaml.Node, field string) string {
	if n.Kind != yaml.Scalar || n.Tag == "!asset" || p.resolve(n, field) != exactjson.String {
		p.want(n, field, "text (in quotes if it looks like something else)")
		return ""
	}
	return p.decoded(n, field)
}

// loose is str for where numbers and bools, too, can only mean their text.
func (p *parser) loose(n *yaml.Node, field string) string {
	if n.Kind == yaml.Scalar && n.Tag == "" {
		if k := p.resolve(n, field); k == exactjson.Number || k == exactjson.Bool {
			return n.Text
		}
	}
	return p.str(n, field)
}

// decoded returns the text of a scalar, decoded if it is tagged as binary.
func (p *parser) decoded(n *yaml.Node, field string) string {
	if n.Tag == "!!binary" {
		return string(p.base64(n, field))
	}
	return n.Text
}

func (p *parser) base64(n *yaml.Node, field string) []byte {
	b, err := yaml.DecodeBase64(n.Text)
	if err != nil {
		p.badf(n, field, "invalid base64 (%v); restore it, or record again", err)
	}
	return b
}

// integer returns the integer n, which is min or more.
func (p *parser) integer(n *yaml.Node, field string, min int64) int64 {
	if n.Kind == yaml.Scalar && n.Tag == "" && p.resolve(n, field) == exactjson.Number {
		if i, err := strconv.ParseInt(n.Text, 10, 64); err == nil && i >= min {
			return i
		}
	}
	if p.err == nil {
		what := "an integer"
		if min == 0 {
			what = "an integer, 0 or more"
		}
		p.want(n, field, what)
	}
	return 0
}

func (p *parser) boolean(n *yaml.Node, field string) bool {
	if n.Kind != yaml.Scalar || n.Tag != "" || p.resolve(n, field) != exactjson.Bool {
		p.want(n, field, "true or false")
	}
	return n.Text == "true"
}

// resolve returns the kind of the scalar n. Plain text that YAML takes for
// something that JSON does not have, or writes differently, is refused.
func (p *parser) resolve(n *yaml.Node, field string) exactjson.Kind {
	if n.Style != yaml.Plain || n.Tag != "" {
		return exactjson.String
	}
	switch n.Text {
	case "", "null":
		return exactjson.Null
	case "true", "false":
		return exactjson.Bool
	}
	if end, ok := exactjson.ScanNumber(n.Text, 0); ok && end == len(n.Text) {
		return exactjson.Number
	}
	if yamlOnly(n.Text) {
		p.badf(n, field, "%q is not text to YAML; put it in quotes if it is meant to be, else write it as JSON does", yaml.Clip(n.Text))
	}
	return exactjson.String
}

// yamlOnly reports whether YAML's core schema (YAML 1.2.2, 10.3.2) takes s for
// a null, a bool or a number that JSON writes in another way.
func yamlOnly(s string) bool {
	switch s {
	case "~", "Null", "NULL", "True", "TRUE", "False", "FALSE", ".nan", ".NaN", ".NAN":
		return true
	}
	if strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0o") {
		return strings.Trim(s[2:], "0123456789abcdefABCDEF") == "" && len(s) > 2
	}
	t := strings.TrimLeft(s, "+-")
	switch t {
	case ".inf", ".Inf", ".INF":
		return true
	}
	return strings.ContainsAny(t, "0123456789") && strings.Trim(t, "0123456789.eE+-") == "" && isFloat(s)
}

func isFloat(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil || strings.HasSuffix(err.Error(), strconv.ErrRange.Error())
}

// describe says what n is, for messages.
func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.Mapping:
		return "a mapping"
	case n.Kind == yaml.Sequence:
		return "a list"
	case n.Tag != "":
		return fmt.Sprintf("%s %q", n.Tag, yaml.Clip(n.Text))
	case n.Style == yaml.Plain && n.Text == "":
		return "nothing"
	case n.Style == yaml.Plain:
		return yaml.Clip(n.Text)
	}
	return fmt.Sprintf("the text %q", yaml.Clip(n.Text))
}
