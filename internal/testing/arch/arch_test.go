// Package arch holds the repository to its architecture: which package may
// import which, what the module may require, and that no cassette in it holds
// a secret. docs/DESIGN.md says why.
package arch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/promptecho/promptecho"

// rooms lists what each package may import of ours; a package that is not
// listed may not exist.
var rooms = map[string][]string{
	"echotest":                   {"internal/nethttp/front", "internal/nethttp/gate", "internal/nethttp/proxy", "internal/nethttp/webserver", "internal/child", "internal/finding", "internal/english", "internal/snapshot/ending", "internal/testenv/lock", "internal/nethttp/urls", "", "internal/recorder", "internal/exchange", "internal/testenv/attr", "internal/report", "internal/nethttp/serve", "internal/testenv/testname", "internal/nethttp/guard", "internal/orphans", "internal/testenv/shell", "internal/testenv/stack", "internal/group", "internal/memo"},
	"echoexec":                   {"", "internal/atomicfile", "internal/child", "internal/group", "internal/recorder", "internal/report"},
	"internal/child":             {"internal/nethttp/loopback", "internal/exchange", "internal/finding", "internal/interaction", "internal/memo", "internal/nethttp/request", "internal/recorder", "internal/sequence/idle"},
	"echofake":                   {"", "internal/asked", "internal/english", "internal/fakeprovider", "internal/interaction", "internal/nethttp/request", "internal/redact", "internal/testenv/stack"},
	"internal/asked":             {"internal/canon/conversation", "internal/interaction"},
	"echofault":                  {"internal/nethttp/websocket", "internal/report", "internal/exchange", "internal/canon", "internal/stream", "internal/interaction", "internal/nethttp/request"},
	"":                           {"internal/asked", "internal/group", "internal/interaction", "internal/recorder", "internal/report"},
	"internal/mutant":            {"internal/interaction"},
	"internal/quota":             {"internal/finding", "internal/interaction", "internal/testenv/bubble"},
	"internal/modelswap":         {"internal/memo"},
	"internal/recorder":          {"internal/quota", "internal/modelswap", "internal/testenv/attr", "internal/mutant", "internal/recorder/script", "internal/finding/advice", "internal/finding", "internal/english", "internal/group", "internal/testenv/lock", "internal/recorder/missed", "internal/testenv/bubble", "internal/recorder/function", "internal/orphans", "internal/testenv/shell", "internal/testenv/stack", "internal/tape", "internal/exchange", "internal/report", "internal/diff/compare", "internal/canon/said", "internal/redact", "internal/canon", "internal/canon/fieldpath", "internal/cassette", "internal/interaction", "internal/nethttp/request", "internal/memo", "internal/nethttp/urls", "internal/canon/chance", "internal/recorder/volatile"},
	"echosnap":                   {"internal/english", "", "internal/snapshot/ending", "internal/recorder", "internal/diff", "echosnap/internal/inline", "internal/interaction", "internal/snapshot/judge", "internal/redact", "internal/report", "internal/snapshot/route", "internal/testenv/shell", "internal/snapshot", "internal/testenv/stack", "internal/testenv/testname"},
	"internal/recorder/missed":   {"internal/canon", "internal/atomicfile"},
	"internal/recorder/function": {"internal/memo", "internal/cassette/codec", "internal/exactjson", "internal/interaction"},
	"internal/diff/compare":      {"internal/group", "internal/diff", "internal/canon/said", "internal/canon/transcript", "internal/canon", "internal/interaction", "internal/exactjson", "internal/canon/chance"},
	"internal/canon/said":        {"internal/canon", "internal/canon/transcript", "internal/interaction", "internal/exactjson"},
	"internal/canon/transcript":  {"internal/exactjson", "internal/group"},
	"internal/nethttp/urls":      {"internal/memo"},
	"internal/nethttp/upload":    {"internal/memo"},
	"internal/nethttp/websocket": {},
	"internal/nethttp/form":      {"internal/memo", "internal/group", "internal/nethttp/coding", "internal/interaction"},
	"internal/tape":              {"internal/memo", "internal/finding", "internal/group", "internal/testenv/stack", "internal/canon/ids", "internal/sequence", "internal/cassette/rerecord", "internal/redact", "internal/canon/said", "internal/canon", "internal/cassette", "internal/interaction", "internal/canon/jsonrpc"},
	"internal/exchange":          {"internal/session", "internal/nethttp/websocket", "internal/memo", "internal/testenv/bubble", "internal/nethttp/guard", "internal/sequence", "internal/sequence/idle", "internal/interaction", "internal/nethttp/request", "internal/stream", "internal/nethttp/coding", "internal/canon/jsonrpc"},
	"internal/diff":              {"internal/memo", "internal/english", "internal/group", "internal/nethttp/upload", "internal/canon", "internal/canon/fieldpath", "internal/exactjson"},
	"internal/canon/perrun":      {"internal/exactjson", "internal/memo"},
	"internal/canon":             {"internal/canon/perrun", "internal/group", "internal/nethttp/upload", "internal/nethttp/urls", "internal/canon/transcript", "internal/canon/fieldpath", "internal/interaction", "internal/exactjson", "internal/nethttp/coding", "internal/memo", "internal/canon/chance"},
	"internal/diff/question":     {"internal/diff", "internal/canon", "internal/exactjson", "internal/interaction"},
	"internal/redact":            {"internal/canon/chance", "internal/group", "internal/interaction", "internal/exactjson", "internal/nethttp/coding", "internal/memo", "internal/redact/carrier"},
	"internal/stream":            {"internal/memo"},
	"internal/cassette":          {"internal/atomicfile", "internal/interaction", "internal/cassette/codec", "internal/cassette/alias", "internal/cassette/yaml"},
	"internal/cassette/codec":    {"internal/finding", "internal/group", "internal/nethttp/form", "internal/nethttp/upload", "internal/interaction", "internal/exactjson", "internal/cassette/yaml", "internal/cassette/alias", "internal/memo"},
	"internal/cassette/alias":    {"internal/group", "internal/cassette/yaml", "internal/memo"},
	"internal/cassette/yaml":     {"internal/exactjson", "internal/group"},
	"internal/exactjson":         {"internal/memo"},
	"internal/interaction":       {"internal/memo", "internal/group", "internal/stream"},
	"internal/nethttp/request":   {"internal/memo", "internal/nethttp/urls", "internal/nethttp/coding", "internal/nethttp/upload"},
	"internal/nethttp/serve":     {"internal/nethttp/webserver", "internal/nethttp/loopback", "internal/nethttp/urls", "internal/nethttp/request", "internal/memo", "internal/testenv/bubble"},
	"internal/nethttp/loopback":  {},
	"internal/nethttp/webserver": {},
	"internal/nethttp/authority": {},
	"internal/nethttp/gate":      {},
	"internal/nethttp/proxy":     {"internal/nethttp/loopback", "internal/nethttp/webserver", "internal/nethttp/authority", "internal/nethttp/gate", "internal/nethttp/urls"},
	"internal/nethttp/front":     {"internal/nethttp/loopback", "internal/nethttp/gate", "internal/nethttp/proxy"},
	"internal/nethttp/coding":    {},
	"internal/testenv/testname":  {},
	"internal/testenv/tests":     {"internal/memo", "internal/testenv/testname"},
	"internal/orphans":           {"internal/group", "internal/memo", "internal/testenv/shell", "internal/tape", "internal/testenv/testname", "internal/testenv/tests"},
	"internal/testenv/shell":     {},
	"internal/testenv/keys":      {},
	"internal/testenv/lock":      {"internal/memo", "internal/group", "internal/testenv/shell", "internal/testenv/testname"},
	"internal/testenv/stack":     {"internal/memo"},
	"internal/nethttp/guard":     {"internal/nethttp/urls", "internal/testenv/stack"},
	"internal/testing/txtar":     {},
	"internal/cassette/rerecord": {"internal/nethttp/form", "internal/interaction", "internal/exactjson", "internal/canon/chance"},
	"internal/testing/seeds":     {"internal/interaction", "internal/testenv/shell"},
	"internal/testing/socket":    {"internal/nethttp/websocket"},
	"internal/testing/full":      {},
	"internal/testing/schema":    {},
	"internal/testing/tree":      {},
	"internal/report":            {"internal/finding/advice", "internal/finding", "internal/english", "internal/orphans", "internal/memo", "internal/nethttp/urls", "internal/group", "internal/testenv/attr", "internal/testenv/shell", "internal/testenv/stack", "internal/testenv/testname", "internal/tape", "internal/diff/compare", "internal/diff", "internal/canon", "internal/canon/fieldpath", "internal/interaction", "internal/exactjson", "internal/redact", "internal/canon/chance", "internal/testenv/bubble", "internal/diff/question"},
	"internal/testing/encode":    {},
	"internal/canon/fieldpath":   {"internal/exactjson"},
	"internal/sequence":          {"internal/sequence/idle", "internal/testenv/bubble", "internal/interaction", "internal/testenv/stack"},
	"internal/sequence/idle":     {"internal/testenv/bubble"},
	"internal/testenv/bubble":    {},
	"internal/canon/ids":         {"internal/exactjson", "internal/interaction"},
	"internal/english":           {},
	"internal/finding/advice":    {},
	"internal/finding":           {},
	"internal/models":            {"internal/interaction", "internal/memo"},
	"internal/group":             {},
	"internal/memo":              {},
	"internal/canon/chance":      {"internal/memo", "internal/testenv/shell"},
	"internal/canon/jsonrpc":     {"internal/exactjson", "internal/interaction"},
	"internal/testenv/attr":      {"internal/finding", "internal/finding/advice", "internal/atomicfile"},
	"internal/fakeprovider":      {"internal/english", "internal/nethttp/websocket"},
	"internal/session":           {},
	"internal/recorder/script":   {"internal/mutant", "internal/canon/chance", "internal/canon/perrun", "internal/exactjson", "internal/recorder/missed", "internal/canon", "internal/exchange", "internal/interaction", "internal/redact", "internal/report", "internal/session", "internal/tape"},
	"internal/recorder/volatile": {"internal/canon", "internal/exactjson", "internal/canon/fieldpath", "internal/memo", "internal/testenv/shell"},
	"internal/testing/arch":      {},
	"cmd/promptecho":             {"internal/modelswap", "cmd/promptecho/internal/limits", "internal/quota", "internal/models", "cmd/promptecho/internal/mutate", "cmd/promptecho/internal/mutation", "internal/nethttp/loopback", "internal/child", "internal/report", "internal/testenv/keys", "internal/finding", "internal/english", "internal/nethttp/urls", "internal/atomicfile", "internal/orphans", "internal/canon/chance", "internal/cassette/rewrite", "internal/lint", "cmd/promptecho/internal/observe", "internal/accept", "internal/cassette/fit", "internal/cassette/merge", "internal/recorder/missed", "internal/testenv/attr", "internal/testenv/suite", "internal/testenv/testname", "internal/canon/conversation", "cmd/promptecho/internal/changes", "internal/exchange", "internal/exactjson", "internal/cassette", "internal/interaction", "internal/canon", "internal/canon/fieldpath", "cmd/internal/demo", "internal/diff", "cmd/promptecho/internal/foreign", "cmd/promptecho/internal/page", "internal/redact", "internal/canon/said", "internal/testenv/shell", "internal/testenv/tests", "cmd/promptecho/internal/prove", "internal/snapshot", "internal/snapshot/judge", "internal/nethttp/request", "cmd/promptecho/internal/control", "cmd/promptecho/internal/serveoptions", "cmd/promptecho/internal/setup", "internal/recorder", "internal/testenv/lock"},
	"internal/redact/carrier":    {"internal/exactjson", "internal/group"},

	"cmd/demo": {"cmd/internal/demo"},

	"action/promptecho-action":    {"internal/english", "internal/finding", "internal/redact", "internal/testenv/keys"},
	"internal/testing/fakegithub": {},

	"internal/testing/environ": {},
	"internal/testing/proxied": {},
	"internal/testing/needs":   {},

	// Nothing but tests: the reader of cassettes as it was, beside the one of today.
	"internal/cassette/oldreader": {},

	"internal/atomicfile": {},

	// What only tests with package echosnap link, and the command.
	"internal/snapshot":        {"internal/memo", "internal/atomicfile", "internal/canon", "internal/cassette", "internal/exactjson", "internal/canon/fieldpath", "internal/redact", "internal/testenv/testname"},
	"internal/snapshot/ending": {"internal/english", "internal/group", "internal/snapshot", "internal/testenv/shell", "internal/testenv/tests"},
	"internal/snapshot/route":  {"internal/canon", "internal/canon/conversation", "internal/exactjson", "internal/interaction", "internal/snapshot/judge", "internal/canon/said"},
	"internal/snapshot/judge":  {"internal/redact"},
	"echosnap/internal/inline": {"internal/redact"},

	// What only the command links.
	"cmd/promptecho/internal/serveoptions": {"internal/recorder", "internal/group", "internal/testenv/shell", "internal/cassette/yaml", "internal/finding/advice"},
	"cmd/promptecho/internal/control":      {"internal/nethttp/webserver", "internal/finding/advice", "internal/nethttp/front", "internal/nethttp/gate", "internal/nethttp/proxy", "internal/finding", "internal/english", "internal/recorder", "internal/redact", "internal/report", "internal/nethttp/serve", "internal/testenv/testname", "internal/nethttp/urls", "cmd/promptecho/internal/serveoptions"},
	"cmd/promptecho/internal/foreign":      {"internal/exchange", "internal/recorder/script", "internal/finding", "internal/canon", "internal/cassette", "internal/cassette/codec", "internal/nethttp/coding", "internal/exactjson", "internal/recorder/function", "internal/interaction", "internal/redact", "internal/canon/said", "internal/stream", "internal/tape", "internal/cassette/yaml"},
	"cmd/internal/demo":                    {"internal/testenv/shell"},
	"internal/lint":                        {"internal/redact", "internal/nethttp/urls"},
	"cmd/promptecho/internal/setup":        {"internal/testenv/shell", "internal/testenv/suite"},
	"cmd/promptecho/internal/observe":      {"internal/finding", "internal/nethttp/urls", "internal/testenv/stack", "internal/canon", "internal/interaction"},
	"cmd/promptecho/internal/page":         {"internal/english", "internal/redact"},
	"cmd/promptecho/internal/limits":       {"internal/english", "internal/finding", "internal/interaction", "internal/models", "internal/nethttp/loopback", "internal/quota", "internal/testenv/shell"},
	"internal/testenv/suite":               {"internal/finding", "internal/atomicfile", "internal/testenv/attr"},
	"internal/cassette/fit":                {"internal/finding", "internal/cassette", "internal/interaction", "internal/redact"},
	"internal/cassette/rewrite":            {"internal/cassette", "internal/cassette/codec", "internal/interaction", "internal/testenv/shell"},
	"internal/cassette/merge":              {"internal/cassette", "internal/cassette/rerecord", "internal/canon", "internal/interaction"},
	"internal/accept":                      {"internal/finding", "internal/canon/conversation", "internal/canon/said", "internal/recorder/missed", "internal/cassette/codec", "internal/canon", "internal/canon/fieldpath", "internal/diff", "internal/interaction", "internal/diff/question"},
	"internal/canon/conversation":          {"internal/finding", "internal/nethttp/form", "internal/sequence", "internal/canon/said", "internal/canon", "internal/canon/fieldpath", "internal/interaction", "internal/exactjson"},
	"cmd/promptecho/internal/changes":      {"internal/canon/conversation", "internal/nethttp/urls", "internal/canon/said", "internal/diff", "internal/canon", "internal/interaction", "internal/exactjson", "internal/canon/chance"},
	"cmd/promptecho/internal/mutate":       {"cmd/promptecho/internal/mutation", "internal/cassette", "internal/interaction", "internal/mutant", "internal/testenv/suite"},
	"cmd/promptecho/internal/mutation":     {"internal/canon", "internal/exactjson", "internal/fakeprovider", "internal/interaction"},
	"cmd/promptecho/internal/prove":        {"internal/finding/advice", "internal/finding", "internal/testenv/suite", "internal/testenv/attr", "internal/canon/chance"},
}

