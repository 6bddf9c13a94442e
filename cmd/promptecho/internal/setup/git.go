package setup

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Git runs git in a folder and returns what it prints.
type Git func(dir string, args ...string) ([]byte, error)

// Top returns the top folder of the repository that a folder is in, "" if it is in none or there is
// no git.
func (g Git) Top(dir string) string {
	out, err := g(dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return ""
	}
	return filepath.FromSlash(strings.TrimRight(string(out), "\r\n"))
}

// A Rule is a line of a file for git that decides about a path.
type Rule struct{ Place, Pattern string }

// IgnoredBy returns the pattern that ignores a path, and whether the path counts as ignored. It does
// if the pattern is in a .gitignore of the repository, or, with ofMachine, anywhere: other machines
// do not have the patterns of this one.
func (g Git) IgnoredBy(top, path string, ofMachine bool) (rule Rule, isIgnored bool) {
	out, err := g(top, "check-ignore", "--no-index", "-v", "--", path)
	m := ignoring.FindStringSubmatch(string(out))
	if err != nil || m == nil || strings.HasPrefix(m[3], "!") {
		return Rule{}, false
	}
	file := m[1]
	isOfRepository := filepath.IsLocal(filepath.FromSlash(file)) && filepath.Base(file) == ".gitignore"
	return Rule{file + ":" + m[2], m[3]}, ofMachine || isOfRepository
}

// RulesOf returns the pattern that ignores it for each path. All of the paths must be ignored. If git
// fails, or prints another number of patterns, RulesOf returns nil.
func (g Git) RulesOf(top string, paths []string) (rules []Rule) {
	const most = 100 // paths in a command, whose length is limited on Windows
	for chunk := range slices.Chunk(paths, most) {
		out, err := g(top, append([]string{"check-ignore", "-v", "--"}, chunk...)...)
		matches := ignoring.FindAllStringSubmatch(string(out), -1) // in the order of the paths
		if err != nil || len(matches) != len(chunk) {
			return nil
		}
		for _, m := range matches {
			rules = append(rules, Rule{m[1] + ":" + m[2], m[3]})
		}
	}
	return rules
}

// ignoring matches what git check-ignore -v prints: the file, the line and the text of a pattern.
var ignoring = regexp.MustCompile(`(?m)^(.*?):(\d+):(.*)\t`)

// hasAttribute reports whether the repository sets an attribute of a path to a value.
func (g Git) hasAttribute(top, path, attribute, value string) bool {
	// The attributes that only this machine has do not count.
	out, err := g(top, "-c", "core.attributesFile=", "check-attr", "-z", attribute, "--", path)
	fields := strings.Split(string(out), "\x00") // the path, the attribute, the value
	return err == nil && len(fields) >= 3 && fields[2] == value
}

// HasRemote reports whether a remote repository is on a host.
func (g Git) HasRemote(top, host string) bool {
	out, err := g(top, "remote", "-v")
	return err == nil && strings.Contains(string(out), host)
}

// samples returns paths that a pattern of [gitignore] or [gitattributes] is about: at the top of a
// repository, and in a folder below.
func samples(pattern string) []string {
	name := strings.ReplaceAll(strings.TrimPrefix(pattern, "**/"), "**", "TestX.yaml")
	name = strings.ReplaceAll(name, "*", "TestX")
	if strings.HasSuffix(name, "/") {
		name += "x.bin"
	}
	if !strings.Contains(name, "testdata/") {
		folder := "testdata/cassettes/"
		if strings.Contains(name, ".snap") {
			folder = "testdata/snapshots/"
		}
		name = folder + name
	}
	return []string{name, "promptecho-a/promptecho-b/" + name}
}

// MissingIgnores returns the lines that the .gitignore of a repository lacks, with their comments.
// text is its content. Without a repository, top is "".
func (g Git) MissingIgnores(top, text string) []string {
	written := linesOf(text)
	return missing(blocksOf(gitignore), func(line string) bool {
		if slices.Contains(written, line) || top == "" {
			return slices.Contains(written, line)
		}
		isFree := func(path string) bool {
			_, isIgnored := g.IgnoredBy(top, path, false)
			return !isIgnored
		}
		return !slices.ContainsFunc(samples(line), isFree)
	})
}

// MissingAttributes returns the lines that the .gitattributes of a repository lacks. A line counts as
// there if git leaves the line ends of its files alone: whether reviews fold them is up to the user.
func (g Git) MissingAttributes(top, text string) []string {
	written := linesOf(text)
	return missing(blocksOf(gitattributes), func(line string) bool {
		pattern, _, _ := strings.Cut(line, " ")
		isWritten := slices.ContainsFunc(written, func(other string) bool {
			fields := strings.Fields(other)
			return len(fields) > 1 && fields[0] == pattern && slices.Contains(fields, "-text")
		})
		if isWritten || top == "" {
			return isWritten
		}
		isTouched := func(path string) bool { return !g.hasAttribute(top, path, "text", "unset") }
		return !slices.ContainsFunc(samples(pattern), isTouched)
	})
}

// IgnoresCassettes returns the pattern with which a repository ignores all cassettes. A repository of
// promptecho-store ignores them on purpose.
func (g Git) IgnoresCassettes(top string) (rule Rule, isIgnored bool) {
	if _, err := os.Stat(filepath.Join(top, ".promptecho-store")); err == nil {
		return Rule{}, false
	}
	return g.IgnoredBy(top, "testdata/cassettes/TestX.yaml", true)
}
