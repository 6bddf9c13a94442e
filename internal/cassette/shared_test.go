package cassette

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testing/full"
)

// agent returns the turns of an agent: each sends all tools and the whole history again.
func agent(turns int) *File {
	f := new(File)
	var tools, messages []any
	for i := range 5 {
		tools = append(tools, map[string]any{"name": fmt.Sprint("tool_", i), "input": map[string]any{"type": "object", "properties": map[string]any{"q": map[string]any{"type": "integer", "description": "the query", "minimum": 0}}}})
	}
	messages = append(messages, map[string]any{"role": "system", "content": "Be careful.\nThink.\nAct.\n"})
	for i := range turns {
		messages = append(messages, map[string]any{"role": "user", "content": fmt.Sprintf("result\nof\n%d", i)})
		body, _ := json.Marshal(map[string]any{"model": "m", "messages": messages, "tools": tools})
		answer, _ := json.Marshal(map[string]any{"id": fmt.Sprint("id_", i), "instructions": "Be careful.\nThink.\nAct.\n", "text": fmt.Sprint("answer ", i)})
		f.Interactions = append(f.Interactions, &interaction.Interaction{
			Kind: "llm", Boundary: "x", LatencyMS: 1,
			Request:  interaction.Request{Method: "POST", URL: "https://h/v1", Body: body},
			Response: interaction.Response{Status: 200, Body: answer},
		})
	}
	return withKeys(f)
}

