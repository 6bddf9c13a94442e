package foreign

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
)

// HAR is the name of the HTTP archive format (http://www.softwareishard.com/blog/har-12-spec/), which
// browsers, proxies and Polly.JS write. Names with an underscore are extensions of some writers.
const HAR cassette.Tool = "HAR"

// A harEntry is a request with its answer.
type harEntry struct {
	StartedDateTime   string       `json:"startedDateTime"`
	Time              float64      `json:"time"` // in milliseconds, as all times below
	Request           harRequest   `json:"request"`
	Response          harResponse  `json:"response"`
	Timings           harTimings   `json:"timings"`
	ResourceType      string       `json:"_resourceType"`      // Chrome
	WebSocketMessages []harMessage `json:"_webSocketMessages"` // Chrome, mitmproxy
}

type harRequest struct {
	Method   string       `json:"method"`
	URL      string       `json:"url"`
	Headers  []harHeader  `json:"headers"`
	PostData *harPostData `json:"postData"`
	BodySize float64      `json:"bodySize"` // -1 if unknown
}

type harResponse struct {
	Status      float64     `json:"status"` // 0 if there is no answer
	HTTPVersion string      `json:"httpVersion"`
	Headers     []harHeader `json:"headers"`
	Content     harContent  `json:"content"`
	Error       string      `json:"_error"` // Chrome, mitmproxy: why the request failed
}

type harHeader struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type harTimings struct {
	Send float64 `json:"send"`
	Wait float64 `json:"wait"`
}

type harPostData struct {
	MimeType string     `json:"mimeType"`
	Text     string     `json:"text"`
	Params   []harParam `json:"params"`
	Encoding string     `json:"encoding"` // Polly.JS
	File     string     `json:"_file"`    // Playwright
}

type harParam struct {
	Name     string `json:"name"`
	Value    string `json:"value"`
	FileName string `json:"fileName"`
}

type harContent struct {
	Size     float64 `json:"size"` // of the body without compression; -1 if unknown
	MimeType string  `json:"mimeType"`
	Text     *string `json:"text"`     // nil if the body is not in the file
	Encoding string  `json:"encoding"` // "base64" or ""
	Comment  string  `json:"comment"`
	File     string  `json:"_file"` // Playwright
}

type harMessage struct {
	Type   string  `json:"type"` // "send" or "receive"
	Time   float64 `json:"time"` // in seconds since 1970; in milliseconds by Playwright
	Opcode float64 `json:"opcode"`
	Data   string  `json:"data"` // in base64 if it is binary
}

// harStart matches the beginning of a HAR file.
var harStart = regexp.MustCompile(`^\x{FEFF}?\s*\{\s*"log"\s*:\s*\{`)

// isHAR reports whether a file is a HAR file, by its beginning.
func isHAR(data []byte) bool {
	head := data[:min(len(data), 1<<20)]
	if !harStart.Match(head) || !bytes.Contains(head, []byte(`"entries"`)) {
		return false
	}
	return bytes.Contains(head, []byte(`"creator"`)) || bytes.Contains(head, []byte(`"startedDateTime"`))
}

// A harReader reads a HAR file.
type harReader struct {
	name     string
	data     []byte
	attached func(name string) ([]byte, error) // reads a body that is in a file of its own
	cassette *Cassette

	line, counted int // the line of the offset up to which lines are counted
	list          []*captured
}

// readHAR reads a HAR file into a cassette.
func readHAR(c *Cassette, name string, data []byte, attached func(string) ([]byte, error)) error {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	c.Tool = string(HAR)
	r := &harReader{name: name, data: data, attached: attached, cassette: c, line: 1}
	dec := json.NewDecoder(bytes.NewReader(data))
	err := r.object(dec, "log", func() error {
		return r.object(dec, "entries", func() error { return r.entries(dec) })
	})
	if err != nil {
		return r.fail(int(dec.InputOffset()), err)
	}
	failed, err := c.addTraffic(r.list)
	if err != nil {
		return r.fail(failed.offset, err)
	}
	return nil
}

