package recorder

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testenv/shell"
)

const (
	modeFlag   = "echo.mode"
	recordFlag = "echo.record"
	updateFlag = "echo.update" // of package echosnap
)

// flagMode returns the mode that the flags ask for, or none if they are not set.
func flagMode() (chosenMode, error) {
	mode, record := report.Flag(modeFlag), report.Flag(recordFlag) == "true"
	switch {
	case mode == "" && record:
		return chosenMode{mode: ModeAll, by: "-" + recordFlag}, nil
	case mode == "":
		return chosenMode{}, nil
	case record && mode != string(ModeAll):
		return chosenMode{}, prefixed("-echo.record means "+
			"-echo.mode=all, but -echo.mode is %q: use one of them",
			mode)
	}
	return modeBy(mode, "-"+modeFlag)
}

// isOurFlag reports whether an argument sets one of our flags.
func isOurFlag(arg string) bool {
	return slices.Contains([]string{modeFlag, recordFlag, updateFlag}, flagName(arg))
}

// flagName returns the name of the flag that an argument sets; "" if it sets none.
func flagName(arg string) string {
	name, ok := strings.CutPrefix(arg, "-")
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "-"), "=")
	if !ok {
		return ""
	}
	return name
}

// AddFlags adds the flags to those of the test binary. If two versions of this
// module are linked into one binary, the first one adds the flags and both look
// them up.
func AddFlags() {
	add := func(name string, value flagValue, usage string) {
		if flag.Lookup(name) == nil {
			flag.Var(&value, name, usage)
		}
	}
	off := flagValue{text: "false", isBool: true}
	add(modeFlag, flagValue{}, "promptecho: record `mode`: none, compare, once, new_episodes, update, all or live")
	add(recordFlag, off, "promptecho: record every cassette again; short for -echo.mode=all")
	add(updateFlag, off, "promptecho: accept every snapshot of package echosnap that differs")
}

// A flagValue is the value of one of the flags. The package flag calls its method Set while it
// parses the command line, before any test runs; see runForPatterns.
type flagValue struct {
	text   string
	isBool bool
}

func (v *flagValue) String() string   { return v.text }
func (v *flagValue) IsBoolFlag() bool { return v.isBool }

func (v *flagValue) Set(s string) error {
	if v.isBool {
		on, err := strconv.ParseBool(s)
		if err != nil {
			return err
		}
		s = strconv.FormatBool(on)
	}
	v.text = s
	runForPatterns()
	return nil
}

// The go command ends the package list at the first flag that it does not know, so that
//
//	go test -echo.mode=all ./...
//
// tests only the package in the current folder, and passes "./..." to its test binary. The
// binary then runs go test for these packages, with the values of the flags in the
// environment. The test binaries that this starts get no patterns as arguments, so they do
// not run go test again.

// runForPatterns is called when the value of one of our flags is set. While the command line is
// parsed, flag.Args are the arguments after this flag. If there are package patterns among
// them, runForPatterns runs go test for these packages, and exits.
func runForPatterns() {
	before, patterns, after := splitArguments(flag.Args())
	isLastFlag := !slices.ContainsFunc(before, isOurFlag) // the last of our flags knows all values
	if len(patterns) == 0 || !isLastFlag {
		return
	}
	chosen, err := flagMode()
	var environment []string
	if chosen.mode != "" {
		environment = append(environment, "PROMPTECHO_MODE="+string(chosen.mode))
	}
	if report.Flag(updateFlag) == "true" {
		environment = append(environment, "PROMPTECHO_SNAPSHOTS=update")
		chosen.by = cmp.Or(chosen.by, "-"+updateFlag)
	}
	if err == nil && environment == nil {
		return
	}
	var args []string
	if err == nil {
		args, err = goTest(chosen.by, environment, patterns, slices.Concat(before, after))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	command := shell.Join(slices.Concat(environment, args))
	fmt.Fprintf(os.Stderr, "promptecho: %s comes before %q, so the "+
		"go command would test only this folder; running this instead: %s\n",
		chosen.by, patterns[0], command)
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		os.Setenv(name, value)
	}
	os.Exit(become(args))
}

