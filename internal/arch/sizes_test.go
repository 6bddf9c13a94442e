package arch

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	maxFile     = 400  // lines of a file, with comments
	maxFunction = 60   // lines of a function
	maxRoom     = 3500 // lines of code of a package, without comments and blank lines
)

// tables are files of data, which may be longer.
var tables = []string{}

// TestSizes: a file and a function are short enough to be read in one go.
func TestSizes(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		for _, name := range p.GoFiles {
			path := filepath.Join(p.Dir, name)
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			short := filepath.Join(strings.TrimPrefix(p.ImportPath, module), name)
			if n := fset.File(f.Pos()).LineCount(); n > maxFile && !slices.Contains(tables, short) {
				t.Errorf("%s has %d lines, %d are allowed: it has more than one subject", short, n, maxFile)
			}
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
					if n := fset.Position(fn.End()).Line - fset.Position(fn.Pos()).Line + 1; n > maxFunction {
						t.Errorf("%s: %s has %d lines, %d are allowed: give its steps names", short, fn.Name.Name, n, maxFunction)
					}
				}
			}
		}
	}
}

// TestRooms: docs/DESIGN.md has every package that a user's test links, with about as
// many lines of code as it has. echofault is linked by few tests, and not in the sum.
func TestRooms(t *testing.T) {
	t.Parallel()
	linked := map[string]int{}
	for _, path := range linkedBy(t, module+"/echotest", module+"/echofault") {
		name := strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
		linked[name] = codeLines(t, everything(t)[path])
	}
	design, err := os.ReadFile(filepath.Join("..", "..", "docs", "DESIGN.md"))
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]int{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\| ([0-9,]+) \\|").FindAllStringSubmatch(string(design), -1) {
		told[m[1]], _ = strconv.Atoi(strings.ReplaceAll(m[2], ",", ""))
	}
	sum := 0
	for _, name := range slices.Sorted(maps.Keys(linked)) {
		lines := linked[name]
		if name != "echofault" {
			sum += lines
		}
		if name == "" {
			name = "promptecho"
		}
		if lines > maxRoom {
			t.Errorf("%s has %d lines of code, %d are allowed: split it where few calls cross", name, lines, maxRoom)
		}
		if n := told[name]; lines > n+n/10+10 || lines < n-n/10-10 {
			t.Errorf("docs/DESIGN.md says that %s has %d lines of code; it has %d", name, n, lines)
		}
	}
	if n := told["all"]; sum > n+n/20 || sum < n-n/20 {
		t.Errorf("docs/DESIGN.md says that all of them have %d lines of code; they have %d", n, sum)
	}
}

// codeLines returns how many lines of a package have code.
func codeLines(t *testing.T, p pkg) (n int) {
	t.Helper()
	for _, name := range p.GoFiles {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		file := token.NewFileSet().AddFile(name, -1, len(text))
		var s scanner.Scanner
		s.Init(file, text, nil, 0)
		lines := map[int]bool{}
		for {
			pos, tok, lit := s.Scan()
			if tok == token.EOF {
				break
			}
			if tok == token.SEMICOLON && lit == "\n" {
				continue
			}
			for i := range strings.Count(lit, "\n") + 1 {
				lines[file.Line(pos)+i] = true
			}
		}
		n += len(lines)
	}
	return n
}
