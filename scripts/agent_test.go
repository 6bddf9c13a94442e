package scripts

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/promptecho/promptecho/internal/testing/full"
)

// The tests of an agent are brought through a year of edits by the commands that are printed. Every
// command that is printed is pasted.
func TestYearOfAnAgent(t *testing.T) {
	t.Parallel()
	withProvider(t, "agent", ".", func(string) error { return nil })
}

// follow runs what the last output tells its reader to run, as a person would who has pasted it, by
// turns in the root of the repository and in the folder of a package: the command that has a text
// in the repository itself, and each other in a copy. With FULL=1, each is run in both places, in
// copies, before.
//
//	follow FOLDER TEXT
func follow(ts *testscript.TestScript, neg bool, args []string) {
	all := commandsIn(ts.ReadFile("stdout"))
	chosen := slices.IndexFunc(all, func(c string) bool { return len(args) == 2 && strings.Contains(c, args[1]) })
	if chosen < 0 || neg {
		ts.Fatalf("usage: follow FOLDER TEXT; the output has the commands:\n%s", strings.Join(all, "\n"))
	}
	work := ts.MkAbs(".")
	run := func(in, dir, command string) {
		ts.Check(ts.Chdir(filepath.Join(in, dir)))
		command = strings.ReplaceAll(command, work, in)
		if err := ts.Exec("sh", "-ec", command); err != nil {
			ts.Fatalf("pasted in %s:\n%s\n%v", dir, command, err)
		}
		ts.Check(ts.Chdir(work))
	}
	turn := func(i int) string { return []string{".", args[0]}[(len(all[0])+i)%2] }
	for i, command := range all {
		for _, dir := range []string{".", args[0]} {
			if !full.Set() && (i == chosen || dir != turn(i)) {
				continue
			}
			pasted, err := os.MkdirTemp(filepath.Dir(work), "pasted")
			ts.Check(err)
			ts.Check(os.CopyFS(pasted, os.DirFS(work)))
			run(pasted, dir, command)
			ts.Check(os.RemoveAll(pasted))
		}
	}
	run(work, turn(chosen), all[chosen])
}

var (
	// printed are commands in lines of their own, and said are those within a sentence.
	printed = regexp.MustCompile(`^\s+((?:PROMPTECHO_\w+=\S+ )*(go|git|mv|rm|promptecho) .*)$`)
	said    = regexp.MustCompile(`(promptecho (?:merge|verify -w) \S+) (?:merges|writes|rewrites|puts)`)
)

// commandsIn returns the commands that an output has, each once. Those that follow each other are
// one, unless each of them names another test that may have been renamed.
func commandsIn(output string) (all []string) {
	above := false // a command is in the line above
	for line := range strings.Lines(output) {
		m := printed.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		within := said.FindStringSubmatch(line)
		switch {
		case m != nil && strings.HasPrefix(m[1], "promptecho prune -w deletes"):
		case m != nil && above && m[2] != "promptecho":
			all[len(all)-1] += "\n" + m[1]
		case m != nil:
			all = append(all, m[1])
		case within != nil:
			all = append(all, within[1])
		}
		above = m != nil
	}
	slices.Sort(all)
	return slices.Compact(all)
}