// required lists the modules that go.mod may require, and who may import packages of them:
// what no test links.
var required = map[string][]string{
	"github.com/goccy/go-yaml": {"cmd/promptecho/internal/foreign"},
	"github.com/sergi/go-diff": {"cmd/promptecho"},
	"golang.org/x/tools":       {"internal/lint", "cmd/promptecho"},
}

// restricted is what of the standard library only some may import.
var restricted = map[string][]string{
	"net/http": {"", "internal/recorder", "internal/asked", "echofake", "echofault", "echotest", "internal/nethttp/serve", "internal/tape", "internal/exchange", "internal/nethttp/request", "internal/nethttp/websocket", "internal/fakeprovider", "internal/testing/socket", "cmd/promptecho", "internal/nethttp/guard", "internal/nethttp/gate", "internal/nethttp/proxy", "internal/nethttp/front", "internal/nethttp/webserver", "internal/testing/proxied", "cmd/promptecho/internal/control", "action/promptecho-action", "internal/testing/fakegithub", "internal/child", "cmd/promptecho/internal/mutation"},
	"testing":  {"", "echoexec", "internal/recorder", "internal/snapshot/ending", "echotest", "echofake", "echofault", "echosnap", "internal/testing/full", "internal/testing/proxied", "internal/testing/socket"},
}

