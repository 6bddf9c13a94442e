//go:build unix

package scripts

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testing/full"
)

// A limited provider refuses three requests of ten, and some more fail.
type limited struct {
	mu    sync.Mutex
	times map[string]int   // how often a prompt was asked
	gave  map[string][]int // the statuses of the answers to prompts, since they were last taken
}

func (p *limited) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct{ Messages []struct{ Content string } }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body.Messages) != 1 {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	prompt := body.Messages[0].Content
	p.mu.Lock()
	p.times[prompt]++
	number := p.times[prompt]
	h := fnv.New32a()
	fmt.Fprint(h, prompt, number)
	status := http.StatusOK
	switch n := h.Sum32() % 100; {
	case n < 30:
		status = http.StatusTooManyRequests
	case n < 34:
		status = http.StatusInternalServerError
	case n < 37:
		status = 529
	}
	p.gave[prompt] = append(p.gave[prompt], status)
	p.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if status != http.StatusOK {
		fmt.Fprintf(w, `{"error":{"message":"not now: %d"}}`, number)
		return
	}
	fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":"answer %d"}}],"usage":{"prompt_tokens":10,"completion_tokens":3}}`, number)
}

// take returns how often the prompts of each test were answered and refused since it was last
// called, and which tests went on after a refusal to the end.
func (p *limited) take() map[string]*asked {
	p.mu.Lock()
	defer p.mu.Unlock()
	tests := map[string]*asked{}
	for _, prompt := range slices.Sorted(maps.Keys(p.gave)) {
		test, _, _ := strings.Cut(prompt, " ")
		if tests[test] == nil {
			tests[test] = &asked{statuses: map[int]bool{}}
		}
		a := tests[test]
		for _, status := range p.gave[prompt] {
			a.statuses[status] = true
			if a.failed = status != http.StatusOK; a.failed {
				a.refused++
			} else {
				a.answered++
			}
		}
	}
	p.gave = map[string][]int{}
	return tests
}

// asked is what the provider did for a test.
type asked struct {
	answered, refused int
	statuses          map[int]bool
	failed            bool // the last request was refused
}

// limitedTests are 60 tests that ask one to three prompts, of which half try again.
const limitedTests = `package many

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/echotest"
)

func TestMain(m *testing.M) { echotest.Main(m) }

func TestMany(t *testing.T) {
	for i := range 60 {
		t.Run(fmt.Sprintf("%02d", i), func(t *testing.T) {
			t.Parallel()
			c := echotest.New(t).Client()
			for n := range 1 + i%3 {
				ask(t, c, fmt.Sprintf("%s %d", t.Name(), n), i%2*2)
			}
		})
	}
}

// ask asks, and as often again as is said if it fails.
func ask(t *testing.T, c *http.Client, prompt string, again int) {
	body := fmt.Sprintf("{\"model\":\"gpt-x\",\"messages\":[{\"role\":\"user\",\"content\":%q}]}", prompt)
	resp, err := c.Post(os.Getenv("PROVIDER")+"/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	switch {
	case resp.StatusCode == 200:
	case again > 0:
		ask(t, c, prompt, again-1)
	default:
		t.Fatal(resp.Status)
	}
}
`

// Sixty tests are recorded through rate limits and failures until all is recorded, and nothing is
// asked twice. What is printed is compared with what the provider did, and with the files before
// and after.
func TestLimits(t *testing.T) {
	t.Parallel()
	bin, mod := command(t), goMod(t)
	ways := []string{"once", "new_episodes", "update", "all", "record"}
	if full.Set() {
		ways = append(ways, "record -update", "record -all")
	}
	for _, by := range ways {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			l := &limits{T: t, by: by, bin: filepath.Join(bin, "promptecho"), dir: t.TempDir(), provider: &limited{times: map[string]int{}, gave: map[string][]int{}}}
			server := httptest.NewServer(l.provider)
			defer server.Close()
			l.env = append(os.Environ(), "PROVIDER="+server.URL, "CI=", "GITHUB_ACTIONS=", "GOPROXY=off", "GOTOOLCHAIN=local", "GOFLAGS=-vet=off -ldflags=-w", "GOWORK=off", "NO_PROXY=*")
			for name, text := range map[string]string{"go.mod": mod, "many/many_test.go": limitedTests} {
				file := filepath.Join(l.dir, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			if !strings.HasPrefix(by, "record") {
				l.run("go", "test", "-c", "-o", "many/many.test", "./many")
			}
			for round := 0; !l.round(round); round++ {
				if round > 20 {
					t.Fatal("not all is recorded after 20 rounds")
				}
			}
		})
	}
}

