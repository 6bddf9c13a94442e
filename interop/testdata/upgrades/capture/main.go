// Capture writes the requests that several versions of an SDK send for the
// scenarios of upgrades_SDK_test.go. Run it in interop, with the names of SDKs
// or without for all:
//
//	go run ./testdata/upgrades/capture openai
//
// For each version it makes a module in a temporary folder, which holds the
// scenarios, the old version and a server on the loopback interface. What of the
// scenarios the old version cannot compile is left out, after the edits below
// for what it has under another name.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

type sdk struct {
	name     string
	today    string   // the module that the scenarios import
	versions []string // MODULE@VERSION, from old to new; today's is added
	edits    []edit
}

// An edit adapts the source of the scenarios to the versions that match.
type edit struct{ versions, find, replace string }

const (
	openaiModule    = "github.com/openai/openai-go"
	anthropicModule = "github.com/anthropics/anthropic-sdk-go"
	genaiModule     = "google.golang.org/genai"
	bedrockModule   = "github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	ollamaModule    = "github.com/ollama/ollama"
	cohereModule    = "github.com/cohere-ai/cohere-go/v2"
)

var sdks = []sdk{
	{
		name: "openai", today: openaiModule + "/v3",
		versions: []string{
			openaiModule + "@v1.5.0", openaiModule + "@v1.12.0", openaiModule + "/v2@v2.1.1", openaiModule + "/v2@v2.7.1",
			openaiModule + "/v3@v3.8.1", openaiModule + "/v3@v3.16.0", openaiModule + "/v3@v3.24.0", openaiModule + "/v3@v3.32.0", openaiModule + "/v3@v3.37.0",
		},
		edits: []edit{
			{`^v1\.`, `\[\]openai\.ChatCompletionToolUnionParam`, `[]openai.ChatCompletionToolParam`},
			{`^v1\.`, `openai\.ChatCompletionFunctionTool\((.*)\),\n`, "{Function: $1},\n"},
			{`^v1\.`, `openai\.ToolChoiceOptionFunctionToolChoice`, `openai.ChatCompletionToolChoiceOptionParamOfChatCompletionNamedToolChoice`},
			{`^v1\.`, `responses\.ResponseInputItemFunctionCallOutputOutputUnionParam\{OfString: openai\.String\(output\)\}`, `output`},
			{`^v2\.`, `responses\.ResponseInputItemFunctionCallOutputOutputUnionParam\{OfString: openai\.String\(output\)\}`, `output`},
			{`^v[12]\.|^v3\.([0-9]|[1-3][0-9])\.`, `CallID: openai\.String\(id\)`, `CallID: id`},
			{`^v1\.|^v2\.1\.`, `WebSearchPreviewToolTypeWebSearchPreview`, `WebSearchToolTypeWebSearchPreview`},
			{`^v1\.`, `"github.com/openai/openai-go/v3`, `"github.com/openai/openai-go`},
			{`^v2\.`, `"github.com/openai/openai-go/v3`, `"github.com/openai/openai-go/v2`},
		},
	},
	{
		name: "anthropic", today: anthropicModule,
		versions: at(anthropicModule, "v1.2.0", "v1.4.0", "v1.9.0", "v1.13.0", "v1.19.0", "v1.22.0", "v1.31.0", "v1.44.0"),
		edits: []edit{
			{`^v1\.2\.`, `Required: \[\]string\{"city"\}, ExtraFields: map\[string\]any\{`, `ExtraFields: map[string]any{"required": []string{"city"}, `},
			{`^v1\.2\.`, `Required: \[\]string\{"city"\},\n`, "ExtraFields: map[string]any{\"required\": []string{\"city\"}},\n"},
		},
	},
	{
		name: "genai", today: genaiModule,
		versions: at(genaiModule, "v1.10.0", "v1.16.0", "v1.25.0", "v1.31.0", "v1.36.0", "v1.43.0", "v1.51.0", "v1.58.0"),
	},
	{
		name: "bedrock", today: bedrockModule,
		versions: at(bedrockModule, "v1.30.1", "v1.33.0", "v1.40.0", "v1.44.1", "v1.48.0", "v1.50.4"),
	},
	{
		name: "ollama", today: ollamaModule,
		versions: at(ollamaModule, "v0.9.0", "v0.11.10", "v0.12.6", "v0.13.5", "v0.16.1", "v0.20.0", "v0.24.0"),
	},
	{
		name: "cohere", today: cohereModule,
		versions: at(cohereModule, "v2.15.0", "v2.15.2", "v2.16.0", "v2.16.1", "v2.18.0"),
		edits: []edit{
			{`^v2\.1[68]\.`, `Type: cohere\.String\("function"\), `, ``},
			{`^v2\.1[68]\.`, `return \*call\.Id`, `return call.Id`},
		},
	},
}

