package arch

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/interaction"
)

var update = flag.Bool("update", false, "write api.txt")

// apiFile has what users build on.
const apiFile = "../../../api.txt"

// TestSurface: what users build on changes only together with a file that says so: exported
// names, flags, variables of the environment, verbs, and the format of cassettes. Names that were
// released must not go: add, and leave what is there.
func TestSurface(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, dir := range publicPackages {
		fmt.Fprintf(&b, "# package %s\n\n%s\n", strings.TrimSuffix(module+"/"+dir, "/."), exported(t, filepath.Join("..", "..", "..", dir)))
	}
	all := map[string]*ast.File{}
	for _, p := range packages(t) {
		for _, name := range p.GoFiles {
			maps.Copy(all, parsed(t, p.Dir, name))
		}
	}
	section := func(title string, list []string) {
		slices.Sort(list)
		fmt.Fprintf(&b, "# %s\n\n%s\n\n", title, strings.Join(slices.Compact(list), "\n"))
	}
	isFlag, isVariable := regexp.MustCompile(`^echo\.[a-z]+$`), regexp.MustCompile(`^PROMPTECHO_[A-Z_]*[A-Z]$`)
	section("flags of test binaries", literals(all, isFlag))
	section("variables of the environment", literals(all, isVariable))

	command, format := map[string]*ast.File{}, map[string]*ast.File{}
	for path, f := range all {
		switch filepath.Base(filepath.Dir(path)) {
		case "promptecho":
			command[path] = f
		case "codec":
			format[path] = f
		}
	}
	section("verbs", first(command, func(n ast.Node) ast.Node {
		if lit, ok := n.(*ast.CompositeLit); ok && lit.Type == nil && len(lit.Elts) == 3 { // {"ls", lsHelp, runLs}
			return lit.Elts[0]
		}
		return nil
	}, nil))
	var flags []string
	for path, f := range command {
		of := map[string]*ast.File{path: f}
		for _, name := range first(of, argument(regexp.MustCompile(`^(Bool|String|Int|Duration|Func)$`), 0), nil) {
			flags = append(flags, strings.TrimSuffix(filepath.Base(path), ".go")+" -"+name)
		}
		for _, name := range first(of, argument(regexp.MustCompile(`^(Bool|String|Int|Int64|Float64)?Var$`), 1), nil) {
			flags = append(flags, strings.TrimSuffix(filepath.Base(path), ".go")+" -"+name)
		}
	}
	section("flags of the command, by the file that has them", flags)
	keys := first(format, argument(regexp.MustCompile(`^(text|texts|flag|date|section|headers|number|get|content)$`), 0), constants(format))
	usage, _ := new(interaction.Usage).Fields()
	optional := first(format, argument(regexp.MustCompile(`^optional$`), 1), constants(format))
	section("version of the format of cassettes", []string{strconv.Itoa(codec.Version)})
	section("keys of cassettes", slices.Concat(keys, optional, usage))
	section("kinds of calls", slices.Clone(interaction.Kinds))

	if *update {
		if err := os.WriteFile(apiFile, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(apiFile)
	if err != nil {
		t.Fatal(err)
	}
	was, is := strings.Split(strings.ReplaceAll(string(want), "\r\n", "\n"), "\n"), strings.Split(b.String(), "\n")
	for _, line := range was {
		if !slices.Contains(is, line) {
			t.Errorf("gone:  %s", line)
		}
	}
	for _, line := range is {
		if !slices.Contains(was, line) {
			t.Errorf("added: %s", line)
		}
	}
	if t.Failed() {
		t.Error("if that is meant: go test ./internal/testing/arch -run TestSurface -update, and say so in CHANGELOG.md")
	}
}

// parsed parses a file.
func parsed(t *testing.T, dir, name string) map[string]*ast.File {
	t.Helper()
	path := filepath.Join(dir, name)
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*ast.File{path: f}
}

// exported returns the exported declarations of a package, without comments and bodies.
func exported(t *testing.T, dir string) string {
	t.Helper()
	fset, d := documented(t, dir, 0)
	var out []string
	add := func(decl ast.Node) {
		positions := fset
		if _, isFunc := decl.(*ast.FuncDecl); isFunc {
			positions = token.NewFileSet() // without positions, a signature is printed on one line
		}
		var b bytes.Buffer
		if err := printer.Fprint(&b, positions, decl); err != nil {
			t.Fatal(err)
		}
		out = append(out, b.String())
	}
	values := slices.Concat(d.Consts, d.Vars)
	funcs := slices.Clone(d.Funcs)
	for _, typ := range d.Types {
		add(typ.Decl)
		values = slices.Concat(values, typ.Consts, typ.Vars)
		funcs = slices.Concat(funcs, typ.Funcs, typ.Methods)
	}
	for _, v := range values {
		add(v.Decl)
	}
	for _, f := range funcs {
		f.Decl.Body = nil
		add(f.Decl)
	}
	slices.Sort(out)
	return strings.Join(out, "\n") + "\n"
}

// literals returns the text literals that match.
func literals(files map[string]*ast.File, matches *regexp.Regexp) (list []string) {
	return slices.DeleteFunc(first(files, func(n ast.Node) ast.Node { return n }, nil), func(s string) bool { return !matches.MatchString(s) })
}

// first returns the texts of the literals, and of the constants, that pick picks.
func first(files map[string]*ast.File, pick func(ast.Node) ast.Node, known map[string]string) (list []string) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil {
				return false
			}
			switch picked := pick(n).(type) {
			case *ast.BasicLit:
				if text, err := strconv.Unquote(picked.Value); err == nil && picked.Kind == token.STRING {
					list = append(list, text)
				}
			case *ast.Ident:
				if text, ok := known[picked.Name]; ok {
					list = append(list, text)
				}
			}
			return true
		})
	}
	return list
}

// argument picks an argument of the methods, and functions of the package, that match.
func argument(name *regexp.Regexp, i int) func(ast.Node) ast.Node {
	return func(n ast.Node) ast.Node {
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > i {
			called, _ := call.Fun.(*ast.Ident)
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
				called = sel.Sel
			}
			if called != nil && name.MatchString(called.Name) {
				return call.Args[i]
			}
		}
		return nil
	}
}

// constants returns the texts of the constants of files, by their names.
func constants(files map[string]*ast.File) map[string]string {
	known := map[string]string{}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Names) == 1 && len(spec.Values) == 1 {
				if lit, ok := spec.Values[0].(*ast.BasicLit); ok {
					known[spec.Names[0].Name], _ = strconv.Unquote(lit.Value)
				}
			}
			return true
		})
	}
	return known
}
