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
find calls of models and agents that have no recorder

It is go vet with the rules of docs/LINT.md, by default for ./..., and can be
the tool of go vet, too: go vet -vettool=$(which promptecho) ./...

  -fix              apply the fixes, and print the remaining findings
  -diff             print the fixes as a diff
  -json             print a list of findings

The name of a rule is a flag: -keyskip runs that one, -keyskip=false the others.
` + ruleHelp() + `
-tags is that of go vet. -fix and -diff need Go 1.26; run -fix until it is done.
The exit status is 1 for findings, for those that -fix leaves, and for a diff.
`

// ruleHelp returns a line for each rule.
func ruleHelp() string {
	var b strings.Builder
	for _, a := range lint.Analyzers {
		fmt.Fprintf(&b, "  -%-16s %s\n", a.Name, a.Doc)
	}
	return b.String()
}

// isVetTool reports whether the arguments are those that go vet gives to its tool.
func isVetTool(args []string) bool {
	if len(args) == 0 {
		return false
	}
	asksAboutTool := args[0] == "-V=full" || args[0] == "-flags"
	hasConfig := strings.HasSuffix(args[len(args)-1], ".cfg")
	return asksAboutTool || hasConfig
}

// beVetTool answers go vet, and ends the process.
func beVetTool() {
	config := os.Args[len(os.Args)-1]
	if writeNoFacts(config) {
		return
	}
	unitchecker.Main(lint.Analyzers...)
}

// writeNoFacts answers go vet quickly if it asks only for the facts of a package that has none, and
// reports whether it has. A package has no facts if it starts no programs and imports no SDK and no
// package with facts, as is true of most dependencies. To analyze such a package would take as long
// as to compile it.
func writeNoFacts(config string) bool {
	data, err := os.ReadFile(config)
	if err != nil {
		return false
	}
	var c unitchecker.Config
	err = json.Unmarshal(data, &c)
	if err != nil || !c.VetxOnly || c.VetxOutput == "" {
		return false
	}
	for _, facts := range c.PackageVetx {
		info, err := os.Stat(facts)
		if err != nil || info.Size() > 0 {
			return false
		}
	}
	isStandard := c.ModulePath == ""
	if !lint.OfSDK(c.ImportPath) {
		for _, path := range c.ImportMap {
			mayStart := !isStandard && lint.StartsPrograms(path)
			if mayStart || lint.OfSDK(path) {
				return false
			}
		}
	}
	return os.WriteFile(c.VetxOutput, nil, 0o666) == nil
}

// runLint runs go vet with this program as its tool.
func runLint(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("lint", flag.ContinueOnError)
	fix := flags.Bool("fix", false, "")
	diff := flags.Bool("diff", false, "")
	asJSON := flags.Bool("json", false, "")
	flags.String("tags", "", "")
	for _, a := range lint.Analyzers {
		flags.Bool(a.Name, true, "")
	}
	patterns, err := parse(flags, args)
	if err != nil {
		return err
	}
	makesFixes := *fix || *diff
	switch {
	case *fix && *diff, *asJSON && makesFixes:
		return errors.New("-fix, -diff and -json: use one of them")
	case makesFixes:
		if err := requireLibrary(); err != nil {
			return err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	vet := []string{"vet", "-vettool=" + self}
	flags.Visit(func(f *flag.Flag) {
		vet = append(vet, "-"+f.Name+"="+f.Value.String())
	})
	if *diff {
		vet = append(vet, "-fix") // go vet needs both flags
	}
	if state := lint.StateOfUnnoticed(); state != "" {
		vet = append(vet, "-"+lint.Unnoticed.Name+".state="+state)
	}
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	cmd := exec.Command("go", append(vet, patterns...)...)
	var vetOut, vetErr bytes.Buffer
	cmd.Stdout = &vetOut
	cmd.Stderr = &vetErr
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	if *asJSON {
		// The version of Go decides to which of the two go vet writes.
		return printFindings(stdout, vetOut.String()+vetErr.String())
	}
	if _, err := stdout.Write(vetOut.Bytes()); err != nil {
		return err
	}
	findings, rest := splitFindings(vetErr.String())
	for _, line := range findings {
		fmt.Fprintln(stdout, line)
	}
	switch {
	case len(rest) > 0 && strings.HasSuffix(rest[0], "not defined: -fix"):
		return errors.New("-fix and -diff need the go command of Go 1.26: GOTOOLCHAIN=go1.26.0 promptecho lint -diff")
	case len(rest) > 0:
		return errors.New(strings.Join(rest, "\n"))
	case len(findings) > 0 || err != nil:
		return printedFindings
	case *fix: // findings without a fix were not printed
		return runLint(slices.DeleteFunc(slices.Clone(args), isFix), stdout, stderr)
	}
	return nil
}

func isFix(arg string) bool {
	return slices.Contains([]string{"-fix", "--fix", "-fix=true", "--fix=true"}, arg)
}

// requireLibrary returns an error if the module does not require the library: then the code of fixes
// would not compile.
func requireLibrary() error {
	const library = "github.com/promptecho/promptecho"
	out, err := exec.Command("go", "list", "-m", library).CombinedOutput()
	if err != nil && !bytes.Contains(out, []byte("go.mod file not found")) {
		return fmt.Errorf("the fixes import %s, which this module does not require: go get %[1]s", library)
	}
	return nil
}

// findingLine matches a finding in the output of go vet, with the name of its rule.
var findingLine = regexp.MustCompile(`^\S.*:\d+:\d+: .* \((\w+)\)$`)

// splitFindings splits the output of go vet into findings, each once, and errors.
func splitFindings(output string) (findings, rest []string) {
	for line := range strings.Lines(output) {
		line = strings.TrimSuffix(line, "\n")
		m := findingLine.FindStringSubmatch(line)
		isFinding := m != nil && isRule(m[1])
		switch {
		case isFinding && !slices.Contains(findings, line):
			findings = append(findings, line)
		case !isFinding && !isProgress(line):
			rest = append(rest, line)
		}
	}
	return findings, rest
}

// isProgress reports whether a line of the output of go vet only shows progress: the name of a
// package, or the download of a module.
func isProgress(line string) bool {
	return line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "go: downloading ")
}

func isRule(name string) bool {
	for _, a := range lint.Analyzers {
		if a.Name == name {
			return true
		}
	}
	return false
}

// A lintFinding is a finding for programs.
type lintFinding struct {
	Rule    string `json:"rule"`
	Place   string `json:"place"` // file:line:column
	Message string `json:"message"`
	Fixable bool   `json:"fixable"`
}

// printFindings prints the output of go vet -json, which has an object for each package, as one list.
// Output that is not JSON is an error.
func printFindings(stdout io.Writer, output string) error {
	var objects strings.Builder
	var rest []string
	for line := range strings.Lines(output) {
		text := strings.TrimSuffix(line, "\n")
		switch {
		case strings.ContainsAny(line[:1], "{}\t"):
			objects.WriteString(line)
		case !isProgress(text):
			rest = append(rest, text)
		}
	}
	list := []lintFinding{}
	dec := json.NewDecoder(strings.NewReader(objects.String()))
	for {
		var packages map[string]map[string][]struct { // by package and rule
			Posn, Message string
			Fixes         []json.RawMessage `json:"suggested_fixes"`
		}
		err := dec.Decode(&packages)
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("go vet: %w in %s", err, strings.TrimSpace(output))
		}
		for _, rules := range packages {
			for rule, diagnostics := range rules {
				for _, d := range diagnostics {
					list = append(list, lintFinding{
						Rule:    rule,
						Place:   d.Posn,
						Message: strings.TrimSuffix(d.Message, " ("+rule+")"),
						Fixable: len(d.Fixes) > 0,
					})
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b lintFinding) int {
		return strings.Compare(a.Place+a.Rule, b.Place+b.Rule)
	})
	err := printJSON(stdout, list)
	switch {
	case err == nil && len(rest) > 0:
		return errors.New(strings.Join(rest, "\n"))
	case err == nil && len(list) > 0:
		return printedFindings
	}
	return err
}