// A pkg is a package as go list prints it.
type pkg struct {
	ImportPath string
	Dir        string
	Standard   bool
	GoFiles    []string
	Imports    []string
	Export     string // the file with its export data
}

// listed returns all packages of the module and all that they import, by import path. One
// go list does for all tests.
var listed = sync.OnceValues(func() (map[string]pkg, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-buildvcs=false", "-json=ImportPath,Dir,Standard,GoFiles,Imports,Export", "./...")
	cmd.Dir = filepath.Join("..", "..", "..")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	all := map[string]pkg{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all[p.ImportPath] = p
	}
})

// everything returns what listed returns.
func everything(t *testing.T) map[string]pkg {
	t.Helper()
	all, err := listed()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// packages returns the packages of the module, sorted by import path, without those below
// tests: they use promptecho as a user does, and look behind it where they must.
func packages(t *testing.T) (ours []pkg) {
	t.Helper()
	all := everything(t)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if isOurs(path) && !strings.HasPrefix(path, module+"/tests/") {
			ours = append(ours, all[path])
		}
	}
	return ours
}

// linkedBy returns the import paths of some packages and of all that they import, directly
// or not, without those of the standard library.
func linkedBy(t *testing.T, paths ...string) []string {
	t.Helper()
	all := everything(t)
	linked := map[string]bool{}
	for len(paths) > 0 {
		path := paths[0]
		paths = paths[1:]
		p, ok := all[path]
		if !ok && path != "unsafe" && path != "C" {
			t.Fatalf("go list has no package %q", path)
		}
		if p.Standard || linked[path] || !ok {
			continue
		}
		linked[path] = true
		paths = append(paths, p.Imports...)
	}
	return slices.Sorted(maps.Keys(linked))
}

