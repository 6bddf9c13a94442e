package snapshot

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/internal/testing/needs"
)

// TestRoundTrip: whatever a text holds, the file gives it back, and stays one file.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	texts := []string{
		"", "\n", "a", "a\n", "\n\na\n\n", "-- end --", "-- 1 (text) --\nx", "\\-- 1 (text) --", "<<<<<<< HEAD\n=======\n>>>>>>> b", "=======", "\\\\=======",
		"trailing  \n\ttab", "esc \x1b[31m", "bad \xff utf8", "cr\rcr", "\u202eright", "\ufefftop", "\u2028", "<<<<<<<", "======= x", "||||||| base",
	}
	for _, pending := range []bool{false, true} {
		f := &File{}
		for i, text := range texts {
			s := &Section{Name: strings.Repeat("x", i+1), Kind: Text, Text: text}
			if pending {
				s.At = "a_test.go:3 < b.go:4"
				if i%2 == 0 {
					s.OldSum = s.Sum()
				}
			}
			f.Put(s)
		}
		f.Put(&Section{Name: "a (json) -- b", Kind: JSON, Text: `{"a": 1}`})
		data := f.Encode(pending)
		got, err := Parse("x.snap", data)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		if !reflect.DeepEqual(got, f) {
			t.Errorf("got\n%s\nwant\n%s", got.Encode(pending), data)
		}
		if crlf, err := Parse("x.snap", []byte(strings.ReplaceAll(string(data), "\n", "\r\n"))); err != nil || !reflect.DeepEqual(crlf, f) {
			t.Errorf("with CRLF, as git may check it out: %v", err)
		}
		// A file that was cut anywhere is refused as a whole.
		for n := range len(data) {
			if cut, err := Parse("x.snap", data[:n]); err == nil {
				t.Fatalf("cut after %d bytes, it is read as %d sections:\n%s", n, len(cut.Sections), data[:n])
			}
		}
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	f := &File{}
	for _, name := range []string{"b", "10", "2", "a", "1", "02"} {
		f.Put(&Section{Name: name, Kind: Text})
	}
	var names []string
	for _, s := range f.Sections {
		names = append(names, s.Name)
	}
	if got := strings.Join(names, " "); got != "1 02 2 10 a b" {
		t.Error(got)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	const end = "\n-- end --\n"
	for text, want := range map[string]string{
		"":        "x.snap:1: the first line must be",
		"a":       "x.snap:1: the first line must be",
		firstLine: "x.snap:1: the file was cut, or edited",
		firstLine + "\n-- 1 (text) --\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x" + end: "x.snap:3: a merge has left conflict markers",
		firstLine + "\nx" + end:                                    "x.snap:2: want the heading of a section",
		firstLine + "\n-- 1 (music) --\nx" + end:                   "x.snap:2: want the heading of a section",
		firstLine + "\n-- 1 (text) --" + end:                       `x.snap:2: the section "1" has no text`,
		firstLine + "\n-- 1 (text) --\na\n-- 1 (text) --\nb" + end: `x.snap:4: there are two sections of the name "1"`,
		firstLine + "\n-- 1 (quoted) --\na" + end:                  "x.snap:3: a is not a quoted line",
	} {
		if _, err := Parse("x.snap", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for name, good := range map[string]bool{"a": true, "a b": true, "größe/1": true, "": false, " a": false, "a\nb": false, "a\x1b": false, strings.Repeat("x", 201): false} {
		if err := CheckName(name); (err == nil) != good {
			t.Errorf("CheckName(%q): %v", name, err)
		}
	}
	for pattern, good := range map[string]bool{"a": true, "a/*/b": true, "**": true, "": false, "/a": false, "a/": false, "a//b": false} {
		if err := CheckPattern(pattern); (err == nil) != good {
			t.Errorf("CheckPattern(%q): %v", pattern, err)
		}
	}
}

type named string

type stringer struct{ A int }

func (stringer) String() string { return "not this" }

type silent struct{ a int }

func TestOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		value      any
		kind, text string
	}{
		{"a\r\nb", Text, "a\nb"},
		{named("x"), Text, "x"},
		{errors.New("e"), Text, "e"},
		{[]byte("not json"), Text, "not json"},
		{[]byte(`{"b":1,"a":2}`), JSON, `{"b":1,"a":2}`},
		{json.RawMessage(`[1]`), JSON, `[1]`},
		{`{"a":1}`, Text, `{"a":1}`},
		{stringer{1}, JSON, `{"A":1}`},
		{nil, JSON, "null"},
		{(*stringer)(nil), JSON, "null"},
		{struct{}{}, JSON, "{}"},
		{map[string]any{"b": "<&>", "a": int64(9007199254740993)}, JSON, `{"a":9007199254740993,"b":"<&>"}`},
		{time.Unix(0, 0).UTC(), JSON, `"1970-01-01T00:00:00Z"`},
	} {
		s, err := Of(tt.value)
		if err != nil || s.Kind != tt.kind || s.Text != tt.text {
			t.Errorf("Of(%#v) = %+v, %v", tt.value, s, err)
		}
	}
	for _, value := range []any{silent{1}, &silent{1}, make(chan int), func() {}, map[string]any{"a": make(chan int)}} {
		if s, err := Of(value); err == nil {
			t.Errorf("Of(%T) = %+v: such a snapshot would assert nothing", value, s)
		}
	}
}

func TestEqual(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b     string
		patterns string
		want     bool
	}{
		{`{"a":1,"b":[1,2]}`, `{ "b": [1, 2], "a": 1.0 }`, "", true},
		{`{"a":1}`, `{"a":1,"b":null}`, "", false},
		{`[1,2]`, `[2,1]`, "", false},
		{`{"a":9007199254740993}`, `{"a":9007199254740992}`, "", false},
		{`1e999999999`, `1e999999998`, "", false},
		{`{"a":"1"}`, `{"a":1}`, "", false},
		{`true`, `false`, "", false},
		{`{"a":1,"id":"x"}`, `{"a":1,"id":"y"}`, "id", true},
		{`{"a":1,"id":"x"}`, `{"a":1}`, "id", true},
		{`{"a":1,"id":"x"}`, `{"a":2,"id":"x"}`, "id", false},
		{`{"items":[{"id":1,"n":2}]}`, `{"items":[{"id":2,"n":2}]}`, "items/*/id", true},
		{`{"items":[{"id":1,"n":2}]}`, `{"items":[{"id":2,"n":2},{"n":2}]}`, "items/*/id", false},
		{`{"a":{"b":{"request_id":1}}}`, `{"a":{"b":{"request_id":2}}}`, "**/request_id", true},
		{`[1,2]`, `[9,2]`, "0", true},
		{`[1,2]`, `[9]`, "0", false},
	} {
		a, b := &Section{Kind: JSON, Text: tt.a}, &Section{Kind: JSON, Text: tt.b}
		var patterns []string
		if tt.patterns != "" {
			patterns = []string{tt.patterns}
		}
		if got := a.Equal(b, patterns); got != tt.want || b.Equal(a, patterns) != tt.want {
			t.Errorf("%s and %s without %s: %v", tt.a, tt.b, tt.patterns, got)
		}
	}
	text := &Section{Kind: Text, Text: "1"}
	if text.Equal(&Section{Kind: JSON, Text: "1"}, nil) || text.Equal(&Section{Kind: Text, Text: "1 "}, nil) {
		t.Error("texts are equal if they are the same")
	}
	s := &Section{Kind: JSON, Text: `{"b":1,"id":{"x":1},"a":[{"id":2}]}`}
	if err := s.Layout([]string{"id", "a/*/id"}); err != nil || s.Text != "{\n  \"b\": 1,\n  \"id\": \"[IGNORED]\",\n  \"a\": [\n    {\n      \"id\": \"[IGNORED]\"\n    }\n  ]\n}" {
		t.Errorf("%s, %v", s.Text, err)
	}
	if err := text.Layout([]string{"id"}); err == nil {
		t.Error("text has no fields")
	}
}