func at(module string, versions ...string) (all []string) {
	for _, v := range versions {
		all = append(all, module+"@"+v)
	}
	return all
}

// A request is what harness.txt prints of each.
type request struct {
	Scenario    string
	Turn        int
	Method, URL string
	Header      http.Header
	Body        string
}

// matching are the headers that are kept with each request; of the others those
// that are the same in all requests of a version are kept once for it.
var matching = []string{
	"Accept", "Content-Type", "Anthropic-Version", "Anthropic-Beta", "Openai-Beta", "Api-Revision",
	"X-Amzn-Bedrock-Accept", "X-Amzn-Bedrock-Trace", "X-Amzn-Bedrock-Guardrailidentifier", "X-Amzn-Bedrock-Guardrailversion", "X-Amzn-Bedrock-Performanceconfig-Latency",
}

// dropped are credentials, and what is of the connection or of the moment.
var dropped = []string{
	"Authorization", "X-Api-Key", "X-Goog-Api-Key", "X-Amz-Date", "X-Amz-Content-Sha256", "Amz-Sdk-Invocation-Id", "Amz-Sdk-Request",
	"Idempotency-Key", "Content-Length", "Accept-Encoding", "Connection", "Traceparent",
}

func main() {
	log.SetFlags(0)
	keep := os.Getenv("CAPTURE_DIR") // to look at the modules
	if keep == "" {
		dir, err := os.MkdirTemp("", "capture")
		check(err)
		defer os.RemoveAll(dir)
		keep = dir
	}
	for _, s := range sdks {
		if len(os.Args) == 1 || slices.Contains(os.Args[1:], s.name) {
			s.capture(keep)
		}
	}
}

func (s sdk) capture(dir string) {
	today := s.today + "@" + output(".", "go", "list", "-m", "-f", "{{.Version}}", s.today)
	var file strings.Builder
	fmt.Fprintf(&file, "The requests of upgrades_%s_test.go, captured by testdata/upgrades/capture.\n", s.name)
	type group struct {
		name, text string
		versions   []string
	}
	var groups []*group
	for _, module := range append(slices.Clone(s.versions), today) {
		path, version, _ := strings.Cut(module, "@")
		log.Printf("%s %s", path, version)
		requests := s.run(filepath.Join(dir, s.name+"-"+version), path, version)
		common := maps.Clone(requests[0].Header)
		for _, r := range requests {
			maps.DeleteFunc(common, func(k string, v []string) bool {
				return slices.Contains(matching, k) || slices.Contains(dropped, k) || !slices.Equal(r.Header[k], v)
			})
		}
		fmt.Fprintf(&file, "-- version %s %s %s --\n%s", path, version, output(".", "go", "list", "-m", "-f", `{{.Time.Format "2006-01-02"}}`, module), headerLines(common))
		for _, r := range requests {
			maps.DeleteFunc(r.Header, func(k string, v []string) bool { return !slices.Contains(matching, k) })
			name := r.Scenario + " " + strconv.Itoa(r.Turn)
			text := fmt.Sprintf("%s %s\n%s\n%s\n", r.Method, r.URL, headerLines(r.Header), r.Body)
			i := slices.IndexFunc(groups, func(g *group) bool { return g.name == name && g.text == text })
			if i < 0 {
				// Beside the others of its name, so that they are easily compared.
				at := len(groups)
				for j, g := range groups {
					if g.name == name {
						at = j + 1
					}
				}
				groups = slices.Insert(groups, at, &group{name: name, text: text})
				i = at
			}
			groups[i].versions = append(groups[i].versions, version)
		}
	}
	for _, g := range groups {
		fmt.Fprintf(&file, "-- %s: %s --\n%s", g.name, strings.Join(g.versions, " "), g.text)
	}
	check(os.WriteFile("testdata/upgrades/"+s.name+".txt", []byte(file.String()), 0o666))
}

