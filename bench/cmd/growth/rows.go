package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/promptecho/promptecho"
	"gopkg.in/dnaeon/go-vcr.v4/pkg/recorder"
)

var (
	calls    = []int{10, 100, 1000, 10_000}
	manyCall = []int{20, 200, 2000, 20_000}
	bytesOf  = []int{10_000, 100_000, 1_000_000, 10_000_000}
)

// rows are the rows of the table.
var rows = []row{
	{"recording of calls", "calls", manyCall, all(record(false, distinct)), all(record(true, distinct))},
	{"replay of calls", "calls", manyCall, replayed(false, distinct), replayed(true, distinct)},
	{"recording of concurrent calls", "calls", calls, all(record(false, atOnce)), all(record(true, atOnce))},
	{"replay of concurrent calls", "calls", calls, replayed(false, atOnce), replayed(true, atOnce)},
	{"recording of cassettes in one folder", "cassettes", calls, cassettes(false), cassettes(true)},
	{"replay of cassettes in one folder", "cassettes", calls, cassettesReplayed(false), cassettesReplayed(true)},
	{"recording of a conversation", "turns", []int{3, 30, 100, 300}, all(record(false, conversation)), all(record(true, conversation))},
	{"replay of a conversation", "turns", []int{3, 30, 100, 300}, replayed(false, conversation), replayed(true, conversation)},
	{"recording of a stream", "events", []int{100, 1000, 10_000, 100_000}, all(record(false, stream)), all(record(true, stream))},
	{"replay of a stream", "events", []int{100, 1000, 10_000, 100_000}, replayed(false, stream), replayed(true, stream)},
	{"recording of vectors", "vectors", []int{1, 10, 100, 1000}, all(record(false, vectors)), all(record(true, vectors))},
	{"replay of vectors", "vectors", []int{1, 10, 100, 1000}, replayed(false, vectors), replayed(true, vectors)},
	{"recording of a JSON answer", "bytes", bytesOf, all(record(false, large)), all(record(true, large))},
	{"replay of a JSON answer", "bytes", bytesOf, replayed(false, large), replayed(true, large)},
	{"misses: one edit of all prompts", "misses", manyCall, misses(false), misses(true)},
	{"one miss: an edit of a long prompt", "bytes", bytesOf, missed, nil},
	{"Close after failures", "failures", manyCall, failures, nil},
	{"recording of a prompt full of prefixes of keys", "bytes", bytesOf, beginnings, nil},
	{"`diff` of edited requests", "edits", manyCall, diffed, nil},
	{"the end of go test with echotest.Main", "tests", calls, ended, nil},
	{"a run of tests that replay", "tests", calls, passed, nil},
	{"a run of tests, one edit of all prompts", "tests", calls, edited, nil},
	{"`ls`", "tests", calls, suite("ls"), nil},
	{"`prune`", "tests", calls, suite("prune"), nil},
	{"`verify`", "tests", calls, suite("verify", "."), nil},
}

const chat = "https://api.openai.com/v1/chat/completions"

// A talk is what is asked, and answered, in work of a size.
type talk struct {
	n           int
	ask         func(i int) []byte
	contentType string
	answer      func(i int) [][]byte
	atOnce      bool
}

func object(kv ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i+1 < len(kv); i += 2 {
		m[kv[i].(string)] = kv[i+1]
	}
	return m
}

