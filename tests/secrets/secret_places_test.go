package secrets_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testing/encode"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// A secretPlace is a place of a call that can hold a text.
type secretPlace struct {
	name string

	// request puts the text into a request; nil stands for one without it.
	request func(req *http.Request, text string)

	// answer writes an answer that has the text; nil stands for one without it.
	answer func(w http.ResponseWriter, text string)

	// wrap calls a function of [Wrap] instead of sending a request.
	wrap func(ctx context.Context, r *promptecho.Recorder, text string) error

	// holds reports whether the text can be at the place; nil stands for any.
	holds func(text string) bool

	// ofDigits says that only the secret of digits can be at the place.
	ofDigits bool
}

// isOneLine reports whether a header can have a text.
func isOneLine(text string) bool { return !strings.ContainsAny(text, "\r\n") }

// isHost reports whether the name of a host can be a text.
func isHost(text string) bool {
	return strings.IndexFunc(text, func(c rune) bool {
		isLetter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		isOther := c >= '0' && c <= '9' || c == '-' || c == '.' || c == '_'
		return !isLetter && !isOther
	}) < 0
}

// isDigits reports whether a JSON number can be a text.
func isDigits(text string) bool { return strings.Trim(text, "0123456789") == "" }

// setBody gives a request a body.
func setBody(req *http.Request, mediaType, body string) {
	req.Header.Set("Content-Type", mediaType)
	req.Body = io.NopCloser(strings.NewReader(body))
	req.ContentLength = int64(len(body))
}

// multipartBody returns a form of one part.
func multipartBody(text string, isFile bool) (mediaType, body string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	var part io.Writer
	var err error
	if isFile {
		part, err = w.CreateFormFile("file", "notes.txt")
	} else {
		part, err = w.CreateFormField("note")
	}
	if err == nil {
		_, err = io.WriteString(part, text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err)
	}
	return w.FormDataContentType(), b.String()
}

// answered returns an answer with a body.
func answered(mediaType string, body func(text string) string) func(http.ResponseWriter, string) {
	return func(w http.ResponseWriter, text string) {
		w.Header().Set("Content-Type", mediaType)
		io.WriteString(w, body(text))
	}
}

// inPieces returns events that give a text in pieces of a few bytes, as models do.
func inPieces(text string) string {
	var b strings.Builder
	for piece := range strings.SplitAfterSeq(text, "") {
		fmt.Fprintf(&b, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%s\"}}]}\n\n", encode.JSON(piece))
	}
	return b.String() + "data: [DONE]\n\n"
}

