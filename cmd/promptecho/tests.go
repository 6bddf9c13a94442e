package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/testname"
)

// The tests of packages, as their files say, read once for each folder.
type packageTests map[string]*testsIn

// testsIn are the tests of one package. A file for another system counts as well.
type testsIn struct {
	goFiles   int
	functions []string
	texts     map[string][]string // those in each of the functions
	mentioned map[string]bool     // the last segments of the texts in test files
	unread    error               // a test file that cannot be read: nobody knows what is in it
}

var testFunction = regexp.MustCompile(`^(Test|Benchmark|Fuzz)`)

// in returns the tests of the package in a folder.
func (p packageTests) in(dir string) *testsIn {
	if t, ok := p[dir]; ok {
		return t
	}
	t := &testsIn{texts: map[string][]string{}, mentioned: map[string]bool{}}
	p[dir] = t
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.unread = err
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".go" || e.IsDir() {
			continue
		}
		t.goFiles++
		if strings.HasSuffix(e.Name(), "_test.go") {
			t.read(filepath.Join(dir, e.Name()))
		}
	}
	return t
}

// read adds what a test file has.
func (t *testsIn) read(file string) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.unread = err
		return
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && testFunction.MatchString(fn.Name.Name) {
			t.functions = append(t.functions, fn.Name.Name)
			t.texts[fn.Name.Name] = textsIn(fn)
		}
	}
	for _, text := range textsIn(f) {
		t.mentioned[text[strings.LastIndex(text, "/")+1:]] = true
	}
}

// textsIn returns the texts in a piece of code.
func textsIn(code ast.Node) (texts []string) {
	ast.Inspect(code, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				texts = append(texts, text)
			}
		}
		return true
	})
	return texts
}

// testOf returns the test that a cassette is named after, and the folder of its package; ""
// if it is named after none.
func testOf(file string) (name, pkg string) {
	name, pkg, _ = testname.Of(file)
	if !testFunction.MatchString(name) {
		return "", ""
	}
	return name, pkg
}

// orphaned reports whether the test is gone that a cassette in testdata/cassettes is named
// after: no function of its package has the name, and no test file mentions the cassette.
// Subtests are not known before they run. Elsewhere, and in a folder without Go files,
// nobody knows who uses a cassette.
func (p packageTests) orphaned(file string) bool {
	abs, err := filepath.Abs(file)
	if err != nil {
		return false
	}
	i := strings.LastIndex(abs, string(filepath.Separator)+testname.Folder+string(filepath.Separator))
	if i < 0 {
		return false
	}
	tests := p.in(abs[:i])
	if tests.goFiles == 0 || tests.unread != nil {
		return false
	}
	base := filepath.Base(file)
	if tests.mentioned[base] || tests.mentioned[strings.TrimSuffix(base, ".yaml")] {
		return false
	}
	rest := abs[i+1:]
	for _, name := range tests.functions {
		own := testname.File(name)
		if rest == own || strings.HasPrefix(rest, strings.TrimSuffix(own, ".yaml")+string(filepath.Separator)) {
			return false
		}
	}
	return true
}
