package orphans

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/tape"
	"github.com/promptecho/promptecho/internal/testing/needs"
	"github.com/promptecho/promptecho/internal/testing/tree"
)

const askURL = "https://api.openai.com/v1/chat/completions"

// askBody returns the body of a request with this prompt.
func askBody(text string) string {
	return fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":%q}]}`, text)
}

// recorded returns a cassette with these prompts.
func recorded(texts ...string) string {
	list := "version: 1\ninteractions:\n"
	for _, text := range texts {
		list += fmt.Sprintf("- kind: llm\n  request: {method: POST, url: %q, headers: {content-type: application/json}, body: '%s'}\n  response: {status: 200}\n", askURL, askBody(text))
	}
	return list
}

// said returns an advice in a line, with paths below a folder.
func said(a *Advice, dir string) string {
	if a == nil {
		return "record"
	}
	var parts []string
	for _, pair := range a.Moves {
		parts = append(parts, "mv "+pair[0]+" "+pair[1])
	}
	if len(a.Sources) > 0 {
		parts = append(parts, fmt.Sprintf("from %s, level %d", strings.Join(a.Sources, " "), a.Level))
	}
	if len(parts) == 0 {
		parts = append(parts, fmt.Sprintf("%d to choose from", len(a.Cassettes)))
	}
	text := strings.Join(parts, "; ")
	text = strings.ReplaceAll(text, filepath.FromSlash("testdata/cassettes/"), "")
	return filepath.ToSlash(strings.ReplaceAll(text, dir+string(filepath.Separator), ""))
}

const (
	splitTest  = `func TestX(t *testing.T) { for _, s := range list { t.Run(s, func(t *testing.T) { use(echotest.New(t)) }) } }`
	ownTest    = `func TestX(t *testing.T) { use(echotest.New(t)) }`
	bothTest   = `func TestX(t *testing.T) { use(echotest.New(t)); t.Run("a", func(t *testing.T) { use(echotest.New(t)) }) }`
	helperTest = `func TestX(t *testing.T) { other.Cases(t); t.Run("a", func(t *testing.T) { use(echotest.New(t)) }) }`
	namedRows  = `func TestX(t *testing.T) { for _, s := range []string{"a", "b"} { t.Run(s, func(t *testing.T) { use(echotest.New(t)) }) } }`
	madeRows   = `func TestX(t *testing.T) { for _, s := range []string{"a", "b"} { t.Run(s + "-1", func(t *testing.T) { use(echotest.New(t)) }); t.Run(s, nil) } }`
)