var secretPlaces = []secretPlace{
	{name: "user of the URL", request: func(req *http.Request, text string) { req.URL.User = url.User(text) }},
	{name: "host of the URL", holds: isHost, request: func(req *http.Request, text string) { req.URL.Host = text + ".example" }},
	{name: "path", request: func(req *http.Request, text string) { req.URL.Path = "/files/" + text + "/lines" }},
	{name: "query", request: func(req *http.Request, text string) { req.URL.RawQuery = url.Values{"note": {text}}.Encode() }},
	{name: "header", holds: isOneLine, request: func(req *http.Request, text string) { req.Header.Set("X-Note", text) }},
	{name: "cookie", holds: isOneLine, request: func(req *http.Request, text string) { req.Header.Set("Cookie", "note="+text) }},
	{name: "JSON string", request: func(req *http.Request, text string) {
		setBody(req, "application/json", `{"model":"m","messages":[{"role":"user","content":"`+encode.JSON(text)+`"}]}`)
	}},
	{name: "JSON name", request: func(req *http.Request, text string) {
		setBody(req, "application/json", `{"notes":{"`+encode.JSON(text)+`":"x"}}`)
	}},
	{name: "JSON number", holds: isDigits, ofDigits: true, request: func(req *http.Request, text string) {
		setBody(req, "application/json", `{"notes":[1,`+text+`]}`)
	}},
	{name: "form", request: func(req *http.Request, text string) {
		setBody(req, "application/x-www-form-urlencoded", "a=1&"+url.Values{"note": {text}}.Encode())
	}},
	{name: "field of a multipart form", request: func(req *http.Request, text string) {
		mediaType, body := multipartBody(text, false)
		setBody(req, mediaType, body)
	}},
	{name: "file of a multipart form", request: func(req *http.Request, text string) {
		mediaType, body := multipartBody(strings.Repeat("a line of the file\n", 20)+text, true)
		setBody(req, mediaType, body)
	}},
	{name: "header of an answer", holds: isOneLine, answer: func(w http.ResponseWriter, text string) {
		w.Header().Set("X-Note", text)
	}},
	{name: "Set-Cookie", holds: isOneLine, answer: func(w http.ResponseWriter, text string) {
		w.Header().Set("Set-Cookie", "note="+text+"; Path=/")
	}},
	{name: "trailer", holds: isOneLine, answer: func(w http.ResponseWriter, text string) {
		w.Header().Set("Trailer", "X-Note")
		io.WriteString(w, "fine")
		w.Header().Set("X-Note", text)
	}},
	{name: "JSON of an answer", answer: answered("application/json", func(text string) string {
		return `{"choices":[{"index":0,"message":{"role":"assistant","content":"` + encode.JSON(text) + `"}}]}`
	})},
	{name: "event", answer: answered("text/event-stream", func(text string) string {
		return "event: note\ndata: {\"note\":\"" + encode.JSON(text) + "\"}\n\ndata: [DONE]\n\n"
	})},
	{name: "pieces of events", answer: answered("text/event-stream", inPieces)},
	{name: "JSON lines", answer: answered("application/x-ndjson", func(text string) string {
		return "{\"n\":1}\n{\"note\":\"" + encode.JSON(text) + "\"}\n"
	})},
	{name: "XML", answer: answered("text/xml", func(text string) string {
		return `<notes><note at="` + encode.XML(text) + `">` + encode.XML(text) + `</note></notes>`
	})},
	{name: "redirect", answer: func(w http.ResponseWriter, text string) {
		w.Header().Set("Location", "https://h.example/next?state="+url.QueryEscape(text))
		w.WriteHeader(http.StatusFound)
	}},
	{name: "compressed answer", answer: func(w http.ResponseWriter, text string) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, encode.Gzip("a note: "+text))
	}},
	{name: "argument of a function", wrap: func(ctx context.Context, r *promptecho.Recorder, text string) error {
		_, err := promptecho.Wrap(r, "tool/note", func(context.Context, map[string]string) (string, error) {
			return "fine", nil
		})(ctx, map[string]string{"note": text})
		return err
	}},
	{name: "result of a function", wrap: func(ctx context.Context, r *promptecho.Recorder, text string) error {
		_, err := promptecho.Wrap(r, "tool/note", func(context.Context, string) (map[string]string, error) {
			return map[string]string{"note": text}, nil
		})(ctx, "x")
		return err
	}},
	{name: "error of a function", wrap: func(ctx context.Context, r *promptecho.Recorder, text string) error {
		_, err := promptecho.Wrap(r, "tool/note", func(context.Context, string) (string, error) {
			return "", errors.New("the note is " + text)
		})(ctx, "x")
		var miss *promptecho.MissError
		if errors.As(err, &miss) {
			return err
		}
		return nil
	}},
}

// secretsOfPlaces are a key, a secret with characters that encodings escape, a UUID, and
// one that a number can be.
var secretsOfPlaces = []string{
	"Zq3vT8mKx2Lw9pRb4NcY7dHsUe5JfAg6QhWk1MiOo0XzCvBn",
	`Zq3v&T8mKx<2Lw9"pRb4/+~`,
	"8f14e45f-ceea-467f-a8d5-3b1c7e9d2a60",
	"4929153870264815",
}

// TestNothingOfASecretIsWritten: a secret that the program has from [Recorder.Secret], encoded
// once or twice, at any place of a call, is in no encoding in the cassette, its assets, the
// journal, the file of a failed run, the report of a miss or the log.
func TestNothingOfASecretIsWritten(t *testing.T) {
	// Not parallel: it sets the environment.
	calls := newSecretCalls(t)
	for i, secret := range secretsOfPlaces {
		t.Setenv(variableOf(i), secret)
	}
	every := full.Cases(97, 1) // the first of each place and one in 97
	n := 0
	for _, place := range secretPlaces {
		isFirst := true
		for _, inner := range encode.All {
			for _, outer := range encode.All {
				i := (len(inner.Name) + len(outer.Name)) % len(secretsOfPlaces)
				if place.ofDigits {
					i = len(secretsOfPlaces) - 1
				}
				secret := secretsOfPlaces[i]
				text := outer.Encode(inner.Encode(secret))
				if place.holds == nil {
					text = outer.Encode("see " + inner.Encode(secret) + " there")
				}
				isPossible := place.holds == nil || place.holds(text)
				if !isPossible {
					continue
				}
				n++
				if !isFirst && n%every != 0 {
					continue
				}
				isFirst = false
				t.Run(place.name+"/"+outer.Name+" of "+inner.Name, func(t *testing.T) {
					t.Parallel()
					c := secretCase{calls: calls, place: place, secret: secret, variable: variableOf(i), text: text}
					c.check(t)
				})
			}
		}
	}
}

