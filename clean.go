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
)

// A call is a request that came: what is needed of it until its recording is found.
// Most are found at once, and the next request uses the memory again.
type call struct {
	clean   interaction.Request // as it may be written and is matched, but for the body
	body    bytes.Buffer        // as it came
	headers [16]interaction.Header
}

var calls = sync.Pool{New: func() any { return new(call) }}

// free gives the memory back; nobody may have kept anything of it.
func (c *call) free() {
	if c.body.Cap() > 1<<20 {
		return
	}
	c.body.Reset()
	c.clean = interaction.Request{}
	clear(c.headers[:])
	calls.Put(c)
}

// read reads and closes the body of a request. A body that is empty although its
// length is not is read through GetBody: cohere-go retries with the body it has
// drained.
func (c *call) read(req *http.Request) error {
	if req.Body == nil || req.Body == http.NoBody {
		return nil
	}
	_, err := c.body.ReadFrom(req.Body)
	if cerr := req.Body.Close(); err == nil {
		err = cerr
	}
	if err != nil || c.body.Len() > 0 || req.ContentLength <= 0 || req.GetBody == nil {
		return err
	}
	again, err := req.GetBody()
	if err != nil {
		return err
	}
	defer again.Close()
	_, err = c.body.ReadFrom(again)
	return err
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}

// cleanHead makes the request as it may be written and is matched, but with the
// body as it came: [redact.Policy.Body] cleans it.
func (c *call) cleanHead(r *Recorder, req *http.Request) {
	c.clean = interaction.Request{Method: req.Method, Headers: requestHeaders(c.headers[:0], req.Header), Body: c.body.Bytes()}
	if c.clean.Method == "" {
		c.clean.Method = http.MethodGet
	}
	c.clean.Headers = slices.DeleteFunc(c.clean.Headers, isObvious)

	if last := r.lastURL.Load(); last != nil && last.url == *req.URL && last.host == req.Host {
		r.redact.Head(&c.clean)
		if last.known == r.redact.Known() {
			c.clean.URL = last.clean
			return
		}
	}
	c.clean.URL = r.cfg.urlOf(req)
	known := r.redact.Known() // before: what becomes known while it is cleaned may stand in it
	r.redact.Head(&c.clean)
	r.lastURL.Store(&cleanURL{*req.URL, req.Host, c.clean.URL, known})
}

// A cleanURL is where a request went, and what was made of it when so many values
// were known: the requests of a test mostly go to one place.
type cleanURL struct {
	url   url.URL
	host  string
	clean string
	known int
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

// anAddress is a server that a header of an answer leads to: Location, Link (RFC 8288)
// and the like begin with it.
var anAddress = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|<)https?://[^/?#<>"\s]+`)
})

// named gives the servers that headers of an answer lead to the names that they have in
// the cassette.
func (c *config) named(hs interaction.Headers) {
	for _, h := range hs {
		c.readdress(h.Values, func(u *url.URL) string {
			if a := c.aliasOf(u); a != nil {
				return "http://" + a.name
			}
			return ""
		})
	}
}

// addressed is the reverse of named, for an answer that is replayed: today the servers
// have other ports.
func (c *config) addressed(h http.Header) {
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
		values[i] = anAddress().ReplaceAllStringFunc(v, func(m string) string {
			text := strings.TrimPrefix(m, "<")
			u, err := url.Parse(text)
			if err != nil {
				return m
			}
			return m[:len(m)-len(text)] + cmp.Or(to(u), text)
		})
	}
}

// isObvious reports whether a header says nothing: every call asks for and sends
// JSON. Another content type stays, with what a reader of the body needs (the
// boundary of a multipart body).
func isObvious(h interaction.Header) bool {
	if len(h.Values) != 1 || h.Name != "content-type" && h.Name != "accept" {
		return false
	}
	v, _, _ := strings.Cut(h.Values[0], ";")
	return v == "application/json" || v == "*/*"
}

// requestHeaders is [interaction.HeadersOf] without copies: the values are those of the map, and
// the result is in out if that has room.
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
