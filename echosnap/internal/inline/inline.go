// Package inline rewrites snapshots in Go source, as an argument of a call.
package inline

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/redact"
)

// A Source is a source file as it was compiled, with the snapshots to replace in it.
type Source struct {
	text  []byte
	edits []edit
}

// An edit puts a literal in the place of an expression.
type edit struct {
	start, end int // offsets in the text
	literal    string
}

// NewSource returns the source of a file with this text.
func NewSource(text []byte) *Source { return &Source{text: text} }

// errMoved is the error of a source that differs from the program that runs.
var errMoved = errors.New("the source has changed since the test was built: run it again")

// Replace replaces the snapshot in a call of a function at a line: the third argument, which
// must be a literal of the text was. A call can have only one snapshot.
func (s *Source) Replace(function string, line int, was, now string) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", s.text, parser.SkipObjectResolution)
	if err != nil {
		return errMoved
	}
	var found []ast.Expr
	hasOtherExpr := false // a call whose snapshot is not a literal
	ast.Inspect(file, func(n ast.Node) bool {
		call, isCall := n.(*ast.CallExpr)
		if !isCall || nameOf(call.Fun) != function || len(call.Args) < 3 {
			return true
		}
		first := files.Position(call.Pos()).Line
		last := files.Position(call.End()).Line
		if line < first || line > last {
			return true
		}
		text, isLiteral := textOf(call.Args[2])
		hasOtherExpr = hasOtherExpr || !isLiteral
		if isLiteral && text == was {
			found = append(found, call.Args[2])
		}
		return true
	})
	switch {
	case len(found) == 0 && hasOtherExpr:
		return errors.New("the snapshot is not a string literal: write one, or use Match")
	case len(found) == 0:
		return errMoved
	case len(found) > 1:
		return fmt.Errorf("line %d has several calls with this snapshot: give each a line of its own", line)
	}
	e := edit{files.Position(found[0].Pos()).Offset, files.Position(found[0].End()).Offset, literal(now)}
	for _, other := range s.edits {
		if other.start == e.start {
			if other.literal != e.literal {
				return errors.New("the call got two different values in one run, but the source can hold only one: " +
					"in a loop, or in a function that several tests call, use Match")
			}
			return nil
		}
	}
	s.edits = append(s.edits, e)
	return nil
}

// Text returns the text with what was replaced. If it was as gofmt writes it, so is the result.
func (s *Source) Text() []byte {
	edits := slices.Clone(s.edits)
	slices.SortFunc(edits, func(a, b edit) int { return a.start - b.start })
	var b bytes.Buffer
	at := 0
	for _, e := range edits {
		b.Write(s.text[at:e.start])
		b.WriteString(e.literal)
		at = e.end
	}
	b.Write(s.text[at:])
	if before, err := format.Source(s.text); err == nil && bytes.Equal(before, s.text) {
		if after, err := format.Source(b.Bytes()); err == nil {
			return after
		}
	}
	return b.Bytes()
}

// nameOf returns the name of a function that is called: Inline of echosnap.Inline.
func nameOf(f ast.Expr) string {
	switch f := f.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

// textOf returns the text of a literal, or of several that are added. ok is false if it is
// something else.
func textOf(e ast.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		a, ok1 := textOf(e.X)
		b, ok2 := textOf(e.Y)
		return a + b, ok1 && ok2 && e.Op == token.ADD
	case *ast.ParenExpr:
		return textOf(e.X)
	}
	return "", false
}

// literal returns a text as Go source: of several lines between backquotes, if it can be.
func literal(text string) string {
	if strings.Contains(text, "\n") && strconv.CanBackquote(strings.ReplaceAll(text, "\n", "")) && redact.Visible(text) == text {
		return "`" + text + "`"
	}
	return strconv.Quote(text)
}
