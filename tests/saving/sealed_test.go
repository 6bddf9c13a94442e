package saving_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/exchange"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// chats returns a cassette of chat completions: prompt and answer of each.
func chats(pairs ...string) *cassette.File {
	f := &cassette.File{Revision: canon.Revision}
	var rules canon.Options
	for i := 0; i < len(pairs); i += 2 {
		it := &interaction.Interaction{
			Kind: "llm", Boundary: "openai.chat",
			Request:  interaction.Request{Method: "POST", URL: "http://h/v1/chat/completions", Body: []byte(must.ChatBody(pairs[i]))},
			Response: interaction.Response{Status: 200, Body: []byte(pairs[i+1])},
		}
		it.MatchKey = rules.Form(&it.Request).Key()
		f.Interactions = append(f.Interactions, it)
	}
	return f
}

// TestRecordedOrderOfEdited: a request that was edited to be the same as a later one
// is played before it. What is known of the file without reading it says nothing of
// the edit; the order has to be right all the same.
func TestRecordedOrderOfEdited(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		file func() *cassette.File
		edit func(t *testing.T, file string)
	}{
		{"edited as it is written", func() *cassette.File { return chats("one", "first", "two", "second") }, func(t *testing.T, file string) { must.Edit(t, file, "content: one", "content: two") }},
		{"edited by hand", func() *cassette.File { return chats("one", "first", "two", "second") }, func(t *testing.T, file string) {
			must.Edit(t, file, "content: one", "content: 'two' # not one any more")
		}},
		{"the key of other rules", func() *cassette.File {
			f := chats("two", "first", "two", "second")
			f.Revision = canon.Revision + 1
			f.Interactions[0].MatchKey = "0123456789abcdef"
			return f
		}, nil},
		{"one has no seal", func() *cassette.File { return chats("two", "first", "two", "second") }, func(t *testing.T, file string) {
			text := must.Read(t, file)
			seals := strings.Index(text, "\nseals:") + 1
			seal := seals + strings.IndexByte(text[seals:], '\n') + 1
			must.Edit(t, file, text[seal:seal+strings.IndexByte(text[seal:], '\n')+1], "")
		}},
		{"Windows", func() *cassette.File { return chats("two", "first", "two", "second") }, func(t *testing.T, file string) {
			if err := os.WriteFile(file, []byte(strings.ReplaceAll(must.Read(t, file), "\n", "\r\n")), 0o644); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := must.Save(t, tt.file())
			if tt.edit != nil {
				tt.edit(t, file)
			}
			r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
			for _, want := range []string{"first", "second"} {
				if status, body := must.Ask(t, r, "http://h", "two"); status != 200 || body != want {
					t.Errorf("%d %s, want %s", status, body, want)
				}
			}
			must.Close(t, r)
		})
	}
}

// TestSealThatLies: a recording never answers another request, even if the file
// claims that it does.
func TestSealThatLies(t *testing.T) {
	t.Parallel()
	f := chats("one", "first")
	asked := chats("two", "").Interactions[0]
	f.Interactions[0].MatchKey = asked.MatchKey
	file := must.Save(t, f)
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	_, err := r.Client().Post("http://h/v1/chat/completions", "application/json", strings.NewReader(must.ChatBody("two")))
	if err == nil || !strings.Contains(err.Error(), "c.yaml:4: under \"seals:\", at the end of the file, the line of this recording belongs to another request") {
		t.Errorf("answered: %v", err)
	}
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "promptecho verify -w") {
		t.Errorf("Close: %v", err)
	}
}

// many returns a cassette that is read in pieces, and what it has.
func many(n int) (f *cassette.File, filling string) {
	filling = strings.Repeat("All work and no play makes a dull cassette. ", 50)
	var pairs []string
	for i := range n {
		pairs = append(pairs, fmt.Sprint(i, filling), fmt.Sprint("answer ", i))
	}
	return chats(pairs...), filling
}

