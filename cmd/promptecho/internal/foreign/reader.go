package foreign

import (
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/cassette/yaml"
)

// A reader makes a cassette from YAML nodes. After an error, its results are not used.
type reader struct {
	name, text string
	asset      func(name string) ([]byte, error) // reads a file next to the cassette

	// isNumber reports whether a plain scalar is a number, for a tool that has rules of its
	// own; nil for the rules of YAML 1.1.
	isNumber func(plain string) bool

	cassette *Cassette
	err      error
}

// failf sets the error for a node with a field. Only the first error counts.
func (r *reader) failf(n *yaml.Node, field, format string, args ...any) {
	if r.err == nil {
		r.err = codec.ErrorAt(r.name, r.text, n.Pos, field, format, args...)
	}
}

// add adds an exchange that was read from a node.
func (r *reader) add(n *yaml.Node, x *exchange) {
	if r.err != nil {
		return
	}
	if err := r.cassette.add(x); err != nil {
		r.failf(n, "", "%v", err)
	}
}

// member returns the value of a key, nil if there is none or if it is null.
func member(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.Mapping {
		return nil
	}
	for _, e := range n.Elems {
		if e.Key.Text == key && !isNull(e) {
			return e
		}
	}
	return nil
}

// isNull reports whether a node is null by the rules of YAML 1.1, which all of the tools follow.
func isNull(n *yaml.Node) bool {
	if n.Kind != yaml.Scalar || n.Style != yaml.Plain || n.Tag != "" {
		return false
	}
	switch n.Text {
	case "", "~", "null", "Null", "NULL":
		return true
	}
	return false
}

// part returns a member that must be there and be a mapping, such as "request" of an interaction.
func (r *reader) part(n *yaml.Node, key string) *yaml.Node {
	m := member(n, key)
	if m == nil || m.Kind != yaml.Mapping {
		r.failf(n, key, "want a mapping; is this an interaction?")
		return &yaml.Node{Kind: yaml.Mapping, Pos: n.Pos}
	}
	return m
}

// list returns the elements of a member, which must be a list if it is there.
func (r *reader) list(n *yaml.Node, key string) []*yaml.Node {
	m := member(n, key)
	if m == nil {
		return nil
	}
	if m.Kind != yaml.Sequence {
		r.failf(m, key, "want a list")
	}
	return m.Elems
}

// string returns the text of a scalar, whatever type it has; "" for nil.
func (r *reader) string(n *yaml.Node, field string) string {
	if n == nil || isNull(n) {
		return ""
	}
	if n.Kind != yaml.Scalar {
		r.failf(n, field, "want text")
		return ""
	}
	if n.Tag == "!!binary" || n.Tag == "!binary" {
		b, err := yaml.DecodeBase64(n.Text)
		if err != nil {
			r.failf(n, field, "invalid base64: %v", err)
		}
		return string(b)
	}
	return n.Text
}

// int returns the integer that a scalar has as text; 0 for nil.
func (r *reader) int(n *yaml.Node, field string) int64 {
	if n == nil {
		return 0
	}
	i, err := strconv.ParseInt(r.string(n, field), 10, 64)
	if err != nil {
		r.failf(n, field, "want an integer, found %q", yaml.Clip(n.Text))
	}
	return i
}

// base64 returns the bytes of a text in base64.
func (r *reader) base64(n *yaml.Node, field string) []byte {
	b, err := yaml.DecodeBase64(strings.ReplaceAll(r.string(n, field), "\n", ""))
	if err != nil {
		r.failf(n, field, "invalid base64: %v", err)
	}
	return b
}

// status returns the status of an answer, which is in one of these members:
//
//	status              a number
//	status.code         written by vcrpy and the VCR of Ruby
//	status.status_code  written by the VCR of R
//	status_code         written by betamax before 0.3, and by vcrpy before version 6 for httpx
func (r *reader) status(resp *yaml.Node) int64 {
	status := member(resp, "status")
	if status == nil {
		status = member(resp, "status_code")
	}
	if status != nil && status.Kind == yaml.Mapping {
		code := member(status, "code")
		if code == nil {
			code = member(status, "status_code")
		}
		status = code
	}
	return r.int(status, "response.status")
}

// protoOf returns the protocol of an answer as net/http names it, "" for those of HTTP/1.
func protoOf(version string) string {
	switch strings.TrimPrefix(version, "HTTP/") {
	case "2", "2.0", "H2":
		return "HTTP/2.0"
	case "3", "3.0", "H3":
		return "HTTP/3.0"
	}
	return ""
}

// headers reads headers: a mapping of names to values, or to lists of values. R writes an empty list if
// there are none, and vcrpy writes those of tornado as a list of pairs.
func (r *reader) headers(n *yaml.Node, field string) map[string][]string {
	if n == nil {
		return nil
	}
	members := n.Elems
	if n.Kind == yaml.Sequence {
		members = pairsOf(n)
	}
	if n.Kind == yaml.Scalar || len(members) < len(n.Elems) {
		r.failf(n, field, "want a mapping of names to values")
		return nil
	}
	headers := map[string][]string{}
	for _, v := range members {
		name := v.Key.Text
		values := []*yaml.Node{v}
		if v.Kind == yaml.Sequence {
			values = v.Elems
		}
		for _, value := range values {
			if !isNull(value) {
				headers[name] = append(headers[name], r.string(value, field+"."+name))
			}
		}
	}
	return headers
}

// pairsOf returns the second elements of the pairs in a list, with the first ones as keys.
func pairsOf(n *yaml.Node) (members []*yaml.Node) {
	for _, pair := range n.Elems {
		isPair := pair.Kind == yaml.Sequence && len(pair.Elems) == 2 && pair.Elems[0].Kind == yaml.Scalar
		if !isPair {
			continue
		}
		value := *pair.Elems[1]
		value.Key = pair.Elems[0]
		members = append(members, &value)
	}
	return members
}

// line returns the line at which a node starts.
func (r *reader) line(n *yaml.Node) int {
	line, _ := yaml.Position(r.text, n.Pos)
	return line
}
