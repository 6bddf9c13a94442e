package promptecho

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
)

// headersOf returns a header map as a cassette has it: names lower-case and
// sorted. A map can hold two spellings of one name (SDKs write lower-case keys
// into it); they become one header, in the order of the sorted spellings.
func headersOf(h http.Header) cassette.Headers {
	var out cassette.Headers
	at := map[string]int{}
	for _, spelling := range slices.Sorted(maps.Keys(h)) {
		if len(h[spelling]) == 0 {
			continue // a trailer that was announced and never came
		}
		name := strings.ToLower(spelling)
		i, ok := at[name]
		if !ok {
			i = len(out)
			at[name] = i
			out = append(out, cassette.Header{Name: name})
		}
		out[i].Values = append(out[i].Values, h[spelling]...)
	}
	slices.SortFunc(out, func(a, b cassette.Header) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// headerOf returns recorded headers as net/http gives them: a fresh map, since
// some SDKs write into it, with canonical names.
func headerOf(hs cassette.Headers) http.Header {
	h := make(http.Header, len(hs)+1)
	for _, f := range hs {
		name := http.CanonicalHeaderKey(f.Name)
		h[name] = append(h[name], f.Values...)
	}
	return h
}