func encoded(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func user(text string) any { return object("role", "user", "content", text) }

func asking(messages ...any) []byte {
	return encoded(object("model", "gpt-4o", "messages", messages))
}

func saying(text string) []byte {
	return encoded(object("id", "x", "choices", []any{object("index", 0, "finish_reason", "stop", "message", object("role", "assistant", "content", text))}))
}

func plain(text string) [][]byte { return [][]byte{saying(text)} }

// distinct is n calls of a kilobyte that have nothing to do with each other.
func distinct(n int) talk {
	about := strings.Repeat("as briefly as it can be said, ", 30)
	return talk{n: n, ask: func(i int) []byte { return asking(user(fmt.Sprintf("Answer the question %d, %s", i, about))) }, contentType: "application/json",
		answer: func(i int) [][]byte { return plain(fmt.Sprint("answer ", i)) }}
}

// atOnce is the same calls, all under way before the first one is answered.
func atOnce(n int) talk {
	t := distinct(n)
	t.atOnce = true
	return t
}

// conversation is n turns, each with all turns before.
func conversation(n int) talk {
	said := strings.Repeat("It was said before, and it is said again. ", 5)
	return talk{n: n, ask: func(i int) []byte {
		var messages []any
		for turn := range i + 1 {
			messages = append(messages, user(fmt.Sprint("question ", turn, ": ", said)))
			if turn < i {
				messages = append(messages, object("role", "assistant", "content", fmt.Sprint("answer ", turn)))
			}
		}
		return asking(messages...)
	}, contentType: "application/json", answer: func(i int) [][]byte { return plain(fmt.Sprint("answer ", i)) }}
}

func one(body []byte, contentType string, pieces [][]byte) talk {
	return talk{n: 1, ask: func(int) []byte { return body }, contentType: contentType, answer: func(int) [][]byte { return pieces }}
}

// stream is one answer of n events.
func stream(n int) talk {
	var pieces [][]byte
	for i := range n {
		pieces = append(pieces, fmt.Appendf(nil, "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" word%d\"}}]}\n\n", i))
	}
	return one(asking(user("hello")), "text/event-stream", append(pieces, []byte("data: [DONE]\n\n")))
}

// vectors is one answer of n embeddings.
func vectors(n int) talk {
	r := rand.New(rand.NewPCG(1, 2))
	var data []any
	for i := range n {
		v := make([]float64, 1536)
		for j := range v {
			v[j] = r.Float64() - 0.5
		}
		data = append(data, object("index", i, "object", "embedding", "embedding", v))
	}
	return one(encoded(object("model", "text-embedding-3-small", "input", "hello")), "application/json", [][]byte{encoded(object("data", data))})
}

// large is one answer of n bytes, with many short texts.
func large(n int) talk {
	var items []any
	for i := range n / 100 {
		items = append(items, object("id", i, "title", fmt.Sprint("The item ", i), "text", "a text of some words that say nothing at all, again and again"))
	}
	return one(asking(user("hello")), "application/json", [][]byte{encoded(object("items", items))})
}

// RoundTrip answers the i-th request with the i-th answer.
func (t *talk) upstream() http.RoundTripper {
	var asked atomic.Int64
	all := make(chan struct{})
	return function(func(req *http.Request) (*http.Response, error) {
		_, _ = io.Copy(io.Discard, req.Body)
		i := int(asked.Add(1))
		if i == t.n { // a talk is recorded once
			close(all)
		}
		if t.atOnce {
			<-all
		}
		pieces := t.answer(i - 1)
		return &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {t.contentType}}, ContentLength: -1,
			Body: io.NopCloser(&reader{pieces}), Request: req}, nil
	})
}

type function func(*http.Request) (*http.Response, error)

func (f function) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// reader gives at most one piece with each Read.
type reader struct{ pieces [][]byte }

func (r *reader) Read(p []byte) (int, error) {
	if len(r.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.pieces[0])
	if r.pieces[0] = r.pieces[0][n:]; len(r.pieces[0]) == 0 {
		r.pieces = r.pieces[1:]
	}
	return n, nil
}

