package main

import (
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/redact"
)

// A candidate is a word that may stand on a command line, and what it is.
type candidate struct{ word, text string }

// patience is how long a search for completions may take, for a key that nothing follows
// looks like a shell that hangs.
const patience = 2 * time.Second

// printCompletions prints what completes the last of the words behind the command's name: a
// line for each completion, with a tab and what it is.
func printCompletions(stdout io.Writer, verbs []verb, words []string) {
	if len(words) == 0 {
		words = []string{""}
	}
	for _, c := range complete(verbs, words[:len(words)-1], words[len(words)-1]) {
		if c.word == redact.OneLine(c.word) { // no shell takes another one from a line
			fmt.Fprintf(stdout, "%s\t%s\n", c.word, c.text)
		}
	}
}

// complete returns what may stand in place of word behind the words before it.
//
// All it knows of a verb are its flags and its help: the first line of that says by words in
// capitals what the arguments are, and what the values of the flags are.
func complete(verbs []verb, before []string, word string) []candidate {
	if len(before) == 0 || before[0] == "help" && len(before) == 1 {
		list := []candidate{{"help", "what a command does"}}[len(before):]
		for _, v := range verbs {
			list = append(list, candidate{v.name, v.summary()})
		}
		return matching(list, word)
	}
	i := slices.IndexFunc(verbs, func(v verb) bool { return v.name == before[0] })
	if i < 0 || slices.Contains(before, "--") {
		return nil
	}
	v, flags := verbs[i], verbs[i].flags()
	if name, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(word, "-") {
		list := argument(v.valueOf(strings.TrimLeft(name, "-")), value)
		for i := range list {
			list[i].word = name + "=" + list[i].word
		}
		return list
	}
	if last := before[len(before)-1]; strings.HasPrefix(last, "-") && len(before) > 1 {
		if f := flags.Lookup(strings.TrimLeft(last, "-")); f != nil && !isBool(f) {
			return argument(v.valueOf(f.Name), word)
		}
	}
	if dashes := word[:len(word)-len(strings.TrimLeft(word, "-"))]; dashes != "" {
		var list []candidate
		flags.VisitAll(func(f *flag.Flag) {
			list = append(list, candidate{dashes[:min(2, len(dashes))] + f.Name, v.describe(f.Name)})
		})
		return matching(list, word)
	}
	var list []candidate
	for _, what := range v.arguments() {
		list = append(list, argument(what, word)...)
	}
	return list
}

// completed says how each word in capitals of a usage is completed. One that is not here is
// not.
var completed = map[string]func(word string) []candidate{
	"DIR":     func(word string) []candidate { return entries(word, false) },
	"FILE":    func(word string) []candidate { return entries(word, true) },
	"PACKAGE": func(string) []candidate { return packages() },
	"PATH":    cassettePaths,
	"REF":     func(string) []candidate { return gitRefs() },
	"SHELL":   func(string) []candidate { return named(shells, "") },
	"TEST":    func(string) []candidate { return testNames() },
	"MODE": func(string) []candidate {
		return named([]string{"none", "compare", "once", "new_episodes", "update", "all", "live"}, "")
	},
	"UPSTREAM": nil, // it has no end
	"OPTIONS":  nil, // nor have these
	"ADDRESS":  nil,
}

// argument returns the arguments of a kind that begin with word.
func argument(kind, word string) []candidate {
	list := completed[kind]
	if list == nil {
		return nil
	}
	found := make(chan []candidate, 1)
	go func() { found <- matching(list(word), word) }()
	select {
	case candidates := <-found:
		return candidates
	case <-time.After(patience):
		return nil
	}
}

func matching(list []candidate, word string) []candidate {
	return slices.DeleteFunc(list, func(c candidate) bool { return !strings.HasPrefix(c.word, word) })
}

func named(words []string, text string) (list []candidate) {
	for _, w := range words {
		list = append(list, candidate{w, text})
	}
	return list
}

// cassettePaths returns the cassettes below the folder that a word begins with.
func cassettePaths(word string) []candidate {
	dir, _ := filepath.Split(word)
	files, _ := cassettesIn(filepath.Join(dir, "."))
	for i, file := range files {
		if rel, err := filepath.Rel(filepath.Join(dir, "."), file); err == nil {
			files[i] = dir + rel
		}
	}
	return named(files, "")
}

// testNames returns the tests that have a cassette below the current folder.
func testNames() []candidate {
	files, _ := cassettesIn(".")
	var names []string
	for _, file := range files {
		if name, _ := testOf(file); name != "" && kindOf(file) == isCassette {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return named(slices.Compact(names), "test")
}

// packages returns the packages below the current folder that have tests.
func packages() []candidate {
	dirs := []string{"./..."}
	_ = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		name := ""
		if err == nil {
			name = d.Name()
		}
		switch {
		case err != nil, !d.IsDir() && !strings.HasSuffix(name, "_test.go"):
			return nil
		case d.IsDir() && path != "." && (slices.Contains([]string{"testdata", "vendor", "node_modules"}, name) || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".")):
			return fs.SkipDir // as the go command does
		case !d.IsDir():
			dirs = append(dirs, strings.TrimSuffix("./"+filepath.ToSlash(filepath.Dir(path)), "/."))
		}
		return nil
	})
	slices.Sort(dirs)
	return named(slices.Compact(dirs), "")
}

// entries returns the folders that a path may go on with, and its files if they are wanted.
func entries(word string, files bool) (list []candidate) {
	dir, _ := filepath.Split(word)
	found, _ := os.ReadDir(filepath.Join(dir, "."))
	for _, e := range found {
		if info, err := os.Stat(filepath.Join(dir, e.Name())); err == nil && info.IsDir() {
			list = append(list, candidate{dir + e.Name() + "/", ""})
		} else if files {
			list = append(list, candidate{dir + e.Name(), ""})
		}
	}
	return list
}

// gitRefs returns branches and tags.
func gitRefs() []candidate {
	out, _ := git("", "for-each-ref", "--format=%(refname:short)")
	return named(append([]string{"HEAD"}, strings.Fields(string(out))...), "")
}