func headerLines(h http.Header) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(h)) {
		for _, v := range h[k] {
			fmt.Fprintf(&b, "%s: %s\n", k, v)
		}
	}
	return b.String()
}

// run makes and runs the module of a version.
func (s sdk) run(dir, path, version string) []request {
	check(os.MkdirAll(dir, 0o777))
	check(os.WriteFile(dir+"/go.mod", []byte("module capture\n\ngo 1.24\n\nrequire "+path+" "+version+"\n"), 0o666))
	harness, err := os.ReadFile("testdata/upgrades/capture/harness.txt")
	check(err)
	check(os.WriteFile(dir+"/main.go", bytes.ReplaceAll(harness, []byte("SDK"), []byte(s.name)), 0o666))
	for _, name := range []string{"scenario", s.name} {
		src, err := os.ReadFile("upgrades_" + name + "_test.go")
		check(err)
		src = bytes.Replace(src, []byte("package interop"), []byte("package main"), 1)
		for _, e := range s.edits {
			if name == s.name && regexp.MustCompile(e.versions).MatchString(version) {
				src = regexp.MustCompile(e.find).ReplaceAll(src, []byte(e.replace))
			}
		}
		check(os.WriteFile(dir+"/"+name+".go", src, 0o666))
	}
	for {
		output(dir, "go", "mod", "tidy")
		cmd := exec.Command("go", "build", "-gcflags=-e", "-o", "capture", ".")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err == nil {
			break
		}
		leaveOut(dir+"/"+s.name+".go", string(out))
	}
	// Older versions of genai look for credentials also where none are needed.
	check(os.WriteFile(dir+"/adc.json", []byte(`{"type":"authorized_user","client_id":"NOTREAL","client_secret":"NOTREAL","refresh_token":"NOTREAL"}`), 0o666))
	os.Setenv("GOOGLE_APPLICATION_CREDENTIALS", dir+"/adc.json")
	var requests []request
	check(json.Unmarshal([]byte(output(dir, "./capture")), &requests))
	return requests
}

var place = regexp.MustCompile(`(?m)^\./\w+\.go:(\d+):\d+: (.*)$`)

// leaveOut takes the scenarios and imports out of a file that the compiler
// complains of. Anything else needs an edit.
func leaveOut(file, errors string) {
	src, err := os.ReadFile(file)
	check(err)
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.ParseComments)
	check(err)
	var parts []ast.Node // those that can be left out
	for _, d := range f.Decls {
		d, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.ImportSpec:
				parts = append(parts, spec)
			case *ast.ValueSpec:
				if list, ok := spec.Values[0].(*ast.CompositeLit); ok {
					for _, e := range list.Elts {
						parts = append(parts, e)
					}
				}
			}
		}
	}
	gone := map[ast.Node]bool{}
	for _, m := range place.FindAllStringSubmatch(errors, -1) {
		line, _ := strconv.Atoi(m[1])
		i := slices.IndexFunc(parts, func(n ast.Node) bool {
			return fset.Position(n.Pos()).Line <= line && line <= fset.Position(n.End()).Line
		})
		if i < 0 {
			log.Fatalf("needs an edit:\n%s", errors)
		}
		if !gone[parts[i]] {
			log.Printf("  without %.60q: %s", strings.TrimLeft(string(src[fset.Position(parts[i].Pos()).Offset:]), "{"), m[2])
		}
		gone[parts[i]] = true
	}
	if len(gone) == 0 {
		log.Fatalf("cannot be built:\n%s", errors)
	}
	for _, n := range slices.Backward(parts) {
		if gone[n] {
			from, to := fset.Position(n.Pos()).Offset, fset.Position(n.End()).Offset
			if src[to] == ',' {
				to++
			}
			src = slices.Delete(src, from, to)
		}
	}
	check(os.WriteFile(file, src, 0o666))
}

func output(dir, name string, args ...string) string {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		log.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, errs.String())
	}
	return strings.TrimSpace(string(out))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