// ask asks through a transport and reads the answer.
func ask(t http.RoundTripper, body []byte) (status int, err error) {
	req, err := http.NewRequest(http.MethodPost, chat, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := t.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

// A session is a recorder of either kind; end ends it.
type session struct {
	http.RoundTripper
	end func() error
}

// open opens a recorder of ours or of go-vcr.
func open(vcr bool, file string, upstream http.RoundTripper) (session, error) {
	if vcr {
		mode := recorder.ModeReplayOnly
		if upstream != nil {
			mode = recorder.ModeRecordOnly
		}
		r, err := recorder.New(file, recorder.WithMode(mode), recorder.WithRealTransport(upstream), recorder.WithSkipRequestLatency(true))
		if err != nil {
			return session{}, err
		}
		return session{r, r.Stop}, nil
	}
	mode := promptecho.ModeNone
	if upstream != nil {
		mode = promptecho.ModeAll
	}
	r, err := promptecho.Open(file+".yaml", promptecho.InMode(mode), promptecho.Upstream(upstream), promptecho.OnRecordError(promptecho.Keep))
	if err != nil {
		return session{}, err
	}
	return session{r, r.Close}, nil
}

// through makes the calls of a talk, and ends the session.
func (t *talk) through(s session, err error) error {
	if err != nil {
		return err
	}
	call := func(i int) error {
		if status, err := ask(s, t.ask(i)); err != nil || status != http.StatusOK {
			return fmt.Errorf("call %d: status %d: %w", i, status, err)
		}
		return nil
	}
	if t.atOnce {
		errs := make([]error, t.n)
		var all sync.WaitGroup
		for i := range t.n {
			all.Go(func() { errs[i] = call(i) })
		}
		all.Wait()
		return errors.Join(append(errs, s.end())...)
	}
	for i := range t.n {
		if err := call(i); err != nil {
			return errors.Join(err, s.end())
		}
	}
	return s.end()
}

// record records a talk into the file c of a folder.
func record(vcr bool, of func(int) talk) func(dir string, n int) error {
	return func(dir string, n int) error {
		t := of(n)
		return t.through(open(vcr, filepath.Join(dir, "c"), t.upstream()))
	}
}

// all measures all of it.
func all(f func(dir string, n int) error) func(dir string, n int) (time.Duration, error) {
	return func(dir string, n int) (time.Duration, error) { return measured(func() error { return f(dir, n) }) }
}

// replayed measures Open, the calls and Close of what was recorded before.
func replayed(vcr bool, of func(int) talk) func(dir string, n int) (time.Duration, error) {
	return func(dir string, n int) (time.Duration, error) {
		if err := record(vcr, of)(dir, n); err != nil {
			return 0, err
		}
		t := of(n)
		return measured(func() error { return t.through(open(vcr, filepath.Join(dir, "c"), nil)) })
	}
}

// cassettes measures how n cassettes of one call are recorded.
func cassettes(vcr bool) func(dir string, n int) (time.Duration, error) {
	return all(func(dir string, n int) error { return eachCassette(vcr, dir, n, true) })
}

func cassettesReplayed(vcr bool) func(dir string, n int) (time.Duration, error) {
	return func(dir string, n int) (time.Duration, error) {
		if err := eachCassette(vcr, dir, n, true); err != nil {
			return 0, err
		}
		return measured(func() error { return eachCassette(vcr, dir, n, false) })
	}
}

func eachCassette(vcr bool, dir string, n int, live bool) error {
	t := distinct(1)
	for i := range n {
		var upstream http.RoundTripper
		if live {
			upstream = t.upstream()
		}
		if err := t.through(open(vcr, filepath.Join(dir, fmt.Sprint("TestNumber", i)), upstream)); err != nil {
			return err
		}
	}
	return nil
}

// misses measures a replay of calls whose texts were all edited alike.
func misses(vcr bool) func(dir string, n int) (time.Duration, error) {
	return func(dir string, n int) (time.Duration, error) {
		if err := record(vcr, distinct)(dir, n); err != nil {
			return 0, err
		}
		t := distinct(n)
		return measured(func() error {
			s, err := open(vcr, filepath.Join(dir, "c"), nil)
			if err != nil {
				return err
			}
			for i := range n {
				_, _ = ask(s, bytes.Replace(t.ask(i), []byte("Answer"), []byte("Please answer"), 1))
			}
			_ = s.end()
			return nil
		})
	}
}

// missed measures one miss of a request of n bytes in many messages, with one word edited.
func missed(dir string, n int) (time.Duration, error) {
	body := func(word string) []byte {
		var messages []any
		for i := range max(1, n/1000) {
			messages = append(messages, user(fmt.Sprint(i, " ", word, " ", strings.Repeat("what was said before is said again; ", 27))))
			word = "Answer"
		}
		return asking(messages...)
	}
	t := one(body("Answer"), "application/json", plain("ok"))
	if err := t.through(open(false, filepath.Join(dir, "c"), t.upstream())); err != nil {
		return 0, err
	}
	return measured(func() error {
		s, err := open(false, filepath.Join(dir, "c"), nil)
		if err != nil {
			return err
		}
		_, _ = ask(s, body("Please answer"))
		if err := s.end(); err == nil {
			return errors.New("no miss")
		}
		return nil
	})
}

// failures measures Close after n calls that failed.
func failures(dir string, n int) (time.Duration, error) {
	t := distinct(n)
	r, err := promptecho.Open(filepath.Join(dir, "c.yaml"), promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(function(func(req *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 429, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(`{"error":{"message":"slow down"}}`)), Request: req}, nil
	})))
	if err != nil {
		return 0, err
	}
	for i := range n {
		if _, err := ask(r, t.ask(i)); err != nil {
			return 0, err
		}
	}
	return measured(func() error { _ = r.Close(); return nil })
}

// beginnings measures recording of a text in which the beginnings of tokens stand again and again.
func beginnings(dir string, n int) (time.Duration, error) {
	return measured(func() error {
		for i, text := range []string{"ya29.", "sk-", "eyJ", "AKIA", "-----BEGIN ", "https://", "Bearer ", "a@", "xox", "key=", "ghp_", "AIza", "?sig=", "://a:"} {
			t := one(asking(user(strings.Repeat(text, n/14/len(text)))), "application/json", plain("ok"))
			if err := t.through(open(false, filepath.Join(dir, fmt.Sprint(i)), t.upstream())); err != nil {
				return err
			}
		}
		return nil
	})
}