// isOurs reports whether a package is one of this module.
func isOurs(path string) bool { return path == module || strings.HasPrefix(path, module+"/") }

func TestImports(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range packages(t) {
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		seen[name] = true
		for _, broken := range check(name, p.Imports) {
			t.Error(broken)
		}
		for _, own := range rooms[name] {
			path := strings.TrimSuffix(module+"/"+own, "/")
			if !slices.Contains(p.Imports, path) {
				t.Errorf("%s may import %s, and does not: take it out of the table", name, path)
			}
		}
	}
	for name := range rooms {
		if !seen[name] {
			t.Errorf("the table has a room %q that does not exist", name)
		}
	}
}

// check returns what is wrong with the imports of a package.
func check(name string, imports []string) (broken []string) {
	allowed, ok := rooms[name]
	if !ok {
		return []string{fmt.Sprintf("%s is a room without a place in the table: say what it may import", name)}
	}
	for _, imp := range imports {
		own, isOurs := strings.CutPrefix(imp, module)
		own = strings.TrimPrefix(own, "/")
		if isOurs {
			if !slices.Contains(allowed, own) {
				broken = append(broken, fmt.Sprintf("%s imports %s: data flows one way, a package knows only what is below it", name, imp))
			}
			continue
		}
		if who, ok := restricted[imp]; ok && !slices.Contains(who, name) {
			broken = append(broken, fmt.Sprintf("%s imports %s: only %q may", name, imp, who))
		}
		if first, _, _ := strings.Cut(imp, "/"); !strings.Contains(first, ".") {
			continue
		}
		if slices.ContainsFunc(slices.Collect(maps.Keys(required)), func(m string) bool {
			return (imp == m || strings.HasPrefix(imp, m+"/")) && slices.Contains(required[m], name)
		}) {
			continue
		}
		broken = append(broken, fmt.Sprintf("%s imports %s: what a test links is the standard library and ours, and heavy things live in nested modules", name, imp))
	}
	return broken
}

