package cassette

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/internal/testing/needs"
)

type hostileFile struct{ name, want, text string }

// hostile returns cassettes that are written to take a reader's time or memory. In full each
// is so long that a reader that looks at its bytes more than a few times takes too long; by
// default they have a twentieth of that.
func hostile() (files []hostileFile) {
	many := func(n int) int { return full.Cases(n/20, n) }
	resp := func(r string) string {
		return "version: 1\ninteractions:\n  - request: {method: GET, url: /}\n    response:\n      status: 200\n" + r
	}
	deep := func(n int, line string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.Repeat(" ", 8+2*i) + line + "\n")
		}
		return b.String()
	}
	add := func(name, want, text string) { files = append(files, hostileFile{name, want, text}) }
	add("deep mappings", "", resp("      body:\n"+deep(990, "a:")))
	add("deep lists", "", resp("      body:\n"+strings.Repeat(" ", 8)+strings.Repeat("- ", 900)+"x\n"))
	add("deep lists, again and again", "", resp("      body:\n"+strings.Repeat("        - "+strings.Repeat("- ", 900)+"x\n", 300)))
	add("deep layout", "7:13: response.body: with this layout, the indentation of the JSON would take more than ten times as many bytes as this file has", resp("      layout: {indent: 16}\n      body: "+strings.Repeat("[", 900)+strings.Repeat("1, ", many(100_000))+"1"+strings.Repeat("]", 900)+"\n"))
	add("deep layout of events", "response.events: with this layout, the indentation of the JSON would take", resp("      stream: sse\n      events_layout: {indent: 16}\n      events:\n"+strings.Repeat("        - {data: "+strings.Repeat("[", 200)+strings.Repeat("1, ", 300)+"1"+strings.Repeat("]", 200)+"}\n", 300)))
	add("padding of every event", "want a number of spaces, 128 at most", resp("      stream: sse\n      events:\n"+strings.Repeat("        - {data: {}}\n", many(20_000))+"      events_padding: ["+strings.Repeat("65536, ", many(20_000))+"0]\n"))
	add("wide indentation", "", resp("      body:\n"+strings.Repeat(strings.Repeat(" ", many(100_000))+"- x\n", 50)))
	add("blank lines", "", resp("      body: |\n"+strings.Repeat("\n", many(2_000_000))))
	add("blank lines after texts", "", resp("      body:\n"+strings.Repeat("        - a\n", 1000)+strings.Repeat("\n", many(1_000_000))))
	add("blank lines in quotes", "", resp("      body: \""+strings.Repeat("\n", many(1_000_000))+"\"\n"))
	add("wide blank lines", "", resp("      body: |\n"+strings.Repeat(strings.Repeat(" ", 1000)+"\n", many(2000))))
	add("literals without text", "", resp("      body:\n"+strings.Repeat("        - |\n", many(100_000))+strings.Repeat("\n", many(100_000))))
	add("many keys", "", resp("      body:\n"+func() string {
		var b strings.Builder
		for i := range many(100_000) {
			fmt.Fprintf(&b, "        k%d: 1\n", i)
		}
		return b.String()
	}()))
	add("quotes within quotes", "", resp("      body: '"+strings.Repeat("''", many(1_000_000))+"'\n"))
	add("escapes", "", resp("      body: \""+strings.Repeat(`\n`, many(1_000_000))+"\"\n"))
	add("marks", "want the end of the file", resp("")+strings.Repeat("...\n", many(100_000)))
	add("markers in a text", "", resp("      body: |\n"+strings.Repeat("        ...x\n", many(200_000))))
	add("comments", "", resp(strings.Repeat("# x\n", many(500_000))))
	top := func(lines string) string {
		return headStart + lines + strings.TrimPrefix(resp(""), "version: 1\n") + codec.EndMark + "\n"
	}
	add("a long variable", "", top("env: {A: "+strings.Repeat("x", many(4<<20))+"}\n"))
	add("a long variable, as it is written", "", top("env:\n  A: "+strings.Repeat("x", many(4<<20))+"\n"))
	add("many variables", "", top("env:\n"+func() string {
		var b strings.Builder
		for i := range many(50_000) {
			fmt.Fprintf(&b, "  K%06d: a\n", i)
		}
		return b.String()
	}()))
	add("deep variables", "want text", top("env: {A: "+strings.Repeat("[", 900)+strings.Repeat("]", 900)+"}\n"))
	add("a long time", "want a time in whole seconds", top("time: "+strings.Repeat("2026", many(1<<20))+"\n"))
	add("a long seed", "want 32 hexadecimal digits", top("seed: "+strings.Repeat("5f0c", many(1<<20))+"\n"))
	seals := func(n int, seal string) string {
		return sealsLine + strings.Repeat(codec.ItemStart+seal+"\n", n) + "...\n"
	}
	const recorded = "- request: {method: GET, url: /}\n  response:\n    status: 200\n" // as Save writes it
	add("a seal that is too long", "", headStart+codec.ItemsLine+recorded+seals(1, "0123456789abcdef 0123456789abcdef 01234567 1000000000 1"))
	add("many seals that are too long", "", headStart+codec.ItemsLine+strings.Repeat(recorded, many(20_000))+seals(many(20_000), "0123456789abcdef 0123456789abcdef 01234567 1000000 1"))
	add("many seals as long as interactions", "", headStart+codec.ItemsLine+strings.Repeat(recorded, many(20_000))+seals(many(20_000), fmt.Sprint("0123456789abcdef 0123456789abcdef 01234567 ", 8000*len(recorded), " 1")))
	add("many seals of nothing", "", headStart+codec.ItemsLine+recorded+seals(many(100_000), "0123456789abcdef 0123456789abcdef 01234567 1 1"))
	add("many lines of seals", "the file was cut here", headStart+codec.ItemsLine+recorded+strings.Repeat(sealsLine, many(10_000)))
	return files
}

