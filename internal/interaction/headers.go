package interaction

import (
	"maps"
	"net/textproto"
	"slices"
	"strings"
)

// Headers are header fields in the order they are written: names lower-case and sorted,
// the values of one name in the order received.
type Headers []Header

// Header is one header field.
type Header struct {
	Name   string
	Values []string
}

// Get returns the first value of the header named name (lower-case), or "".
func (h Headers) Get(name string) string {
	for _, f := range h {
		if f.Name == name && len(f.Values) > 0 {
			return f.Values[0]
		}
	}
	return ""
}

// HeadersOf returns a copy of an http.Header as a cassette has it. A map can hold two
// spellings of one name, since some SDKs write lower-case keys into it; they become one
// header, in the order of the sorted spellings.
func HeadersOf(m map[string][]string) Headers {
	var out Headers
	at := map[string]int{}
	for _, spelling := range slices.Sorted(maps.Keys(m)) {
		if len(m[spelling]) == 0 {
			continue // a trailer that was announced and never came
		}
		name := strings.ToLower(spelling)
		i, ok := at[name]
		if !ok {
			i = len(out)
			at[name] = i
			out = append(out, Header{Name: name})
		}
		out[i].Values = append(out[i].Values, m[spelling]...)
	}
	slices.SortFunc(out, func(a, b Header) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Map returns the headers as net/http gives them, with canonical names. It shares nothing
// with h: some SDKs write into the headers of a response.
func (h Headers) Map() map[string][]string {
	m := make(map[string][]string, len(h)+1)
	for _, f := range h {
		name := textproto.CanonicalMIMEHeaderKey(f.Name)
		m[name] = append(m[name], f.Values...)
	}
	return m
}
