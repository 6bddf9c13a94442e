package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// A Workload is a row of chat completions that are alike, as those of a test
// suite are: only the last message differs. It is their upstream as well.
type Workload struct {
	Name   string
	stream bool // the answer is server-sent events

	asked    [2][]byte // a request, before and after its number
	answered [2][]byte // a plain answer likewise
	events   [][]byte  // a stream's events; numbered has the number
	numbered int

	// The answer to request 0, or nil. Where it is large, it is made beforehand,
	// so that its memory does not count as that of the recorder.
	prepared *answer
}

// The workloads have requests of three sizes with answers of 1 KB, and a request
// of 1 KB with an answer of 200 events.
var (
	kb1       = newWorkload("1KB", 1<<10, false)
	kb8       = newWorkload("8KB", 8<<10, false)
	kb100     = newWorkload("100KB", 100<<10, false)
	sse       = newWorkload("SSE", 1<<10, true)
	workloads = []*Workload{kb1, kb8, kb100, sse}
)

const (
	chatURL  = "http://127.0.0.1/v1/chat/completions" // never dialled
	nEvents  = 200
	number   = "<number>" // stands in a text for six digits
	question = "Question " + number + ". "
	reply    = "Answer " + number + ". "
)

func newWorkload(name string, size int, stream bool) *Workload {
	words := &prose{rand.New(rand.NewPCG(1, uint64(size)))}
	w := &Workload{Name: name, stream: stream, asked: cut(chatRequest(words, size, stream))}
	if stream {
		w.setEvents(nEvents, func(i int, text string) []byte { return chunk(i, nEvents, text) }, words)
	} else {
		w.answered = cut(chatAnswer(words, 1<<10))
	}
	return w
}

// setEvents makes the answer of a workload a stream of n events and the one
// that ends it. The third event has the number of the request in its text.
func (w *Workload) setEvents(n int, event func(i int, text string) []byte, words *prose) {
	w.numbered = 2
	for i := range n {
		text := " " + words.text(2)
		if i == w.numbered {
			text = reply
		}
		w.events = append(w.events, event(i, text))
	}
	w.events = append(w.events, []byte("data: [DONE]\n\n"))
	w.answered = cut(w.events[w.numbered])
}

// cut cuts a text where its number belongs.
func cut(text []byte) [2][]byte {
	before, after, ok := bytes.Cut(text, []byte(number))
	if !ok || bytes.Contains(after, []byte(number)) {
		panic("bench: a text without a number, or with two")
	}
	return [2][]byte{before, after}
}

func numbered(parts [2][]byte, i int) []byte {
	b := make([]byte, 0, len(parts[0])+6+len(parts[1]))
	b = append(b, parts[0]...)
	b = fmt.Appendf(b, "%06d", i)
	return append(b, parts[1]...)
}

// request returns the body of the i-th request.
func (w *Workload) request(i int) []byte { return numbered(w.asked, i) }

// prepare makes the answer to request 0.
func (w *Workload) prepare() { w.prepared = w.answer(0) }

// answer returns what the upstream sends for the i-th request.
func (w *Workload) answer(i int) *answer {
	if i == 0 && w.prepared != nil {
		a := *w.prepared
		a.header = a.header.Clone()
		return &a
	}
	a := &answer{status: http.StatusOK, header: http.Header{
		"Openai-Processing-Ms": {"412"},
		"Openai-Version":       {"2020-10-01"},
		"X-Request-Id":         {fmt.Sprintf("req_%032x", i)},
	}}
	if w.stream {
		a.header["Content-Type"] = []string{"text/event-stream; charset=utf-8"}
		a.length = -1
		a.pieces = append(a.pieces, w.events...)
		a.pieces[w.numbered] = numbered(w.answered, i)
		return a
	}
	a.header["Content-Type"] = []string{"application/json"}
	a.pieces = [][]byte{numbered(w.answered, i)}
	a.length = int64(len(a.pieces[0]))
	return a
}