// A file with any content is read or refused; a small file that would become large is an error. In
// full, reading it takes a bounded time and memory.
func TestHostileFiles(t *testing.T) {
	// Not parallel: it counts what is allocated.
	for _, tt := range hostile() {
		path := put(t, []byte(tt.text), nil)
		used, took, err := bounded(func() error {
			s, err := Open(path, testRevision, nil)
			if err == nil {
				for i := range s.Len() {
					if _, err = s.Answer(i); err != nil {
						break
					}
				}
				s.Close()
			}
			return err
		})
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %.300v, want %q", tt.name, err, tt.want)
		}
		within(t, tt.name, len(tt.text), used, took)
	}
}

// bounded returns how many bytes f allocates, and how long it takes.
func bounded(f func() error) (used uint64, took time.Duration, err error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	err = f()
	took = time.Since(start)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, took, err
}

// within demands, in full, what a file of so many bytes may cost. What is allocated is more
// than what is held at a time.
func within(t *testing.T, name string, size int, used uint64, took time.Duration) {
	t.Helper()
	if !full.Set() {
		return
	}
	if most := uint64(10*size + 170<<20); used > most && !isRaced() {
		t.Errorf("%s: %d bytes cost %d bytes, want %d at most", name, size, used, most)
	}
	if most := max(2*time.Second, 10*harmless()); took > most {
		t.Errorf("%s: %d bytes took %v, want %v at most", name, size, took, most)
	}
}

