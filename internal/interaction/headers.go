package interaction

import (
	"maps"
	"net/textproto"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/group"
)

// Headers are header fields as a cassette has them: the names in lower case and sorted, the
// values of one name in the order received.
type Headers []Header

// Header is one header field.
type Header struct {
	Name   string
	Values []string
}

// Get returns the first value of the header with a name in lower case, or "".
func (h Headers) Get(name string) string {
	for _, header := range h {
		if header.Name == name && len(header.Values) > 0 {
			return header.Values[0]
		}
	}
	return ""
}

// IsDefault reports whether a request header says that JSON is sent or accepted, as almost
// every request does. A cassette leaves such headers out. It keeps other content types with
// their parameters, such as the boundary of a multipart body.
func (h Header) IsDefault() bool {
	if len(h.Values) != 1 || h.Name != "content-type" && h.Name != "accept" {
		return false
	}
	mediaType, _, _ := strings.Cut(h.Values[0], ";")
	return mediaType == "application/json" || mediaType == "*/*"
}

// Names returns the names of the headers, in their order.
func (h Headers) Names() []string {
	return group.Each(h, func(header Header) string { return header.Name })
}

// Only returns the headers that have one of the names.
func (h Headers) Only(names []string) Headers {
	return slices.DeleteFunc(slices.Clone(h), func(header Header) bool {
		return !slices.Contains(names, header.Name)
	})
}

// HeadersOf returns an http.Header as a cassette has it. It may share values with the map.
// A map can hold two spellings of one name, since some SDKs write lower-case keys into it.
// They become one header, in the order of the sorted spellings.
func HeadersOf(m map[string][]string) Headers {
	all := make(Headers, 0, len(m))
	for _, spelling := range slices.Sorted(maps.Keys(m)) {
		all = append(all, Header{strings.ToLower(spelling), slices.Clip(m[spelling])})
	}
	group.Sort(all, func(a, b Header) int { return strings.Compare(a.Name, b.Name) })

	merged := all[:0]
	for _, header := range all {
		if len(header.Values) == 0 {
			continue // a trailer that was announced and never came
		}
		last := len(merged) - 1
		if last >= 0 && merged[last].Name == header.Name {
			merged[last].Values = append(merged[last].Values, header.Values...)
			continue
		}
		merged = append(merged, header)
	}
	return merged
}

// Map returns the headers as an http.Header, with canonical names. The map shares nothing with
// h, since some SDKs write into the headers of a response.
func (h Headers) Map() map[string][]string {
	m := make(map[string][]string, len(h)+1)
	for _, header := range h {
		name := textproto.CanonicalMIMEHeaderKey(header.Name)
		m[name] = append(m[name], header.Values...)
	}
	return m
}
