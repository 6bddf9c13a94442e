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

// mostMarkdown is the length in bytes of what is printed for a comment under a pull request.
// GitHub takes 65,536 characters; others take more.
const mostMarkdown = 60_000

// printMarkdown prints differences for a comment. An edit that several tests have, such as that
// of a prompt they share, comes first and once. Then comes what else changed in each test,
// folded, and once for several tests whose cassettes changed in the same way. What was recorded
// stands in fences that are longer than any in it, so that it can say nothing by itself.
func printMarkdown(w io.Writer, list []*difference) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### promptecho: %s\n\n", counted(list))
	var total usageDiff
	for _, d := range list {
		total.add(d.Total)
	}
	if text := total.String(); text != "" {
		fmt.Fprintf(&b, "%s\n\n", text)
	}

	sections, rest := sharedEdits(list)
	sections = append(sections, alike(rest)...)
	left := 0
	for _, g := range sections {
		text := g.section()
		if b.Len()+len(text) > mostMarkdown {
			left += len(g.tests)
			continue
		}
		b.WriteString(text)
	}
	if left > 0 {
		fmt.Fprintf(&b, "%s more: `promptecho diff` shows them.\n", count(left, "cassette"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// A markdownGroup is a section of a comment: what has changed in some tests.
type markdownGroup struct {
	what  fate     // of the cassettes; sharedEdit for an edit of several tests
	body  string   // the text in the fence
	tests []string // their names
}

// A fate is what became of a cassette.
type fate uint8

const (
	isChanged fate = iota
	isNew
	isDeleted
	sharedEdit
)

func (f fate) String() string { return [...]string{"changed", "new", "deleted", "the same edit"}[f] }

// fateOf returns what became of a cassette.
func fateOf(d *difference) fate {
	switch {
	case d.Old == "":
		return isNew
	case d.New == "":
		return isDeleted
	}
	return isChanged
}

// counted says how many cassettes have changed, are new and are deleted.
func counted(list []*difference) string {
	number := map[fate]int{}
	for _, d := range list {
		number[fateOf(d)]++
	}
	var counts []string
	for _, what := range []fate{isChanged, isNew, isDeleted} {
		if number[what] > 0 {
			counts = append(counts, fmt.Sprintf("%s %s", count(number[what], "cassette"), what))
		}
	}
	return cmp.Or(strings.Join(counts, ", "), "no cassette has changed")
}

// testName returns the name of the test whose cassette a difference is of, or the file if the
// cassette is of no test.
func testName(d *difference) string {
	file := d.file()
	name, _ := testOf(file)
	return cmp.Or(name, file)
}

// alike returns a section for each way in which cassettes have changed.
func alike(list []*difference) (groups []*markdownGroup) {
	byText := map[string]*markdownGroup{}
	for _, d := range list {
		var text strings.Builder
		p := &printer{w: &text}
		p.difference(d)
		_, body, _ := strings.Cut(text.String(), "\n") // without the name
		key := fateOf(d).String() + "\n" + body
		g := byText[key]
		if g == nil {
			g = &markdownGroup{what: fateOf(d), body: body}
			byText[key] = g
			groups = append(groups, g)
		}
		g.tests = append(g.tests, testName(d))
	}
	return groups
}

// sharedEdits returns a section for each edit of a request that more than one cassette has, and
// the differences without these edits. A cassette that has no other is left out.
func sharedEdits(list []*difference) (sections []*markdownGroup, rest []*difference) {
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

	for _, e := range slices.DeleteFunc(edits, func(e changes.Edit) bool { return !isShared(e) }) {
		var text strings.Builder
		p := &printer{w: &text}
		p.field(0, e)
		g := &markdownGroup{what: sharedEdit, body: text.String()}
		for _, d := range cassettes[e] {
			g.tests = append(g.tests, testName(d))
		}
		sections = append(sections, g)
	}
	for _, d := range list {
		if without, isMore := d.withoutEdits(isShared); isMore {
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
// isMore reports whether anything is left to be told; other counts of tokens alone are not.
func (d *difference) withoutEdits(isTold func(changes.Edit) bool) (without *difference, isMore bool) {
	rest := *d
	rest.Calls = nil
	isMore = len(d.Env) > 0 || len(d.Calls) == 0
	for _, c := range d.Calls {
		before := len(c.Edits)
		c.Edits = slices.DeleteFunc(slices.Clone(c.Edits), isTold)
		c.Repeated += before - len(c.Edits)
		isMore = isMore || c.Is != "changed" || slices.ContainsFunc(c.Edits, func(e changes.Edit) bool { return e.In != "usage" })
		rest.Calls = append(rest.Calls, c)
	}
	return &rest, isMore
}

// The most of one section that a comment holds.
const mostNames, mostBody = 20, 8000

// section returns what changed in some tests.
func (g *markdownGroup) section() string {
	names, body := g.tests, g.body
	title := code(names[0])
	switch {
	case g.what == sharedEdit:
		title += english.AndMore(" ", len(names)-1)
	case len(names) > 1:
		title += english.AndMore(" ", len(names)-1) + " in the same way"
	}
	sum := html.EscapeString(lastLine(body))
	switch g.what {
	case isChanged:
	case sharedEdit:
		sum = g.what.String()
	default:
		sum = g.what.String() + ", " + sum
	}
	text := fmt.Sprintf("<details><summary>%s: %s</summary>\n\n", title, sum)
	if len(names) > 1 {
		shown := names[:min(len(names), mostNames)]
		var all []string
		for _, name := range shown {
			all = append(all, code(name))
		}
		if more := english.AndMore("", len(names)-len(shown)); more != "" {
			all = append(all, more)
		}
		text += "<p>" + strings.Join(all, ", ") + "</p>\n\n"
	}
	if len(body) > mostBody {
		at := strings.LastIndexByte(body[:mostBody], '\n') + 1
		body = body[:at] + fmt.Sprintf("(%s more)\n", count(strings.Count(body[at:], "\n"), "line"))
	}
	fence := "```"
	for _, run := range regexp.MustCompile("`+").FindAllString(body, -1) {
		if len(run) >= len(fence) {
			fence = run + "`"
		}
	}
	return text + fence + "diff\n" + body + fence + "\n\n</details>\n\n"
}

// code returns a name as HTML in which nothing is a link or a mention.
func code(name string) string {
	return "<code>" + html.EscapeString(clip(redact.OneLine(name), 120)) + "</code>"
}

func lastLine(text string) string {
	text = strings.TrimRight(text, "\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}
