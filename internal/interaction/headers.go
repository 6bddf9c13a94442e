package interaction

import (
	"maps"
	"net/textproto"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/group"
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
func (h Headers) Names() []string {
	return group.Each(h, func(f Header) string { return f.Name })
}

// Only returns those of the headers that have one of the names.
func (h Headers) Only(names []string) Headers {
	return slices.DeleteFunc(slices.Clone(h), func(f Header) bool { return !slices.Contains(names, f.Name) })
}

// HeadersOf returns an http.Header as a cassette has it. It may share values with the map.
// A map can hold two spellings of one name, since some SDKs write lower-case keys into it;
// they become one header, in the order of the sorted spellings.
func HeadersOf(m map[string][]string) Headers {
	all := Headers(group.Each(slices.Sorted(maps.Keys(m)), func(spelling string) Header { return Header{strings.ToLower(spelling), slices.Clip(m[spelling])} }))
	group.Sort(all, func(a, b Header) int { return strings.Compare(a.Name, b.Name) })
	out := all[:0]
	for _, h := range all {
		switch last := len(out) - 1; {
		case len(h.Values) == 0: // a trailer that was announced and never came
		case last >= 0 && out[last].Name == h.Name:
			out[last].Values = append(out[last].Values, h.Values...)
		default:
			out = append(out, h)
		}
	}
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