// RoundTrip is the upstream: it sends the answer to the request that is asked.
func (w *Workload) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	req.Body.Close()
	if err != nil {
		return nil, err
	}
	digits, ok := bytes.CutPrefix(body, w.asked[0])
	if !ok || len(digits) < 6 {
		return nil, fmt.Errorf("bench: upstream got a request of another workload: %.200s", body)
	}
	i, err := strconv.Atoi(string(digits[:6]))
	if err != nil {
		return nil, err
	}
	return w.answer(i).response(req), nil
}

// rawSize is what a call moves, request and answer, without headers.
func (w *Workload) rawSize() int {
	n := len(w.request(0))
	for _, p := range w.answer(0).pieces {
		n += len(p)
	}
	return n
}

// An answer is a response with the pieces its body arrives in.
type answer struct {
	status int
	header http.Header
	length int64
	pieces [][]byte
}

func (a *answer) body() []byte { return bytes.Join(a.pieces, nil) }

func (a *answer) response(req *http.Request) *http.Response {
	return &http.Response{
		Status: "200 OK", StatusCode: a.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.header, ContentLength: a.length, Body: &reader{a.pieces, nil}, Request: req,
	}
}

// reader gives one piece a Read, as a connection does: the floor for a stream.
type reader struct {
	pieces [][]byte
	rest   []byte
}

func (r *reader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if len(r.pieces) == 0 {
			return 0, io.EOF
		}
		r.rest, r.pieces = r.pieces[0], r.pieces[1:]
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *reader) Close() error { return nil }

// A Caller asks as an SDK does, but makes no garbage of its own: everything that
// can be the same for all requests is.
type Caller struct {
	client http.Client
	buf    []byte
	reads  int // of the last answer
}

// NewCaller returns a caller without a session.
func NewCaller() *Caller {
	return &Caller{buf: make([]byte, 64<<10)}
}

// newCaller returns a caller that asks through s.
func newCaller(s Session) *Caller {
	c := NewCaller()
	c.through(s)
	return c
}

// through makes the next calls go through s.
func (c *Caller) through(s Session) { c.client.Transport = s }

var (
	askURL, _ = url.Parse(chatURL)
	askHeader = http.Header{
		"Accept":        {"application/json"},
		"Authorization": {"Bearer test-key-0123456789abcdef"},
		"Content-Type":  {"application/json"},
		"User-Agent":    {"OpenAI/Go 3.95.0"},
	}
)

func (c *Caller) do(body []byte) (*http.Response, error) {
	return c.client.Do(newRequest(body))
}

func newRequest(body []byte) *http.Request {
	return &http.Request{
		Method: http.MethodPost, URL: askURL, Host: askURL.Host, Header: askHeader,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: newBody(body), ContentLength: int64(len(body)),
	}
}

// body is a request's body in one allocation.
type body struct{ bytes.Reader }

func newBody(text []byte) *body {
	b := &body{}
	b.Reset(text)
	return b
}

func (*body) Close() error { return nil }

// call asks, reads the answer to its end and drops it; it returns its length.
func (c *Caller) call(body []byte) (int, error) {
	resp, err := c.do(body)
	if err != nil {
		return 0, err
	}
	n, err := c.drain(resp.Body)
	resp.Body.Close()
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("bench: status %d", resp.StatusCode)
	}
	return n, err
}

