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

// A candidate is a word that completes a command line, and its description.
type candidate struct{ word, text string }

// maxSearch is how long a search for candidates may take: a shell that does not answer the Tab key
// looks as if it hangs.
const maxSearch = 2 * time.Second

// printCompletions prints the candidates for the last of the words behind the name of the command: a
// line for each, with a tab between the word and its description.
func printCompletions(stdout io.Writer, verbs []verb, words []string) {
	if len(words) == 0 {
		words = []string{""}
	}
	for _, c := range complete(verbs, words[:len(words)-1], words[len(words)-1]) {
		if c.word == redact.OneLine(c.word) { // a shell could not read any other from a line
			fmt.Fprintf(stdout, "%s\t%s\n", c.word, c.text)
		}
	}
}

// complete returns the candidates for a word behind other words. It knows the flags of a verb, and
// reads from the usage of the verb, by words in capitals, what the arguments and the values of flags
// are.
func complete(verbs []verb, before []string, word string) []candidate {
	switch {
	case len(before) == 0:
		return matching(append([]candidate{{"help", "what a command does"}}, verbNames(verbs)...), word)
	case len(before) == 1 && before[0] == "help":
		return matching(verbNames(verbs), word)
	}
	i := slices.IndexFunc(verbs, func(v verb) bool { return v.name == before[0] })
	if i < 0 || slices.Contains(before, "--") {
		return nil
	}
	v := verbs[i]
	flags := v.flags()

	isFlag := strings.HasPrefix(word, "-")
	name, value, hasValue := strings.Cut(word, "=")
	if isFlag && hasValue {
		list := argument(v.valueOf(strings.TrimLeft(name, "-")), value)
		for i := range list {
			list[i].word = name + "=" + list[i].word
		}
		return list
	}
	last := before[len(before)-1]
	if len(before) > 1 && strings.HasPrefix(last, "-") {
		f := flags.Lookup(strings.TrimLeft(last, "-"))
		if f != nil && !isBool(f) {
			return argument(v.valueOf(f.Name), word)
		}
	}
	if isFlag {
		return matching(flagNames(v, flags, word), word)
	}
	var list []candidate
	for _, kind := range v.arguments() {
		list = append(list, argument(kind, word)...)
	}
	return list
}

// verbNames returns all verbs.
func verbNames(verbs []verb) (list []candidate) {
	for _, v := range verbs {
		list = append(list, candidate{v.name, v.summary()})
	}
	return list
}

// flagNames returns the flags of a verb, with as many dashes as the word has, at most two.
func flagNames(v verb, flags *flag.FlagSet, word string) (list []candidate) {
	dashes := word[:len(word)-len(strings.TrimLeft(word, "-"))]
	dashes = dashes[:min(2, len(dashes))]
	flags.VisitAll(func(f *flag.Flag) {
		list = append(list, candidate{dashes + f.Name, v.describe(f.Name)})
	})
	return list
}

// argumentKinds has the candidates for the words in capitals of a usage. Those with nil, and those
// that are missing, have none.
var argumentKinds = map[string]func(word string) []candidate{
	"DIR":     func(word string) []candidate { return entries(word, false) },
	"FILE":    func(word string) []candidate { return entries(word, true) },
	"PACKAGE": func(string) []candidate { return packages() },
	"PATH":    cassettePaths,
	"REF":     func(string) []candidate { return gitRefs() },
	"SHELL":   func(string) []candidate { return candidates(shells, "") },
	"TEST":    func(string) []candidate { return testNames() },
	"MODE": func(string) []candidate {
		return candidates([]string{"none", "compare", "once", "new_episodes", "update", "all", "live"}, "")
	},
	"UPSTREAM": nil,
	"OPTIONS":  nil,
	"ADDRESS":  nil,
	"HOST":     nil,
	"USD":      nil,
	"PRICE":    nil,
	"NEW":      nil,
	"URL":      nil,
	"VARIABLE": nil,
}

// argument returns the arguments of a kind that begin with word, or none if the search takes too long.
func argument(kind, word string) []candidate {
	list := argumentKinds[kind]
	if list == nil {
		return nil
	}
	found := make(chan []candidate, 1)
	go func() { found <- matching(list(word), word) }()
	select {
	case list := <-found:
		return list
	case <-time.After(maxSearch):
		return nil
	}
}

// matching returns the candidates that begin with word.
func matching(list []candidate, word string) []candidate {
	return slices.DeleteFunc(list, func(c candidate) bool { return !strings.HasPrefix(c.word, word) })
}

// candidates returns words with one description.
func candidates(words []string, text string) (list []candidate) {
	for _, w := range words {
		list = append(list, candidate{w, text})
	}
	return list
}

// cassettePaths returns the cassettes below the folder that a word begins with.
func cassettePaths(word string) []candidate {
	dir, _ := filepath.Split(word)
	folder := filepath.Join(dir, ".")
	files, _ := cassettesIn(folder)
	for i, file := range files {
		rel, err := filepath.Rel(folder, file)
		if err == nil {
			files[i] = dir + rel // spelled as in the word
		}
	}
	return candidates(files, "")
}

// testNames returns the tests that have a cassette below the current folder.
func testNames() []candidate {
	files, _ := cassettesIn(".")
	var names []string
	for _, file := range files {
		name, _ := testOf(file)
		if name != "" && kindOf(file) == isCassette {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return candidates(slices.Compact(names), "test")
}

// packages returns the packages below the current folder that have tests, without the folders that
// the go command leaves out.
func packages() []candidate {
	dirs := []string{"./..."}
	_ = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read has no candidates
		}
		if d.IsDir() {
			if path != "." && isLeftOutByGo(d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(d.Name(), "_test.go") {
			dirs = append(dirs, strings.TrimSuffix("./"+filepath.ToSlash(filepath.Dir(path)), "/."))
		}
		return nil
	})
	slices.Sort(dirs)
	return candidates(slices.Compact(dirs), "")
}

// isLeftOutByGo reports whether ./... does not include a folder of this name. node_modules is left out
// because of its size.
func isLeftOutByGo(name string) bool {
	isSpecial := slices.Contains([]string{"testdata", "vendor", "node_modules"}, name)
	return isSpecial || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".")
}

// entries returns the folders whose paths begin with word, and the files if withFiles is set.
func entries(word string, withFiles bool) (list []candidate) {
	dir, _ := filepath.Split(word)
	found, _ := os.ReadDir(filepath.Join(dir, "."))
	for _, e := range found {
		info, err := os.Stat(filepath.Join(dir, e.Name()))
		switch {
		case err == nil && info.IsDir():
			list = append(list, candidate{dir + e.Name() + "/", ""})
		case withFiles:
			list = append(list, candidate{dir + e.Name(), ""})
		}
	}
	return list
}

// gitRefs returns branches and tags.
func gitRefs() []candidate {
	out, _ := git("", "for-each-ref", "--format=%(refname:short)")
	return candidates(append([]string{"HEAD"}, strings.Fields(string(out))...), "")
}