// TestLargeCassette: a file that is not kept in memory, in another order than it was
// recorded, from many goroutines; and the lines that a report names.
func TestLargeCassette(t *testing.T) {
	t.Parallel()
	const n = 1100
	f, filling := many(n)
	file := must.Save(t, f)
	if info, err := os.Stat(file); err != nil || info.Size() < 2<<20 {
		t.Fatal("not large", info, err)
	}
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	var all sync.WaitGroup
	for _, i := range rand.Perm(n)[:n-1] {
		all.Go(func() {
			if status, body := must.Ask(t, r, "http://h", fmt.Sprint(i, filling)); status != 200 || body != fmt.Sprint("answer ", i) {
				t.Errorf("%d: %d %s", i, status, body)
			}
		})
	}
	all.Wait()
	err := r.Close()
	if err == nil {
		t.Fatal("one was not used")
	}
	var line int
	if _, err := fmt.Sscanf(err.Error()[strings.Index(err.Error(), "c.yaml:")+len("c.yaml:"):], "%d", &line); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(must.Read(t, file), "\n")
	if line < 1 || !strings.HasPrefix(lines[line-1], "- kind: llm") {
		t.Errorf("line %d is %q", line, lines[line-1])
	}
	// The file is as it was read, and nothing reads it now.
	if err := os.Remove(file); err != nil {
		t.Error(err)
	}
}

// TestCloseWhileReading: requests that are under way when the recorder is closed get
// their answer or an error; what they read is not taken from them.
func TestCloseWhileReading(t *testing.T) {
	t.Parallel()
	const n = 40
	f, filling := many(n)
	file := must.Save(t, f)
	for range 5 {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() {
				resp, err := r.Client().Post("http://h/v1/chat/completions", "application/json", strings.NewReader(must.ChatBody(fmt.Sprint(i, filling))))
				if err != nil {
					return // closed while it was being read
				}
				defer resp.Body.Close()
				if resp.StatusCode == http.StatusTeapot {
					return // late
				}
				if body, err := io.ReadAll(resp.Body); err != nil || string(body) != fmt.Sprint("answer ", i) {
					t.Errorf("%d: %s %v", i, body, err)
				}
			})
		}
		r.Close()
		all.Wait()
	}
}

// TestBodiesAreTheirOwn: memory is used again when a body was read to its end or
// closed, and not before: whatever others do meanwhile, a client reads what it asked
// for.
func TestBodiesAreTheirOwn(t *testing.T) {
	t.Parallel()
	const n = 60
	var pairs, want []string
	for i := range n {
		pairs = append(pairs, fmt.Sprint(i), "")
	}
	f := chats(pairs...)
	for i, it := range f.Interactions {
		it.Response.Stream, it.Response.Body = "sse", nil
		all := ""
		for j := range 20 {
			value := fmt.Sprintf(`{"of":%d,"event":%d,"text":%q}`, i, j, strings.Repeat("x", i))
			it.Response.Events = append(it.Response.Events, interaction.Event{{Name: "data", Value: value}})
			all += "data: " + value + "\n\n"
		}
		want = append(want, all)
	}
	file := must.Save(t, f)
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			resp, err := r.Client().Post("http://h/v1/chat/completions", "application/json", strings.NewReader(must.ChatBody(fmt.Sprint(i))))
			if err != nil {
				t.Error(err)
				return
			}
			upTo := len(want[i])
			if i%3 == 0 {
				upTo = i * 7 % upTo // and then it is closed
			}
			got, err := io.ReadAll(io.LimitReader(resp.Body, int64(upTo)))
			if err != nil || string(got) != want[i][:upTo] {
				t.Errorf("%d: %q %v, want %q", i, got, err, want[i][:upTo])
			}
			if i%2 == 0 {
				if n, err := resp.Body.Read(make([]byte, 8)); i%3 != 0 && (n != 0 || err != io.EOF) {
					t.Errorf("%d: %d bytes behind the end, %v", i, n, err)
				}
			}
			resp.Body.Close()
			if _, err := resp.Body.Read(make([]byte, 8)); err == nil || err.Error() != "http: read on closed response body" {
				t.Errorf("%d: read after Close: %v", i, err)
			}
			resp.Body.Close()
		})
	}
	all.Wait()
	must.Close(t, r)
}