// drain reads to the end and counts the bytes and the Reads.
func (c *Caller) drain(r io.Reader) (int, error) {
	c.reads = 0
	for n := 0; ; c.reads++ {
		m, err := r.Read(c.buf)
		n += m
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

type object = map[string]any

// chatRequest is a conversation about tools, of exactly size bytes.
func chatRequest(words *prose, size int, stream bool) []byte {
	messages := []any{object{"role": "system", "content": "You are a careful assistant.\nSay \"I don't know\" when you don't."}}
	tools := []any{tool("get_weather", "location", "unit")}
	if size > 4<<10 {
		for _, name := range []string{"search_documents", "send_message", "book_table"} {
			tools = append(tools, tool(name, strings.Fields(words.text(4))...))
		}
	}
	render := func() []byte {
		req := struct {
			Model       string  `json:"model"`
			Messages    []any   `json:"messages"`
			Temperature float64 `json:"temperature"`
			MaxTokens   int     `json:"max_tokens"`
			Stream      bool    `json:"stream,omitempty"`
			Tools       []any   `json:"tools"`
		}{"gpt-5.4-mini", messages, 0.2, 1024, stream, tools}
		return encode(req, "")
	}
	ask := func(text string) object {
		return object{"role": "user", "content": question + text}
	}
	// Each message takes its own length and a comma; encoding all of them again to
	// see how long they are would make a lot of garbage, and that would count in
	// the peak of memory of BenchmarkResident.
	free := size - len(render()) - len(encode(ask(""), "")) - 1 + len(number) - 6
	for role := "user"; free > 1500; {
		m := object{"role": role, "content": words.text(40 + 2*(len(messages)%50))}
		messages = append(messages, m)
		free -= len(encode(m, "")) + 1
		role = map[string]string{"user": "assistant", "assistant": "user"}[role]
	}
	messages = append(messages, ask(pad(words, free)))
	return render()
}

// pad returns a text that takes n bytes in JSON.
func pad(words *prose, n int) string {
	text := ""
	for {
		next := text + words.text(6) + " "
		if len(encode(next, ""))-2 > n {
			return text + strings.Repeat(".", n-(len(encode(text, ""))-2))
		}
		text = next
	}
}

func tool(name string, params ...string) object {
	props := object{}
	for _, p := range params {
		props[p] = object{"type": "string", "description": "The " + p + "."}
	}
	return object{"type": "function", "function": object{
		"name":       name,
		"parameters": object{"type": "object", "properties": props, "required": params[:1]},
	}}
}

// chatAnswer is an answer of exactly size bytes, printed as OpenAI prints them.
func chatAnswer(words *prose, size int) []byte {
	render := func(text string) []byte {
		return encode(struct {
			ID      string `json:"id"`
			Object  string `json:"object"`
			Created int    `json:"created"`
			Model   string `json:"model"`
			Choices []any  `json:"choices"`
			Usage   object `json:"usage"`
		}{
			"chatcmpl-AbCdEfGhIjKlMnOpQrSt", "chat.completion", 1767225600, "gpt-5.4-mini-2026-03-05",
			[]any{object{"index": 0, "finish_reason": "stop", "message": object{"role": "assistant", "content": reply + text, "refusal": nil}}},
			object{"prompt_tokens": 310, "completion_tokens": 120, "total_tokens": 430},
		}, "  ")
	}
	return render(pad(words, size-len(render(""))+len(number)-6))
}

// chunk is the i-th of n events of a stream.
func chunk(i, n int, delta string) []byte {
	d, finish := object{"content": delta}, any(nil)
	switch i {
	case 0:
		d = object{"role": "assistant", "content": ""}
	case n - 1:
		d, finish = object{}, "stop"
	}
	data := encode(struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Created int    `json:"created"`
		Model   string `json:"model"`
		Choices []any  `json:"choices"`
	}{
		"chatcmpl-AbCdEfGhIjKlMnOpQrSt", "chat.completion.chunk", 1767225600, "gpt-5.4-mini-2026-03-05",
		[]any{object{"index": 0, "delta": d, "logprobs": nil, "finish_reason": finish}},
	}, "")
	return fmt.Appendf(nil, "data: %s\n\n", data)
}

// encode encodes as SDKs do: without escapes that only HTML needs.
func encode(v any, indent string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// prose writes text with the characters of real text, the same in every run.
type prose struct{ rand *rand.Rand }

var vocabulary = strings.Fields(`the a of to and in that is for it with as was on be by at from this have are
	which one had not but what all were when there can more if out other into time up only some could these two
	may then do first any now such like our over even most made after also did many before must through years
	where much way well down should because each people how too little state good very make world still own see
	men work long get here between both life being under never day same another know while last might us great
	old year off come since against go came right used take three café naïve Zürich “quoted” – € 日本語 emoji 🙂
	"exactly" <b> & {key} [0] 3.14 2026-01-02 C:\path tab	x`)

func (p *prose) text(words int) string {
	var b strings.Builder
	for i := range words {
		switch {
		case i == 0:
		case i%17 == 0:
			b.WriteString(".\n")
		default:
			b.WriteByte(' ')
		}
		b.WriteString(vocabulary[p.rand.IntN(len(vocabulary))])
	}
	return b.String()
}
