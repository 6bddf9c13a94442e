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

// A passThrough is a selector that a program gives to PassThrough.
type passThrough struct {
	selector string
	place    string // the file and line
}

// passThroughsIn returns the selectors that the files of a package give to PassThrough as string
// literals. Others are not known before the program runs.
func passThroughsIn(dir string) (list []passThrough) {
	files, _ := filepath.Glob(filepath.Join(dir, "*.go")) // fails only for a bad pattern
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(text, []byte("PassThrough(")) {
			continue
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
		if err != nil {
			continue // the compiler reports it
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || calledName(call) != "PassThrough" {
				return true
			}
			for _, arg := range call.Args {
				literal, ok := arg.(*ast.BasicLit)
				if !ok {
					continue
				}
				selector, err := strconv.Unquote(literal.Value)
				if err != nil {
					continue
				}
				place := fmt.Sprintf("%s:%d", file, set.Position(literal.Pos()).Line)
				list = append(list, passThrough{selector, place})
			}
			return true
		})
	}
	return list
}

// calledName returns the name of the function or method that is called, without its package or
// receiver.
func calledName(call *ast.CallExpr) string {
	switch function := call.Fun.(type) {
	case *ast.Ident:
		return function.Name
	case *ast.SelectorExpr:
		return function.Sel.Name
	}
	return ""
}

// passed returns the number of interactions of a cassette with servers that a PassThrough of its
// package selects, and where that is. Of several, it returns the one with the most interactions.
// known remembers the PassThroughs of packages, by their folders.
func passed(file string, known map[string][]passThrough) (number int, where string) {
	dir, _, ok := testname.Split(filepath.Clean(file))
	if !ok {
		return 0, ""
	}
	list, isKnown := known[dir]
	if !isKnown {
		list = passThroughsIn(dir)
		known[dir] = list
	}
	f, err := load(file)
	if len(list) == 0 || err != nil || f.Pinned {
		return 0, ""
	}
	for _, p := range list {
		n := 0
		for _, it := range f.Interactions {
			u, err := url.Parse(it.Request.URL)
			if err != nil || u.Host == "" {
				continue
			}
			if request.MatchServer([]string{p.selector}, u) != "" {
				n++
			}
		}
		if n > number {
			number = n
			where = fmt.Sprintf("PassThrough(%q) at %s", p.selector, p.place)
		}
	}
	return number, where
}
