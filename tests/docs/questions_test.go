package docs_test

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/tests/internal/must"
)

// README.md, or a page that it links to, answers each question that users asked in public.
//
// testdata/questions.txt names the thread of each question, and a phrase of the section that
// answers it.
func TestQuestionsAreAnswered(t *testing.T) {
	t.Parallel()
	fromRoot()
	questions, err := parseQuestions(must.Read(t, "tests/docs/testdata/questions.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(questions) < 60 {
		t.Errorf("%d questions, want 60 or more", len(questions))
	}

	linked := linkedFrom(must.Read(t, "README.md"))
	seen := map[string]bool{}
	for _, q := range questions {
		for _, once := range []string{q.text, q.from} {
			if seen[once] {
				t.Errorf("%q is there twice", once)
			}
			seen[once] = true
		}

		thread, err := url.Parse(q.from)
		if err != nil || thread.Scheme != "https" || thread.Host == "" {
			t.Errorf("%s\n%q is no https URL", q.text, q.from)
		}
		if q.page != "README.md" && !linked[q.page] {
			t.Errorf("%s\nREADME.md has no link to %s", q.text, q.page)
			continue
		}
		section, isThere := sectionOf(must.Read(t, q.page), q.anchor)
		if !isThere {
			t.Errorf("%s\n%s has no section #%s", q.text, q.page, q.anchor)
			continue
		}
		if !strings.Contains(oneLine(section), oneLine(q.says)) {
			t.Errorf("%s\n%s#%s does not say %q", q.text, q.page, q.anchor, q.says)
		}
	}
}

// A question is a block of testdata/questions.txt.
type question struct {
	text         string // what the user wants to know
	from         string // the URL of the thread
	page, anchor string // where the answer is
	says         string // a phrase of the answer
}

// parseQuestions reads blocks of four lines, each with its key. A block that begins with # is a
// comment.
func parseQuestions(text string) ([]question, error) {
	var questions []question
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if strings.HasPrefix(block, "#") {
			continue
		}
		lines := strings.Split(block, "\n")
		keys := []string{"Q: ", "from: ", "at: ", "says: "}
		if len(lines) != len(keys) {
			return nil, fmt.Errorf("want lines with the keys %q:\n%s", keys, block)
		}

		values := make([]string, len(keys))
		for i, line := range lines {
			value, hasKey := strings.CutPrefix(line, keys[i])
			value = strings.TrimSpace(value)
			if !hasKey || value == "" {
				return nil, fmt.Errorf("want %q and a value in the line %q of\n%s", keys[i], line, block)
			}
			values[i] = value
		}
		page, anchor, hasAnchor := strings.Cut(values[2], "#")
		if !hasAnchor {
			return nil, fmt.Errorf("%q names no section", values[2])
		}
		questions = append(questions, question{values[0], values[1], page, anchor, values[3]})
	}
	return questions, nil
}

var (
	pageLinks   = regexp.MustCompile(`\]\(([^):#]+\.md)(?:#[^)]*)?\)`)
	headings    = regexp.MustCompile(`^(#{1,6}) (.+)\n?$`)
	punctuation = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// linkedFrom returns the pages that README.md links to.
func linkedFrom(readme string) map[string]bool {
	linked := map[string]bool{}
	for _, m := range pageLinks.FindAllStringSubmatch(readme, -1) {
		linked[m[1]] = true
	}
	return linked
}

// sectionOf returns the text below the heading that has the anchor, up to the next heading of the
// same or a higher level. The title of a page has only the text up to the next heading, since
// its section would be the whole page.
func sectionOf(page, anchor string) (text string, isThere bool) {
	var section strings.Builder
	level := 0 // of the heading with the anchor, 0 before it
	isFenced := false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			isFenced = !isFenced
		}
		heading := headings.FindStringSubmatch(line)
		isHeading := heading != nil && !isFenced

		switch {
		case level == 0:
			if isHeading && anchorOf(heading[2]) == anchor {
				level = len(heading[1])
			}
		case isHeading && (level == 1 || len(heading[1]) <= level):
			return section.String(), true
		default:
			section.WriteString(line)
		}
	}
	return section.String(), level > 0
}

// anchorOf returns the anchor that GitHub gives to a heading: its words in lower case, with hyphens
// between them and without punctuation.
func anchorOf(heading string) string {
	words := punctuation.ReplaceAllString(strings.ToLower(heading), "")
	return strings.ReplaceAll(strings.TrimSpace(words), " ", "-")
}

// oneLine returns a text with one blank between words.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// A section ends where the next one begins, and a comment in a block of code is no heading.
func TestSectionsOfPages(t *testing.T) {
	t.Parallel()
	fromRoot()
	page := "# Title\n\nfirst\n\n## A `code`: b?\n\nsecond\n\n```sh\n# no heading\n```\n\n" +
		"### Below\n\nthird\n\n## Next\n\nfourth\n"
	for anchor, want := range map[string]string{
		"title":    "first",
		"a-code-b": "second ```sh # no heading ``` ### Below third",
		"below":    "third",
		"next":     "fourth",
	} {
		if got, isThere := sectionOf(page, anchor); !isThere || oneLine(got) != want {
			t.Errorf("section %s: %q, %v; want %q", anchor, got, isThere, want)
		}
	}
	if got, isThere := sectionOf(page, "no-heading"); isThere {
		t.Errorf("a comment of a script counts as a heading: %q", got)
	}
	want := map[string]bool{"docs/A.md": true, "docs/B.md": true}
	if linked := linkedFrom("[a](docs/A.md) [b](docs/B.md#c) [d](https://e.org/F.md)"); !maps.Equal(linked, want) {
		t.Errorf("links: %v, want %v", linked, want)
	}
}