// splitArguments finds the first package patterns among arguments that are next to each other.
// It finds none if all of them name the current folder, which is tested anyway.
func splitArguments(args []string) (before, patterns, after []string) {
	module := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		module = info.Main.Path
	}
	isPattern := func(arg string) bool { return isPackagePattern(arg, module) }
	first := slices.IndexFunc(args, isPattern)
	if first < 0 {
		return args, nil, nil
	}
	count := slices.IndexFunc(args[first:], func(arg string) bool { return !isPattern(arg) })
	if count < 0 {
		count = len(args) - first
	}
	patterns = args[first : first+count]

	here, _ := os.Getwd()
	isElsewhere := func(pattern string) bool {
		folder := filepath.Clean(pattern)
		return folder != "." && folder != here
	}
	if !slices.ContainsFunc(patterns, isElsewhere) {
		return args, nil, nil
	}
	return args[:first], patterns, args[first+count:]
}

// isPackagePattern reports whether an argument is a package pattern, and not a flag or an
// argument of the test. module is the path of the main module, or "".
func isPackagePattern(arg, module string) bool {
	if strings.HasPrefix(arg, "-") {
		return false
	}
	isOfModule := module != "" && (arg == module || strings.HasPrefix(arg, module+"/"))
	if isOfModule || strings.HasSuffix(arg, "...") {
		return true
	}
	path := filepath.ToSlash(arg)
	isDots := strings.HasPrefix(path, ".") && strings.Trim(path, "./") == "" // such as "../.."
	if isDots {
		return true
	}
	isRelative := strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../")
	if !filepath.IsAbs(arg) && !isRelative {
		return false
	}
	entries, _ := os.ReadDir(arg)
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return strings.HasSuffix(e.Name(), ".go")
	})
}

// handedOn are the flags of package testing that go test accepts for several packages.
var handedOn = []string{
	"bench", "benchmem", "benchtime", "count", "cpu", "failfast", "fullpath", "list",
	"parallel", "run", "short", "shuffle", "skip", "timeout", "v",
}

// builtWith are the flags of go build that the build information of a binary has.
var builtWith = []string{"-asan", "-gcflags", "-ldflags", "-msan", "-race", "-tags", "-trimpath"}

// goTest returns the command that tests packages with the flags of this process. by names the
// flag that has set environment; rest are the arguments that are not patterns. It fails if a
// flag cannot be passed on.
func goTest(by string, environment, patterns, rest []string) (args []string, err error) {
	args = []string{"go", "test"}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if slices.Contains(builtWith, s.Key) {
				args = append(args, s.Key+"="+s.Value)
			}
		}
	}

	var ofTests []string // the arguments for the tests of the user
	pass := func(name, value string) {
		name, isGo := strings.CutPrefix(name, "test.")
		switch {
		case isOurFlag("-" + name), isGo && name == "paniconexit0":
		case !isGo:
			ofTests = append(ofTests, "-"+name+"="+value)
		case name == "v" && value == "test2json":
			err = errors.New("-json")
		case name == "gocoverdir":
			err = errors.New("-cover")
		case slices.Contains(handedOn, name):
			args = append(args, "-"+name+"="+value)
		default:
			err = errors.New("-" + name)
		}
	}
	flag.Visit(func(f *flag.Flag) { pass(f.Name, f.Value.String()) })
	for _, arg := range rest { // among them are flags of go test that are not parsed yet
		name, value, hasValue := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		if hasValue && strings.HasPrefix(name, "test.") {
			pass(name, value)
		} else {
			ofTests = append(ofTests, arg)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("promptecho: %s comes before %q, so the go command tested only this "+
			"folder. promptecho cannot run the right command "+
			"itself, since it cannot pass on %w. Run:\n\t%s go test %s",
			by, patterns[0], err, shell.Join(environment), shell.Join(patterns))
	}
	return slices.Concat(args, patterns, ofTests), nil
}
