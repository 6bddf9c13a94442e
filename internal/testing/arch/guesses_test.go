package arch

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// guesses are programs as somebody writes them who has seen the first page of README and nothing
// else. The rest of each stands in guessed.
var guesses = []string{
	`rec := echotest.New(t); _ = rec.Client()`,
	`rec := echotest.New(t); _ = &http.Client{Transport: rec}`,
	`rec := echotest.New(t, promptecho.InMode(promptecho.ModeNone)); _ = rec.Secret("OPENAI_API_KEY")`,
	`rec := echotest.New(t, promptecho.InMode("none")); _ = rec`,
	`rec := echotest.New(t); defer rec.Close()`,
	`rec, err := promptecho.Open("testdata/x.yaml"); if err != nil { t.Fatal(err) }; defer rec.Close(); _ = rec.Client()`,
	`rec := echotest.Open(t, "testdata/cassettes/x.yaml"); _ = rec`,
	`rec := echotest.New(t, promptecho.Ignore("metadata", "user")); _ = rec`,
	"rec := echotest.New(t, promptecho.Mask(`\\d+`, \"N\"), promptecho.MaskTimes(), promptecho.MaskUUIDs()); _ = rec",
	`rec := echotest.New(t, promptecho.Match("temperature")); _ = rec`,
	`rec := echotest.New(t, promptecho.MatchOnly("llm", "model", "messages")); _ = rec`,
	`rec := echotest.New(t, promptecho.Redact("Acme"), promptecho.RedactFields("email")); _ = rec`,
	`rec := echotest.New(t, promptecho.AllowRepeats(), promptecho.AllowUnused()); _ = rec`,
	`rec := echotest.New(t, promptecho.Upstream(http.DefaultTransport)); _ = rec`,
	`rec := echotest.New(t, promptecho.PassThrough("http/127.0.0.1:6333")); _ = rec`,
	`rec := echotest.New(t); var clock interface{ Now() time.Time } = rec; _ = clock`,
	`rec := echotest.New(t); r := rec.Rand("ids"); _ = r.IntN(6); r.Read(make([]byte, 8))`,
	`rec := echotest.New(t); search := promptecho.Wrap(rec, "tool/search", func(ctx context.Context, in string) (string, error) { return in, nil }); search(t.Context(), "x")`,
	`rec := echotest.New(t, promptecho.Frozen("tool/charge_card"), promptecho.Live("tool/search")); _ = rec`,
	`rec := echotest.New(t); server := echotest.Serve(t, rec); _ = server.Env()`,
	`echotest.SetDefault(t, echotest.New(t))`,
	`rec := echotest.New(t); var miss *promptecho.MissError; if errors.As(rec.Close(), &miss) { t.Log(miss.Call) }`,
	`rec := echotest.New(t); f := echofault.New(t, rec, echofault.FailFirst(2, 429), echofault.Slow(time.Second)); _ = f.Client()`,
	`var rec *promptecho.Recorder; _ = rec.Client()`,
	`rec := echotest.New(t); if len(rec.Misses()) > 0 { t.Fail() }`,

	`rec, _ := promptecho.New("x.yaml"); _ = rec`,
	`rec := promptecho.NewRecorder("x.yaml"); _ = rec`,
	`rec := echotest.Use(t); _ = rec`,
	`rec := echotest.New(t, promptecho.Cassette("x.yaml")); _ = rec`,
	`rec := echotest.New(t, promptecho.WithMode(promptecho.ModeNone)); _ = rec`,
	`rec := echotest.New(t, promptecho.Replay()); _ = rec`,
	`rec := echotest.New(t); rec.SetMode(promptecho.ModeAll)`,
	`rec := echotest.New(t, promptecho.InMode(promptecho.ModeReplay)); _ = rec`,
	`rec := echotest.New(t, promptecho.InMode(promptecho.ModeRecord)); _ = rec`,
	`rec := echotest.New(t); _ = rec.HTTPClient()`,
	`rec := echotest.New(t); _ = rec.Transport()`,
	`rec := echotest.New(t); defer rec.Stop()`,
	`rec := echotest.New(t); rec.Save()`,
	`rec := echotest.New(t); if rec.Recording() { t.Log("it sends") }`,
	`rec := echotest.New(t); if rec.IsRecording() { t.Log("it sends") }`,
	`rec := echotest.New(t); _ = rec.Time()`,
	`rec := echotest.New(t, promptecho.Strict()); _ = rec`,
	`rec := echotest.New(t, promptecho.MatchOn("model", "messages")); _ = rec`,
	`rec := echotest.New(t, promptecho.WithMatcher(nil)); _ = rec`,
	`rec := echotest.New(t, promptecho.Scrub("email")); _ = rec`,
	`rec := echotest.New(t, promptecho.IgnoreHosts("127.0.0.1")); _ = rec`,
	`rec := echotest.New(t, promptecho.Passthrough("127.0.0.1")); _ = rec`,
	`rec := echotest.New(t, promptecho.WithTransport(http.DefaultTransport)); _ = rec`,
	`echotest.Default(t, echotest.New(t))`,
}