// TestFramedIsWritten: a stream that is read has the bytes that were recorded, and the same ends
// and delays of each. Each event is a little unlike the one before.
func TestFramedIsWritten(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	word := func() string {
		return pick("a", "null", "1", `"q"`, "x y", "日本", "é\n", "}", ", ", ": ", `\`, "\u2028", "</x>", "[DONE]", "", "=")
	}
	layouts := []exactjson.Layout{{}, {}, {ColonSpace: true, CommaSpace: true}, {Escape: exactjson.EscapeASCII}, {Escape: exactjson.EscapeHTML | exactjson.EscapeSlash}, {Before: " "}, {After: " "}, {Indent: " "}}
	for range full.Cases(100, 2000) {
		it := chats("one", "").Interactions[0]
		it.Response.Stream = pick("sse", "sse", "sse-crlf", "sse-cr", "ndjson")
		l := layouts[r.IntN(len(layouts))]
		padded := l.Indent == "" && r.IntN(3) == 0
		parts := []string{`{"id":"x1"`, `,"choices":[{"delta":{"content":"`, `"},"index":0}]`, `,"usage":null`, `}`}
		for range r.IntN(25) {
			text := parts[0] + parts[1] + "w" + fmt.Sprint(r.IntN(30)) + parts[2] + parts[3] + parts[4]
			switch r.IntN(6) {
			case 0:
				parts[3] = fmt.Sprintf(`,%q:[%q,{"b":%d}]`, "k"+fmt.Sprint(r.IntN(3)), word(), r.IntN(100))
			case 1:
				parts[2] = fmt.Sprintf(`"},"index":%d}]`, r.IntN(12))
			case 2:
				parts[0] = fmt.Sprintf(`{"id":%q`, word())
			}
			v, err := exactjson.Parse([]byte(text))
			if err != nil {
				t.Fatal(text, err)
			}
			if l.Padding = 0; padded {
				l.Padding = r.IntN(4)
			}
			value := string(v.AppendJSON(nil, l))
			e := interaction.Event{{Name: "data", Value: value}}
			if it.Response.Stream != "ndjson" {
				switch r.IntN(8) {
				case 0:
					e = interaction.Event{{Name: "event", Value: "m"}, e[0]}
				case 1:
					e = append(e, interaction.Field{Name: "id", Value: fmt.Sprint(r.IntN(20))}, interaction.Field{Name: "data:", Value: "[1]"})
				case 2:
					e = interaction.Event{{Name: "raw", Value: value + "\n\n"}}
				case 3:
					e = interaction.Event{{Name: "data", Value: "[DONE]"}}
				case 4:
					e = append(e, interaction.Field{Name: "comment", Value: word()})
				}
			}
			it.Response.Events = append(it.Response.Events, e)
			it.Response.Delays = append(it.Response.Delays, interaction.Delay{MS: int64(r.IntN(3))})
		}
		want, wantEnds, wantErr := exchange.Join(&it.Response)
		file := must.Save(t, &cassette.File{Revision: canon.Revision, Interactions: []*interaction.Interaction{it}})
		s, err := cassette.Open(file, canon.Revision, nil)
		if err != nil {
			t.Fatal(err)
		}
		back, err := s.Answer(0)
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
		resp := &back.Response
		got, gotEnds, gotErr := exchange.Join(resp)
		if (gotErr == nil) != (wantErr == nil) || !bytes.Equal(got, want) || !slices.Equal(gotEnds, wantEnds) || !slices.Equal(trimmed(resp.Delays), trimmed(it.Response.Delays)) {
			t.Fatalf("%q %v %v %v\nwant\n%q %v %v %v\n%s", got, gotEnds, resp.Delays, gotErr, want, wantEnds, it.Response.Delays, wantErr, must.Read(t, file))
		}
	}
}

// trimmed returns delays without the zeros at their end, which are not written.
func trimmed(delays []interaction.Delay) []interaction.Delay {
	for len(delays) > 0 && delays[len(delays)-1] == (interaction.Delay{}) {
		delays = delays[:len(delays)-1]
	}
	return delays
}

// TestMissingAsset: the file of a large answer is read when it is asked for; if it is
// gone, the request fails, and so does the test, even if the program does not care.
func TestMissingAsset(t *testing.T) {
	t.Parallel()
	noise := make([]byte, 200_000)
	for i := range noise {
		noise[i] = byte(rand.Uint32() | 0x80)
	}
	f := chats("one", "first", "two", string(noise))
	file := must.Save(t, f)
	if err := os.RemoveAll(strings.TrimSuffix(file, ".yaml") + ".assets"); err != nil {
		t.Fatal(err)
	}
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	if status, body := must.Ask(t, r, "http://h", "one"); status != 200 || body != "first" {
		t.Errorf("%d %s", status, body)
	}
	_, err := r.Client().Post("http://h/v1/chat/completions", "application/json", strings.NewReader(must.ChatBody("two")))
	if err == nil || !strings.Contains(err.Error(), "restore it, or record again") {
		t.Errorf("the answer that is gone: %v", err)
	}
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "response.body_file: asset") {
		t.Errorf("Close: %v", err)
	}
}