// diffed measures diff of two cassettes that differ in each request.
func diffed(dir string, n int) (time.Duration, error) {
	for _, word := range []string{"Answer", "Please answer"} {
		t := distinct(n)
		asked := t.ask
		t.ask = func(i int) []byte { return bytes.Replace(asked(i), []byte("Answer"), []byte(word), 1) }
		if err := t.through(open(false, filepath.Join(dir, word[:1]), t.upstream())); err != nil {
			return 0, err
		}
	}
	return verb(dir, "diff", "A.yaml", "P.yaml")
}

// newSuite makes a package of n tests with a cassette each.
func newSuite(dir string, n int, test string) error {
	folder := filepath.Join(dir, "testdata", "cassettes")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	var src strings.Builder
	src.WriteString(test)
	for i := range n {
		fmt.Fprintf(&src, "func TestNumber%d(t *testing.T) { one(t) }\n", i)
	}
	if err := os.WriteFile(filepath.Join(dir, "p_test.go"), []byte(src.String()), 0o666); err != nil {
		return err
	}
	return eachCassette(false, folder, n, true)
}

// suite measures a verb with a package of n tests.
func suite(args ...string) func(dir string, n int) (time.Duration, error) {
	return func(dir string, n int) (time.Duration, error) {
		if err := newSuite(dir, n, "package p\n\nimport \"testing\"\n\nfunc one(t *testing.T) {}\n\n"); err != nil {
			return 0, err
		}
		return verb(dir, args...)
	}
}

// replays is a package of tests that replay one call each: the URL, the body, and further code.
const replays = `package p

import (
	"io"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/echotest"
)

func one(t *testing.T) {
	rec := echotest.New(t)
	resp, err := rec.Client().Post(%q, "application/json", strings.NewReader(%q))
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	if resp.StatusCode != 200 {
		t.Fail()
	}
}

%s
`

const withMain = "func TestMain(m *testing.M) { echotest.Main(m) }"

// tests compiles a package of n tests with a cassette each.
func tests(dir string, n int, body []byte, main string) (bin string, err error) {
	if err := newSuite(dir, n, fmt.Sprintf(replays, chat, body, main)); err != nil {
		return "", err
	}
	return compile(dir)
}

// ended measures what echotest.Main adds to a package of n tests.
func ended(dir string, n int) (time.Duration, error) {
	t := distinct(1)
	var took [2]time.Duration
	for i, main := range []string{"", withMain} {
		work := filepath.Join(dir, fmt.Sprint(i))
		bin, err := tests(work, n, t.ask(0), main)
		if err != nil {
			return 0, err
		}
		for try := range 3 {
			one, _, err := child(work, bin, "-test.timeout=0", "-echo.mode=none")
			if err != nil {
				return 0, err
			}
			if try == 0 || one < took[i] {
				took[i] = one
			}
		}
	}
	return max(0, took[1]-took[0]), nil
}

// passed measures a run of n tests that all replay their call.
func passed(dir string, n int) (time.Duration, error) {
	t := distinct(1)
	bin, err := tests(dir, n, t.ask(0), withMain)
	if err != nil {
		return 0, err
	}
	took, out, err := child(dir, bin, "-test.timeout=0", "-echo.mode=none")
	if err != nil {
		return 0, err
	}
	if !bytes.HasPrefix(out, []byte("PASS\n")) {
		return 0, fmt.Errorf("a run of tests that replay: %.2000s", out)
	}
	return took, nil
}

// edited measures a run of n tests that all miss, since their prompts were edited alike. It is told in a few lines.
func edited(dir string, n int) (time.Duration, error) {
	const most = 150
	t := distinct(1)
	bin, err := tests(dir, n, bytes.Replace(t.ask(0), []byte("Answer"), []byte("Please answer"), 1), withMain)
	if err != nil {
		return 0, err
	}
	took, out, err := child(dir, bin, "-test.timeout=0", "-echo.mode=none")
	if err != nil {
		return 0, err
	}
	if lines := bytes.Count(out, []byte("\n")); lines > most && lines > bytes.Count(out, []byte("--- FAIL"))+most {
		return 0, fmt.Errorf("%d lines:\n%.2000s", lines, out)
	}
	return took, nil
}
