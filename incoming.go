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

// An incoming is a request, as it came and as it is matched. Most requests are recorded
// byte for byte; the next request uses their memory again.
type incoming struct {
	tape.Call
	body bytes.Buffer // as it came
}

var incomings = sync.Pool{New: func() any { return new(incoming) }}

// free gives the memory back. The caller must not keep any part of it.
func (in *incoming) free() {
	if in.body.Cap() > 1<<20 {
		return
	}
	in.body.Reset()
	in.Call = tape.Call{}
	incomings.Put(in)
}

// readBody reads and closes the body of a request. If the body is empty although the
// request announces a length, it is read through GetBody: cohere-go retries with the body
// it has drained.
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

// redactHead makes the call from a request and redacts all of it but the body.
func (in *incoming) redactHead(req *http.Request, as aliases, policy *redact.Policy) {
	in.Request = interaction.Request{
		Method:  cmp.Or(req.Method, http.MethodGet),
		URL:     urlOf(req, as),
		Headers: slices.DeleteFunc(interaction.HeadersOf(req.Header), isDefaultHeader),
		Body:    in.body.Bytes(),
	}
	policy.RedactHead(&in.Request)
}

// urlOf returns the URL of a request as it is matched and written. A local server has its
// alias in it, and a name in another script is in Punycode (RFC 3492). The Host header
// says who is asked, and can differ from the host of the address (RFC 9112, section 3.2).
// A request line that names a host comes before both.
func urlOf(req *http.Request, as aliases) string {
	u := *req.URL
	u.Host = cmp.Or(req.Host, u.Host)
	if u.Opaque != "" { // it is the request line; see url.URL.RequestURI
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

// isDefaultHeader reports whether a header says nothing new, since every call sends and
// accepts JSON. Another content type stays, with the parameters that a reader of the body
// needs (the boundary of a multipart body).
func isDefaultHeader(h interaction.Header) bool {
	if len(h.Values) != 1 || h.Name != "content-type" && h.Name != "accept" {
		return false
	}
	v, _, _ := strings.Cut(h.Values[0], ";")
	return v == "application/json" || v == "*/*"
}
