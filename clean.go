package promptecho

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/redact"
)

// A body is that of a request. Its buffer is used again if nobody keeps it.
type body struct {
	bytes  []byte
	buffer *bytes.Buffer
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// free gives the buffer back.
func (b body) free() {
	if b.buffer != nil && b.buffer.Cap() <= 1<<20 {
		b.buffer.Reset()
		buffers.Put(b.buffer)
	}
}

// readBody reads and closes the body of a request. A body that is empty
// although its length is not is read through GetBody: cohere-go retries with
// the body it has drained.
func readBody(req *http.Request) (body, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return body{}, nil
	}
	b := body{buffer: buffers.Get().(*bytes.Buffer)}
	_, err := b.buffer.ReadFrom(req.Body)
	if cerr := req.Body.Close(); err == nil {
		err = cerr
	}
	if err == nil && b.buffer.Len() == 0 && req.ContentLength > 0 && req.GetBody != nil {
		again, err := req.GetBody()
		if err != nil {
			return body{}, err
		}
		defer again.Close()
		if _, err := b.buffer.ReadFrom(again); err != nil {
			return body{}, err
		}
	}
	b.bytes = b.buffer.Bytes()
	return b, err
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}

// cleanHead returns a request as it may be written and is matched, but with the
// body as it came, only decompressed: [redact.Policy.Body] cleans it.
func cleanHead(p *redact.Policy, req *http.Request, body []byte) cassette.Request {
	clean := cassette.Request{
		Method:  req.Method,
		URL:     req.URL.String(),
		Headers: requestHeaders(req.Header),
		Body:    body,
	}
	if clean.Method == "" {
		clean.Method = http.MethodGet
	}
	if req.URL.Host == "" && req.Host != "" {
		u := *req.URL
		u.Host = req.Host
		clean.URL = u.String()
	}
	clean = unzipped(clean)
	p.Head(&clean)
	return dropObvious(clean)
}

// unzipped decodes a compressed body, so that it can be read, cleaned and
// matched by what it says. A body in a coding we do not have stays as it is.
func unzipped(req cassette.Request) cassette.Request {
	if !strings.EqualFold(req.Headers.Get("content-encoding"), "gzip") {
		return req
	}
	z, err := gzip.NewReader(bytes.NewReader(req.Body))
	if err != nil {
		return req
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		return req
	}
	req.Body = plain
	return req
}

// dropObvious leaves out headers that say nothing: every call asks for and
// sends JSON. Another content type stays, with what a reader of the body needs
// (the boundary of a multipart body).
func dropObvious(req cassette.Request) cassette.Request {
	kept := req.Headers[:0:0]
	for _, h := range req.Headers {
		if len(h.Values) == 1 && (h.Name == "content-type" || h.Name == "accept") {
			if v, _, _ := strings.Cut(h.Values[0], ";"); v == "application/json" || v == "*/*" {
				continue
			}
		}
		kept = append(kept, h)
	}
	req.Headers = kept
	return req
}

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

// requestHeaders is headersOf without copies: the values are those of the map.
func requestHeaders(h http.Header) cassette.Headers {
	out := make(cassette.Headers, 0, len(h))
	for spelling, values := range h {
		if len(values) > 0 {
			out = append(out, cassette.Header{Name: lowerNames.Get(spelling), Values: values})
		}
	}
	slices.SortFunc(out, func(a, b cassette.Header) int { return strings.Compare(a.Name, b.Name) })
	for i := 1; i < len(out); i++ {
		if out[i].Name == out[i-1].Name {
			return headersOf(h)
		}
	}
	return out
}

var (
	lowerNames     = memo.Strings[string]{Func: strings.ToLower}
	canonicalNames = memo.Strings[string]{Func: http.CanonicalHeaderKey}
)

// headerOf returns recorded headers as net/http gives them: a fresh map, since
// some SDKs write into it, with canonical names.
func headerOf(hs cassette.Headers) http.Header {
	n := 0
	for _, f := range hs {
		n += len(f.Values)
	}
	values := make([]string, 0, n)
	h := make(http.Header, len(hs)+1)
	for _, f := range hs {
		name := canonicalNames.Get(f.Name)
		start := len(values)
		values = append(append(values, h[name]...), f.Values...)
		h[name] = values[start:len(values):len(values)]
	}
	return h
}