// fail returns the error for a place in the file.
func (r *harReader) fail(offset int, err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		offset = max(0, int(syntax.Offset)-1)
	}
	field := ""
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		field = wrong.Field
		err = fmt.Errorf("want another type than %s", wrong.Value)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		err = errors.New("the file was cut: its end is missing")
	}
	return codec.ErrorAt(r.name, string(r.data), min(offset, len(r.data)), field, "%v", err)
}

// object reads an object, calls read for the member with a name, and skips the others.
func (r *harReader) object(dec *json.Decoder, name string, read func() error) error {
	err := want(dec, json.Delim('{'))
	if err != nil {
		return err
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		if key == name {
			err = read()
		} else {
			var skipped json.RawMessage
			err = dec.Decode(&skipped)
		}
		if err != nil {
			return err
		}
	}
	return want(dec, json.Delim('}'))
}

// want reads a delimiter.
func want(dec *json.Decoder, delimiter json.Delim) error {
	token, err := dec.Token()
	if err == nil && token != delimiter {
		err = fmt.Errorf("want %v", delimiter)
	}
	return err
}

// entries reads the list of entries, one at a time: a file may have hundreds of megabytes.
func (r *harReader) entries(dec *json.Decoder) error {
	err := want(dec, json.Delim('['))
	if err != nil {
		return err
	}
	for dec.More() {
		start := r.valueAt(int(dec.InputOffset()))
		var entry harEntry
		err := dec.Decode(&entry)
		if err != nil {
			return err
		}
		r.line += bytes.Count(r.data[r.counted:start], []byte("\n"))
		r.counted = start
		x := r.captured(&entry)
		x.line = r.line
		x.offset = start
		if !r.cassette.skips(x) {
			r.list = append(r.list, x)
		}
	}
	return want(dec, json.Delim(']'))
}

// valueAt returns the offset of the value that begins at or behind an offset, after a comma.
func (r *harReader) valueAt(offset int) int {
	rest := bytes.TrimLeft(r.data[offset:], ", \t\r\n")
	return len(r.data) - len(rest)
}

// captured returns an entry as a request and its answer.
func (r *harReader) captured(e *harEntry) *captured {
	x := &captured{resource: e.ResourceType}
	x.method = strings.ToUpper(e.Request.Method)
	x.url, _, _ = strings.Cut(e.Request.URL, "#")
	x.request.headers = harHeaders(e.Request.Headers)
	x.request.hasAllHeaders = len(e.Request.Headers) > 0
	x.status = int64(e.Response.Status)
	x.proto = protoOf(strings.ToUpper(e.Response.HTTPVersion))
	x.response.headers = harHeaders(e.Response.Headers)
	x.failure = e.Response.Error
	x.latencyMS = int64(max(0, e.Timings.Send) + max(0, e.Timings.Wait))
	start, err := time.Parse(time.RFC3339Nano, e.StartedDateTime)
	if err == nil {
		x.start = start
		x.end = start.Add(time.Duration(max(0, e.Time) * float64(time.Millisecond)))
	}

	isWebSocket := e.ResourceType == "websocket" || e.WebSocketMessages != nil || e.Response.Status == 101
	if isWebSocket {
		r.readSession(x, e)
		return x
	}
	r.readRequestBody(x, &e.Request)
	r.readResponseBody(x, &e.Response)
	return x
}

// harHeaders returns headers, without the pseudo-headers of HTTP/2 (RFC 9113, section 8.3).
func harHeaders(list []harHeader) map[string][]string {
	headers := map[string][]string{}
	for _, h := range list {
		if !strings.HasPrefix(h.Name, ":") {
			headers[h.Name] = append(headers[h.Name], h.Value)
		}
	}
	return headers
}

