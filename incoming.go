package promptecho

import (
	"bufio"
	"bytes"
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/tape"
)

// An incoming is a request as it came, and as it is matched. The memory of those that are
// recorded byte for byte, which most are, is used for the next one.
type incoming struct {
	tape.Call
	body bytes.Buffer // as it came
}

var incomings = sync.Pool{New: func() any { return new(incoming) }}

// free gives the memory back; no part of it may be retained.
func (in *incoming) free() {
	if in.body.Cap() > 1<<20 {
		return
	}
	in.body.Reset()
	in.Call = tape.Call{}
	incomings.Put(in)
}

// readBody reads and closes the body of a request. A body that is empty although its
// length is not is read through GetBody: cohere-go retries with the body it has drained.
func (in *incoming) readBody(req *http.Request) error {
	if req.Body == nil || req.Body == http.NoBody {
		return nil
	}
	_, err := in.body.ReadFrom(req.Body)
	if cerr := req.Body.Close(); err == nil {
		err = cerr
	}
	if err != nil || in.body.Len() > 0 || req.ContentLength <= 0 || req.GetBody == nil {
		return err
	}
	again, err := req.GetBody()
	if err != nil {
		return err
	}
	defer again.Close()
	_, err = in.body.ReadFrom(again)
	return err
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}

// redactHead makes the call from a request, redacted but for the body.
func (in *incoming) redactHead(req *http.Request, as aliases, policy *redact.Policy) {
	in.Request = interaction.Request{
		Method:  cmp.Or(req.Method, http.MethodGet),
		URL:     urlOf(req, as),
		Headers: slices.DeleteFunc(interaction.HeadersOf(req.Header), isDefaultHeader),
		Body:    in.body.Bytes(),
	}
	policy.RedactHead(&in.Request)
}

// urlOf returns where a request goes, as it is matched and written: with the alias of
// a local server, and with names of other scripts in Punycode (RFC 3492). Who is asked
// is said by the Host header, which can be another than that of the address (RFC 9112,
// section 3.2); and by a request line that names a host before that.
func urlOf(req *http.Request, as aliases) string {
	u := *req.URL
	u.Host = cmp.Or(req.Host, u.Host)
	if u.Opaque != "" { // the request line as it is: see url.URL.RequestURI
		path := u.Opaque
		if rest, ok := strings.CutPrefix(path, "//"); ok {
			end := strings.IndexByte(rest+"/", '/')
			u.Host, path = rest[:end], rest[end:]
		}
		u.Opaque, u.Path, u.RawPath = "", path, ""
		if plain, err := url.PathUnescape(path); err == nil {
			u.Path, u.RawPath = plain, path
		}
	}
	if strings.ContainsFunc(u.Host, func(c rune) bool { return c > unicode.MaxASCII }) {
		u.Host = punycode(u.Host)
	}
	if a := as.of(&u); a != nil {
		a.asked.Store(true)
		u.Scheme, u.Host = "http", a.name
	}
	return u.String()
}

// punycode returns a host as net/http sends it.
func punycode(host string) string {
	var sent bytes.Buffer
	out := http.Request{URL: &url.URL{Host: strings.ToLower(host)}}
	if err := out.Write(&sent); err != nil {
		return host
	}
	in, err := http.ReadRequest(bufio.NewReader(&sent))
	if err != nil {
		return host
	}
	return in.Host
}

// isDefaultHeader reports whether a header says nothing: every call asks for and sends
// JSON. Another content type stays, with what a reader of the body needs (the
// boundary of a multipart body).
func isDefaultHeader(h interaction.Header) bool {
	if len(h.Values) != 1 || h.Name != "content-type" && h.Name != "accept" {
		return false
	}
	v, _, _ := strings.Cut(h.Values[0], ";")
	return v == "application/json" || v == "*/*"
}
