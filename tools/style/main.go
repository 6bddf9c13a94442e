// Style finds places in Go code that are hard to read: long lines, initialisers of if and
// switch with an effect on other variables, and long conditions. It reads all files of a
// repository without tests, and fails if a folder has more of such places than known.txt
// allows.
//
//	go -C tools run ./style [-list] [-update]
package main

import (
	"cmp"
	_ "embed"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	maxColumns   = 120 // the hard limit; 100 is the aim (CONTRIBUTING.md)
	tabWidth     = 4
	maxOperators = 3 // && and || in a condition
)

// A rule is a kind of place that is hard to read.
type rule string

const (
	longLine      rule = "line"
	effect        rule = "effect"
	longCondition rule = "condition"
)

var descriptions = map[rule]string{
	longLine:      fmt.Sprintf("a line has more than %d columns", maxColumns),
	effect:        "an initialiser has an effect on other variables: make it a statement",
	longCondition: fmt.Sprintf("a condition has more than %d && and ||: give parts of it a name", maxOperators),
}

// A place is a line of a file that breaks a rule.
type place struct {
	rule rule
	file string // relative to the root, with slashes
	line int
}

func (p place) String() string {
	return fmt.Sprintf("%s:%d: %s (%s)", p.file, p.line, descriptions[p.rule], p.rule)
}

// A key names what known.txt counts.
type key struct {
	rule   rule
	folder string
}

func (p place) key() key { return key{p.rule, path.Dir(p.file)} }

func main() {
	list := flag.Bool("list", false, "list all places, also known ones")
	update := flag.Bool("update", false, "write the counts of all folders to known.txt")
	flag.Parse()
	err := run("..", *list, *update)
	if err != nil {
		fmt.Fprintln(os.Stderr, "style:", err)
		os.Exit(1)
	}
}

//go:embed known.txt
var knownText string

func run(root string, list, update bool) error {
	files, err := sources(root)
	if err != nil {
		return err
	}
	var places []place
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return err
		}
		found, err := check(file, text)
		if err != nil {
			return err
		}
		places = append(places, found...)
	}
	if update {
		return os.WriteFile("style/known.txt", []byte(format(count(places))), 0o644)
	}
	known, err := parse(knownText)
	if err != nil {
		return err
	}
	excess := beyond(places, known)
	shown := excess
	if list {
		shown = places
	}
	for _, p := range shown {
		fmt.Println(p)
	}
	if len(excess) > 0 {
		return fmt.Errorf("the folders of %d places have more of them than tools/style/known.txt allows", len(excess))
	}
	return nil
}

// skipped matches folders that are not read: data, and modules that show other people's
// code.
var skipped = regexp.MustCompile(`(^|/)(testdata|corpus)/`)

// sources returns the Go files of the repository without tests.
func sources(root string) ([]string, error) {
	out, err := exec.Command("git", "-C", root, "ls-files", "*.go").Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	files := strings.Fields(string(out))
	isLeftOut := func(file string) bool { return strings.HasSuffix(file, "_test.go") || skipped.MatchString(file) }
	return slices.DeleteFunc(files, isLeftOut), nil
}

// check returns the places of a file, in order of lines.
func check(file string, text []byte) ([]place, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	if ast.IsGenerated(f) {
		return nil, nil
	}

	var places []place
	add := func(r rule, line int) { places = append(places, place{r, file, line}) }
	for i, line := range strings.Split(string(text), "\n") {
		if columns(line) > maxColumns && !isLink(line) {
			add(longLine, i+1)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			if hasEffect(n.Init) {
				add(effect, fset.Position(n.Pos()).Line)
			}
		case *ast.SwitchStmt:
			if hasEffect(n.Init) {
				add(effect, fset.Position(n.Pos()).Line)
			}
		case *ast.BinaryExpr:
			if !isLogical(n) {
				return true
			}
			if operators(n) > maxOperators {
				add(longCondition, fset.Position(n.Pos()).Line)
			}
			return false // the operators of its operands are counted
		}
		return true
	})
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.line, b.line) })
	return places, nil
}

// columns returns the width of a line.
func columns(line string) int {
	return len([]rune(strings.ReplaceAll(line, "\t", strings.Repeat(" ", tabWidth))))
}

// isLink reports whether a line is a comment with a link, which cannot be broken.
func isLink(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "//") && strings.Contains(line, "://")
}

// hasEffect reports whether an initialiser does more than declare variables.
func hasEffect(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return s.Tok != token.DEFINE
	case *ast.IncDecStmt, *ast.ExprStmt:
		return true
	}
	return false
}

func isLogical(b *ast.BinaryExpr) bool { return b.Op == token.LAND || b.Op == token.LOR }

// operators counts && and || in a condition, without those in function literals.
func operators(e ast.Expr) int {
	n := 0
	ast.Inspect(e, func(node ast.Node) bool {
		if _, isFunction := node.(*ast.FuncLit); isFunction {
			return false
		}
		b, isBinary := node.(*ast.BinaryExpr)
		if isBinary && isLogical(b) {
			n++
		}
		return true
	})
	return n
}

func count(places []place) map[key]int {
	counts := map[key]int{}
	for _, p := range places {
		counts[p.key()]++
	}
	return counts
}

// beyond returns the places of all folders that have more of them than is known.
func beyond(places []place, known map[key]int) []place {
	counts := count(places)
	isKnown := func(p place) bool { return counts[p.key()] <= known[p.key()] }
	return slices.DeleteFunc(slices.Clone(places), isKnown)
}

const header = `# The places that are hard to read, in each folder: rule, number, folder.
# A folder must not get more. After a change that mends some, run:
#   go -C tools run ./style -update
`

// format returns the text of known.txt.
func format(counts map[key]int) string {
	var lines []string
	for k := range maps.Keys(counts) {
		lines = append(lines, fmt.Sprintf("%s %d %s\n", k.rule, counts[k], k.folder))
	}
	slices.Sort(lines)
	return header + strings.Join(lines, "")
}

// parse parses the text of known.txt.
func parse(text string) (map[key]int, error) {
	counts := map[key]int{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var k key
		var n int
		_, err := fmt.Sscanf(line, "%s %d %s\n", &k.rule, &n, &k.folder)
		if err != nil {
			return nil, fmt.Errorf("known.txt: %q: %w", strings.TrimSpace(line), err)
		}
		counts[k] = n
	}
	return counts, nil
}
