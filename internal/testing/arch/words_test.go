package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// riddles are words that mean something in this code base only, and turns of phrase that are read
// twice, with what to write in a message instead.
var riddles = []struct{ pattern, instead string }{
	{`\banew\b`, "again"},
	{`\bunsaid\b`, "not written"},
	{`\baloud\b`, "in the message"},
	{`\blen[dt]s?\b`, "played for another request"},
	{`\bbeside\b`, "next to"},
	{`\bside by side\b`, "in parallel"},
	{`\bwithin\b`, "inside, in, or sent by the function"},
	{`\bgivens?\b`, "passed, set, or the value of rec.Now, rec.Rand or rec.Env"},
	{`\bin vain\b`, "what did not happen"},
	{`\b(no|some|any)body\b`, "who, or it"},
	{`\b(stands?|stood)\b`, "is"},
	{`\bmakes? (it|them) match\b`, "compares it"},
	{`\b(fields?|what|which|that) (do|does) not match\b`, "is ignored when matching, or differs"},
	{`\b(is|are|was|were|be) no [a-z]`, "is not a"},
	{`\b(tells?|told|learns?) of\b`, "says, describes"},
	{`\bmeanwhile\b`, "in the meantime"},
	{`\bask(s|ed|ing)? (nothing|anybody|the provider|the network)\b`, "sends, calls"},
}

// allowed are uses of these words that are plain English.
var allowed = regexp.MustCompile(`\bstands? for\b|\bstand-in|\bthere (is|are|was|were) no\b|\bis no longer\b`)

// TestMessagesArePlain: whoever reads a message knows none of the words that this code base has
// made up. A message is a text of three words and more; what the judge is told is not one.
func TestMessagesArePlain(t *testing.T) {
	t.Parallel()
	elsewhere := regexp.MustCompile(`(^|/)(testdata|bench|tools|interop|corpus|internal/(fakeprovider|testing/seeds|snapshot/judge))(/|$)`)
	root := filepath.Join("..", "..", "..")
	seen := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		if err != nil || entry.IsDir() && elsewhere.MatchString(name) {
			return or(err, fs.SkipDir)
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if text, _ := strconv.Unquote(literal.Value); len(strings.Fields(text)) > 2 {
					seen++
					plain(t, files.Position(literal.Pos()).String(), text, riddles)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || seen < 1000 {
		t.Errorf("%d messages were read: %v", seen, err)
	}
}

func or(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// TestDocsArePlain: nor does the reader of the documentation know them, except where the word is that
// of a name in code.
func TestDocsArePlain(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../../docs/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatal(pages, err)
	}
	design, err := filepath.Glob("../../../docs/design/*.md")
	if err != nil || len(design) == 0 {
		t.Fatal(design, err)
	}
	pages = append(pages, design...)
	code := regexp.MustCompile("(?s)```.*?```|`[^`]*`|<!--.*?-->|\\]\\([^)]*\\)")
	for _, page := range append(pages, "../../../README.md", "../../../CONTRIBUTING.md", "../../../SECURITY.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		prose := code.ReplaceAllStringFunc(string(text), func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) })
		for i, line := range strings.Split(prose, "\n") {
			plain(t, page+":"+strconv.Itoa(i+1), line, inDocs)
		}
	}
}

// inDocs are the words that documentation does not explain either.
var inDocs = []struct{ pattern, instead string }{riddles[0], riddles[1], riddles[2], riddles[3], {`\bin vain\b`, "what did not happen"}, {`\b(no|some)body\b`, "who, or it"}, {`\bbeside\b`, "next to"}, {`\bstood|stands (?:there|behind|above|below|before|in|at)\b`, "is"}}

// compiled returns a pattern of words, which is compiled once.
func compiled(pattern string) *regexp.Regexp {
	if known, ok := patterns.Load(pattern); ok {
		return known.(*regexp.Regexp)
	}
	made := regexp.MustCompile(`(?i)` + pattern)
	patterns.Store(pattern, made)
	return made
}

var patterns sync.Map

// plain reports the words of a text that its reader does not know.
func plain(t *testing.T, place, text string, words []struct{ pattern, instead string }) {
	t.Helper()
	text = allowed.ReplaceAllString(text, "")
	for _, w := range words {
		if found := compiled(w.pattern).FindString(text); found != "" {
			t.Errorf("%s: %q: write %q\n\t%.300s", place, found, w.instead, text)
		}
	}
}
