package foreign

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/coding"
	"github.com/promptecho/promptecho/internal/stream"
)

// A Cassette has the content of a file of another tool.
type Cassette struct {
	Tool         string                     // with the format, if the tool has several
	Interactions []*interaction.Interaction // in order; not redacted, and without kind, key and usage
	Losses       []Loss                     // what the tool did not keep, or what cannot be kept
	LeftOut      []LeftOut                  // in order
	Skipped      []Loss                     // requests that are not of an API, and those that are not wanted

	hosts []string // patterns of the wanted hosts; empty for all
}

// A Loss is information that was not kept for some interactions.
type Loss struct {
	Text  string
	Times int // the number of interactions
}

// A LeftOut is an interaction that is not imported.
type LeftOut struct {
	Line int          `json:"line"` // of the file
	Code finding.Code `json:"code"` // why
	Why  string       `json:"why"`  // the same in words
}

// lose notes that information about an interaction was not kept.
func (c *Cassette) lose(format string, args ...any) {
	c.Losses = counted(c.Losses, fmt.Sprintf(format, args...))
}

// skip notes that a request is not imported, because it does not belong into a cassette.
func (c *Cassette) skip(why string) { c.Skipped = counted(c.Skipped, why) }

// counted returns a list with a text counted once more.
func counted(list []Loss, text string) []Loss {
	for i := range list {
		if list[i].Text == text {
			list[i].Times++
			return list
		}
	}
	return append(list, Loss{text, 1})
}

// otherHost is the reason why requests to other hosts than the wanted ones are skipped.
const otherHost = "the host is not one of -host"

// isWanted reports whether the host of a URL is one of the wanted ones.
func (c *Cassette) isWanted(address string) bool {
	if len(c.hosts) == 0 {
		return true
	}
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(c.hosts, func(pattern string) bool {
		pattern = strings.ToLower(pattern)
		isName, _ := path.Match(pattern, strings.ToLower(u.Hostname()))
		isAddress, _ := path.Match(pattern, strings.ToLower(u.Host))
		return isName || isAddress
	})
}

// An exchange is a request and its answer as a tool has written them.
type exchange struct {
	line     int // of the file
	offset   int // of the exchange in the file; only for httprr and HAR
	method   string
	url      string
	request  message
	status   int64
	proto    string // as "HTTP/2.0"
	response message
	failure  string // what ended the answer before its end; "" if it is complete

	latencyMS int64
	answered  time.Time // zero if the tool has not recorded it
}

// httpTime is the form of times in headers (RFC 9110, section 5.6.7).
const httpTime = "Mon, 02 Jan 2006 15:04:05 GMT"

// day returns the day of the answer: that which the tool has recorded, or else that of its header
// Date (RFC 9110, section 6.6.1). It is "" if neither is there.
func (x *exchange) day() interaction.Date {
	at := x.answered
	if at.IsZero() {
		text := interaction.HeadersOf(x.response.headers).Get("date")
		header, err := time.Parse(httpTime, text)
		if err != nil {
			return ""
		}
		at = header
	}
	day, err := interaction.ParseDate(string(interaction.DateOf(at)))
	if err != nil {
		return "" // a cassette has no such year
	}
	return day
}

// A message is a request without its method and URL, or an answer without its status.
type message struct {
	headers       map[string][]string
	trailers      map[string][]string
	body          []byte
	length        int64 // of the body, if the tool records it apart from the headers; otherwise 0 or less
	rebuilt       bool  // the tool kept the content of the body and not its bytes
	hasAllHeaders bool  // the tool kept all headers except credentials and those that every client adds
}

// add adds an exchange to the cassette. It is an error if a cassette cannot contain it.
func (c *Cassette) add(x *exchange) error {
	if !c.isWanted(x.url) {
		c.skip(otherHost)
		return nil
	}
	kept, hasPlaceholders := withPlaceholders(x.url)
	if hasPlaceholders {
		x.url = kept
		c.lose("the URL has placeholders such as <NAME>, which the other tool wrote in the place of " +
			"real texts: each matches any text there")
	}
	if filteredValue.Match(x.request.body) {
		c.lose("the body of the request has placeholders such as <NAME>, which the other tool wrote " +
			"in the place of real texts: the real ones do not match, unless Mask or Ignore covers them")
	}
	u, err := url.Parse(x.url)
	var invalid *url.Error
	switch {
	case errors.As(err, &invalid):
		// The URL is not in the error: it may contain a secret.
		return fmt.Errorf("the request has no valid URL: %w", invalid.Err)
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
		Recorded:  x.day(),
		Request:   c.request(x),
		Response:  c.response(x),
	})
	return nil
}