// variableOf returns the name of the variable that has a secret of [secretsOfPlaces].
func variableOf(i int) string { return fmt.Sprintf("PROMPTECHO_TEST_PLACE_%d", i) }

// secretCalls is a loopback server and a way to it for URLs of any host.
type secretCalls struct {
	transport *http.Transport
	answers   sync.Map // functions that answer, by the header X-Case
}

func newSecretCalls(t *testing.T) *secretCalls {
	calls := new(secretCalls)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		io.Copy(io.Discard, req.Body)
		answer, ok := calls.answers.Load(req.Header.Get("X-Case"))
		if ok {
			answer.(func(http.ResponseWriter))(w)
		}
	}))
	t.Cleanup(server.Close)
	calls.transport = &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, server.Listener.Addr().String())
	}}
	t.Cleanup(calls.transport.CloseIdleConnections)
	return calls
}

// A secretCase is a secret in an encoding at a place.
type secretCase struct {
	calls    *secretCalls
	place    secretPlace
	secret   string
	variable string // of the environment, which has the secret
	text     string // which has the secret, encoded
	dir      string
	said     strings.Builder // what the user reads: notes, errors, reports of misses
}

// check records the call, records it again in a test that fails, and replays a call that
// is not recorded, and looks for the secret after each.
func (c *secretCase) check(t *testing.T) {
	if !encode.Holds(c.text, c.secret) {
		t.Fatalf("the text does not hold the secret: %q", c.text)
	}
	c.dir = t.TempDir()

	r := c.open(t, promptecho.ModeAll)
	c.call(t, r, "/v1/notes")
	c.lookFor(t, "while recording", 1)
	must.Close(t, r)
	c.lookFor(t, "after recording", 1)

	r = c.open(t, promptecho.ModeAll)
	c.call(t, r, "/v1/notes")
	c.call(t, r, "/v1/more")
	c.lookFor(t, "while recording again", 2)
	for _, text := range must.Finish(r, report.Outcome{Failed: true}).Errors {
		c.said.WriteString(text)
	}
	c.lookFor(t, "after a failed test", 2)

	r = c.open(t, promptecho.ModeNone)
	c.call(t, r, "/v1/notes")
	c.call(t, r, "/v1/others")
	err := r.Close()
	if err != nil {
		fmt.Fprintln(&c.said, err)
	}
	c.lookFor(t, "after a miss", 2)
	if !strings.Contains(c.said.String(), "not recorded") && c.place.wrap == nil {
		t.Errorf("no miss is reported: %s", c.said.String())
	}
}

func (c *secretCase) open(t *testing.T, mode promptecho.Mode) *promptecho.Recorder {
	r := must.Open(t, filepath.Join(c.dir, "c.yaml"), promptecho.InMode(mode), promptecho.Upstream(c.calls.transport),
		promptecho.KeepHeaders("X-Note"), promptecho.OnRecordError(promptecho.Keep), promptecho.Log(func(note string) { fmt.Fprintln(&c.said, note) }))
	r.Secret(c.variable)
	return r
}

// call makes the call with the text at its place. What the program reads of it is what the
// user reads only if it is the report of a miss.
func (c *secretCase) call(t *testing.T, r *promptecho.Recorder, path string) {
	if c.place.wrap != nil {
		text := c.text
		if path != "/v1/notes" {
			text += path
		}
		err := c.place.wrap(t.Context(), r, text)
		if err != nil {
			fmt.Fprintln(&c.said, err)
		}
		return
	}
	req, err := http.NewRequestWithContext(t.Context(), "POST", "http://notes.example"+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if c.place.request != nil {
		c.place.request(req, c.text)
		if path != "/v1/notes" {
			req.Method = "PUT"
		}
	}
	req.Header.Set("X-Case", t.Name())
	c.calls.answers.Store(t.Name(), func(w http.ResponseWriter) {
		if c.place.answer != nil {
			c.place.answer(w, c.text)
		}
	})
	resp, err := r.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode == http.StatusTeapot {
		c.said.Write(body)
	}
}

// lookFor looks for the secret in all files and in what the user reads.
func (c *secretCase) lookFor(t *testing.T, when string, leastFiles int) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(c.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		if encode.Holds(string(content), c.secret) {
			t.Errorf("%s: %s has the secret:\n%.2000s", when, filepath.Base(path), content)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < leastFiles {
		t.Errorf("%s: %d files, want %d or more", when, files, leastFiles)
	}
	if encode.Holds(c.said.String(), c.secret) {
		t.Errorf("%s: the user reads the secret:\n%.2000s", when, c.said.String())
	}
}
