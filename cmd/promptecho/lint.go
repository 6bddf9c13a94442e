package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/promptecho/promptecho/internal/lint"
)

var lintHelp = `lint [-fix|-diff] [-json] [FLAGS] [PACKAGE ...]
find tests that call a model, and recorders used wrongly

It is go vet with the rules of docs/LINT.md, by default for ./..., and can be
the tool of go vet, too: go vet -vettool=$(which promptecho) ./...

  -fix              apply the fixes, and print the remaining findings
  -diff             print the fixes as a diff
  -json             print a list of findings

The name of a rule is a flag: -keyskip runs that one, -keyskip=false the others.
-tags is the flag of go vet.

` + ruleHelp() + `
-fix and -diff need Go 1.26. Run -fix again: a fix may make another possible.
The exit status is 1 for findings, for those that -fix leaves, and for a diff.
`

// ruleHelp has a line for each rule.
func ruleHelp() string {
	var b strings.Builder
	for _, a := range lint.Analyzers {
		fmt.Fprintf(&b, "  -%-16s %s\n", a.Name, a.Doc)
	}
	return b.String()
}

// isVetTool reports whether the arguments are those that go vet gives to its tool.
func isVetTool(args []string) bool {
	return len(args) > 0 && (args[0] == "-V=full" || args[0] == "-flags" || strings.HasSuffix(args[len(args)-1], ".cfg"))
}

// beVetTool answers go vet, and ends the process.
func beVetTool() {
	if factless(os.Args[len(os.Args)-1]) {
		return
	}
	unitchecker.Main(lint.Analyzers...)
}

// factless reports whether go vet asks only for the facts of a package that has none, since
// it uses no SDK, as most dependencies do; it writes them then. To look at it would take as
// long as to compile it.
func factless(config string) bool {
	data, err := os.ReadFile(config)
	if err != nil {
		return false
	}
	var c unitchecker.Config
	if json.Unmarshal(data, &c) != nil || !c.VetxOnly || c.VetxOutput == "" {
		return false
	}
	for _, facts := range c.PackageVetx {
		if info, err := os.Stat(facts); err != nil || info.Size() > 0 {
			return false
		}
	}
	if !lint.OfSDK(c.ImportPath) {
		for _, path := range c.ImportMap {
			if lint.OfSDK(path) {
				return false
			}
		}
	}
	return os.WriteFile(c.VetxOutput, nil, 0o666) == nil
}

// runLint runs go vet with this program as its tool.
func runLint(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("lint", flag.ContinueOnError)
	fix, diff, asJSON := flags.Bool("fix", false, ""), flags.Bool("diff", false, ""), flags.Bool("json", false, "")
	flags.String("tags", "", "")
	for _, a := range lint.Analyzers {
		flags.Bool(a.Name, true, "")
	}
	patterns, err := parse(flags, args)
	switch {
	case err != nil:
		return err
	case *fix && *diff || *asJSON && (*fix || *diff):
		return errors.New("-fix, -diff and -json: use one of them")
	case *fix || *diff:
		if err := libraryThere(); err != nil {
			return err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	vet := []string{"vet", "-vettool=" + self}
	flags.Visit(func(f *flag.Flag) { vet = append(vet, "-"+f.Name+"="+f.Value.String()) })
	if *diff {
		vet = append(vet, "-fix") // go vet wants both
	}
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	cmd := exec.Command("go", append(vet, patterns...)...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	if *asJSON {
		return printFindings(stdout, out.String()+said.String()) // versions of go vet write to one or the other
	}
	if _, err := stdout.Write(out.Bytes()); err != nil {
		return err
	}
	findings, rest := splitFindings(said.String())
	for _, line := range findings {
		fmt.Fprintln(stdout, line)
	}
	switch {
	case len(rest) > 0 && strings.HasSuffix(rest[0], "not defined: -fix"):
		return errors.New("-fix and -diff need the go command of Go 1.26: GOTOOLCHAIN=go1.26.0 promptecho lint -diff")
	case len(rest) > 0:
		return errors.New(strings.Join(rest, "\n"))
	case len(findings) > 0 || err != nil:
		return found("")
	case *fix: // what has no fix was not printed
		return runLint(slices.DeleteFunc(slices.Clone(args), isFix), stdout, stderr)
	}
	return nil
}

func isFix(arg string) bool {
	return slices.Contains([]string{"-fix", "--fix", "-fix=true", "--fix=true"}, arg)
}

// libraryThere returns an error if the module does not require the library: then what
// fixes import would not compile.
func libraryThere() error {
	const library = "github.com/promptecho/promptecho"
	out, err := exec.Command("go", "list", "-m", library).CombinedOutput()
	if err != nil && !bytes.Contains(out, []byte("go.mod file not found")) {
		return fmt.Errorf("the fixes import %s, which this module does not require: go get %[1]s", library)
	}
	return nil
}

var ofRule = regexp.MustCompile(`^\S.*:\d+:\d+: .* \((\w+)\)$`)

// splitFindings splits what go vet writes into findings and other lines. A line that begins
// with "#" names a package.
func splitFindings(said string) (findings, rest []string) {
	for line := range strings.Lines(said) {
		line = strings.TrimSuffix(line, "\n")
		m := ofRule.FindStringSubmatch(line)
		switch {
		case m != nil && isRule(m[1]):
			if !slices.Contains(findings, line) {
				findings = append(findings, line)
			}
		case line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "go: downloading "):
			rest = append(rest, line)
		}
	}
	return findings, rest
}

func isRule(name string) bool {
	for _, a := range lint.Analyzers {
		if a.Name == name {
			return true
		}
	}
	return false
}

// A lintFinding is one of lint, for programs.
type lintFinding struct {
	Rule    string `json:"rule"`
	Place   string `json:"place"` // file:line:column
	Message string `json:"message"`
	Fixable bool   `json:"fixable"`
}

// printFindings prints what go vet -json writes, an object for each package, as one list.
// What is no JSON is an error.
func printFindings(stdout io.Writer, written string) error {
	list := []lintFinding{}
	var objects strings.Builder
	var rest []string
	for line := range strings.Lines(written) {
		switch {
		case strings.ContainsAny(line[:1], "{}\t"):
			objects.WriteString(line)
		case line != "\n" && line[0] != '#' && !strings.HasPrefix(line, "go: downloading "):
			rest = append(rest, strings.TrimSuffix(line, "\n"))
		}
	}
	for dec := json.NewDecoder(strings.NewReader(objects.String())); ; {
		var p map[string]map[string][]struct {
			Posn, Message string
			Fixes         []json.RawMessage `json:"suggested_fixes"`
		}
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return fmt.Errorf("go vet: %w in %s", err, strings.TrimSpace(written))
		}
		for _, rules := range p {
			for rule, found := range rules {
				for _, d := range found {
					list = append(list, lintFinding{rule, d.Posn, strings.TrimSuffix(d.Message, " ("+rule+")"), len(d.Fixes) > 0})
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b lintFinding) int { return strings.Compare(a.Place+a.Rule, b.Place+b.Rule) })
	err := printJSON(stdout, list)
	switch {
	case err == nil && len(rest) > 0:
		return errors.New(strings.Join(rest, "\n"))
	case err == nil && len(list) > 0:
		return found("")
	}
	return err
}