// The check can fail.
func TestImportsAreChecked(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, imp, want string }{
		{"internal/cassette", module + "/internal/canon", "data flows one way"},
		{"internal/canon", module, "data flows one way"},
		{"internal/canon", "net/http", "only"},
		{"internal/canon", "github.com/goccy/go-yaml/ast", "nested modules"},
		{"internal/diff", "github.com/sergi/go-diff/diffmatchpatch", "nested modules"},
		{"", "github.com/stretchr/testify/assert", "nested modules"},
		{"cmd/promptecho/internal/foreign", "github.com/goccy/go-yaml2", "nested modules"},
		{"internal/helpers", "fmt", "without a place"},
	} {
		if got := strings.Join(check(tt.name, []string{tt.imp}), "\n"); !strings.Contains(got, tt.want) {
			t.Errorf("%s importing %s: %q, want %q", tt.name, tt.imp, got, tt.want)
		}
	}
	if got := check("internal/diff", []string{"fmt", module + "/internal/canon"}); got != nil {
		t.Errorf("allowed imports: %q", got)
	}
}

// What go.mod requires is for the command: a user's test links nothing but the standard
// library and ours.
func TestRequirements(t *testing.T) {
	t.Parallel()
	mod, err := os.ReadFile(filepath.Join("..", "..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^(?:require)?\s+([\w./-]+\.[\w./-]+) v\S+`).FindAllStringSubmatch(string(mod), -1) {
		if required[m[1]] == nil && !strings.Contains(m[0], "// indirect") {
			t.Errorf("go.mod requires %s: heavy things live in nested modules", m[1])
		}
	}
	linked := linkedBy(t, module, module+"/echotest", module+"/echofake", module+"/echofault", module+"/echosnap")
	for _, p := range linked {
		if !isOurs(p) {
			t.Errorf("a test links %s", p)
		}
	}
	if len(linked) < 10 {
		t.Errorf("%d packages linked: is this the module?", len(linked))
	}
}

// secrets are the shapes of what must never be in a cassette. Our own fake
// keys all start with echo-secret.
var secrets = map[string]*regexp.Regexp{
	"a key of our tests":  regexp.MustCompile(`echo-secret-[a-z0-9-]+`),
	"an OpenAI key":       regexp.MustCompile(`\bsk-(proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}`),
	"an Anthropic key":    regexp.MustCompile(`\bsk-ant-[A-Za-z0-9_-]{10,}`),
	"an AWS key id":       regexp.MustCompile(`\b(AKIA|ASIA)[A-Z0-9]{16}\b`),
	"a Google key":        regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{35}`),
	"a Google token":      regexp.MustCompile(`\bya29\.[A-Za-z0-9_-]{10,}`),
	"a GitHub token":      regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9]{30,}`),
	"a Slack token":       regexp.MustCompile(`\bxox[abprs]-[A-Za-z0-9-]{10,}`),
	"a Hugging Face key":  regexp.MustCompile(`\bhf_[A-Za-z0-9]{30,}`),
	"a Groq key":          regexp.MustCompile(`\bgsk_[A-Za-z0-9]{30,}`),
	"an xAI key":          regexp.MustCompile(`\bxai-[A-Za-z0-9]{30,}`),
	"a JWT":               regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}`),
	"a private key":       regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----`),
	"a credential header": regexp.MustCompile(`(?i)["{ ](authorization|x-api-key|api-key|x-goog-api-key|set-cookie|cookie)"?: `),
}