const guessed = `package guess

import (
	"context"; "errors"; "net/http"; "testing"; "time"
	"github.com/promptecho/promptecho"; "github.com/promptecho/promptecho/echofault"; "github.com/promptecho/promptecho/echotest"
)

var ( _ = context.Background; _ = errors.As; _ = http.Get; _ = time.Now; _ promptecho.Option; _ echofault.Fault; _ echotest.MainOption )

func TestX(t *testing.T) { `

// unknownName is what the compiler says of a name that is not there.
var unknownName = regexp.MustCompile(`undefined: \w+\.(\w+)|\.(\w+) undefined`)

// TestGuesses: each guess compiles, or the compiler's error has a name that go doc leads from to
// one that is there. go doc shows what a package is for on two screens.
func TestGuesses(t *testing.T) {
	t.Parallel()
	set := token.NewFileSet()
	imports := exports(t, set)
	surface, err := os.ReadFile(filepath.Join("..", "..", "..", "api.txt"))
	if err != nil {
		t.Fatal(err)
	}
	meant := leads(t, string(surface))
	for _, guess := range guesses {
		f, err := parser.ParseFile(set, "x_test.go", guessed+guess+" }", parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%s: %v", guess, err)
			continue
		}
		config := types.Config{Importer: imports}
		if _, err = config.Check("guess", set, []*ast.File{f}, nil); err == nil {
			continue
		}
		found := unknownName.FindStringSubmatch(err.Error())
		if found == nil || !meant[found[1]+found[2]] {
			t.Errorf("%s: %v, and go doc does not lead on from there", guess, err)
		}
	}
}

// leads returns the names that go doc leads from, and checks that those exist which it leads to.
func leads(t *testing.T, surface string) map[string]bool {
	from := map[string]bool{}
	for _, dir := range publicPackages {
		text := synopsis(t, filepath.Join("..", "..", "..", dir))
		if n := strings.Count(text, "\n"); n > 48 { // two screens of 24 lines
			t.Errorf("go doc of %s has %d lines before the first name", dir, n)
		}
		_, table, _ := strings.Cut(text, "Names you may look for")
		for _, line := range strings.Split(table, "\n") {
			names, to, ok := strings.Cut(strings.TrimSpace(line), "  ")
			for _, name := range strings.Split(names, ", ") {
				from[name] = ok
			}
			for _, name := range regexp.MustCompile(`\b[A-Z]\w*\.?\w*`).FindAllString(to, -1) {
				if name = name[strings.Index(name, ".")+1:]; name != "Recorder" && !regexp.MustCompile(`\b`+name+`\b`).MatchString(surface) {
					t.Errorf("%s: it leads to %s, which is not there", dir, name)
				}
			}
		}
	}
	return from
}

// synopsis returns what go doc says of a package before its first name.
func synopsis(t *testing.T, dir string) string {
	t.Helper()
	_, p := documented(t, dir, parser.ParseComments)
	printer := p.Printer()
	printer.TextWidth = 80
	return string(bytes.TrimSpace(printer.Text(p.Parser().Parse(p.Doc)))) + "\n"
}