func TestPath(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, test := range []string{"TestX", "TestX/a", "TestX/a.snap/b", "TestX/a.new", "TestX/a.snap.new/b", "TestX/../../etc", "TestX//abs", "TestX/" + strings.Repeat("long", 100), "TestX/con"} {
		path := Path(test)
		if !filepath.IsLocal(path) || !IsFile(path) || seen[strings.ToLower(path)] != "" {
			t.Errorf("%s: %s, and that of %s", test, path, seen[strings.ToLower(path)])
		}
		seen[strings.ToLower(path)] = test
		for dir := filepath.Dir(path); dir != Folder; dir = filepath.Dir(dir) {
			if _, pending := Reviewed(dir); IsFile(dir) || pending {
				t.Errorf("%s: a folder is named as a file: %s", test, dir)
			}
		}
		abs := filepath.Join(string(filepath.Separator)+"p", path)
		pkg, cassette, ok := Cassette(abs)
		if !ok || pkg != filepath.FromSlash("/p") || !strings.HasPrefix(cassette, filepath.Join("testdata", "cassettes")) || filepath.Ext(cassette) != ".yaml" {
			t.Errorf("Cassette(%s) = %s, %s, %v", abs, pkg, cassette, ok)
		}
		if file, ok := Reviewed(Pending(path)); file != path || !ok {
			t.Errorf("Reviewed: %s, %v", file, ok)
		}
	}
	if file, ok := Reviewed("x.snap"); file != "x.snap" || ok {
		t.Errorf("Reviewed(x.snap) = %s, %v", file, ok)
	}
}