func findSecrets(data []byte) (found []string) {
	for what, re := range secrets {
		if loc := re.FindIndex(data); loc != nil {
			found = append(found, fmt.Sprintf("line %d holds %s", 1+bytes.Count(data[:loc[0]], []byte("\n")), what))
		}
	}
	slices.Sort(found)
	return found
}

func TestNoSecretInAnyCassette(t *testing.T) {
	t.Parallel()
	cassettes := 0
	err := filepath.WalkDir(filepath.Join("..", "..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() == ".git" {
			return errorsOrSkip(err)
		}
		slash := filepath.ToSlash(path)
		if d.IsDir() || !strings.Contains(slash, "testdata/cassettes/") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		cassettes++
		for _, f := range findSecrets(data) {
			t.Errorf("%s: %s", slash, f)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if cassettes < 3 {
		t.Errorf("%d cassettes found: is this the repository?", cassettes)
	}
}

func errorsOrSkip(err error) error {
	if err != nil {
		return err
	}
	return filepath.SkipDir
}

// The search can find.
func TestSecretsAreFound(t *testing.T) {
	t.Parallel()
	pad := strings.Repeat("a1B2", 12)
	for what, text := range map[string]string{
		"a key of our tests":  "echo-" + "secret-of-mine",
		"an OpenAI key":       "sk-proj-" + pad,
		"an Anthropic key":    "sk-ant-" + pad,
		"an AWS key id":       "AKIA" + "ABCDEFGHIJKLMNOP",
		"a Google key":        "AIza" + pad,
		"a Google token":      "ya29." + pad,
		"a GitHub token":      "ghp_" + pad,
		"a Slack token":       "xoxb-" + pad,
		"a Hugging Face key":  "hf_" + pad,
		"a Groq key":          "gsk_" + pad,
		"an xAI key":          "xai-" + pad,
		"a JWT":               "eyJ" + pad + ".eyJ" + pad,
		"a private key":       "-----BEGIN RSA " + "PRIVATE KEY-----",
		"a credential header": "  authorization: Bearer",
	} {
		if found := strings.Join(findSecrets([]byte("line\n  x: "+text+" ")), "; "); !strings.Contains(found, "line 2 holds "+what) {
			t.Errorf("%s is not found: %q", what, found)
		}
	}
	if found := findSecrets([]byte("headers: {x-request-id: req_1}\ntext: my risk-averse task")); found != nil {
		t.Errorf("found %q in harmless text", found)
	}
}

// writers lists who may write a file otherwise than by internal/atomicfile, and
// why a file that is half written does no harm there.
var writers = map[string]string{
	"internal/atomicfile":             "writes the temporary file",
	"internal/cassette":               "appends to the journal, each frame with its checksum",
	"internal/mutant":                 "appends notes for promptecho mutate",
	"internal/testing/tree":           "writes the files of a test",
	"internal/nethttp/authority":      "writes certificates into a new folder, before the program that reads them starts",
	"internal/nethttp/request":        "keeps a large body in a temporary file",
	"cmd/internal/demo":               "makes a folder of its own",
	"cmd/promptecho":                  "writes the page of view, and an empty file for go vet",
	"cmd/promptecho/internal/mutate":  "keeps copies of files, plans and changed answers in a temporary folder, and puts files back",
	"cmd/promptecho/internal/observe": "makes the overlay of one go test",
	"action/promptecho-action":        "appends to the files of the runner",
}

// writes matches the calls of package os that write a file.
var writes = regexp.MustCompile(`\bos\.(WriteFile|Create|CreateTemp|OpenFile)\(`)

// TestWhoWritesFiles: a cassette is written whole or not at all.
func TestWhoWritesFiles(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, p := range packages(t) {
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		for _, file := range p.GoFiles {
			source, err := os.ReadFile(filepath.Join(p.Dir, file))
			if err != nil {
				t.Fatal(err)
			}
			if !writes.Match(source) {
				continue
			}
			found[name] = true
			if writers[name] == "" {
				t.Errorf("%s/%s writes a file: use internal/atomicfile, or say in writers why not", name, file)
			}
		}
	}
	for name := range writers {
		if !found[name] {
			t.Errorf("%s writes no file: take it out of writers", name)
		}
	}
}
