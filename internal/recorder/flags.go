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

// A flagValue is the value of one of the flags. It learns at once when the flag is given,
// before any test runs; see handOver.
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
	handOver()
	return nil
}

// The go command ends the package list at the first flag that it does not know, so that
//
//	go test -echo.mode=all ./...
//
// tests the package in the current folder only, and hands "./..." to its test binary. The
// binary then runs go test for these packages, with the mode in the environment, and
// whether snapshots are accepted. The
// patterns are no arguments of what it starts, so that cannot start anything more.

// handOver is called when the value of one of our flags is set. While the flags of the
// process are parsed, flag.Args are the arguments behind this flag. If there are package
// patterns among them, handOver does not return.
func handOver() {
	before, patterns, behind := splitArguments(flag.Args())
	if len(patterns) == 0 || slices.ContainsFunc(before, isOurFlag) { // the later flag sees both
		return
	}
	asked, err := flagMode()
	var set []string // of the environment
	if asked.mode != "" {
		set = append(set, "PROMPTECHO_MODE="+string(asked.mode))
	}
	if report.Flag(updateFlag) == "true" {
		set = append(set, "PROMPTECHO_SNAPSHOTS=update")
		asked.by = cmp.Or(asked.by, "-"+updateFlag)
	}
	if err == nil && set == nil {
		return
	}
	var args []string
	if err == nil {
		args, err = goTest(asked.by, set, patterns, slices.Concat(before, behind))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	command := shell.Join(slices.Concat(set, args))
	fmt.Fprintf(os.Stderr, "promptecho: %s comes before %q, so the "+
		"go command would test only this folder; running this instead: %s\n",
		asked.by, patterns[0], command)
	for _, v := range set {
		name, value, _ := strings.Cut(v, "=")
		os.Setenv(name, value)
	}
	os.Exit(become(args))
}

// splitArguments finds the package patterns among arguments: the first ones that follow
// each other. If all of them name the current folder, which is tested anyway, there are none.
func splitArguments(args []string) (before, patterns, behind []string) {
	module := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		module = info.Main.Path
	}
	isPattern := func(arg string) bool {
		path := filepath.ToSlash(arg)
		switch {
		case strings.HasPrefix(arg, "-"):
			return false
		case module != "" && (arg == module || strings.HasPrefix(arg, module+"/")) || strings.HasSuffix(arg, "..."),
			strings.HasPrefix(path, ".") && strings.Trim(path, "./") == "": // "..", also where that has no Go files
			return true
		case !filepath.IsAbs(arg) && !strings.HasPrefix(path, "./") && !strings.HasPrefix(path, "../"):
			return false
		}
		entries, _ := os.ReadDir(arg) // without Go files it is a file or folder for the test
		return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasSuffix(e.Name(), ".go") })
	}
	i := slices.IndexFunc(args, isPattern)
	if i < 0 {
		return args, nil, nil
	}
	n := slices.IndexFunc(args[i:], func(arg string) bool { return !isPattern(arg) })
	if n < 0 {
		n = len(args) - i
	}
	patterns = args[i : i+n]
	here, _ := os.Getwd()
	if !slices.ContainsFunc(patterns, func(p string) bool { return filepath.Clean(p) != "." && filepath.Clean(p) != here }) {
		return args, nil, nil
	}
	return args[:i], patterns, args[i+n:]
}

// handedOn are the flags of package testing that go test takes for several packages.
var handedOn = []string{"bench", "benchmem", "benchtime", "count", "cpu", "failfast", "fullpath", "list", "parallel", "run", "short", "shuffle", "skip", "timeout", "v"}

// builtWith are the flags of go build that a binary knows it was built with.
var builtWith = []string{"-asan", "-gcflags", "-ldflags", "-msan", "-race", "-tags", "-trimpath"}

// goTest returns the command that runs the tests of the packages as this process was to
// run them. The error names a flag that cannot be handed on.
func goTest(by string, set, patterns, rest []string) (args []string, err error) {
	args = []string{"go", "test"}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if slices.Contains(builtWith, s.Key) {
				args = append(args, s.Key+"="+s.Value)
			}
		}
	}
	var own []string // for the user's tests
	give := func(name, value string) {
		name, isGo := strings.CutPrefix(name, "test.")
		switch {
		case isOurFlag("-" + name), isGo && name == "paniconexit0":
		case !isGo:
			own = append(own, "-"+name+"="+value)
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
	flag.Visit(func(f *flag.Flag) { give(f.Name, f.Value.String()) })
	for _, arg := range rest { // flags of go test that are not parsed yet
		if name, value, ok := strings.Cut(strings.TrimPrefix(arg, "-"), "="); ok && strings.HasPrefix(name, "test.") {
			give(name, value)
		} else {
			own = append(own, arg)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("promptecho: %s comes before %q, so the go command tested only this "+
			"folder. promptecho cannot run the right command "+
			"itself, since it cannot pass on %w. Run:\n\t%s go test %s",
			by, patterns[0], err, shell.Join(set), shell.Join(patterns))
	}
	return slices.Concat(args, patterns, own), nil
}