// readSession reads the messages of a WebSocket.
func (r *harReader) readSession(x *captured, e *harEntry) {
	messages := e.WebSocketMessages
	if e.Response.Content.File != "" {
		messages = r.messagesInFile(x, e.Response.Content.File)
	}
	isOpened := e.Response.Status == 101 || len(messages) > 0
	x.asHandshake()
	switch {
	case !isOpened:
		x.leaveOut(finding.AnswerMissing, "the WebSocket was not opened"+inQuotes(x.failure))
	case messages == nil:
		x.leaveOut(finding.AnswerMissing, "the messages of the WebSocket are not in the file")
	}
	x.failure = ""
	for _, m := range messages {
		message := timedMessage{at: m.at()}
		message.Sent = m.Type == "send"
		message.Data = m.Data
		switch m.Opcode {
		case 1:
		case 2:
			data, err := base64.StdEncoding.DecodeString(m.Data)
			if err != nil {
				x.leaveOut(finding.AnswerMissing,
					"a message of the WebSocket is not the base64 that it says")
			}
			message.Kind = interaction.Bytes
			message.Data = string(data)
		default: // pings, pongs, and errors, which have the opcode -1
			continue
		}
		x.messages = append(x.messages, message)
	}
}

// at returns when a message was sent.
func (m *harMessage) at() time.Time {
	const latest = 1e11 // seconds, some 3,000 years
	if m.Time > latest {
		return secondsOf(m.Time / 1000)
	}
	return secondsOf(m.Time)
}

// messagesInFile reads messages from a file of Playwright, which has one in each line.
func (r *harReader) messagesInFile(x *captured, name string) []harMessage {
	data, err := r.attached(name)
	if err != nil {
		x.leaveOut(finding.AnswerMissing, "the messages of the WebSocket: "+err.Error())
		return nil
	}
	messages := []harMessage{}
	dec := json.NewDecoder(bytes.NewReader(data))
	for dec.More() {
		var m harMessage
		err := dec.Decode(&m)
		if err != nil {
			x.leaveOut(finding.AnswerMissing, "the messages of the WebSocket cannot be read")
			return nil
		}
		messages = append(messages, m)
	}
	return messages
}

// readRequestBody reads the body of a request.
func (r *harReader) readRequestBody(x *captured, req *harRequest) {
	post := req.PostData
	if post == nil {
		post = &harPostData{}
	}
	body, err := r.body(post.Text, post.Encoding, post.File)
	x.request.body = body
	length, _ := strconv.Atoi(interaction.HeadersOf(x.request.headers).Get("content-length"))
	hasParams := len(post.Params) > 0
	isFormOfText := strings.HasPrefix(post.MimeType, "application/x-www-form-urlencoded")
	switch {
	case err != nil:
		x.leaveOut(finding.RequestMissing, "the body of the request: "+err.Error())
	case len(body) > 0:
		x.noteReplaced(body, "request")
	case hasParams && isFormOfText:
		x.request.body = formOfParams(post.Params)
		x.request.rebuilt = true
	case hasParams:
		x.leaveOut(finding.RequestMissing,
			"the request has a form, whose fields are in the file, but not what was sent")
	case length > 0 || req.BodySize > 0:
		x.leaveOut(finding.RequestMissing, "the body of the request is not in the file")
	}
}

// formOfParams returns a urlencoded form.
func formOfParams(params []harParam) []byte {
	var form []string
	for _, p := range params {
		form = append(form, url.QueryEscape(p.Name)+"="+url.QueryEscape(p.Value))
	}
	return []byte(strings.Join(form, "&"))
}

// readResponseBody reads the body of an answer, which is decompressed.
func (r *harReader) readResponseBody(x *captured, resp *harResponse) {
	content := &resp.Content
	if resp.Status == 0 {
		x.leaveOut(finding.AnswerMissing, "the request was not answered"+inQuotes(resp.Error))
		return
	}
	headers := interaction.HeadersOf(x.response.headers)
	if headers.Get("content-type") == "" && strings.Contains(content.MimeType, "/") {
		headers = withHeader(headers, "content-type", content.MimeType)
	}
	x.response.headers = headers.Map()
	if content.Text == nil && content.File == "" {
		if !x.mayHaveNoBody(content) {
			why := "the body of the answer is not in the file" + inQuotes(content.Comment)
			x.leaveOut(finding.AnswerMissing, why)
		}
		return
	}
	text := ""
	if content.Text != nil {
		text = *content.Text
	}
	body, err := r.body(text, content.Encoding, content.File)
	if err != nil {
		x.leaveOut(finding.AnswerMissing, "the body of the answer: "+err.Error())
		return
	}
	x.response.body = body
	x.noteReplaced(body, "answer")
	if float64(len(body)) < content.Size {
		x.losses = append(x.losses,
			"the body of the answer is shorter than its size in the file: its end may be missing")
	}
	x.dropCoding()
}

