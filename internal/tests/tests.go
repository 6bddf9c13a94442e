// Package tests says which tests a package has, as its files say, and which cassettes are
// those of tests that are gone.
package tests

import (
	"cmp"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/testname"
)

// A Package has the tests of one package. A file for another system counts as well.
type Package struct {
	Functions []string            // Test, Benchmark and Fuzz functions
	Texts     map[string][]string // the texts in each of them

	dir       string
	goFiles   int
	cassettes map[string]bool // those of the functions, without ".yaml"
	mentioned map[string]bool // the paths that texts in test files end in
	unread    error           // a test file that cannot be read: nobody knows what is in it
}

var testFunction = regexp.MustCompile(`^(Test|Benchmark|Fuzz)`)

// IsTest reports whether a function of this name, or the part of one, is a test, a benchmark
// or a fuzz test.
func IsTest(name string) bool { return testFunction.MatchString(name) }

// In reads the package in a folder. It only splits the files into tokens: to parse them
// would link a parser into every test.
func In(dir string) *Package {
	entries, err := os.ReadDir(dir)
	p := &Package{dir: dir, Texts: map[string][]string{}, cassettes: map[string]bool{}, mentioned: map[string]bool{}, unread: err}
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
	files := token.NewFileSet()
	var s scanner.Scanner
	s.Init(files.AddFile("", files.Base(), len(text)), text, func(_ token.Position, msg string) {
		p.unread = scanner.Error{Msg: msg}
	}, 0)
	depth, function := 0, "" // of brackets; the test that is read
	for last := token.ILLEGAL; ; {
		_, tok, lit := s.Scan()
		switch tok {
		case token.EOF:
			if depth != 0 {
				p.unread = errBrackets
			}
			return
		case token.LPAREN, token.LBRACE, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACE, token.RBRACK:
			depth--
		case token.FUNC, token.VAR, token.CONST, token.TYPE:
			if depth == 0 {
				function = ""
			}
		case token.IDENT:
			switch {
			case last != token.FUNC:
			case depth != 0: // only at the top functions have names
				p.unread = errBrackets
			case IsTest(lit):
				function = lit
				p.Functions = append(p.Functions, lit)
				p.cassettes[strings.TrimSuffix(testname.File(lit), ".yaml")] = true
			}
		case token.STRING:
			if text, err := strconv.Unquote(lit); err == nil {
				p.mention(text)
				if function != "" {
					p.Texts[function] = append(p.Texts[function], text)
				}
			}
		}
		last = tok
	}
}

// mention adds the paths that a text ends in, which may name a file.
func (p *Package) mention(text string) {
	const longest = 1024 // in bytes, of what is a path
	for path, more := text, len(text) <= longest; more; _, path, more = strings.Cut(path, "/") {
		p.mentioned[path] = true
	}
}

// Lacks reports whether the test of a cassette is gone: it is named as a test, no function of
// the package has the name, and no test file mentions the cassette, whose path is that below
// the folder of the package. Subtests are not known before they run. In a folder without Go
// files nobody knows who uses a cassette.
func (p *Package) Lacks(cassette string) bool {
	name := strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(cassette, testname.Folder)), "/")
	if !IsTest(name) || p.goFiles == 0 || p.unread != nil || p.mentioned[name] || p.mentioned[strings.TrimSuffix(name, ".yaml")] {
		return false
	}
	own := strings.TrimSuffix(cassette, ".yaml")
	for len(own) > len(testname.Folder) && !p.cassettes[own] {
		own = filepath.Dir(own) // the test of a subtest
	}
	return !p.cassettes[own]
}

// Cassettes returns the cassettes of the package's tests and, among them, those of tests
// that are gone, as paths below the folder of the package. What recordings leave beside a
// cassette does not count, nor does what cannot be read.
func (p *Package) Cassettes() (all, orphans []string) {
	_ = filepath.WalkDir(filepath.Join(p.dir, testname.Folder), func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil, e.IsDir() && strings.HasSuffix(path, ".assets"):
			return fs.SkipDir
		case e.IsDir() || filepath.Ext(path) != ".yaml" || strings.HasSuffix(path, ".derived.yaml"):
			return nil
		}
		if rel, err := filepath.Rel(p.dir, path); err == nil {
			all = append(all, rel)
			if p.Lacks(rel) {
				orphans = append(orphans, rel)
			}
		}
		return nil
	})
	return all, orphans
}
