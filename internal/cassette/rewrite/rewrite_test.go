package rewrite

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testenv/shell"
	"github.com/promptecho/promptecho/internal/testing/seeds"
)

// other returns an interaction with another request, as promptecho accept makes it.
func other(it *interaction.Interaction, body string) map[int]*interaction.Interaction {
	c := *it
	c.Request.Body, c.Accepted, c.MatchKey = []byte(body), true, "00000000000000aa"
	return map[int]*interaction.Interaction{1: &c}
}

// threeOf returns a saved cassette of three interactions, of which the second has an answer
// with an asset, and a request with one.
func threeOf(t *testing.T) (path string, f *cassette.File) {
	t.Helper()
	large := strings.Repeat("\x00\xff", 2000)
	f = &cassette.File{Revision: 2}
	for _, body := range []string{`{"a":1}`, large, `{"c":3}`} {
		f.Interactions = append(f.Interactions, &interaction.Interaction{
			Kind: "http", MatchKey: "00000000000000ff",
			Request:  interaction.Request{Method: "POST", URL: "https://h/" + body[:1], Body: []byte(body)},
			Response: interaction.Response{Status: 200, Body: []byte(large + body[:2]), Text: "for readers"},
		})
	}
	path = filepath.Join(t.TempDir(), "c.yaml")
	if err := Save(path, f); err != nil {
		t.Fatal(err)
	}
	return path, f
}

// TestRewrite: only the request, the mark and the seal of an interaction change; it counts
// as written, and what is put back is what was there.
func TestRewrite(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func([]byte) []byte{
		"as saved":      func(b []byte) []byte { return b },
		"on Windows":    func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) },
		"edited before": func(b []byte) []byte { return bytes.Replace(b, []byte(`c: 3`), []byte(`c: 4`), 1) },
		"seals moved": func(b []byte) []byte { // the second and the third
			lines := bytes.SplitAfter(b, []byte("\n"))
			n := len(lines)
			lines[n-3], lines[n-4] = lines[n-4], lines[n-3]
			return bytes.Join(lines, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, f := threeOf(t)
			saved, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			was := edit(saved)
			if err := os.WriteFile(path, was, 0o640); err != nil {
				t.Fatal(err)
			}
			editedBefore := editedIn(t, path)
			if _, err := Rewrite(path, cassette.SumOf(path), 2, other(f.Interactions[1], `{"b":2}`), nil, true); err != nil {
				t.Fatal(err)
			}
			if now, _ := os.ReadFile(path); !bytes.Equal(now, was) {
				t.Fatal("a dry run has written")
			}
			before, err := Rewrite(path, cassette.SumOf(path), 2, other(f.Interactions[1], `{"b":2}`), nil, false)
			if err != nil || !bytes.Equal(before, was) {
				t.Fatalf("%v, before: %q", err, before)
			}
			now, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			oldItems, newItems := itemsOf(was), itemsOf(now)
			if len(newItems) != 3 || newItems[0] != oldItems[0] || newItems[2] != oldItems[2] {
				t.Errorf("other interactions have changed:\n%s", now)
			}
			_, oldAnswer, _ := strings.Cut(oldItems[1], "response:")
			_, newAnswer, _ := strings.Cut(newItems[1], "response:")
			if oldAnswer != newAnswer || oldAnswer == "" || !strings.Contains(newItems[1], "  accepted: true") {
				t.Errorf("got\n%s\nfrom\n%s", newItems[1], oldItems[1])
			}
			if got := editedIn(t, path); got != editedBefore {
				t.Errorf("%d interactions count as edited, and %d did before", got, editedBefore)
			}
			back, err := cassette.Load(path)
			if err != nil || string(back.Interactions[1].Request.Body) != `{"b":2}` || !back.Interactions[1].Accepted || back.Interactions[0].Accepted {
				t.Fatalf("%v", err)
			}
			if err := Tidy(path); err != nil {
				t.Fatal(err)
			}
			if _, err := cassette.Load(path); err != nil {
				t.Errorf("an asset is gone that is named: %v", err)
			}
		})
	}
}

