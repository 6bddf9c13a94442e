package interop

import (
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/fakeprovider"
)

// asking is a transport that asks something else: each question has another word in it.
func asking(word, other string) http.RoundTripper {
	return roundTripFunc(func(req *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		body = bytes.ReplaceAll(body, []byte(word), []byte(other))
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		return inOnePiece.RoundTrip(req)
	})
}

// Mode compare tells a live answer that is the same, that differs in words only, and that calls
// another tool.
func TestCallsCompared(t *testing.T) {
	weather := question{model: "a-model", text: "What is the weather in Paris?", tools: true}
	tests := []struct {
		name     string
		q        question
		upstream http.RoundTripper
		want     string // in what is said
		drifts   bool
	}{
		{"the same", zebra, inOnePiece, "1 identical", false},
		{"the same call of a tool", weather, inOnePiece, "1 identical", false},
		{"other words", zebra, asking("zebra", "horse"), "1 benign", false},
		{"another argument", weather, asking("Paris", "Lima"), "drift in tool calls", true},
	}
	all := func(call) bool { return true }
	eachCall(t, all, func(t *testing.T, c call) {
		p := fakeprovider.New()
		defer p.Close()
		for _, tt := range tests {
			noTools := c.mute || c.name == "ollama generate stream"
			if tt.q.tools && noTools {
				continue
			}
			file := filepath.Join(t.TempDir(), "c.yaml")
			before := p.Requests()
			e := env{base: p.URL, provider: p}
			opts := []promptecho.Option{promptecho.Upstream(inOnePiece)}
			play(t, file, promptecho.ModeAll, e, func(t *testing.T, e env, see *notes) {
				if err := c.run(t, e, tt.q, see, -1); err != nil {
					t.Fatal(err)
				}
			}, opts)

			var told []string
			rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeCompare), promptecho.Upstream(tt.upstream),
				promptecho.Log(func(note string) { told = append(told, note) }))
			if err != nil {
				t.Fatal(err)
			}
			e.client = rec.Client()
			var see notes
			if err := c.run(t, e, tt.q, &see, -1); err != nil {
				t.Fatal(err)
			}
			said := ""
			if err := rec.Close(); (err != nil) != tt.drifts {
				t.Errorf("%s: %v", tt.name, err)
			} else if err != nil {
				said = err.Error()
			}
			if said += strings.Join(told, "\n"); !strings.Contains(said, tt.want) {
				t.Errorf("%s: %q is not in what is said:\n%s", tt.name, tt.want, said)
			}
			if n := p.Requests() - before; n != 2 {
				t.Errorf("%s: the provider was asked %d times, to record and to compare", tt.name, n)
			}
		}
	})
}

// otherModel is a transport whose model b-model is asked something else: each question to it has
// another word in it.
func otherModel(word, other string) http.RoundTripper {
	different := asking(word, other)
	return roundTripFunc(func(req *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		req.Body = io.NopCloser(bytes.NewReader(body))
		if strings.Contains(req.URL.Path+string(body), "b-model") {
			return different.RoundTrip(req)
		}
		return inOnePiece.RoundTrip(req)
	})
}

// Another model is asked each chat of each SDK, streams too, and its report has what differs and
// nothing else.
func TestCallsOfAnotherModelCompared(t *testing.T) {
	t.Setenv("PROMPTECHO_MODEL", "b-model") // so the test is not parallel
	weather := question{model: "a-model", text: "What is the weather in Paris?", tools: true}
	tests := []struct {
		q           question
		word, other string
		want        string // in the note on a chat
	}{
		{zebra, "zebra", "zebra", ": the same"},
		{zebra, "zebra", "horse", ": other words"},
		{weather, "Paris", "Lima", ": other tool arguments"},
	}
	chats := 0
	for _, c := range calls {
		p := fakeprovider.New()
		for _, tt := range tests {
			noTools := c.mute || c.name == "ollama generate stream"
			if tt.q.tools && noTools {
				continue
			}
			file := filepath.Join(t.TempDir(), "c.yaml")
			e := env{base: p.URL, provider: p}
			upstream := otherModel(tt.word, tt.other)
			play(t, file, promptecho.ModeAll, e, func(t *testing.T, e env, see *notes) {
				if err := c.run(t, e, tt.q, see, -1); err != nil {
					t.Fatal(err)
				}
			}, []promptecho.Option{promptecho.Upstream(upstream)})

			var noted []string
			rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeCompare), promptecho.Upstream(upstream),
				promptecho.Log(func(note string) { noted = append(noted, note) }))
			if err != nil {
				t.Fatal(err)
			}
			e.client = rec.Client()
			var see notes
			if err := c.run(t, e, tt.q, &see, -1); err != nil {
				t.Fatal(err)
			}
			err = rec.Close()
			text := strings.Join(noted, "\n")
			isSigned := err != nil && strings.Contains(err.Error(), "its signature (AWS)")
			isNoChat := strings.Contains(text, "no call of the test is asked of another model")
			switch {
			case isSigned, isNoChat && err == nil:
				continue
			case err != nil:
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			chats++
			line, _, _ := strings.Cut(text[max(0, strings.Index(text, ", model a-model")):], "\n")
			if !strings.HasSuffix(line, tt.want) {
				t.Errorf("%s: want %q in %s", c.name, tt.want, text)
			}
		}
		p.Close()
	}
	if chats < 3*len(calls)/2 {
		t.Errorf("%d of %d calls were asked of another model", chats, len(calls))
	}
}
