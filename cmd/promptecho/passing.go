package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/testenv/testname"
)

// A passingName is a selector that stands in Go source.
type passingName struct {
	selector string
	at       string // the file and line
}

// passingIn returns the selectors that the files of a package give to PassThrough as literals.
// What is put together when the test runs, nobody knows here.
func passingIn(dir string) (list []passingName) {
	files, _ := filepath.Glob(filepath.Join(dir, "*.go")) // no error, but for a bad pattern
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(text, []byte("PassThrough(")) {
			continue
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
		if err != nil {
			continue // the compiler says it better
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name, _ := call.Fun.(*ast.Ident)
			if of, ok := call.Fun.(*ast.SelectorExpr); ok {
				name = of.Sel
			}
			for _, arg := range call.Args {
				text, ok := arg.(*ast.BasicLit)
				if !ok || name == nil || name.Name != "PassThrough" {
					continue
				}
				if selector, err := strconv.Unquote(text.Value); err == nil {
					list = append(list, passingName{selector, fmt.Sprintf("%s:%d", file, set.Position(text.Pos()).Line)})
				}
			}
			return true
		})
	}
	return list
}

// passed returns how many interactions of a cassette are with a server that PassThrough names in
// its package, and where it does. selectors keeps what is known of packages.
func passed(file string, selectors map[string][]passingName) (number int, where string) {
	dir, _, ok := testname.Split(filepath.Clean(file))
	if !ok {
		return 0, ""
	}
	list, known := selectors[dir]
	if !known {
		list = passingIn(dir)
		selectors[dir] = list
	}
	f, err := load(file)
	if len(list) == 0 || err != nil || f.Pinned {
		return 0, ""
	}
	for _, by := range list {
		n := 0
		for i := range f.Interactions {
			u, err := url.Parse(f.Interactions[i].Request.URL)
			if err == nil && u.Host != "" && request.MatchServer([]string{by.selector}, u) != "" {
				n++
			}
		}
		if n > number {
			number, where = n, fmt.Sprintf("PassThrough(%q) at %s", by.selector, by.at)
		}
	}
	return number, where
}
