package promptecho

import (
	"bufio"
	"bytes"
	"cmp"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/tape"
)

// An incoming is a request as it came, and as it is matched. Most are recorded byte for
// byte; their memory is used for the next request.
type incoming struct {
	tape.Call
	body    bytes.Buffer // as it came
	headers [16]interaction.Header
}

var incomings = sync.Pool{New: func() any { return new(incoming) }}

// free gives the memory back; no part of it may be retained.
func (in *incoming) free() {
	if in.body.Cap() > 1<<20 {
		return
	}
	in.body.Reset()
	in.Call = tape.Call{}
	clear(in.headers[:])
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
func (in *incoming) redactHead(req *http.Request, c *config, policy *redact.Policy, last *urlCache) {
	in.Request = interaction.Request{
		Method:  cmp.Or(req.Method, http.MethodGet),
		Headers: requestHeaders(in.headers[:0], req.Header),
		Body:    in.body.Bytes(),
	}
	in.Request.Headers = slices.DeleteFunc(in.Request.Headers, isDefaultHeader)
	if u := last.Load(); u != nil && u.url == *req.URL && u.host == req.Host {
		policy.RedactHead(&in.Request)
		if u.secrets == policy.Count() {
			in.Request.URL = u.redacted
			return
		}
	}
	in.Request.URL = c.urlOf(req)
	secrets := policy.Count() // before: one that becomes known meanwhile may stand in it
	policy.RedactHead(&in.Request)
	last.Store(&redactedURL{*req.URL, req.Host, in.Request.URL, secrets})
}

// requestHeaders is [interaction.HeadersOf] without copies: the values are those of the
// map, and the result is in out if that has room.
func requestHeaders(out interaction.Headers, h http.Header) interaction.Headers {
	for spelling, values := range h {
		if len(values) > 0 {
			out = append(out, interaction.Header{Name: lowerNames.Get(spelling), Values: values})
		}
	}
	slices.SortFunc(out, func(a, b interaction.Header) int { return strings.Compare(a.Name, b.Name) })
	for i := 1; i < len(out); i++ {
		if out[i].Name == out[i-1].Name {
			return interaction.HeadersOf(h)
		}
	}
	return out
}

var lowerNames = memo.Strings[string]{Func: strings.ToLower}

// A urlCache remembers the last URL: the requests of a test mostly go to one place.
type urlCache = atomic.Pointer[redactedURL]

// A redactedURL is where a request went, and its redacted form, valid while the number of
// known secrets is unchanged.
type redactedURL struct {
	url      url.URL
	host     string
	redacted string
	secrets  int
}

// urlOf returns where a request goes, as it is matched and written: with the alias of
// a local server, and with names of other scripts in Punycode (RFC 3492). Who is asked
// is said by the Host header, which can be another than that of the address (RFC 9112,
// section 3.2); and by a request line that names a host before that.
func (c *config) urlOf(req *http.Request) string {
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
	if a := c.aliasOf(&u); a != nil {
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

// An alias is a name that a local server has in the cassette.
type alias struct {
	origin  string // see canon.Origin
	address string // scheme, host and port
	name    string
	asked   atomic.Bool // by a request of this run
}

// aliasOf returns the alias of the server that a URL names, nil if it has none.
func (c *config) aliasOf(u *url.URL) *alias {
	if len(c.aliases) == 0 {
		return nil
	}
	origin := canon.Origin(u)
	for _, a := range slices.Backward(c.aliases) {
		if a.origin == origin {
			return a
		}
	}
	return nil
}

// nameServers gives the servers that headers of an answer lead to the names that they have
// in the cassette.
func (c *config) nameServers(hs interaction.Headers) {
	for _, h := range hs {
		c.readdress(h.Values, func(u *url.URL) string {
			if a := c.aliasOf(u); a != nil {
				return "http://" + a.name
			}
			return ""
		})
	}
}

// addressServers is the reverse of nameServers, for an answer that is replayed: today the
// servers have other ports.
func (c *config) addressServers(h http.Header) {
	for _, values := range h {
		c.readdress(values, func(u *url.URL) string {
			for _, a := range slices.Backward(c.aliases) {
				if u.Scheme == "http" && strings.EqualFold(u.Host, a.name) {
					return a.address
				}
			}
			return ""
		})
	}
}

// readdress replaces the addresses in the values of a header by what to gives for them,
// unless that is empty.
func (c *config) readdress(values []string, to func(*url.URL) string) {
	for i, v := range values {
		if len(c.aliases) == 0 || !strings.Contains(v, "://") {
			continue
		}
		values[i] = serverAddress().ReplaceAllStringFunc(v, func(m string) string {
			text := strings.TrimPrefix(m, "<")
			u, err := url.Parse(text)
			if err != nil {
				return m
			}
			return m[:len(m)-len(text)] + cmp.Or(to(u), text)
		})
	}
}

// serverAddress matches a server that a header of an answer leads to: Location, Link (RFC
// 8288) and the like begin with it.
var serverAddress = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|<)https?://[^/?#<>"\s]+`)
})
