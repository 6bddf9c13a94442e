package foreign

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/coding"
	"github.com/promptecho/promptecho/internal/stream"
)

// A Cassette is what a file of another tool holds.
type Cassette struct {
	Tool         string                     // and its format, if it has several
	Interactions []*interaction.Interaction // in order; not redacted, and without kind, key and usage
	Losses       []Loss                     // what the file does not say, or what cannot be kept
	LeftOut      []LeftOut                  // in order
}

// A Loss is something that was not kept, and of how many interactions.
type Loss struct {
	Text  string
	Times int
}

// A LeftOut is an interaction that is not among those of a cassette, and why.
type LeftOut struct {
	Line int          `json:"line"` // of the file
	Code finding.Code `json:"code"`
	Why  string       `json:"why"` // the same, for people
}

// lose notes that something of an interaction was not kept.
func (c *Cassette) lose(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for i := range c.Losses {
		if c.Losses[i].Text == text {
			c.Losses[i].Times++
			return
		}
	}
	c.Losses = append(c.Losses, Loss{text, 1})
}

// An exchange is a request and its answer as a tool has written them.
type exchange struct {
	line   int // of the file
	start  int // the offset of that, for httprr
	method string
	url    string
	asked  message
	status int64
	proto  string // as "HTTP/2.0"
	answer message

	latencyMS int64
}

// A message is what a request and an answer have in common.
type message struct {
	headers  map[string][]string
	trailers map[string][]string
	body     []byte
	length   int64 // of the body, as the tool has it beside the headers; 0 and less mean nothing
	remade   bool  // the tool kept what the body says and not its bytes
	complete bool  // the tool kept all headers but credentials, and those that each client adds
}

// add adds an exchange to the cassette. The error says what a cassette cannot hold.
func (c *Cassette) add(x *exchange) error {
	kept, hasPlaceholders := withPlaceholders(x.url)
	if hasPlaceholders {
		x.url = kept
		c.lose("the URL has placeholders such as <NAME>, which the other tool wrote in the place of " +
			"real texts: each matches any text there")
	}
	if filteredValue.Match(x.asked.body) {
		c.lose("the body of the request has placeholders such as <NAME>, which the other tool wrote " +
			"in the place of real texts: the real ones do not match, unless Mask or Ignore covers them")
	}
	u, err := url.Parse(x.url)
	var invalid *url.Error
	switch {
	case errors.As(err, &invalid):
		return fmt.Errorf("the request has no valid URL: %w", invalid.Err) // without the URL, which may hold a secret
	case u.Scheme == "" || u.Host == "":
		return fmt.Errorf("the URL of the request names no host: %q; "+
			"write the address of the server in front of it",
			u.Path)
	case x.status < 100 || x.status > 999:
		return fmt.Errorf("the answer has no valid status: %d", x.status)
	}
	c.Interactions = append(c.Interactions, &interaction.Interaction{
		Line:      x.line,
		LatencyMS: max(0, x.latencyMS),
		Request:   c.request(x),
		Response:  c.response(x),
	})
	return nil
}

func (c *Cassette) request(x *exchange) interaction.Request {
	m := &x.asked
	c.checkLength(m, "request")
	headers := interaction.HeadersOf(m.headers)
	unknown := !m.complete && !isComplete(headers)
	if unknown {
		c.lose("the other tool did not keep all request headers; a header that it left out matches any value")
		if media := formOf(m.body); media != "" && headers.Get("content-type") == "" {
			headers = withHeader(headers, "content-type", media)
		}
	}
	return interaction.Request{
		Method:         strings.ToUpper(cmp.Or(x.method, "GET")),
		URL:            x.url,
		Headers:        slices.DeleteFunc(headers, interaction.Header.IsDefault),
		Body:           m.body,
		UnknownHeaders: unknown,
	}
}

// isComplete reports whether a tool kept all headers of a request but credentials: those of
// a vendor or of its SDK are there. Many tools strip these, or keep no more than a few that
// all clients send; then it is not known which others there were.
func isComplete(headers interaction.Headers) bool {
	return slices.ContainsFunc(headers, func(h interaction.Header) bool {
		if strings.HasSuffix(h.Name, "-key") || strings.HasSuffix(h.Name, "-token") {
			return false // a placeholder for a credential
		}
		return strings.HasPrefix(h.Name, "x-") || strings.HasPrefix(h.Name, "anthropic-") || strings.HasSuffix(h.Name, "-beta")
	})
}

var urlEncoded = regexp.MustCompile(`^[\w.%+*\[\]-]+=[^&=\s]*(&[\w.%+*\[\]-]+=[^&=\s]*)*$`)

// formOf returns the content type of a form, which cannot be read without; "" if a body is
// none (RFC 7578; https://url.spec.whatwg.org/#urlencoded-serializing).
func formOf(body []byte) string {
	if urlEncoded.Match(body) {
		return "application/x-www-form-urlencoded"
	}
	line, rest, ok := strings.Cut(string(body[:min(len(body), 4096)]), "\r\n")
	boundary, dashes := strings.CutPrefix(line, "--")
	if !ok || !dashes || boundary == "" || !strings.HasPrefix(strings.ToLower(rest), "content-disposition: form-data") {
		return ""
	}
	return `multipart/form-data; boundary="` + boundary + `"`
}