// TestMissingAssetOfAnother: the same for a request that is recorded in another
// spelling.
func TestMissingAssetOfAnother(t *testing.T) {
	t.Parallel()
	image := "data:image/png;base64," + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("\x00\x81"), 9000))
	file := must.Save(t, chats(image, "first"))
	if err := os.RemoveAll(strings.TrimSuffix(file, ".yaml") + ".assets"); err != nil {
		t.Fatal(err)
	}
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	_, err := r.Client().Post("http://h/v1/chat/completions", "application/json", strings.NewReader(" "+must.ChatBody(image)))
	if err == nil || !strings.Contains(err.Error(), "restore it, or record again") {
		t.Errorf("the request that is gone: %v", err)
	}
	r.Close()
}

// TestSealsAndKnownValues: what the environment makes known is replaced in what is
// recorded as well before the two are compared, also in what is sealed: nothing is
// missed, and the order stays.
func TestSealsAndKnownValues(t *testing.T) {
	// Not parallel: it sets the environment.
	const value = "Zk93hQ7xPw2LmN8v"
	file := must.Save(t, chats("mail "+value, "first", "mail [REDACTED]", "second"))
	t.Setenv("DEPLOY_TOKEN", value)
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	for _, want := range []string{"first", "second"} {
		body := strings.Replace(must.ChatBody("mail "+value), "{", `{"temperature":0.5,`, 1)
		if status, got := must.Post(t, r, "http://h/v1/chat/completions", body); status != 200 || got != want {
			t.Errorf("%d %s, want %s", status, got, want)
		}
	}
	must.Close(t, r)
}

// TestChangedWhileOpen: a file that is read in pieces, and that somebody changes
// meanwhile, never answers with another recording.
func TestChangedWhileOpen(t *testing.T) {
	t.Parallel()
	f, filling := many(1100)
	file := must.Save(t, f)
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
	text := must.Read(t, file)
	first := strings.Index(text, "\n- ") + 1
	second := first + strings.Index(text[first:], "\n- ") + 1
	if err := os.WriteFile(file, []byte(text[:first]+text[second:]), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, 5, 298} {
		resp, err := r.Client().Post("http://h/v1/chat/completions", "application/json", strings.NewReader(must.ChatBody(fmt.Sprint(i, filling))))
		if err == nil {
			t.Errorf("%d was answered with status %d", i, resp.StatusCode)
			resp.Body.Close()
		} else if !strings.Contains(err.Error(), "the file has changed since it was opened") {
			t.Error(err)
		}
	}
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "c.yaml: the file has changed") {
		t.Errorf("Close: %v", err)
	}
}

// TestMissKeepsFewRecordings: a miss is compared with all recordings, and keeps
// few of them in memory: the next request reads its recording from the file,
// which has changed meanwhile.
func TestMissKeepsFewRecordings(t *testing.T) {
	t.Parallel()
	f, filling := many(1100)
	file := must.Save(t, f)
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
	if status, _ := must.Ask(t, r, "http://h", "12 NEW "+filling); status != http.StatusTeapot {
		t.Errorf("a request that is not recorded is answered with status %d", status)
	}
	text := must.Read(t, file)
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, "answer", "ANSWER")), 0o644); err != nil {
		t.Fatal(err)
	}
	var kept []int
	for i := range 1100 {
		resp, err := r.Client().Post("http://h/v1/chat/completions", "application/json", strings.NewReader(must.ChatBody(fmt.Sprint(i, filling))))
		if err == nil {
			kept = append(kept, i)
			resp.Body.Close()
		}
	}
	if len(kept) > 10 { // those that the report of the miss is about
		t.Errorf("%d recordings were kept in memory", len(kept))
	}
	r.Close()
}

// TestOptionsReadEverything: with options that change what matches, match keys in the
// file say nothing, and recordings are found all the same.
func TestOptionsReadEverything(t *testing.T) {
	t.Parallel()
	for name, opt := range map[string]promptecho.Option{
		"Mask": promptecho.Mask(`\d+`, "N"), "Ignore": promptecho.Ignore("messages/0/content"), "MatchOnly": promptecho.MatchOnly("*", "model"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := must.Open(t, must.Save(t, chats("1", "first", "2", "second")), promptecho.InMode(promptecho.ModeNone), opt)
			for _, want := range []string{"first", "second"} {
				if status, body := must.Ask(t, r, "http://h", "3"); status != 200 || body != want {
					t.Errorf("%d %s, want %s", status, body, want)
				}
			}
			must.Close(t, r)
			r = must.Open(t, must.Save(t, chats("1", "first", "2", "second")), promptecho.InMode(promptecho.ModeNone), opt, promptecho.AllowUnused())
			if status, body := must.Ask(t, r, "http://h", "2"); status != 200 || body != "second" {
				t.Errorf("%d %s for what is recorded byte for byte, want second", status, body)
			}
			must.Close(t, r)
		})
	}
}