// isRaced reports whether the race detector is on. Then a sync.Pool, such as those of regexp, drops
// some of what it gets, so that more is allocated.
func isRaced() bool {
	info, _ := debug.ReadBuildInfo()
	return slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// harmless returns how long reading 2 MB of harmless text takes: the machine may be slow,
// and the race detector is.
var harmless = sync.OnceValue(func() time.Duration {
	text := "version: 1\ninteractions:\n" + strings.Repeat("  - request: {method: GET, url: /}\n    response: {status: 200}\n", 30_000)
	_, took, err := bounded(func() error {
		_, err := Parse("harmless.yaml", []byte(text), nil)
		return err
	})
	if err != nil {
		panic(err)
	}
	return took
})

// A hostile file whose seals are valid is read or refused like any other one. Whoever makes the
// file can make valid seals, too.
func TestHostileSeals(t *testing.T) {
	// Not parallel: it counts what is allocated.
	events := "    stream: sse\n    events_layout: {indent: 16}\n    events:\n" + strings.Repeat("    - {data: "+strings.Repeat("[", 60)+strings.Repeat("1, ", 300)+"1"+strings.Repeat("]", 60)+"}\n", 100)
	body := "    layout: {indent: 16}\n    body: " + strings.Repeat("[", 60) + strings.Repeat("1, ", 30_000) + "1" + strings.Repeat("]", 60) + "\n"
	for name, response := range map[string]string{"events": events, "a body": body} {
		text := []byte("- kind: llm\n  request:\n    method: GET\n    url: /\n  response:\n    status: 200\n" + response + "  latency_ms: 0\n")
		seal := seal{1, 2, idOf(text), testRevision, 0}
		path := put(t, []byte(headStart+codec.ItemsLine+string(text)+sealsLine+codec.ItemStart+seal.String()+"\n...\n"), nil)
		used, took, err := bounded(func() error {
			s, err := Open(path, testRevision, nil)
			if err != nil {
				return err
			}
			defer s.Close()
			if _, _, ok := s.SealedRequest(0); !ok {
				t.Errorf("%s: the seal does not hold", name)
			}
			if it, err := s.Answer(0); err == nil {
				t.Errorf("%s: a response of %d bytes", name, len(it.Response.Body))
			}
			_, err = s.Interaction(0)
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "x.yaml:") || !strings.Contains(err.Error(), "with this layout, the indentation of the JSON would take") {
			t.Errorf("%s: %v", name, err)
		}
		within(t, name, len(text), used, took)
	}
}

// A large asset that is named hundreds of times is an error; a picture in every turn is not.
func TestHostileAssets(t *testing.T) {
	// Not parallel: it counts what is allocated.
	for _, tt := range []struct {
		size, times int
		want        string
	}{
		{full.Cases(64<<10, 4<<20), 40, ""},
		{4 << 20, 300, "is used 300 times; with its 4194304 bytes that is more than is allowed"},
	} {
		content := strings.Repeat("\xff\x00", tt.size/2)
		name := codec.NameAsset([]byte(content))
		text := "version: 1\ninteractions:\n  - request: {method: GET, url: /}\n    response:\n      status: 200\n      body:\n" + strings.Repeat("        - !asset '@"+name+"'\n", tt.times)
		path := put(t, []byte(text), map[string][]byte{name: []byte(content)})
		used, took, err := bounded(func() error {
			_, err := Load(path)
			return err
		})
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), fmt.Sprintf("asset %q %s", name, tt.want)) {
			t.Errorf("%d times: %v, want %q", tt.times, err, tt.want)
		}
		if tt.want != "" {
			within(t, name, len(text)+len(content), used, took)
		}
	}
}

// A cassette that is no regular file is refused at once.
func TestNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	needs.POSIX(t, "named pipes and devices in folders")
	pipe := filepath.Join(dir, "pipe")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Fatal(err)
	}
	for to, what := range map[string]string{"/dev/zero": "a device", "/dev/stdin": "", pipe: "a named pipe", dir: "a directory"} {
		if what == "" {
			continue
		}
		path := filepath.Join(t.TempDir(), "x.yaml")
		mustSave(t, path, fileOf(big("a")))
		asset := filepath.Join(filepath.Dir(path), "x.assets", codec.NameAsset([]byte(big("a"))))
		for _, file := range []string{asset, path} {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			needs.Symlink(t, to, file)
			for how, read := range map[string]func() error{
				"Load": func() error { _, err := Load(path); return err },
				"Open": func() error { _, _, err := openAll(path); return err },
			} {
				if err := read(); err == nil || !strings.Contains(err.Error(), "this is "+what+", not a file") {
					t.Errorf("%s, %s leads to %s: %v", how, filepath.Base(file), to, err)
				}
			}
		}
		if err := Save(path, fileOf("b")); err == nil {
			t.Errorf("saved to %s", to)
		}
		journal := path + ".partial"
		needs.Symlink(t, to, journal)
		if _, _, err := LoadJournal(journal, path); err == nil {
			t.Errorf("a journal that leads to %s was read", to)
		}
	}
	// One that is too large to be read as a whole.
	huge := filepath.Join(dir, "huge.yaml")
	if err := os.WriteFile(huge, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(huge, 1<<40); err != nil {
		t.Skip(err)
	}
	if _, err := Open(huge, testRevision, nil); err == nil || !strings.Contains(err.Error(), "it has 1099511627776 bytes, but the limit is 1073741824") {
		t.Errorf("1 TB: %v", err)
	}
}