func withHeader(headers interaction.Headers, name, value string) interaction.Headers {
	headers = append(headers, interaction.Header{Name: name, Values: []string{value}})
	slices.SortStableFunc(headers, func(a, b interaction.Header) int { return strings.Compare(a.Name, b.Name) })
	return headers
}

func (c *Cassette) response(x *exchange) interaction.Response {
	m := &x.answer
	resp := interaction.Response{
		Status:   int(x.status),
		Headers:  interaction.HeadersOf(m.headers),
		Trailers: interaction.HeadersOf(m.trailers),
		Body:     m.body,
	}
	if x.proto != "" && !strings.HasPrefix(x.proto, "HTTP/1.") {
		resp.Proto = x.proto
	}
	if resp.Headers.Get("content-encoding") == "" {
		c.checkLength(m, "answer")
	}
	if len(resp.Body) == 0 {
		return resp
	}
	resp.Headers = without(resp.Headers, "content-length") // as a recording does
	c.decode(&resp)
	c.cut(&resp)
	return resp
}

func without(headers interaction.Headers, name string) interaction.Headers {
	return slices.DeleteFunc(headers, func(h interaction.Header) bool { return h.Name == name })
}

// checkLength notes a body that has another length than was announced.
func (c *Cassette) checkLength(m *message, of string) {
	announced := m.length
	if announced <= 0 {
		announced, _ = strconv.ParseInt(interaction.HeadersOf(m.headers).Get("content-length"), 10, 64)
	}
	switch {
	case m.remade:
		c.lose("the body of the %s is not known byte for byte: only its content was kept, and it is rebuilt", of)
	case announced > 0 && len(m.body) > 0 && announced != int64(len(m.body)):
		c.lose("the body of the %s differs in length from its Content-Length, so it was changed "+
			"after it was sent: it is kept as it is", of)
	}
}

// decode takes the content coding off a body, or the header if the tool has done the first
// and not the second.
func (c *Cassette) decode(resp *interaction.Response) {
	name := resp.Headers.Get("content-encoding")
	if name == "" {
		return
	}
	plain, ok := plainOf(name, resp.Body)
	switch {
	case ok:
		resp.Body = plain
	case !utf8.Valid(resp.Body):
		c.lose("the answer is compressed with %s: it stays compressed, and keeps its Content-Encoding header", name)
		return
	}
	resp.Headers = without(resp.Headers, "content-encoding")
}

// plainOf takes a content coding off a body. ok is false if there is nothing to take off, or if
// the body is not what the coding says. What is only cut off gives what can be read of it.
func plainOf(name string, body []byte) (plain []byte, ok bool) {
	r, ok := coding.Reader(name, bytes.NewReader(body))
	if !ok {
		return nil, false
	}
	plain, err := io.ReadAll(io.LimitReader(r, maxPlain+1))
	isCut := errors.Is(err, io.ErrUnexpectedEOF)
	return plain, len(plain) <= maxPlain && !bytes.Equal(plain, body) && (err == nil || isCut && len(plain) > 0)
}

// maxPlain is the most that is made of a compressed body: more is a bomb, or nothing for a
// cassette.
const maxPlain = 1 << 30

// cut cuts a stream into its events, and gives an answer its type if the tool has stripped
// it: SDKs choose their decoder by that.
func (c *Cassette) cut(resp *interaction.Response) {
	media := resp.Headers.Get("content-type")
	if media == "" && isNDJSON(resp.Body) {
		media = "application/x-ndjson" // which no body shows by its first line
	}
	cutter := stream.Cutter{ContentType: media}
	cutter.Frame = func(frame []byte) {
		resp.Events = append(resp.Events, cutter.Framing().Read(frame))
	}
	body := resp.Body
	cutter.Add(body)
	framing, _ := cutter.End()
	if framing != nil {
		resp.Stream, resp.Body = framing.Name, nil
		c.lose("the times of the stream's events are not known: they are replayed at once")
	}
	if resp.Headers.Get("content-type") != "" {
		return
	}
	if media := mediaOf(resp.Stream, body); media != "" {
		resp.Headers = withHeader(resp.Headers, "content-type", media)
		c.lose("the answer has no Content-Type: one was added that fits the body")
	}
}

// isNDJSON reports whether a body is a JSON object in each of two or more lines.
func isNDJSON(body []byte) bool {
	objects := 0
	for line := range bytes.Lines(body) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if line[0] != '{' || !json.Valid(line) {
			return false
		}
		objects++
	}
	return objects > 1
}

// mediaOf returns the type of a body by what it is, "" if that says nothing.
func mediaOf(framing string, body []byte) string {
	switch {
	case strings.HasPrefix(framing, "sse"):
		return "text/event-stream"
	case framing == "ndjson":
		return "application/x-ndjson"
	case framing == "aws-event-stream":
		return "application/vnd.amazon.eventstream"
	case framing == "json-array", json.Valid(body):
		return "application/json"
	}
	return ""
}