// limits are rounds of one kind.
type limits struct {
	*testing.T
	by       string
	bin, dir string
	env      []string
	provider *limited
	last     []string // the tests that failed in the round before

	// Of the round:
	out           string
	tests         map[string]*asked
	before, after map[string]*cassette.File // by their paths in the folder of the package
	failed        []string
	known         map[string]bool // lines that were understood
}

// run runs a command, and returns what it prints.
func (l *limits) run(args ...string) string {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = l.dir, l.env
	if strings.HasPrefix(args[0], "./") {
		cmd.Dir = filepath.Join(l.dir, "many")
	}
	out, err := cmd.CombinedOutput()
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		l.Fatal(err)
	}
	return string(out)
}

// files reads the files of recordings.
func (l *limits) files() map[string]*cassette.File {
	files, root := map[string]*cassette.File{}, filepath.Join(l.dir, "many")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.Contains(d.Name(), ".yaml") {
			return err
		}
		name, _ := filepath.Rel(root, path)
		files[name], err = cassette.Load(path)
		return err
	})
	if err != nil {
		l.Fatal(err)
	}
	return files
}

// round runs the tests and checks all that is said. It reports whether all is recorded.
func (l *limits) round(n int) (done bool) {
	l.before, l.known = l.files(), map[string]bool{}
	again := n > 1 && strings.HasSuffix(l.by, "all") // all were recorded twice: now those that failed
	if strings.HasPrefix(l.by, "record") {
		args := append([]string{l.bin}, strings.Fields(l.by)...)
		if n > 0 {
			args = append(args, "-prove=0")
		}
		if again {
			args = append(args, "-run", "^TestMany$/^("+strings.Join(l.last, "|")+")$")
		}
		l.out = l.run(args...)
	} else {
		l.env = append(l.env, "PROMPTECHO_MODE="+l.by)
		args := []string{"./many.test"}
		if n%2 == 1 {
			args = append(args, "-test.v")
		}
		if again {
			args = append(args, "-test.run", "^TestMany$/^("+strings.Join(l.last, "|")+")$")
		}
		l.out = l.run(args...)
	}
	l.after, l.tests = l.files(), l.provider.take()
	l.check()
	l.last = nil
	for _, name := range l.failed {
		l.last = append(l.last, strings.TrimPrefix(name, "TestMany/"))
	}
	if l.Failed() {
		l.Fatalf("round %d:\n%s", n, l.out)
	}
	if len(l.failed) > 0 {
		return false
	}
	total := 0
	for name, f := range l.after {
		if f.Partial || strings.HasSuffix(name, ".failed") && l.by != "all" && l.by != "record -all" {
			l.Errorf("%s is left", name)
		}
		total++
	}
	l.Logf("%d rounds, %d files", n+1, total)
	return true
}

// each calls f with the parts of each line that an expression matches.
func (l *limits) each(expression string, f func(part []string)) {
	for _, part := range regexp.MustCompile(`(?m)^`+expression+`$`).FindAllStringSubmatch(l.out, -1) {
		l.known[part[0]] = true
		f(part)
	}
}

// number returns a number of a line; 0 if it has none.
func number(text string) int {
	n, _ := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
	return n
}

