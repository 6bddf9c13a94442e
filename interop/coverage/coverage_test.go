package coverage

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	coclient "github.com/cohere-ai/cohere-go/v2/client"
	ollama "github.com/ollama/ollama/api"
	"google.golang.org/genai"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
)

var updateCoverage = flag.Bool("update-coverage", false, "write the table of calls into docs/ENDPOINTS.md")

// A covered is a line of testdata/coverage.txt: what stands for calls of an SDK, what one
// asks, and the family that knows it or why none does.
type covered struct {
	sdk, call, asks, is string
	used                bool
}

func coverage(t *testing.T) (list []*covered) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "coverage.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, " | ")
		if len(f) != 4 {
			t.Fatalf("coverage.txt: %q has not four columns", line)
		}
		list = append(list, &covered{sdk: f[0], call: f[1], asks: f[2], is: f[3]})
	}
	return list
}

// Each call of the SDKs is a known endpoint, or plain HTTP for a reason, as docs/ENDPOINTS.md
// lists. A call that a new version brings is named here.
func TestCoverage(t *testing.T) {
	t.Parallel()
	table := coverage(t)
	for _, c := range sdkCalls(t) {
		i := slices.IndexFunc(table, func(row *covered) bool {
			ok, err := path.Match(strings.ReplaceAll(row.call, "/", "\x00"), strings.ReplaceAll(c.call, "/", "\x00"))
			return row.sdk == c.sdk && ok && err == nil
		})
		if i < 0 {
			t.Errorf("%s has a call that testdata/coverage.txt does not have: %s", c.sdk, c.call)
			continue
		}
		table[i].used = true
	}
	for _, row := range table {
		if !row.used {
			t.Errorf("coverage.txt: %s has no call %s", row.sdk, row.call)
		}
		if row.asks == "-" {
			if !strings.HasPrefix(row.is, "http: ") {
				t.Errorf("coverage.txt: %s %s: want a request or a reason", row.sdk, row.call)
			}
			continue
		}
		form := formOf(row.asks)
		if kind, boundary := form.Kind(); kind != "llm" || boundary != row.is {
			t.Errorf("%s %s: %s is %s %s, want %s", row.sdk, row.call, row.asks, kind, boundary, row.is)
		}
	}
	documentCoverage(t, table)
}

// formOf returns the form of a request such as "POST https://h/v1/responses". Its body has a
// member of every name by which a family is known.
func formOf(asks string) *canon.Form {
	method, url, _ := strings.Cut(asks, " ")
	req := &interaction.Request{Method: method, URL: url}
	if method == "POST" {
		req.Body = []byte(`{"model":"m","input":"x","prompt":"x","messages":[],"questions":[],"input_file_id":"f","endpoint":"e","requests":[],
			"image":"i","file":"f","texts":[],"documents":[],"document":{},"instances":[],"modelId":"m","modelInput":{},"operationName":"o","contents":[]}`)
		for name, body := range map[string]string{
			"/v1/chat": `{"message":"x"}`, "/api/embeddings": `{"model":"m","prompt":"x"}`, "/speech": `{"model":"m","input":"x"}`,
			"/complete": `{"model":"m","prompt":"x"}`,
		} {
			if strings.HasSuffix(url, name) {
				req.Body = []byte(body)
			}
		}
	}
	return new(canon.Options).Form(req)
}

// sdkCalls returns the calls of the SDKs: those of the lists that two of them have, and the
// methods of the clients of the others.
func sdkCalls(t *testing.T) (list []covered) {
	t.Helper()
	title := regexp.MustCompile(`code title="([a-z]+) ([^"?]*)`)
	for _, sdk := range []string{"github.com/openai/openai-go/v3", "github.com/anthropics/anthropic-sdk-go"} {
		dir := dirOf(t, sdk)
		nested, _ := filepath.Glob(filepath.Join(dir, "*", "api.md"))
		for _, file := range append(nested, filepath.Join(dir, "api.md")) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range title.FindAllStringSubmatch(string(data), -1) {
				list = append(list, covered{sdk: nameOf(sdk), call: strings.ToUpper(m[1]) + " " + m[2]})
			}
		}
	}
	add := func(sdk, service string, typ reflect.Type) {
		for i := range typ.NumMethod() {
			list = append(list, covered{sdk: sdk, call: service + typ.Method(i).Name})
		}
	}
	services := func(sdk string, typ reflect.Type) {
		for i := range typ.NumField() {
			if f := typ.Field(i); f.IsExported() && f.Type.Kind() == reflect.Pointer {
				add(sdk, f.Name+".", f.Type)
			}
		}
	}
	services("genai", reflect.TypeFor[genai.Client]())
	add("bedrockruntime", "", reflect.TypeFor[*bedrockruntime.Client]())
	add("ollama", "", reflect.TypeFor[*ollama.Client]())
	add("cohere-go", "", reflect.TypeFor[*coclient.Client]())
	services("cohere-go", reflect.TypeFor[coclient.Client]())
	if len(list) < 700 {
		t.Fatalf("%d calls, want those of all SDKs", len(list))
	}
	return list
}

// dirOf returns where the go command has a module.
func dirOf(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSpace(out))
}

func nameOf(sdk string) string {
	return strings.TrimSuffix(path.Base(strings.TrimSuffix(sdk, "/v3")), "/")
}

// documentCoverage holds the table of docs/ENDPOINTS.md to that of the test.
func documentCoverage(t *testing.T, table []*covered) {
	t.Helper()
	var b strings.Builder
	b.WriteString("| endpoint | compared in an answer | called by |\n|---|---|---|\n")
	calls, families := map[string][]string{}, []string{}
	for _, row := range table {
		if row.asks == "-" {
			continue
		}
		if calls[row.is] == nil {
			families = append(families, row.is)
		}
		calls[row.is] = append(calls[row.is], fmt.Sprintf("%s `%s`", row.sdk, row.call))
	}
	slices.Sort(families)
	for _, family := range families {
		i := slices.IndexFunc(table, func(row *covered) bool { return row.is == family })
		decides := "its JSON"
		switch says := formOf(table[i].asks).Transcript(); {
		case len(says.Calls) > 0:
			decides = "calls, blocks of unknown types, finish reason"
		case len(says.Text) > 0:
			decides = "text, finish reason"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", family, decides, strings.Join(calls[family], ", "))
	}
	b.WriteString("\nThese calls are recorded as kind `http`, not as calls of a model. The last column says what they are about.\n\n| SDK | call | about |\n|---|---|---|\n")
	for _, row := range table {
		if row.asks == "-" {
			fmt.Fprintf(&b, "| %s | `%s` | %s |\n", row.sdk, row.call, strings.TrimPrefix(row.is, "http: "))
		}
	}
	file := filepath.Join("..", "..", "docs", "ENDPOINTS.md")
	doc, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const start, end = "<!-- table: coverage -->\n", "<!-- end -->\n"
	before, rest, ok := strings.Cut(string(doc), start)
	old, after, ended := strings.Cut(rest, end)
	switch {
	case !ok || !ended:
		t.Fatalf("%s has no place for the table", file)
	case old == b.String():
	case *updateCoverage:
		if err := os.WriteFile(file, []byte(before+start+b.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is stale: run go test -run TestCoverage -update-coverage", file)
	}
}
