// Package tests finds the tests of a package in its files, and the cassettes whose tests
// do not exist.
package tests

import (
	"cmp"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/testenv/testname"
)

// A Package has the tests of one package. A file for another system counts as well.
type Package struct {
	Functions []string            // Test, Benchmark and Fuzz functions
	Texts     map[string][]string // the texts in each of them
	Composes  map[string]bool     // those that may put texts together, such as names of subtests

	dir       string
	goFiles   int
	cassettes map[string]bool     // those of the functions, without ".yaml"
	mentioned map[string]bool     // the paths that texts in test files end in
	unread    error               // why a test file cannot be read; its content is not known
	scopes    map[string][]*scope // those of the functions in test files, by their names
}

var testFunction = memo.Regexp(`^(Test|Benchmark|Fuzz)`)

// IsTest reports whether a function of this name, or the part of one, is a test, a benchmark
// or a fuzz test.
func IsTest(name string) bool { return testFunction().MatchString(name) }

// In reads the package in a folder. It only splits the files into tokens: to parse them
// would link a parser into every test.
func In(dir string) *Package {
	entries, err := os.ReadDir(dir)
	p := &Package{
		Texts:     map[string][]string{},
		Composes:  map[string]bool{},
		dir:       dir,
		cassettes: map[string]bool{},
		mentioned: map[string]bool{},
		scopes:    map[string][]*scope{},
		unread:    err,
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".go" || e.IsDir() {
			continue
		}
		p.goFiles++
		if strings.HasSuffix(e.Name(), "_test.go") {
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			p.unread = cmp.Or(p.unread, err)
			p.read(text)
		}
	}
	return p
}

var errBrackets = scanner.Error{Msg: "a bracket is open or closed too often"}

// read adds what a test file has.
func (p *Package) read(text []byte) {
	words := p.split(text)
	depth, begin := 0, 0 // of brackets; the index of func in the function that is read
	function, test := "", ""
	for i, w := range words {
		switch w.tok {
		case token.LPAREN, token.LBRACE, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACE, token.RBRACK:
			depth--
			if w.tok == token.RBRACE && depth == 0 && function != "" {
				p.scopes[function] = append(p.scopes[function], readScopes(words[begin:i+1])...)
				function = ""
			}
		case token.FUNC, token.VAR, token.CONST, token.TYPE:
			if depth == 0 {
				function, test = "", ""
			}
		case token.ADD, token.ADD_ASSIGN:
			p.Composes[test] = true
		case token.IDENT:
			if slices.Contains(composing, w.lit) {
				p.Composes[test] = true
			}
			switch {
			case at(words, i-1).tok != token.FUNC:
			case depth != 0: // only at the top functions have names
				p.unread = errBrackets
			default:
				function, begin = w.lit, i-1
				test = p.addTest(function)
			}
		case token.STRING:
			if text, err := strconv.Unquote(w.lit); err == nil {
				p.mention(text)
				if test != "" {
					p.Texts[test] = append(p.Texts[test], text)
				}
			}
		}
	}
	if depth != 0 {
		p.unread = errBrackets
	}
}

// composing are the functions by which tests put names together, or find them in
// files.
var composing = []string{"Sprint", "Sprintf", "Join", "Itoa", "FormatInt", "Base", "Name", "String"}

// split splits a test file into tokens.
func (p *Package) split(text []byte) (words []word) {
	files := token.NewFileSet()
	var s scanner.Scanner
	s.Init(files.AddFile("", files.Base(), len(text)), text, func(_ token.Position, msg string) {
		p.unread = scanner.Error{Msg: msg}
	}, 0)
	for {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			return words
		}
		words = append(words, word{tok, lit})
	}
}

// addTest adds a function, if it is a test, and returns its name then.
func (p *Package) addTest(function string) string {
	if !IsTest(function) {
		return ""
	}
	p.Functions = append(p.Functions, function)
	p.cassettes[strings.TrimSuffix(testname.File(function), ".yaml")] = true
	return function
}

// mention adds the paths that a text ends in, which may name a file.
func (p *Package) mention(text string) {
	const longest = 1024 // in bytes, of what is a path
	for path, more := text, len(text) <= longest; more; _, path, more = strings.Cut(path, "/") {
		p.mentioned[path] = true
	}
}

// Lacks reports whether the package has no test for a cassette: the cassette has the name of
// a test, no function has this name, and no test file mentions the cassette. The path of the
// cassette is below the folder of the package. Subtests are not known before they run, so
// their function decides. Lacks is false in a folder without Go files, whose cassettes may
// belong to any package.
func (p *Package) Lacks(cassette string) bool {
	isKnown := p.HasGoFiles() && p.unread == nil
	if !isKnown || !IsTest(nameOf(cassette)) || p.Mentions(cassette) {
		return false
	}
	own := strings.TrimSuffix(cassette, ".yaml")
	for len(own) > len(testname.Folder) && !p.cassettes[own] {
		own = filepath.Dir(own) // the test of a subtest
	}
	return !p.cassettes[own]
}

// HasGoFiles reports whether the folder has Go files.
func (p *Package) HasGoFiles() bool { return p.goFiles > 0 }

// Mentions reports whether a text in a test file ends in the path of a
// cassette, below the folder of cassettes, or in a part of that from the end.
func (p *Package) Mentions(cassette string) bool {
	name := nameOf(cassette)
	return p.mentioned[name] || p.mentioned[strings.TrimSuffix(name, ".yaml")]
}

// nameOf returns the path of a cassette below the folder of cassettes.
func nameOf(cassette string) string {
	return strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(cassette, testname.Folder)), "/")
}