// searches are tests without a cassette that ask for something.
var searches = []struct {
	name  string
	files map[string]string // test files, and cassettes with the prompts that they have
	own   string            // the package of the test, and its name
	asks  []string
	want  string
}{
	{"nothing is left over", map[string]string{"a": ownTest + `; func TestY(t *testing.T) {}`, "a/TestY": "hi"}, "a TestX", []string{"hi"}, "record"},
	{"renamed", map[string]string{"a": ownTest, "a/TestOld": "hi"}, "a TestX", []string{"hi"}, "mv a/TestOld.yaml a/TestX.yaml"},
	{"renamed, and others ask the same", map[string]string{"a": ownTest + `; func TestY(t *testing.T) {}`, "a/TestOld": "hi,old", "a/TestY": "hi,ho"}, "a TestX", []string{"hi", "old"}, "mv a/TestOld.yaml a/TestX.yaml"},
	{"an orphan with nothing that others do not have", map[string]string{"a": ownTest + `; func TestY(t *testing.T) {}`, "a/TestOld": "hi", "a/TestY": "hi,ho"}, "a TestX", []string{"hi"}, "record"},
	{"a new row after a split", map[string]string{"a": splitTest, "a/TestX": "hi,ho", "a/TestX/one": "hi", "a/TestX/two": "ho"}, "a TestX/three", []string{"hi"}, "record"},
	{"a new test after a split", map[string]string{"a": ownTest + `; func TestOne(t *testing.T) {}; func TestTwo(t *testing.T) {}`, "a/TestOld": "hi,ho", "a/TestOne": "hi", "a/TestTwo": "ho"}, "a TestX", []string{"hi"}, "record"},
	{"renamed, and it may have been split", map[string]string{"a": ownTest, "a/TestOld": "hi,two"}, "a TestX", []string{"hi"}, "mv a/TestOld.yaml a/TestX.yaml; from a/TestOld.yaml, level 0"},
	{"renamed, asks something else", map[string]string{"a": ownTest, "a/TestOld": "hi"}, "a TestX", []string{"ho"}, "record"},
	{"a request in three orphans", map[string]string{"a": ownTest, "a/TestOld": "hi", "a/TestOlder": "hi", "a/TestOldest": "hi"}, "a TestX", []string{"hi"},
		"mv a/TestOld.yaml a/TestX.yaml; mv a/TestOlder.yaml a/TestX.yaml; mv a/TestOldest.yaml a/TestX.yaml"},
	{"a request in four orphans", map[string]string{"a": ownTest, "a/TestOld": "hi", "a/TestOlder": "hi", "a/TestOldest": "hi", "a/TestFirst": "hi"}, "a TestX", []string{"hi"}, "4 to choose from"},
	{"renamed with its subtests", map[string]string{"a": splitTest, "a/TestOld/one": "hi", "a/TestOld/two": "ho"}, "a TestX/one", []string{"hi"}, "mv a/TestOld a/TestX"},

	{"moved", map[string]string{"a": `func TestA(t *testing.T) {}`, "a/TestX": "hi", "b": ownTest}, "b TestX", []string{"hi"}, "mv a/TestX.yaml b/TestX.yaml"},
	{"moved with its subtests", map[string]string{"a": `func TestA(t *testing.T) {}`, "a/TestX/one": "hi", "b": splitTest}, "b TestX/one", []string{"hi"}, "mv a/TestX b/TestX"},
	{"moved and renamed", map[string]string{"a": `func TestA(t *testing.T) {}`, "a/TestOld": "hi", "b": ownTest}, "b TestX", []string{"hi"}, "mv a/TestOld.yaml b/TestX.yaml"},
	{"moved and renamed with its subtests", map[string]string{"a": `func TestA(t *testing.T) {}`, "a/TestOld/one": "hi", "b": splitTest}, "b TestX/one", []string{"hi"}, "mv a/TestOld b/TestX"},
	{"moved without testdata", map[string]string{"a/TestX": "hi", "b": ownTest}, "b TestX", []string{"hi"}, "mv a/TestX.yaml b/TestX.yaml"},
	{"a folder without Go files, another name", map[string]string{"a/TestOther": "hi", "b": ownTest}, "b TestX", []string{"hi"}, "record"},
	{"a folder without Go files that the package opens", map[string]string{"a/TestX": "hi", "b": ownTest + `; var shared = "../a/testdata/cassettes/TestX.yaml"`}, "b TestX", []string{"hi"}, "record"},
	{"a copy in another package", map[string]string{"a": ownTest, "a/TestX": "hi", "b": ownTest}, "b TestX", []string{"hi"}, "record"},
	{"new, and a test of another package that is gone asked the same as others", map[string]string{"a": `func TestA(t *testing.T) {}`, "a/TestA": "hi", "a/TestOld": "hi", "b": ownTest}, "b TestX", []string{"hi"}, "record"},
	{"new, and others of its package ask the same", map[string]string{"a": `func TestA(t *testing.T) {}`, "a/TestOld": "hi", "b": ownTest + `; func TestB(t *testing.T) {}`, "b/TestB": "hi"}, "b TestX", []string{"hi"}, "record"},
	{"a nested module", map[string]string{"a": `func TestA(t *testing.T) {}`, "a/go.mod": "module a", "a/TestX": "hi", "b": ownTest}, "b TestX", []string{"hi"}, "record"},
	{"vendor", map[string]string{"vendor/a": `func TestA(t *testing.T) {}`, "vendor/a/TestX": "hi", "b": ownTest}, "b TestX", []string{"hi"}, "record"},
	{"a hidden folder", map[string]string{".a": `func TestA(t *testing.T) {}`, ".a/TestX": "hi", "b": ownTest}, "b TestX", []string{"hi"}, "record"},
	{"a file of another package that cannot be read", map[string]string{"a": `func TestA(t *testing.T) { (`, "a/TestX": "hi", "b": ownTest}, "b TestX", []string{"hi"}, "record"},

	{"split", map[string]string{"a": splitTest, "a/TestX": "hi,two"}, "a TestX/one", []string{"hi"}, "from a/TestX.yaml, level 0"},
	{"split, asks something else", map[string]string{"a": splitTest, "a/TestX": "hi,two"}, "a TestX/one", []string{"ho"}, "record"},
	{"split, but the test still opens a recorder", map[string]string{"a": bothTest, "a/TestX": "hi"}, "a TestX/a", []string{"hi"}, "record"},
	{"split, but a helper gets the parameter", map[string]string{"a": helperTest, "a/TestX": "hi"}, "a TestX/a", []string{"hi"}, "record"},
	{"split, but a file cannot be read", map[string]string{"a": splitTest + "\nfunc f() { (", "a/TestX": "hi"}, "a TestX/one", []string{"hi"}, "record"},
	{"split, but its cassette is mentioned", map[string]string{"a": splitTest + "\nvar shared = `TestX.yaml`", "a/TestX": "hi"}, "a TestX/one", []string{"hi"}, "record"},
	{"renamed and split", map[string]string{"a": splitTest, "a/TestOld": "hi,two"}, "a TestX/one", []string{"hi"}, "from a/TestOld.yaml, level 1"},
	{"a test becomes a row", map[string]string{"a": splitTest, "a/TestOld": "hi"}, "a TestX/one", []string{"hi"}, "mv a/TestOld.yaml a/TestX/one.yaml"},

	{"joined", map[string]string{"a": ownTest, "a/TestX/one": "hi", "a/TestX/two": "ho"}, "a TestX", []string{"hi"}, "from a/TestX, level 0"},
	{"joined, as mode none sees it", map[string]string{"a": ownTest, "a/TestX/one": "hi", "a/TestX/two": "ho"}, "a TestX", []string{"hi", "ho"}, "from a/TestX, level 0"},
	{"joined, but a test opens what is in the folder", map[string]string{"a": ownTest + `; func open(n string) { promptecho.Open("testdata/cassettes/TestX/" + n) }; func all() { use("testdata/cassettes/TestX") }`, "a/TestX/one": "hi"}, "a TestX", []string{"hi"}, "record"},
	{"joined of tests", map[string]string{"a": ownTest, "a/TestOld": "hi", "a/TestOlder": "ho", "a/TestOldest": "no"}, "a TestX", []string{"hi", "ho"}, "from a/TestOld.yaml a/TestOlder.yaml, level 0"},
	{"a new request in front of subtests", map[string]string{"a": bothTest, "a/TestX/a": "hi"}, "a TestX", []string{"hi"}, "record"},
	{"a suite", map[string]string{"a": `func TestX(t *testing.T) { suite.Run(t, new(s)) }; func (s *s) TestA() {}`, "a/TestX/TestA": "hi", "a/TestX": "hi"}, "a TestX/TestB", []string{"hi"}, "record"},

	{"a row becomes a test", map[string]string{"a": namedRows + `; func TestC(t *testing.T) {}`, "a/TestX/a": "ho", "a/TestX/c": "hi"}, "a TestC", []string{"hi"}, "mv a/TestX/c.yaml a/TestC.yaml"},
	{"a row becomes a test, and another asks the same", map[string]string{"a": namedRows + `; func TestC(t *testing.T) {}`, "a/TestX/a": "hi", "a/TestX/c": "hi"}, "a TestC", []string{"hi"}, "record"},
	{"a row whose name is put together", map[string]string{"a": madeRows + `; func TestC(t *testing.T) {}`, "a/TestX/a": "ho", "a/TestX/a-1": "hi"}, "a TestC", []string{"hi"}, "record"},
	{"rows become tests", map[string]string{"a": `func TestC(t *testing.T) {}`, "a/TestX/a": "hi", "a/TestX/b": "ho"}, "a TestC", []string{"hi"}, "mv a/TestX/a.yaml a/TestC.yaml"},
	{"a row is renamed", map[string]string{"a": namedRows, "a/TestX/a": "ho", "a/TestX/c": "hi"}, "a TestX/b", []string{"hi"}, "mv a/TestX/c.yaml a/TestX/b.yaml"},
	{"a row is renamed, and names are put together", map[string]string{"a": madeRows, "a/TestX/a": "ho", "a/TestX/c": "hi"}, "a TestX/b", []string{"hi"}, "mv a/TestX/c.yaml a/TestX/b.yaml"},
	{"a new row", map[string]string{"a": namedRows, "a/TestX/a": "hi"}, "a TestX/b", []string{"hi"}, "record"},
}