// mixed returns a cassette as it is recorded, and what its answers are: JSON, a stream,
// text over lines, and an answer that is an asset.
func mixed(t *testing.T) (file string, prompts, answers []string) {
	t.Helper()
	prompts = []string{"json", "stream", "text", "asset"}
	answers = []string{`{"choices":[{"message":{"content":"a\nb"}}]}`, "", "first line\n  second line\n\nlast line\n", strings.Repeat("\xff\x00", 1000)}
	var pairs []string
	for i := range prompts {
		pairs = append(pairs, prompts[i], answers[i])
	}
	f := chats(pairs...)
	for _, it := range f.Interactions {
		it.Response.Headers = interaction.Headers{{Name: "content-type", Values: []string{"text/plain"}}}
	}
	resp := &f.Interactions[1].Response
	resp.Body, resp.Stream = nil, "sse"
	for i := range 4 {
		value := fmt.Sprintf(`{"choices":[{"index":0,"delta":{"content":"piece %d"}}]}`, i)
		resp.Events = append(resp.Events, interaction.Event{{Name: "data", Value: value}})
		answers[1] += "data: " + value + "\n\n"
	}
	return must.Save(t, f), prompts, answers
}

// TestCutInEveryMode: a cassette that was cut at any byte is refused and stays as it is; only mode all takes it for one that is to be
// recorded. One that has lost nothing plays everything.
func TestCutInEveryMode(t *testing.T) {
	t.Parallel()
	file, prompts, answers := mixed(t)
	whole := must.Read(t, file)
	mark := strings.LastIndex(whole, "\n...") + 1
	apart := mark / full.Cases(25, mark)
	for n := range len(whole) + 1 {
		if n < mark && n%apart != 0 {
			continue
		}
		if err := os.WriteFile(file, []byte(whole[:n]), 0o644); err != nil {
			t.Fatal(err)
		}
		line := 1 + strings.Count(strings.TrimRight(whole[:n], "\n"), "\n")
		for _, mode := range []promptecho.Mode{promptecho.ModeNone, promptecho.ModeOnce, promptecho.ModeNewEpisodes, promptecho.ModeAll} {
			r, err := promptecho.Open(file, promptecho.InMode(mode), promptecho.AllowUnused(), promptecho.Upstream(provider.Says(`{"live":true}`)))
			switch {
			case n >= mark+3:
				if err != nil {
					t.Fatalf("%s, cut in the mark at %d: %v", mode, n, err)
				}
				for i := range prompts {
					if mode == promptecho.ModeAll {
						break
					}
					if status, body := must.Ask(t, r, "http://h", prompts[i]); status != 200 || body != answers[i] {
						t.Fatalf("%s, cut in the mark at %d: %q is answered by %d %q", mode, n, prompts[i], status, body)
					}
				}
			case mode == promptecho.ModeAll && n > 0:
				if err != nil || !strings.Contains(fmt.Sprint(must.Finish(r, report.Outcome{}).Notes), fmt.Sprintf("%s:%d:", file, line)) {
					t.Fatalf("%s, cut at %d: %v", mode, n, err)
				}
			case err == nil:
				t.Fatalf("%s, cut at %d: opened", mode, n)
			case n == 0:
			case !strings.HasPrefix(err.Error(), fmt.Sprintf("promptecho: %s:%d:", file, line)) || !strings.Contains(err.Error(), "the file was cut here") ||
				!strings.Contains(err.Error(), "git checkout -- "+file+", or record it again: PROMPTECHO_MODE=all go test"):
				t.Fatalf("%s, cut at %d, in line %d: %v", mode, n, line, err)
			}
			if r != nil {
				r.Close()
			}
			if must.Read(t, file) != whole[:n] {
				t.Fatalf("%s, cut at %d: written", mode, n)
			}
		}
	}
}

