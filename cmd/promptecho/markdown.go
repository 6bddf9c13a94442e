package main

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"

	"github.com/promptecho/promptecho/internal/redact"
)

// mostMarkdown is the length in bytes of what is printed for a comment under a pull request.
// GitHub takes 65,536 characters; others take more.
const mostMarkdown = 60_000

// printMarkdown prints differences for a comment: what changed in each test, folded, and one
// of several tests whose cassettes changed in the same way. What was recorded stands in
// fences that are longer than any in it, so that it can say nothing by itself.
func printMarkdown(w io.Writer, list []*difference) error {
	groups, order := map[string][]string{}, []string{}
	all := map[string]int{}
	var total usageDiff
	for _, d := range list {
		var text strings.Builder
		p := &printer{w: &text}
		p.difference(d)
		_, body, _ := strings.Cut(text.String(), "\n") // without the name
		what := "changed"
		switch {
		case d.Old == "":
			what = "new"
		case d.New == "":
			what = "deleted"
		}
		all[what]++
		total.add(d.Total)
		key := what + "\n" + body
		if groups[key] == nil {
			order = append(order, key)
		}
		file := d.New
		if file == "" {
			file, _, _ = strings.Cut(d.Old, " (") // the revision
		}
		name, _ := testOf(file)
		groups[key] = append(groups[key], cmp.Or(name, file))
	}
	var b strings.Builder
	var counts []string
	for _, what := range []string{"changed", "new", "deleted"} {
		if all[what] > 0 {
			counts = append(counts, fmt.Sprintf("%s %s", count(all[what], "cassette"), what))
		}
	}
	fmt.Fprintf(&b, "### promptecho: %s\n\n", cmp.Or(strings.Join(counts, ", "), "no cassette has changed"))
	if text := total.String(); text != "" {
		fmt.Fprintf(&b, "%s\n\n", text)
	}
	left := 0
	for _, key := range order {
		what, body, _ := strings.Cut(key, "\n")
		section := section(groups[key], what, body)
		if b.Len()+len(section) > mostMarkdown {
			left += len(groups[key])
			continue
		}
		b.WriteString(section)
	}
	if left > 0 {
		fmt.Fprintf(&b, "%s more: `promptecho diff` shows them.\n", count(left, "cassette"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// The most of one section that a comment holds.
const mostNames, mostBody = 20, 8000

// section returns what changed in some tests.
func section(names []string, what, body string) string {
	title := code(names[0])
	if len(names) > 1 {
		title += fmt.Sprintf(" and %d more in the same way", len(names)-1)
	}
	sum := html.EscapeString(lastLine(body))
	if what != "changed" {
		sum = what + ", " + sum
	}
	text := fmt.Sprintf("<details><summary>%s: %s</summary>\n\n", title, sum)
	if len(names) > 1 {
		shown := names[:min(len(names), mostNames)]
		var all []string
		for _, name := range shown {
			all = append(all, code(name))
		}
		if rest := len(names) - len(shown); rest > 0 {
			all = append(all, fmt.Sprintf("and %d more", rest))
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