// TestKilled: a process that is killed at any moment while it writes leaves what was there, or
// what it wrote, and the next one takes away what it left beside that.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "TestX.snap")
	before := large(0)
	contents := map[string]bool{string(before): true, string(large(1)): true}
	// Not by Write: this process looks for what others left the first time it writes.
	if err := os.WriteFile(path, before, 0o666); err != nil {
		t.Fatal(err)
	}
	times := full.Cases(12, 60)
	for i := range times {
		cmd := exec.Command(os.Args[0], "-test.run=^TestWriter$")
		cmd.Env = append(os.Environ(), "SNAPSHOT_WRITER="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		out.Read(make([]byte, 1)) // it writes
		// The moment is what is tried: from at once to 18 ms later.
		deadline := time.NewTimer(time.Duration(i) * 18 * time.Millisecond / time.Duration(times))
		<-deadline.C
		cmd.Process.Kill()
		cmd.Wait()
		data, err := os.ReadFile(path)
		if err != nil || !contents[string(data)] {
			t.Fatalf("%v, %d bytes that are no whole file", err, len(data))
		}
	}
	for content := range contents {
		if _, err := Parse(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(path, []byte(firstLine+"\n"+lastLine+"\n")); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
	if err := Write(path, nil); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := Write(path, nil); err != nil {
		t.Error(err)
	}
}

// large returns the content of a file that takes a while to write.
func large(i int) []byte {
	f := &File{}
	f.Put(&Section{Name: "1", Kind: Text, Text: strings.Repeat(string(rune('a'+i))+"\n", 1<<17)})
	return f.Encode(false)
}

// TestWriter is the process that TestKilled kills.
func TestWriter(t *testing.T) {
	path := os.Getenv("SNAPSHOT_WRITER")
	if path == "" {
		return
	}
	contents := [][]byte{large(1), large(0)}
	os.Stdout.WriteString("\n")
	for {
		for _, content := range contents {
			if err := Write(path, content); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A link to a file stays one.
func TestLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link := filepath.Join(dir, "link.snap")
	if err := os.WriteFile(filepath.Join(dir, "file.snap"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	needs.Symlink(t, "file.snap", link)
	if err := Write(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Error(info, err)
	}
	target, err := os.Stat(filepath.Join(dir, "file.snap"))
	if data, _ := os.ReadFile(link); string(data) != "new" || err != nil || target.Mode().Perm() != 0o600 {
		t.Errorf("%q, %v, %v", data, target, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(firstLine + "\n-- 1 (text) --\nx\n" + lastLine + "\n"))
	f.Add([]byte(firstLine + "\n-- a (quoted, was 01234567, at x.go:1) --\n\"\\x00\"\n" + lastLine + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse("x", data)
		if err != nil || len(file.Sections) == 0 {
			return
		}
		again, err := Parse("x", file.Encode(true))
		if err != nil || !reflect.DeepEqual(file, again) {
			t.Errorf("%v\n%q\n%q", err, file.Encode(true), data)
		}
	})
}