// checkSaved saves a cassette and makes sure that it reads as what was saved, as a whole and
// one by one.
func checkSaved(t testing.TB, path string, f *File) string {
	t.Helper()
	if err := Save(path, f); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	back, err := Load(path)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	s, err := Open(path, f.Revision, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	defer s.Close()
	if len(back.Interactions) != len(f.Interactions) || s.Len() != len(f.Interactions) || s.Edited() != nil {
		t.Fatalf("%d interactions, one by one %d, want %d; edited %v\n%s", len(back.Interactions), s.Len(), len(f.Interactions), s.Edited(), text)
	}
	for _, i := range rand.Perm(s.Len()) {
		want := *f.Interactions[i]
		one, err := s.Interaction(i)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		answer, err := s.Answer(i)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		half := *one
		half.Response, half.LatencyMS = answer.Response, answer.LatencyMS
		for _, got := range []*interaction.Interaction{back.Interactions[i], one, &half} {
			want.LatencyMS = got.LatencyMS // equal ones have that of the first
			if d := want.Difference(got); d != "" {
				t.Fatalf("interaction %d: %s\n%s", i, d, text)
			}
			if got.MatchKey != want.MatchKey {
				t.Fatalf("interaction %d: key %q, want %q", i, got.MatchKey, want.MatchKey)
			}
		}
	}
	return string(text)
}

// TestShared: what repeats is written once, and reads as before.
func TestShared(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	few, many := strings.Count(checkSaved(t, path, agent(20)), "\n"), strings.Count(checkSaved(t, path, agent(120)), "\n")
	if each := (many - few) / 100; each > 30 {
		t.Errorf("a turn adds %d lines", each)
	}
	f := agent(10)
	f.Interactions = f.Interactions[1:] // with most of the anchors
	if text := checkSaved(t, path, f); strings.Count(text, "\n  Think.") > 1 || !strings.Contains(text, "&tools-") {
		t.Errorf("the anchors have not moved:\n%s", text)
	}
}

// TestEditAtAnchor: an edit of a shared value holds for all, and makes their keys those of
// another request.
func TestEditAtAnchor(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	text := checkSaved(t, path, agent(4))
	edit := func(old, now string) (*File, *Index, error) {
		t.Helper()
		if !strings.Contains(text, old) {
			t.Fatalf("no %q in\n%s", old, text)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(text, old, now, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := Load(path)
		s, err2 := Open(path, testRevision, nil)
		if (err == nil) != (err2 == nil) {
			t.Fatalf("%v, opened: %v", err, err2)
		}
		return f, s, err
	}
	f, s, err := edit(" Think.\n", " Think twice.\n")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Edited()) != 1 || f.Shared[f.Interactions[0].Line] != 3 {
		t.Errorf("edited %v, shared %v", s.Edited(), f.Shared)
	}
	for i, it := range f.Interactions {
		if !bytes.Contains(it.Request.Body, []byte("Think twice")) || it.MatchKey != "" {
			t.Errorf("interaction %d: key %q, %s", i, it.MatchKey, it.Request.Body)
		}
		if _, _, ok := s.SealedRequest(i); ok {
			t.Errorf("the seal of interaction %d is believed", i)
		}
		one, err := s.Interaction(i)
		if err != nil || one.Difference(it) != "" {
			t.Errorf("interaction %d: %v", i, err)
		}
	}
	s.Close()
	first := text[strings.Index(text, "- kind"):]
	first = first[:strings.Index(first, "\n- kind")+1]
	if _, _, err := edit(first, ""); err == nil || !strings.Contains(err.Error(), "no value above has the anchor &") {
		t.Errorf("without the first: %v", err)
	}
	if _, _, err := edit(first, first+first); err == nil || !strings.Contains(err.Error(), "already; write *") {
		t.Errorf("the first twice: %v", err)
	}
}

// TestTimes: a poll is one interaction, as often as it was asked.
func TestTimes(t *testing.T) {
	t.Parallel()
	f := new(File)
	for i := range 14 {
		status := "running"
		if i == 12 {
			status = "done"
		}
		f.Interactions = append(f.Interactions, &interaction.Interaction{
			Kind: "http", LatencyMS: int64(i), Request: interaction.Request{Method: "GET", URL: "https://h/job"},
			Response: interaction.Response{Status: 200, Body: []byte(`{"status":"` + status + `"}`)},
		})
	}
	path := filepath.Join(t.TempDir(), "c.yaml")
	for _, it := range withKeys(f).Interactions {
		it.MatchKey = "1234567890123456"
	}
	text := checkSaved(t, path, f)
	if n := strings.Count(text, "- kind:"); n != 3 || !strings.Contains(text, "\n  times: 12\n") {
		t.Errorf("%d interactions\n%s", n, text)
	}
	for now, want := range map[string]int{"times: 1": 3, "times: 500": 502, "times: 0": 0, "times: 10001": 0, "times: x": 0} {
		if err := os.WriteFile(path, []byte(strings.Replace(text, "times: 12", now, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := Load(path)
		s, err2 := Open(path, testRevision, nil)
		if (err == nil) != (want > 0) || (err2 == nil) != (want > 0) {
			t.Errorf("%s: %v, %v", now, err, err2)
			continue
		}
		if want > 0 && (len(got.Interactions) != want || s.Len() != want) {
			t.Errorf("%s: %d interactions, opened %d", now, len(got.Interactions), s.Len())
		}
		s.Close()
	}
}

// FuzzShared: any set of interactions comes back equal, whatever they share.
func FuzzShared(f *testing.F) {
	f.Add(uint64(49)) // has a list that would stand on one line but for one of its texts
	for seed := range uint64(full.Cases(15, 150)) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 2))
		words := []string{"a", "- &a", "*a", "x: y", "a\nb\nc", "a\nb\nc\n", "|", "", "#", "- x\n- y\n- z\n", "&tool-a-1234", "new:", " lead", "null", "1"}
		var values []any
		value := func() any { return words[r.IntN(len(words))] }
		for range 30 {
			pick := func() any {
				if len(values) > 0 && r.IntN(3) > 0 {
					return values[r.IntN(len(values))]
				}
				return value()
			}
			switch r.IntN(3) {
			case 0:
				list := []any{}
				for range r.IntN(7) {
					list = append(list, pick())
				}
				values = append(values, list)
			case 1:
				object := map[string]any{}
				for _, name := range []string{"name", "role", "type", "a b", "new"}[:r.IntN(6)] {
					object[name] = pick()
				}
				values = append(values, object)
			default:
				values = append(values, value())
			}
		}
		file := new(File)
		for range 1 + r.IntN(6) {
			body := func() []byte {
				b, _ := json.Marshal(map[string]any{"messages": values[r.IntN(len(values))], "tools": []any{values[r.IntN(len(values))], values[r.IntN(len(values))], values[r.IntN(len(values))], values[r.IntN(len(values))]}})
				return b[:min(len(b), 1<<16)]
			}
			file.Interactions = append(file.Interactions, &interaction.Interaction{
				Kind: "http", Request: interaction.Request{Method: "POST", URL: "https://h/", Body: body()},
				Response: interaction.Response{Status: 200, Body: body()},
			})
		}
		if r.IntN(2) == 0 {
			file.Interactions = slices.Concat(file.Interactions, file.Interactions[len(file.Interactions)-1:])
		}
		checkSaved(t, filepath.Join(t.TempDir(), "c.yaml"), withKeys(file))
	})
}