// request returns the request of an exchange.
func (c *Cassette) request(x *exchange) interaction.Request {
	m := &x.request
	c.checkLength(m, "request")
	headers := interaction.HeadersOf(m.headers)
	unknown := !m.hasAllHeaders && !looksComplete(headers)
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

// looksComplete reports whether a tool seems to have kept all headers of a request except credentials:
// there is a header of a vendor or of its SDK, such as openai-beta or x-stainless-lang. Many tools drop
// these headers, or keep only a few that all clients send; then the others are unknown.
func looksComplete(headers interaction.Headers) bool {
	return slices.ContainsFunc(headers, func(h interaction.Header) bool {
		isCredential := strings.HasSuffix(h.Name, "-key") || strings.HasSuffix(h.Name, "-token")
		isOfSDK := strings.HasPrefix(h.Name, "x-") || strings.HasPrefix(h.Name, "anthropic-")
		isOfVendor := isOfSDK || strings.HasSuffix(h.Name, "-beta")
		return isOfVendor && !isCredential
	})
}

var urlEncoded = regexp.MustCompile(`^[\w.%+*\[\]-]+=[^&=\s]*(&[\w.%+*\[\]-]+=[^&=\s]*)*$`)

// formOf returns the content type of a form, without which the form cannot be read; "" if a body is
// not a form (RFC 7578; https://url.spec.whatwg.org/#urlencoded-serializing).
func formOf(body []byte) string {
	if urlEncoded.Match(body) {
		return "application/x-www-form-urlencoded"
	}
	beginning := string(body[:min(len(body), 4096)]) // has more than the two lines that are needed
	line, rest, _ := strings.Cut(beginning, "\r\n")
	boundary, isBoundary := strings.CutPrefix(line, "--")
	isPart := strings.HasPrefix(strings.ToLower(rest), "content-disposition: form-data")
	if !isBoundary || boundary == "" || !isPart {
		return ""
	}
	return `multipart/form-data; boundary="` + boundary + `"`
}

// withHeader adds a header, in the order of names.
func withHeader(headers interaction.Headers, name, value string) interaction.Headers {
	headers = append(headers, interaction.Header{Name: name, Values: []string{value}})
	slices.SortStableFunc(headers, func(a, b interaction.Header) int { return strings.Compare(a.Name, b.Name) })
	return headers
}

// response returns the answer of an exchange, decoded and cut into events.
func (c *Cassette) response(x *exchange) interaction.Response {
	m := &x.response
	resp := interaction.Response{
		Status:   int(x.status),
		Headers:  interaction.HeadersOf(m.headers),
		Trailers: interaction.HeadersOf(m.trailers),
		Body:     m.body,
	}
	if x.proto != "" && !strings.HasPrefix(x.proto, "HTTP/1.") {
		resp.Proto = x.proto
	}
	if x.failure != "" {
		resp.End = interaction.EndError
		resp.Error = x.failure
	}
	if resp.Headers.Get("content-encoding") == "" {
		c.checkLength(m, "answer")
	}
	if len(resp.Body) == 0 {
		return resp
	}
	resp.Headers = without(resp.Headers, "content-length") // as a recording does
	c.decode(&resp)
	c.cutEvents(&resp)
	return resp
}

// without removes a header.
func without(headers interaction.Headers, name string) interaction.Headers {
	return slices.DeleteFunc(headers, func(h interaction.Header) bool { return h.Name == name })
}

// checkLength notes a body whose length differs from the recorded one.
func (c *Cassette) checkLength(m *message, of string) {
	announced := m.length
	if announced <= 0 {
		announced, _ = strconv.ParseInt(interaction.HeadersOf(m.headers).Get("content-length"), 10, 64)
	}
	switch {
	case m.rebuilt:
		c.lose("the body of the %s is not known byte for byte: only its content was kept, and it is rebuilt", of)
	case announced > 0 && len(m.body) > 0 && announced != int64(len(m.body)):
		c.lose("the body of the %s differs in length from its Content-Length, so it was changed "+
			"after it was sent: it is kept as it is", of)
	}
}

// decode decompresses the body of an answer, and removes its Content-Encoding header. Some tools have
// decompressed the body and left the header.
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

// plainOf decompresses a body. ok is false if the body is not compressed with the coding of this name.
// Of a body whose end is missing it returns the beginning.
func plainOf(name string, body []byte) (plain []byte, ok bool) {
	r, ok := coding.Reader(name, bytes.NewReader(body))
	if !ok {
		return nil, false
	}
	plain, err := io.ReadAll(io.LimitReader(r, maxPlain+1))
	isCut := errors.Is(err, io.ErrUnexpectedEOF) && len(plain) > 0
	isReadable := err == nil || isCut
	return plain, isReadable && len(plain) <= maxPlain && !bytes.Equal(plain, body)
}

// maxPlain is the largest size in bytes of a decompressed body. A larger one is a decompression bomb,
// or too large for a cassette.
const maxPlain = 1 << 30

// cutEvents replaces the body of an answer by its events, if it is a stream. It also adds the
// Content-Type header of any answer if the tool has not kept it: SDKs choose their decoder by it.
func (c *Cassette) cutEvents(resp *interaction.Response) {
	media := resp.Headers.Get("content-type")
	if media == "" && isNDJSON(resp.Body) {
		media = "application/x-ndjson" // from the first line alone, the Cutter cannot tell
	}
	cutter := stream.Cutter{ContentType: media}
	cutter.Frame = func(frame []byte) {
		resp.Events = append(resp.Events, cutter.Framing().Read(frame))
	}
	body := resp.Body
	cutter.Add(body)
	framing, _ := cutter.End()
	if framing != nil {
		resp.Stream = framing.Name
		resp.Body = nil
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

// mediaOf returns the media type of a body by its content, "" if that is not clear.
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