// TestRestore: what was there comes back, also the asset of the old request.
func TestRestore(t *testing.T) {
	t.Parallel()
	path, f := threeOf(t)
	before, err := Rewrite(path, cassette.SumOf(path), 2, other(f.Interactions[1], strings.Repeat("\x01\xff", 3000)), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if now, err := os.ReadFile(path); err != nil || len(assetName.FindAll(now, -1)) != len(assetName.FindAll(before, -1)) {
		t.Fatalf("the new request has no asset: %v\n%s", err, now)
	}
	if err := Restore(path, before); err != nil {
		t.Fatal(err)
	}
	back, err := cassette.Load(path)
	if err != nil || back.Interactions[1].Difference(f.Interactions[1]) != "" {
		t.Fatalf("%v", err)
	}
	names := map[string]bool{}
	entries, _ := os.ReadDir(cassette.Assets(path))
	for _, e := range entries {
		names[e.Name()] = true
		if !bytes.Contains(before, []byte(e.Name())) {
			t.Errorf("the asset %s of what was undone is left", e.Name())
		}
	}
	if len(names) == 0 {
		t.Error("there are no assets")
	}
}

// notExist is how the system says that a file does not exist.
var notExist = syscall.ENOENT.Error()

// TestRewriteRefuses: nothing is written that would not stay as it is, or must not be.
func TestRewriteRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(t *testing.T, path string)
		want   string
	}{
		"pinned": {func(t *testing.T, path string) { replaceIn(t, path, "version: 1\n", "version: 1\npinned: true\n") }, `is pinned: remove "pinned: true" from its top first`},
		"written by hand": {func(t *testing.T, path string) { replaceIn(t, path, "version: 1\n", "version: 1 # of mine\n") },
			"promptecho verify -w"},
		"an interaction less": {func(t *testing.T, path string) {
			text, _ := os.ReadFile(path)
			items := itemsOf(text)
			replaceIn(t, path, items[0]+"\n", "")
		}, "promptecho verify -w"},
		"a blank line": {func(t *testing.T, path string) { replaceIn(t, path, "interactions:\n", "interactions:\n\n") }, "promptecho verify -w"},
		"read-only": {func(t *testing.T, path string) {
			if err := os.Chmod(path, 0o444); err != nil {
				t.Fatal(err)
			}
		}, "is read-only: " + strings.TrimSuffix(shell.MakeWritable("x"), "x")},
		"mixed line ends": {func(t *testing.T, path string) { replaceIn(t, path, "version: 1\n", "version: 1\r\n") }, "promptecho verify -w"},
		"gone":            {func(t *testing.T, path string) { os.Remove(path) }, notExist},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, f := threeOf(t)
			tt.change(t, path)
			was, _ := os.ReadFile(path)
			_, err := Rewrite(path, cassette.SumOf(path), 2, other(f.Interactions[1], `{"b":2}`), nil, false)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if now, _ := os.ReadFile(path); !bytes.Equal(now, was) {
				t.Error("it was written")
			}
		})
	}
	path, f := threeOf(t)
	sum := cassette.SumOf(path)
	replaceIn(t, path, "c: 3", "c: 4")
	if _, err := Rewrite(path, sum, 2, other(f.Interactions[1], `{}`), nil, false); err == nil || !strings.Contains(err.Error(), "was written by something else in the meantime") {
		t.Errorf("a file that has changed: %v", err)
	}
}

func replaceIn(t *testing.T, path, old, text string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(data, []byte(old)) {
		t.Fatalf("%v: %q is not there", err, old)
	}
	if err := os.WriteFile(path, bytes.Replace(data, []byte(old), []byte(text), 1), 0o644); err != nil {
		t.Fatal(err)
	}
}

// itemsOf returns the interactions of a file as text.
func itemsOf(data []byte) (items []string) {
	text, _, _ := strings.Cut(string(data), "\nseals:")
	_, text, _ = strings.Cut(text, "interactions:")
	for _, item := range strings.Split(text, "\n- ")[1:] {
		items = append(items, "- "+strings.TrimSuffix(item, "\r"))
	}
	return items
}