// count returns what a line says before a word: "3 kept".
func count(line, word string) int {
	m := regexp.MustCompile(`([\d,]+) ` + word + `\b`).FindStringSubmatch(line)
	if m == nil {
		return 0
	}
	return number(m[1])
}

// same reports whether a file is as it was.
func (l *limits) same(name string) bool {
	was, is := l.before[name], l.after[name]
	if was == nil || is == nil {
		return was == is
	}
	return was.Partial == is.Partial && slices.EqualFunc(was.Interactions, is.Interactions, func(a, b *interaction.Interaction) bool { return text(a) == text(b) })
}

// text returns what tells a recording from others.
func text(it *interaction.Interaction) string {
	return fmt.Sprintf("%s %d %s", it.Request.Body, it.Response.Status, it.Response.Body)
}

// kept counts what a file has of what the cassette had before.
func (l *limits) kept(cassette, file string) (kept int, fresh []*interaction.Interaction) {
	had := map[string]bool{}
	if was := l.before[cassette]; was != nil {
		for _, it := range was.Interactions {
			had[text(it)] = true
		}
	}
	for _, it := range l.after[file].Interactions {
		if had[text(it)] {
			kept++
		} else {
			fresh = append(fresh, it)
		}
	}
	return kept, fresh
}

func (l *limits) is(what string, got, want int, line string) {
	if got != want {
		l.Errorf("%s: %d, and it is %d: %s", what, got, want, line)
	}
}

// counts compares the numbers of a line about a test with what was asked for it.
func (l *limits) counts(test, line string) {
	a := l.tests[test]
	if a == nil {
		a = &asked{}
	}
	l.is("recorded", count(line, "recorded"), a.answered, line)
	l.is("failed", count(line, "got a failure"), a.refused, line)
	l.is("resumed", count(line, "resumed"), 0, line)
}

func cassetteOf(test string) string { return "testdata/cassettes/" + test + ".yaml" }

func testOf(cassette string) string {
	return strings.TrimSuffix(strings.TrimPrefix(cassette, "testdata/cassettes/"), ".yaml")
}

