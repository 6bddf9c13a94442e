package finding

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

// TestAllHasEveryCode: the documentation and the schema list the codes of All.
func TestAllHasEveryCode(t *testing.T) {
	t.Parallel()
	source, err := parser.ParseFile(token.NewFileSet(), "finding.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}

	var constants []Code
	for _, decl := range source.Decls {
		group, isGroup := decl.(*ast.GenDecl)
		if !isGroup || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			constant := spec.(*ast.ValueSpec)
			typ, isNamed := constant.Type.(*ast.Ident)
			if !isNamed || typ.Name != "Code" {
				continue
			}
			code, err := strconv.Unquote(constant.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			constants = append(constants, Code(code))
		}
	}

	if !slices.Equal(All(), constants) {
		t.Errorf("All has %q, and the constants are %q", All(), constants)
	}
	sorted := slices.Sorted(slices.Values(constants))
	if len(slices.Compact(sorted)) != len(constants) {
		t.Errorf("two constants have one code: %q", constants)
	}
	word := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	for _, code := range constants {
		if !word.MatchString(string(code)) {
			t.Errorf("%q is not words in small letters with hyphens between them", code)
		}
	}
}

// TestFindingText: the text of a finding begins with the known parts of its place.
func TestFindingText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		finding Finding
		want    string
	}{
		{Finding{File: "c.yaml", Line: 4, Column: 2, Text: "no"}, "c.yaml:4:2: no"},
		{Finding{File: "c.yaml", Line: 4, Text: "no"}, "c.yaml:4: no"},
		{Finding{File: "c.yaml", Text: "no"}, "c.yaml: no"},
		{Finding{Text: "no"}, "no"},
	} {
		if got := tt.finding.String(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// TestErrorText: the text of an error is its place and the text of the error that it wraps.
func TestErrorText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  *Error
		want string
	}{
		{Errorf(NotSaved, "c.yaml:4", "not written: %w", io.EOF), "c.yaml:4: not written: EOF"},
		{Errorf(NotSaved, "", "not written: %w", io.EOF), "not written: EOF"},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
		if !errors.Is(tt.err, io.EOF) {
			t.Errorf("%v does not wrap EOF", tt.err)
		}
	}
}

func TestCodeOfAnError(t *testing.T) {
	t.Parallel()
	wrapped := fmt.Errorf("the end: %w", Errorf(AccessLost, "c.yaml", "no"))
	for err, want := range map[error]Code{wrapped: AccessLost, io.EOF: RunFailed} {
		if got := CodeOf(err); got != want {
			t.Errorf("%v has the code %q, want %q", err, got, want)
		}
	}
}