// A test without a cassette gets what no test opens any more; and one that is
// new is recorded, although it asks what others ask.
func TestSearch(t *testing.T) {
	t.Parallel()
	for _, tt := range searches {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"go.mod": "module m\n"}
			for name, text := range tt.files {
				folder, test, isCassette := strings.Cut(strings.TrimPrefix(name, "vendor/"), "/")
				if strings.HasPrefix(name, "vendor/") {
					folder = "vendor/" + folder
				}
				switch {
				case !isCassette:
					files[folder+"/x_test.go"] = "package x\n\n" + text + "\n"
				case test == "go.mod":
					files[name] = text
				default:
					files[folder+"/testdata/cassettes/"+test+".yaml"] = recorded(strings.Split(text, ",")...)
				}
			}
			dir := tree.New(t, files)
			folder, name, _ := strings.Cut(tt.own, " ")
			path := filepath.Join(dir, folder, "testdata", "cassettes", filepath.FromSlash(name)+".yaml")
			options := &canon.Options{}
			s := NewSearch(tape.New(tape.Config{Path: path, Name: path, Options: options, Plain: true}, &redact.Policy{}), path)

			var asked [][]string
			var first *tape.Match
			for _, text := range tt.asks {
				request := interaction.Request{Method: "POST", URL: askURL, Body: []byte(askBody(text)),
					Headers: []interaction.Header{{Name: "content-type", Values: []string{"application/json"}}}}
				c := &tape.Match{Call: tape.Call{Request: request}, Form: options.Form(&request)}
				asked = append(asked, s.tape.Keys(c))
				if first == nil {
					first = c
				}
			}
			if got := said(s.Advise(asked), dir); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
			if got, want := s.IsInOrphan(first), tt.want != "record"; got != want {
				t.Errorf("the first request is recorded elsewhere: %v, want %v", got, want)
			}
		})
	}
}

