// Command promptecho shows and looks after promptecho cassettes.
//
//	promptecho init [-w] [DIR ...]
//	promptecho doctor [-json] [DIR|TEST ...]
//	promptecho ls [-json] [PATH ...]
//	promptecho show [-raw] [-json] PATH|TEST ... [N]
//	promptecho fake [-usage] PATH|TEST ... [N]
//	promptecho diff [-git REF] [-json|-markdown] [REF..REF] [PATH ...]
//	promptecho view [-git REF] [-mutate FILE] [-o FILE] [PATH ...]
//	promptecho record [-update|-all|-accepted] [PACKAGE ...]
//	promptecho compare [PACKAGE ...]
//	promptecho accept [-n|-i] [-question] [PACKAGE ...]
//	promptecho review [-accept|-reject|-list] [-json] [PATH ...]
//	promptecho verify [-w] [PATH ...]
//	promptecho prune [-w] [-json] [PATH ...]
//	promptecho mv PATH|TEST PATH|TEST
//	promptecho merge [-install] [-into DIR FILE ...] [PATH ...]
//	promptecho import [-o DIR | -w] FILE ...
//	promptecho serve [-cassette FILE] [-cassettes DIR] [-mode MODE] [-- command ...]
//	promptecho stdio [-cassette FILE] [name] -- command [arg ...]
//	promptecho mutate [-j N] [-git REF] [-json|-markdown] [FLAGS] [PACKAGE ...] [-- FLAGS]
//	promptecho lint [-fix|-diff] [PACKAGE ...]
//	promptecho observe [-fail] [PACKAGE ...]
//	promptecho demo [-dir DIR]
//	promptecho completion SHELL
//	promptecho version
//
// promptecho help VERB says more; docs/COMMAND.md has examples.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// What a user reads: the result goes to standard output, everything else to
// standard error with a "promptecho:" prefix, in lower case and without a full
// stop. The exit status is 0, 1 if the command found what it looks for (a bad
// cassette, a difference) and 2 if it could not run.

var verbs = []verb{
	{"init", initHelp, runInit},
	{"doctor", doctorHelp, runDoctor},
	{"ls", lsHelp, runLs},
	{"show", showHelp, runShow},
	{"fake", fakeHelp, runFake},
	{"diff", diffHelp, runDiff},
	{"view", viewHelp, runView},
	{"record", recordHelp, runRecord},
	{"replay", replayHelp, runReplay},
	{"prove", proveHelp, runProve},
	{"mutate", mutateHelp, runMutate},
	{"compare", compareHelp, runCompare},
	{"accept", acceptHelp, runAccept},
	{"review", reviewHelp, runReview},
	{"verify", verifyHelp, runVerify},
	{"prune", pruneHelp, runPrune},
	{"mv", mvHelp, runMv},
	{"merge", mergeHelp, runMerge},
	{"import", importHelp, runImport},
	{"serve", serveHelp, runServe},
	{"stdio", stdioHelp, runStdio},
	{"lint", lintHelp, runLint},
	{"observe", observeHelp, runObserve},
	{"demo", demoHelp, runDemo},
	{"completion", completionHelp, runCompletion},
	{"version", versionHelp, runVersion},
}

func main() {
	if isVetTool(os.Args[1:]) {
		beVetTool()
		return
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run runs promptecho with arguments, and returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(stderr, usage())
		return 2
	}
	if args[0] == "help" || isHelp(args[0]) {
		return help(args[1:], stdout, stderr)
	}
	if args[0] == "__complete" { // called by the scripts of promptecho completion
		printCompletions(stdout, verbs, args[1:])
		return 0
	}
	i := slices.IndexFunc(verbs, func(v verb) bool { return v.name == args[0] })
	if i < 0 {
		fmt.Fprintf(stderr, "promptecho: unknown command %q\n\n%s", args[0], usage())
		return 2
	}
	own := args[1:] // without a command to be run
	if at := slices.Index(own, "--"); at >= 0 {
		own = own[:at]
	}
	if slices.ContainsFunc(own, isHelp) {
		fmt.Fprint(stdout, "usage: promptecho "+verbs[i].help)
		return 0
	}
	choice, rest, err := takeColour(args[1:])
	stderr = newOutput(stderr, choice)
	if err == nil {
		err = verbs[i].run(rest, newOutput(stdout, choice), stderr)
	}
	if err == nil {
		return 0
	}
	var status exitStatus
	if errors.As(err, &status) {
		return int(status) // the command has printed why
	}
	var f found
	if errors.As(err, &f) {
		if f != "" {
			complain(stderr, verbs[i].name, f.Error())
		}
		return 1
	}
	complain(stderr, verbs[i].name, err.Error())
	return 2
}

func isHelp(arg string) bool { return arg == "-h" || arg == "-help" || arg == "--help" }

// help prints the help of a verb, or the list of verbs.
func help(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 || args[0] == "help" || isHelp(args[0]) {
		fmt.Fprint(stdout, usage())
		return 0
	}
	return run([]string{args[0], "-h"}, stdout, stderr)
}

// usage returns the list of verbs.
func usage() string {
	var b strings.Builder
	b.WriteString("promptecho freezes LLM API calls in Go tests, which use its package " +
		"echotest.\n\nusage: promptecho COMMAND [-color auto|always|never] [flags] [arguments]\n")
	for _, v := range verbs {
		if !slices.Contains(selfEvident, v.name) {
			fmt.Fprintf(&b, "  %-10s %s\n", v.name, v.summary())
		}
	}
	fmt.Fprintf(&b, "  %s: see promptecho help COMMAND\n",
		strings.Join(selfEvident, ", "))
	return b.String()
}

// selfEvident are the verbs that the list of verbs only names, so that it fits a screen.
var selfEvident = []string{"mv", "replay", "stdio", "demo", "completion", "version"}