// check compares all lines with what the provider did and with the files.
func (l *limits) check() {
	l.failed = nil
	l.each(`\s*--- FAIL: (TestMany/\d\d) .*`, func(m []string) { l.failed = append(l.failed, m[1]) })
	l.each(`FAIL \./many (TestMany/\d\d): .*`, func(m []string) { l.failed = append(l.failed, m[1]) })
	slices.Sort(l.failed)
	l.failed = slices.Compact(l.failed)
	answered, refused, saved, files := 0, 0, map[string]bool{}, 0
	for test, a := range l.tests {
		answered, refused = answered+a.answered, refused+a.refused
		if a.failed != slices.Contains(l.failed, test) {
			l.Errorf("%s failed: %v", test, !a.failed)
		}
		if f := l.after[cassetteOf(test)]; !a.failed && (f == nil || f.Partial) {
			l.Errorf("%s passed, and its cassette is not whole", test)
		}
	}
	kept := 0
	for name := range l.after {
		if !l.same(name) {
			files++
			k, _ := l.kept(strings.TrimSuffix(name, ".failed"), name)
			kept += k
		}
		for i, it := range l.after[name].Interactions { // only what was overcome is recorded
			if it.Response.Status != 200 && (i+1 == len(l.after[name].Interactions) || string(l.after[name].Interactions[i+1].Request.Body) != string(it.Request.Body)) {
				l.Errorf("%s has a failure that was not overcome", name)
			}
		}
	}

	// The tests.
	l.each(`promptecho: (TestMany/\d\d): (\d.*): saved (\S+)`, func(m []string) {
		test, file := m[1], m[3]
		l.counts(test, m[0])
		if saved[file] = true; l.after[file] == nil || l.same(file) {
			l.Errorf("not written: %s", m[0])
			return
		}
		kept, fresh := l.kept(cassetteOf(test), file)
		l.is("kept", count(m[0], "kept"), kept, m[0])
		l.is("recorded", count(m[0], "recorded"), len(slices.DeleteFunc(fresh, func(it *interaction.Interaction) bool { return it.Response.Status != 200 })), m[0])
		if was := l.before[cassetteOf(test)]; was != nil && !strings.HasSuffix(file, ".failed") {
			l.is("dropped", count(m[0], "dropped"), len(was.Interactions)-kept-replaced(was, fresh), m[0])
		}
	})
	l.each(`=== ATTR  (TestMany/\d\d) promptecho\.(\w+) (.*)`, func(m []string) {
		a := l.tests[m[1]]
		if a == nil {
			a = new(asked)
		}
		switch m[2] {
		case "recorded":
			l.is("recorded", number(m[3]), a.answered, m[0])
		case "failed":
			l.is("failed", number(m[3]), a.refused, m[0])
		case "input_tokens":
			l.is("tokens", number(m[3]), 10*a.answered, m[0])
		case "output_tokens":
			l.is("tokens", number(m[3]), 3*a.answered, m[0])
		case "saved":
			file, _ := filepath.Rel(filepath.Join(l.dir, "many"), m[3])
			if saved[file] = true; l.same(file) {
				l.Errorf("not written: %s", m[0])
			}
		case "replayed":
			l.is("replayed", number(m[3]), len(l.before[cassetteOf(m[1])].Interactions), m[0])
		case "code":
			if m[3] != string(finding.SuccessKept) || a.refused == 0 {
				l.Errorf("%d requests were refused: %s", a.refused, m[0])
			}
		case "cassette", "dropped":
		default:
			l.Errorf("unexpected: %s", m[0])
		}
	})
	l.each(`(pass|FAIL) \./many (TestMany/\d\d): (.*) \(\d+\.\ds\)`, func(m []string) {
		l.counts(m[2], m[3])
		l.is("tokens", count(m[3], "in"), 10*count(m[3], "recorded"), m[0])
		l.is("tokens", count(m[3], "out"), 3*count(m[3], "recorded"), m[0])
		was := 0
		if f := l.before[cassetteOf(m[2])]; f != nil && l.by != "record -all" {
			was = len(f.Interactions)
		}
		l.is("replayed", count(m[3], "replayed"), was, m[0])
	})

	// Their notes and errors.
	at := `\s+many_test\.go:\d+: promptecho: `
	l.each(at+`saved (\d+) interactions? to (\S+?)(, marked partial: .*)?`, func(m []string) {
		f := l.after[m[2]]
		if f == nil || len(f.Interactions) != number(m[1]) || f.Partial != (m[3] != "") && !strings.HasSuffix(m[2], ".failed") || l.same(m[2]) {
			l.Errorf("not so: %s", m[0])
		}
	})
	l.each(at+`failed, and not recorded in (\S+): POST \S+: status (\d+)\. Run it again later, or with fewer tests at once: go test's flags -p=1 -parallel=1 do that(\. What is already recorded is not sent again)?`, func(m []string) {
		a := l.tests[testOf(m[1])]
		if !a.failed || !a.statuses[number(m[2])] || (m[3] == "") != strings.HasSuffix(l.by, "all") {
			l.Errorf("not so: %s", m[0])
		}
	})
	l.each(at+`(\S+):(\d+): not replaced: this recording is a success, and the new one a failure: POST \S+: status (\d+)\..*`, func(m []string) {
		is := l.before[m[1]]
		i := slices.IndexFunc(is.Interactions, func(it *interaction.Interaction) bool { return it.Line == number(m[2]) })
		if i < 0 || is.Interactions[i].Response.Status != 200 || !holds200(l.after[m[1]], string(is.Interactions[i].Request.Body)) || !strings.Contains(m[0], "Run it again later") {
			l.Errorf("not so: %s", m[0])
		}
	})
	l.each(at+`(\S+) was left unchanged: nothing was recorded`, func(m []string) {
		if !l.same(m[1]) || l.tests[testOf(m[1])].answered != 0 {
			l.Errorf("not so: %s", m[0])
		}
	})
	l.each(at+`(\S+) was left unchanged, because some requests are not recorded\. The others are in (\S+)`, func(m []string) {
		test, others := l.tests[testOf(m[1])], l.after[m[2]]
		if !l.same(m[1]) || !test.failed || test.answered == 0 || others == nil || m[2] != m[1]+".failed" {
			l.Errorf("not so: %s", m[0])
		}
	})
	l.each(at+`(\S+): kept (\d+) recordings? that this run did not record again; to keep nothing old, delete the file before recording`, func(m []string) {
		if kept, _ := l.kept(m[1], m[1]); kept != number(m[2]) {
			l.Errorf("%d are kept: %s", kept, m[0])
		}
	})
	l.each(`promptecho: (\d+) tests failed \(mode .*\), for (\d+) reasons?:`, func(m []string) {
		if number(m[1]) > len(l.failed) || number(m[2]) > 3 {
			l.Errorf("not so: %s", m[0])
		}
	})
	l.each(`promptecho: (TestMany/\d\d): (\S+):\d+: not replaced: this recording is a success, and the new one a failure.*`, func(m []string) {
		if m[2] != cassetteOf(m[1]) || !slices.Contains(l.failed, m[1]) {
			l.Errorf("not so: %s", m[0])
		}
	})
	l.each(at+`these response headers are not recorded, .*`, func([]string) {})

	// The sums.
	total := 0
	l.each(`promptecho: total: (.*); (no|\d+) cassettes? written`, func(m []string) {
		total++
		l.is("recorded", count(m[1], "recorded"), answered, m[0])
		l.is("failed", count(m[1], "got a failure"), refused, m[0])
		l.is("kept", count(m[1], "kept"), kept, m[0])
		l.is("written", number(m[2]), files, m[0])
	})
	l.each(`\d+ tests? with a recorder; 1 of 1 package finished: (.*) \(\S+\)`, func(m []string) {
		total++
		l.is("recorded", count(m[1], "recorded"), answered, m[0])
		l.is("failed", count(m[1], "got a failure"), refused, m[0])
		l.is("tokens", count(m[1], "in"), 10*answered, m[0])
	})
	l.each(`(\d+) tests? failed\. To run what failed again:`, func(m []string) { l.is("failed", number(m[1]), len(l.failed), m[0]) })
	l.each(`promptecho: record(?: -\w+)?: (\d+) tests? failed`, func(m []string) { l.is("failed", number(m[1]), len(l.failed), m[0]) })
	if total != 1 && answered+refused > 0 {
		l.Errorf("%d totals", total)
	}
	if !strings.HasPrefix(l.by, "record") && len(saved) != files && !strings.Contains(l.out, "=== RUN") {
		l.Errorf("%d files are said to be saved, and %d were", len(saved), files)
	}
	for line := range strings.Lines(l.out) {
		if line = strings.TrimSuffix(line, "\n"); strings.Contains(line, "promptecho: ") && !l.known[line] {
			l.Errorf("what does this say? %s", line)
		}
		if strings.Contains(line, "does not replay") || strings.Contains(line, "killed") {
			l.Errorf("not so: %s", line)
		}
	}
}

// replaced counts the recordings whose requests were recorded again.
func replaced(was *cassette.File, fresh []*interaction.Interaction) (n int) {
	for _, it := range was.Interactions {
		if slices.ContainsFunc(fresh, func(f *interaction.Interaction) bool { return string(f.Request.Body) == string(it.Request.Body) }) {
			n++
		}
	}
	return n
}

// holds200 reports whether a file has an answer to a request that succeeded.
func holds200(f *cassette.File, body string) bool {
	return slices.ContainsFunc(f.Interactions, func(it *interaction.Interaction) bool {
		return it.Response.Status == 200 && string(it.Request.Body) == body
	})
}