// A test that has a cassette, or that opens one elsewhere, is not searched for.
func TestSearchNot(t *testing.T) {
	t.Parallel()
	dir := tree.New(t, map[string]string{"go.mod": "module m\n", "a/x_test.go": "package x\n\n" + ownTest,
		"a/testdata/cassettes/TestOld.yaml": recorded("hi")})
	for _, path := range []string{"a/own.yaml", "own.yaml", "a/testdata/own.yaml"} {
		path = filepath.Join(dir, filepath.FromSlash(path))
		s := NewSearch(tape.New(tape.Config{Path: path, Name: path, Options: &canon.Options{}}, &redact.Policy{}), path)
		if s.IsInOrphan(nil) {
			t.Errorf("%s: it has nothing to do with tests", path)
		}
	}
	var none *Search
	if none.IsInOrphan(nil) || none.Advise(nil) != nil {
		t.Error("a recorder of no test")
	}
}

// Folders with tens of thousands of files that have no packages are not read.
func TestFoldersWithCassettes(t *testing.T) {
	t.Parallel()
	files := map[string]string{"go.mod": "module m\n"}
	for _, dir := range []string{"", "a/", "a/b/", "node_modules/x/", "_old/", ".git/", "vendor/x/", "nested/", "a/testdata/x/"} {
		files[dir+"testdata/cassettes/TestX.yaml"] = ""
	}
	files["nested/go.mod"] = "module nested\n"
	dir := tree.New(t, files)
	needs.Symlink(t, dir, filepath.Join(dir, "a", "loop"))
	var got []string
	for _, path := range foldersWithCassettes(dir) {
		rel, _ := filepath.Rel(dir, path)
		got = append(got, filepath.ToSlash(rel))
	}
	if want := ". a a/b"; strings.Join(got, " ") != want {
		t.Errorf("%s, want %s", strings.Join(got, " "), want)
	}
}