// TestCutIsRecordedAnew: in mode all, by a run that passes whole; what another run has
// recorded is beside it.
func TestCutIsRecordedAnew(t *testing.T) {
	t.Parallel()
	cut := func(t *testing.T, file string) {
		text := must.Read(t, file)
		if err := os.WriteFile(file, []byte(text[:len(text)*2/3]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	noAsset := func(t *testing.T, file string) {
		if err := os.RemoveAll(strings.TrimSuffix(file, ".yaml") + ".assets"); err != nil {
			t.Fatal(err)
		}
	}
	pin := func(t *testing.T, file string) { must.Edit(t, file, "version: 1\n", "version: 1\npinned: true\n") }
	both := func(t *testing.T, file string) { pin(t, file); cut(t, file) }
	for _, tt := range []struct {
		name    string
		damage  func(t *testing.T, file string)
		mode    promptecho.Mode
		outcome report.Outcome
		open    string // the error of Open
		beside  bool
	}{
		{"cut", cut, promptecho.ModeAll, report.Outcome{}, "", false},
		{"cut, and the run fails", cut, promptecho.ModeAll, report.Outcome{Failed: true}, "", true},
		{"cut, and the run is filtered", cut, promptecho.ModeAll, report.Outcome{Filtered: true}, "", true},
		{"cut, and the run is skipped", cut, promptecho.ModeAll, report.Outcome{Skipped: true}, "", true},
		{"cut and pinned", both, promptecho.ModeAll, report.Outcome{}, `remove "pinned: true"`, false},
		{"an asset is gone", noAsset, promptecho.ModeAll, report.Outcome{}, "", false},
		{"an asset is gone, and new ones are recorded", noAsset, promptecho.ModeNewEpisodes, report.Outcome{}, "response.body_file: asset", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file, prompts, _ := mixed(t)
			tt.damage(t, file)
			before := must.Read(t, file)
			r, err := promptecho.Open(file, promptecho.InMode(tt.mode), promptecho.Upstream(provider.Says(`{"live":true}`)))
			if tt.open != "" {
				if err == nil || !strings.Contains(err.Error(), tt.open) || must.Read(t, file) != before {
					t.Errorf("Open: %v, want %q", err, tt.open)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range prompts {
				if _, body := must.Ask(t, r, "http://h", p); body != `{"live":true}` {
					t.Errorf("%q is answered by %s", p, body)
				}
			}
			rep := must.Finish(r, tt.outcome)
			if len(rep.Errors) > 0 || !strings.Contains(strings.Join(rep.Notes, "\n"), "the file was cut here: this run records the whole cassette again") {
				t.Errorf("%+v", rep)
			}
			where := file
			if tt.beside {
				where += must.FailedSuffix
				if must.Read(t, file) != before {
					t.Error("what is left of the cassette was overwritten")
				}
			}
			if got := must.Prompts(t, where); got != strings.Join(prompts, " ") {
				t.Errorf("%s has %q", where, got)
			}
		})
	}
}

// TestEditedIsNoted: once for a file, with the line of the first edit.
func TestEditedIsNoted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		edit func(t *testing.T, file string)
		note string
	}{
		{"nothing", func(*testing.T, string) {}, ""},
		{"an answer", func(t *testing.T, file string) { must.Edit(t, file, "first line", "edited line") }, "c.yaml:%d: edited since it was recorded"},
		{"an answer, with a comment", func(t *testing.T, file string) {
			must.Edit(t, file, "first line", "edited line")
			must.Edit(t, file, "status: 200", "status: 200 # fine")
		}, "c.yaml:4: edited since it was recorded"},
	} {
		file, prompts, _ := mixed(t)
		tt.edit(t, file)
		text := must.Read(t, file)
		if strings.Contains(tt.note, "%d") {
			at := strings.LastIndex(text[:strings.Index(text, "edited line")], "\n- ") + 1
			tt.note = fmt.Sprintf(tt.note, 1+strings.Count(text[:at], "\n"))
		}
		for _, mode := range []promptecho.Mode{promptecho.ModeNone, promptecho.ModeNewEpisodes} {
			r := must.Open(t, file, promptecho.InMode(mode))
			for _, p := range prompts {
				must.Ask(t, r, "http://h", p)
			}
			notes := strings.Join(must.Finish(r, report.Outcome{}).Notes, "\n")
			if n := strings.Count(notes, "edited since it was recorded"); tt.note == "" && n > 0 || tt.note != "" && (n != 1 || !strings.Contains(notes, tt.note)) {
				t.Errorf("%s, %s: %q, want %q", tt.name, mode, notes, tt.note)
			}
		}
	}
}