// mayHaveNoBody reports whether the answer is one without a body (RFC 9110, section 6.4.1), or a
// redirect, whose body browsers do not read.
func (x *captured) mayHaveNoBody(content *harContent) bool {
	hasNone := slices.Contains([]int64{204, 205, 304}, x.status) || x.method == "HEAD"
	isRedirect := x.status >= 300 && x.status < 400
	isEmpty := interaction.HeadersOf(x.response.headers).Get("content-length") == "0"
	return hasNone || isRedirect || isEmpty
}

// dropCoding removes the headers that describe the body as it was sent, unless the body still is
// compressed: Polly.JS keeps it so.
func (x *captured) dropCoding() {
	headers := interaction.HeadersOf(x.response.headers)
	name := headers.Get("content-encoding")
	if name == "" || len(x.response.body) == 0 {
		return
	}
	_, isCompressed := plainOf(name, x.response.body)
	if isCompressed {
		return
	}
	headers = without(headers, "content-encoding")
	x.response.headers = without(headers, "content-length").Map()
}

// body returns the bytes of a body, which is a text or a file of the archive.
func (r *harReader) body(text, encoding, file string) ([]byte, error) {
	if file != "" {
		return r.attached(file)
	}
	if encoding != "base64" {
		return []byte(text), nil
	}
	var chunks []string
	isList := strings.HasPrefix(text, "[") && json.Unmarshal([]byte(text), &chunks) == nil
	if !isList {
		chunks = []string{text}
	}
	var body []byte
	for _, chunk := range chunks { // Polly.JS writes a list
		data, err := base64.StdEncoding.DecodeString(chunk)
		if err != nil {
			return nil, errors.New("it is not the base64 that it says")
		}
		body = append(body, data...)
	}
	return body, nil
}

// noteReplaced notes a body with U+FFFD. Decoders put it in the place of bytes that are no text.
func (x *captured) noteReplaced(body []byte, of string) {
	if bytes.ContainsRune(body, utf8.RuneError) && utf8.Valid(body) {
		x.losses = append(x.losses, "the body of the "+of+" has the character U+FFFD: some of its bytes "+
			"were not text, and were replaced")
	}
}

// inQuotes returns what the file says about a reason, behind a colon; "" for "".
func inQuotes(text string) string {
	if text == "" {
		return ""
	}
	return ": " + strconv.Quote(yaml.Clip(text))
}

// zipStart is the beginning of a ZIP archive.
const zipStart = "PK\x03\x04"

// maxZipped is the largest size in bytes of a file of an archive.
const maxZipped = 1 << 30

// harOfArchive returns the HAR file of an archive that Playwright has written, and what reads the
// bodies in it. har is nil if there is none.
func harOfArchive(data []byte) (har []byte, attached func(name string) ([]byte, error), err error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, nil, nil // no archive, or one of another kind
	}
	attached = func(name string) ([]byte, error) {
		f, err := archive.Open(name)
		if err != nil {
			return nil, errors.New("its file is not in the archive: " + strconv.Quote(yaml.Clip(name)))
		}
		defer f.Close()
		body, err := io.ReadAll(io.LimitReader(f, maxZipped+1))
		if err == nil && len(body) > maxZipped {
			err = errors.New("it is too large")
		}
		return body, err
	}
	for _, f := range archive.File {
		if strings.HasSuffix(f.Name, ".har") && !strings.Contains(f.Name, "/") {
			har, err = attached(f.Name)
			return har, attached, err
		}
	}
	return nil, nil, nil
}
