package fakeprovider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// A rule is a reason for which a provider refuses a request.
type rule struct {
	name   string
	source string // URL of the API reference, or of a thread that quotes the error

	// check returns the error in the provider's words, or nil.
	check func(s *sent) *Problem
}

// A ruleSet is the rules of one provider. Several providers have one endpoint in
// common: the shape of OpenAI's chat is that of Mistral and DeepSeek, too.
type ruleSet struct {
	applies func(s *sent) bool
	rules   []rule
}

// sent is a request, as the rules see it.
type sent struct {
	host   string // without the port, in lower case
	header http.Header
	model  string
	body   object
}

// isLoopback reports whether the request is sent to this machine. The request
// then says by its model only for which provider it is meant.
func (s *sent) isLoopback() bool {
	return s.host == "localhost" || s.host == "::1" || strings.HasPrefix(s.host, "127.")
}

// isAt reports whether the host is in one of these domains.
func (s *sent) isAt(domains ...string) bool {
	for _, domain := range domains {
		if s.host == domain || strings.HasSuffix(s.host, "."+domain) {
			return true
		}
	}
	return false
}

// list returns the elements of a list of the body as objects, each at its index.
func (s *sent) list(name string) []object { return elements(s.body.list(name)) }

// elements returns the elements of a list as objects, each at its index. An
// element that is not an object is an empty one.
func elements(list []any) []object {
	out := make([]object, len(list))
	for i, v := range list {
		out[i], _ = v.(object)
	}
	return out
}

// float returns a member's value if it is a number.
func float(o object, name string) (value float64, text string, ok bool) {
	n, ok := o.get(name).(json.Number)
	if !ok {
		return 0, "", false
	}
	f, err := n.Float64()
	return f, n.String(), err == nil
}

// has reports whether a member is there. One that is null is not.
func has(o object, name string) bool { return o.get(name) != nil }

// unknown returns the names of members that are not among the known ones. Null
// is the value of a member that an SDK leaves out, so it is not counted.
func unknown(o object, known []string) []string {
	var names []string
	for _, f := range o {
		if f.value != nil && !slices.Contains(known, f.name) {
			names = append(names, f.name)
		}
	}
	return names
}

// words splits a list that is written as one text.
func words(text string) []string { return strings.Fields(text) }

// without returns the elements of a list that another one does not have.
func without(list, other []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(other, s) {
			out = append(out, s)
		}
	}
	return out
}

// duplicate returns the first element that is there twice, "" if there is none.
func duplicate(list []string) string {
	for i, s := range list {
		if slices.Contains(list[:i], s) {
			return s
		}
	}
	return ""
}

// A limit is the range of a number.
type limit struct {
	name     string
	min, max float64
	whole    bool
}

// exceeded returns the first limit that a number of an object exceeds, and the
// number as it is written.
func exceeded(o object, limits []limit) (l limit, above bool, text string) {
	for _, l := range limits {
		value, text, ok := float(o, l.name)
		if ok && (value < l.min || value > l.max) {
			return l, value > l.max, text
		}
	}
	return limit{}, false, ""
}

// unbounded is the maximum of a limit that has none.
const unbounded = 1e300

// problem is a refusal with status 400.
func problem(kind, format string, args ...any) *Problem {
	return &Problem{
		Status:  http.StatusBadRequest,
		Kind:    kind,
		Message: fmt.Sprintf(format, args...),
	}
}