// editedIn returns how many interactions count as edited.
func editedIn(t *testing.T, path string) int {
	t.Helper()
	s, err := cassette.Open(path, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range s.Len() {
		if s.Outline(i).Accepted != (i == 1 && bytes.Contains(mustRead(t, path), []byte("accepted: true"))) {
			t.Errorf("interaction %d: accepted is %t", i+1, s.Outline(i).Accepted)
		}
	}
	return len(s.Edited())
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestRewriteAnswers: the text of any answer stays: of a stream, of a function, of one that
// broke off.
func TestRewriteAnswers(t *testing.T) {
	t.Parallel()
	for i, it := range seeds.Interactions("a text: of \"any\" kind, é") {
		path := filepath.Join(t.TempDir(), "c.yaml")
		if err := Save(path, &cassette.File{Interactions: []*interaction.Interaction{it}, Revision: 2}); err != nil {
			t.Fatal(err)
		}
		was := itemsOf(mustRead(t, path))[0]
		c := *it
		c.Request.Body, c.Accepted = []byte(`{"another":"request"}`), true
		if _, err := Rewrite(path, cassette.SumOf(path), 2, map[int]*interaction.Interaction{0: &c}, nil, false); err != nil {
			t.Errorf("interaction %d: %v", i, err)
			continue
		}
		now := itemsOf(mustRead(t, path))[0]
		_, oldAnswer, _ := strings.Cut(was, "\n  response:\n")
		_, newAnswer, _ := strings.Cut(now, "\n  response:\n")
		s, err := cassette.Open(path, 2, nil)
		if err != nil || !s.Outline(0).Accepted {
			t.Errorf("interaction %d: %v, or the mark is not seen", i, err)
		}
		s.Close()
		back, err := cassette.Load(path)
		if oldAnswer != newAnswer || err != nil || back.Interactions[0].Difference(&c) != "" {
			t.Errorf("interaction %d: %v, got\n%s\nfrom\n%s", i, err, now, was)
		}
	}
}

// TestRewriteShared: another request in the place of one that shares values changes no other
// interaction, and a poll is counted as it was asked.
func TestRewriteShared(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	f := &cassette.File{Revision: 2}
	for i := range 4 {
		body := fmt.Sprintf(`{"system":"Be careful.\nThink.\nAct.\n","tools":[{"name":"tool","about":"finds\nwhat\nis there"}],"turn":%d}`, i)
		f.Interactions = append(f.Interactions, &interaction.Interaction{
			Kind: "llm", Boundary: "x", MatchKey: fmt.Sprintf("%016x", i+1),
			Request:  interaction.Request{Method: "POST", URL: "https://h/v1", Body: []byte(body)},
			Response: interaction.Response{Status: 200, Body: []byte(`{"ok":true}`)},
		})
	}
	f.Interactions = append(f.Interactions, f.Interactions[3], f.Interactions[3])
	if err := Save(path, f); err != nil {
		t.Fatal(err)
	}
	if text := mustRead(t, path); !bytes.Contains(text, []byte(" *")) || !bytes.Contains(text, []byte("times: 3")) {
		t.Fatalf("nothing is shared:\n%s", text)
	}
	changed := *f.Interactions[0]
	changed.Request.Body = bytes.ReplaceAll(changed.Request.Body, []byte("Think"), []byte("Ponder"))
	refresh := func(it *interaction.Interaction) {
		for _, was := range f.Interactions {
			if bytes.Equal(was.Request.Body, it.Request.Body) {
				it.MatchKey = was.MatchKey
			}
		}
	}
	for number, body := range map[int][]byte{0: changed.Request.Body, 5: []byte(`{"x":1}`)} {
		one := *f.Interactions[number]
		one.Request.Body = body
		before, err := Rewrite(path, cassette.SumOf(path), f.Revision, map[int]*interaction.Interaction{number: &one}, refresh, false)
		if err != nil {
			t.Fatal(err)
		}
		got, err := cassette.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, it := range got.Interactions {
			want := f.Interactions[i]
			if i == number {
				want = &one
			}
			if d := want.Difference(it); d != "" {
				t.Errorf("interaction %d of %d is to change, and %s of %d has", number, len(got.Interactions), d, i)
			}
		}
		if err := Restore(path, before); err != nil {
			t.Fatal(err)
		}
	}
	// Another spelling of the same values is no edit.
	saved := mustRead(t, path)
	replaceIn(t, path, "ok: true", "\"ok\": true")
	if _, err := Rewrite(path, cassette.SumOf(path), f.Revision, map[int]*interaction.Interaction{0: &changed}, refresh, false); err == nil || !strings.Contains(err.Error(), "is not formatted as promptecho writes it") {
		t.Errorf("a file in another spelling: %v", err)
	}
	if err := os.WriteFile(path, saved, 0o644); err != nil {
		t.Fatal(err)
	}
	// An edit is not forgotten.
	edited := bytes.Replace(mustRead(t, path), []byte("ok: true"), []byte("ok: false"), 1)
	if err := os.WriteFile(path, edited, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Rewrite(path, cassette.SumOf(path), f.Revision, map[int]*interaction.Interaction{0: &changed}, refresh, false); err == nil || !strings.Contains(err.Error(), "was edited") || !bytes.Equal(mustRead(t, path), edited) {
		t.Error(err)
	}
}
