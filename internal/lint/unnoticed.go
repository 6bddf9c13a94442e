package lint

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Unnoticed finds lines of testdata/unnoticed.txt that promptecho mutate cannot use: the test does not
// exist any more, or there is no reason.
var Unnoticed = &analysis.Analyzer{
	Name:  "unnoticed",
	Doc:   "find lines of unnoticed.txt that are of no use",
	URL:   "https://github.com/promptecho/promptecho/blob/main/docs/LINT.md#unnoticed",
	Flags: stateFlag(),
	Run: func(pass *analysis.Pass) (any, error) {
		dir := folderOfTests(pass)
		if dir == "" {
			return nil, nil
		}
		path := filepath.Join(dir, filepath.FromSlash(unnoticedFile))
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, nil // there is no such file, or mutate says why it cannot read it
		}
		tests, isReportedByOther := testsIn(pass, dir)
		if isReportedByOther {
			return nil, nil
		}
		file := pass.Fset.AddFile(path, -1, len(data))
		file.SetLinesForContent(data)
		number := 0
		for line := range strings.Lines(string(data)) {
			number++
			problem := problemOfLine(strings.TrimSpace(line), tests)
			if problem != "" {
				start := file.LineStart(number)
				report(pass, place(start), "", nil, "%s", problem)
			}
		}
		return nil, nil
	},
}

// stateFlag returns the flag "state", which differs when an [unnoticedFile] does: go vet takes the result
// of an earlier run if neither the code nor a flag differs.
func stateFlag() (flags flag.FlagSet) {
	flags.String("state", "", "what StateOfUnnoticed returns")
	return flags
}

// StateOfUnnoticed returns a text that differs when the files testdata/unnoticed.txt of the module in
// the working directory do. It is empty if there are none.
func StateOfUnnoticed() string {
	root := "."
	for dir := "."; ; dir = filepath.Join(dir, "..") {
		_, err := os.Stat(filepath.Join(dir, "go.mod"))
		if err == nil {
			root = dir
			break
		}
		absolute, err := filepath.Abs(dir)
		if err != nil || absolute == filepath.Dir(absolute) {
			break // there is no module
		}
	}
	sum := sha256.New()
	isAny := false
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		isFile := err == nil && strings.HasSuffix(filepath.ToSlash(path), unnoticedFile)
		if !isFile {
			return nil // a folder that cannot be read has no package
		}
		data, err := os.ReadFile(path)
		if err == nil {
			isAny = true
			fmt.Fprintf(sum, "%q %q\n", path, data)
		}
		return nil
	})
	if !isAny {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// unnoticedFile is the file of promptecho mutate in the folder of a package: each line has a test, a
// kind of change, and the reason why no one need notice it.
const unnoticedFile = "testdata/unnoticed.txt"

// A place is a position as a range without text.
type place token.Pos

// Pos and End return the position.
func (p place) Pos() token.Pos { return token.Pos(p) }
func (p place) End() token.Pos { return token.Pos(p) }

// folderOfTests returns the folder of a package that has tests, or "".
func folderOfTests(pass *analysis.Pass) string {
	for _, f := range pass.Files {
		if isInTestFile(pass.Fset, f.Pos()) {
			return filepath.Dir(pass.Fset.Position(f.Package).Filename)
		}
	}
	return ""
}

// testsIn returns the functions in all test files of a folder. The tests in a folder can be two
// packages, and files that the build leaves out count, too. isReportedByOther says that this is the
// package with the suffix _test, and that there is another one.
func testsIn(pass *analysis.Pass, dir string) (tests []string, isReportedByOther bool) {
	names, _ := filepath.Glob(filepath.Join(dir, "*_test.go")) // the pattern is valid
	isExternal := strings.HasSuffix(pass.Pkg.Name(), "_test")
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			continue // the compiler says why
		}
		if isExternal && !strings.HasSuffix(file.Name.Name, "_test") {
			isReportedByOther = true
		}
		for _, decl := range file.Decls {
			fn, isFunc := decl.(*ast.FuncDecl)
			if isFunc && fn.Recv == nil {
				tests = append(tests, fn.Name.Name)
			}
		}
	}
	return tests, isReportedByOther
}

// problemOfLine says what is wrong with a line of the file, or "".
func problemOfLine(line string, tests []string) string {
	if line == "" || strings.HasPrefix(line, "#") {
		return ""
	}
	parts := strings.SplitN(line, ":", 3)
	if len(parts) < 3 || strings.TrimSpace(parts[1]) == "" || strings.TrimSpace(parts[2]) == "" {
		return "this line has no reason: write TEST: KIND: REASON"
	}
	test, _, _ := strings.Cut(strings.TrimSpace(parts[0]), "/")
	if !slices.Contains(tests, test) {
		return "there is no test " + test + " in this package: remove the line, or write the test's new name"
	}
	kind := strings.TrimSpace(parts[1])
	if !slices.Contains(KindsOfChanges, kind) {
		return "there is no kind of change " + kind + ": use one that promptecho mutate prints, or *"
	}
	return ""
}

// KindsOfChanges are the kinds that promptecho mutate knows. "*" stands for all.
var KindsOfChanges = []string{
	"*",
	"other text", "no text",
	"another value", "field missing", "another type",
	"no call", "another argument", "argument missing", "unknown tool", "called twice",
	"cut off", "filtered", "refused",
	"status 429", "status 500",
	"stream ends early", "stream breaks", "error event",
	"another vector", "tool error",
}
