package interaction

import (
	"cmp"
	"net/textproto"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
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

// IsDefault reports whether a request header says nothing new, since every call sends and
// accepts JSON. Another content type stays, with the parameters that a reader of the body
// needs (the boundary of a multipart body).
func (h Header) IsDefault() bool {
	if len(h.Values) != 1 || h.Name != "content-type" && h.Name != "accept" {
		return false
	}
	v, _, _ := strings.Cut(h.Values[0], ";")
	return v == "application/json" || v == "*/*"
}

// Names returns the names of the headers, in their order.
func (h Headers) Names() (names []string) {
	for _, f := range h {
		names = append(names, f.Name)
	}
	return names
}

// Only returns those of the headers that have one of the names.
func (h Headers) Only(names []string) (only Headers) {
	for _, f := range h {
		if slices.Contains(names, f.Name) {
			only = append(only, f)
		}
	}
	return only
}

// The spellings of a name: calls have the same headers again and again.
var (
	lowerCase = memo.Strings[string]{Func: strings.ToLower}
	canonical = memo.Strings[string]{Func: textproto.CanonicalMIMEHeaderKey}
)

// HeadersOf returns an http.Header as a cassette has it. It may share values with the map.
// A map can hold two spellings of one name, since some SDKs write lower-case keys into it;
// they become one header, in the order of the sorted spellings.
func HeadersOf(m map[string][]string) Headers {
	type field struct{ name, spelling string }
	fields := make([]field, 0, 16) // mostly enough, and no garbage
	for spelling, values := range m {
		if len(values) > 0 { // else it is a trailer that was announced and never came
			fields = append(fields, field{lowerCase.Get(spelling), spelling})
		}
	}
	slices.SortFunc(fields, func(a, b field) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.spelling, b.spelling))
	})
	out := make(Headers, 0, len(fields))
	for i, f := range fields {
		values := slices.Clip(m[f.spelling])
		if i > 0 && f.name == fields[i-1].name {
			last := &out[len(out)-1]
			last.Values = append(last.Values, values...)
			continue
		}
		out = append(out, Header{f.name, values})
	}
	return out
}

// Map returns the headers as net/http gives them, with canonical names. It shares nothing
// with h: some SDKs write into the headers of a response.
func (h Headers) Map() map[string][]string {
	m := make(map[string][]string, len(h)+1)
	values := make([]string, 0, len(h))
	for _, f := range h {
		name := canonical.Get(f.Name)
		if before := m[name]; before != nil {
			m[name] = append(before, f.Values...)
			continue
		}
		first := len(values)
		values = append(values, f.Values...)
		m[name] = slices.Clip(values[first:])
	}
	return m
}
