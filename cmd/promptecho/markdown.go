package main

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/changes"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/redact"
)

// maxMarkdown is the largest size in bytes of a comment under a pull request. GitHub takes
// 65,536 characters, other forges take more.
const maxMarkdown = 60_000

// printMarkdown prints differences for a comment under a pull request. Edits that several tests
// have, such as one of a shared prompt, come first, each once. Then comes what else changed in
// each test, folded; tests whose cassettes changed in the same way have one section. Recorded
// text is fenced by more backquotes than it has in a row, so that it is never read as markup.
func printMarkdown(w io.Writer, list []*difference) error {
	var b strings.Builder
	counts := cmp.Or(strings.Join(countKinds(list), ", "), "no cassette has changed")
	fmt.Fprintf(&b, "### promptecho: %s\n\n", counts)
	var total usageDiff
	for _, d := range list {
		total.add(d.Total)
	}
	if text := total.String(); text != "" {
		fmt.Fprintf(&b, "%s\n\n", text)
	}

	sections, rest := sectionsOfSharedEdits(list)
	sections = append(sections, sectionsOfTests(rest)...)
	omitted := 0 // tests
	for _, s := range sections {
		text := s.markdown()
		if b.Len()+len(text) > maxMarkdown {
			omitted += len(s.tests)
			continue
		}
		b.WriteString(text)
	}
	if omitted > 0 {
		fmt.Fprintf(&b, "%s more: `promptecho diff` shows them.\n", count(omitted, "cassette"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// A section is a part of a comment: what changed in some tests.
type section struct {
	isSharedEdit bool
	kind         changeKind // of the cassettes, unless it is a shared edit
	body         string     // the text between the fences
	tests        []string   // their names
}

// testName returns the name of the test whose cassette differs, or the file if the cassette
// belongs to no test.
func testName(d *difference) string {
	file := d.file()
	name, _ := testOf(file)
	return cmp.Or(name, file)
}

// sectionsOfTests returns the sections of the differences, one for cassettes that changed in the
// same way.
func sectionsOfTests(list []*difference) (sections []*section) {
	byText := map[string]*section{}
	for _, d := range list {
		var text strings.Builder
		p := &printer{w: &text}
		p.difference(d)
		_, body, _ := strings.Cut(text.String(), "\n") // the first line has the name
		key := d.kind().String() + "\n" + body
		s := byText[key]
		if s == nil {
			s = &section{kind: d.kind(), body: body}
			byText[key] = s
			sections = append(sections, s)
		}
		s.tests = append(s.tests, testName(d))
	}
	return sections
}

// sectionsOfSharedEdits returns a section for each edit of a request that two or more cassettes
// have, and the differences without these edits. A difference that has no other edit is left out.
func sectionsOfSharedEdits(list []*difference) (sections []*section, rest []*difference) {
	cassettes := map[changes.Edit][]*difference{}
	var edits []changes.Edit
	for _, d := range list {
		for e := range requestEdits(d) {
			if cassettes[e] == nil {
				edits = append(edits, e)
			}
			cassettes[e] = append(cassettes[e], d)
		}
	}
	isShared := func(e changes.Edit) bool { return len(cassettes[e]) > 1 }

	for _, e := range edits {
		if !isShared(e) {
			continue
		}
		var text strings.Builder
		p := &printer{w: &text}
		p.field(0, e)
		s := &section{isSharedEdit: true, body: text.String()}
		for _, d := range cassettes[e] {
			s.tests = append(s.tests, testName(d))
		}
		sections = append(sections, s)
	}
	for _, d := range list {
		without, hasMore := d.withoutEdits(isShared)
		if hasMore {
			rest = append(rest, without)
		}
	}
	return sections, rest
}

// requestEdits yields the edits of the requests of a cassette, each once, in their order.
func requestEdits(d *difference) iter.Seq[changes.Edit] {
	return func(yield func(changes.Edit) bool) {
		seen := map[changes.Edit]bool{}
		for _, c := range d.Calls {
			for _, e := range c.Edits {
				isOfRequest := e.In == "request" || e.In == "settings"
				if !isOfRequest || seen[e] {
					continue
				}
				seen[e] = true
				if !yield(e) {
					return
				}
			}
		}
	}
}

// withoutEdits returns a difference without some edits, which each call counts as repeated.
// hasMore reports whether there is another difference than token counts.
func (d *difference) withoutEdits(isRemoved func(changes.Edit) bool) (without *difference, hasMore bool) {
	rest := *d
	rest.Calls = nil
	hasMore = len(d.Env) > 0 || len(d.Calls) == 0
	isNotUsage := func(e changes.Edit) bool { return e.In != "usage" }
	for _, c := range d.Calls {
		before := len(c.Edits)
		c.Edits = slices.DeleteFunc(slices.Clone(c.Edits), isRemoved)
		c.Repeated += before - len(c.Edits)
		if c.Is != "changed" || slices.ContainsFunc(c.Edits, isNotUsage) {
			hasMore = true
		}
		rest.Calls = append(rest.Calls, c)
	}
	return &rest, hasMore
}

// The largest number of names, and the largest size in bytes of a body, in one section.
const (
	maxNames = 20
	maxBody  = 8000
)

var backquotes = regexp.MustCompile("`+")

// markdown returns the text of a section.
func (s *section) markdown() string {
	text := fmt.Sprintf("<details><summary>%s: %s</summary>\n\n", s.title(), s.summaryLine())
	if len(s.tests) > 1 {
		text += "<p>" + strings.Join(s.names(), ", ") + "</p>\n\n"
	}

	body := s.body
	if len(body) > maxBody {
		end := strings.LastIndexByte(body[:maxBody], '\n') + 1
		body = body[:end] + fmt.Sprintf("(%s more)\n", count(strings.Count(body[end:], "\n"), "line"))
	}
	fence := "```"
	for _, run := range backquotes.FindAllString(body, -1) {
		if len(run) >= len(fence) {
			fence = run + "`"
		}
	}
	return text + fence + "diff\n" + body + fence + "\n\n</details>\n\n"
}

// title names the first test of a section, and says how many others there are.
func (s *section) title() string {
	title := code(s.tests[0]) + english.AndMore(" ", len(s.tests)-1)
	if len(s.tests) > 1 && !s.isSharedEdit {
		title += " in the same way"
	}
	return title
}

// summaryLine says in a few words what changed.
func (s *section) summaryLine() string {
	if s.isSharedEdit {
		return "the same edit"
	}
	summary := html.EscapeString(lastLine(s.body))
	if s.kind == cassetteChanged {
		return summary
	}
	return s.kind.String() + ", " + summary
}

// names returns the names of the tests, at most maxNames, and how many more there are.
func (s *section) names() (names []string) {
	shown := s.tests[:min(len(s.tests), maxNames)]
	for _, name := range shown {
		names = append(names, code(name))
	}
	if more := english.AndMore("", len(s.tests)-len(shown)); more != "" {
		names = append(names, more)
	}
	return names
}

// code returns a name as HTML in which nothing is a link or a mention.
func code(name string) string {
	return "<code>" + html.EscapeString(clip(redact.OneLine(name), 120)) + "</code>"
}

// lastLine returns the last line of a text that is not empty.
func lastLine(text string) string {
	text = strings.TrimRight(text, "\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}
