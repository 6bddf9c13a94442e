package docs_test

import (
	"encoding/xml"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/txtar"
	"github.com/promptecho/promptecho/tests/internal/must"
)

var updatePictures = flag.Bool("update", false, "draw the pictures in docs/pictures")

// The README's picture of a failed test shows a report that a script gets.
func TestPictureShowsARealReport(t *testing.T) {
	t.Parallel()
	fromRoot()
	const script, picture = "scripts/testdata/first/openai.txtar", "docs/pictures/miss.svg"
	archive, err := txtar.ParseFile(script)
	if err != nil {
		t.Fatal(err)
	}
	report := ""
	for _, f := range archive.Files {
		if f.Name == "want-miss" {
			report = string(f.Data)
		}
	}
	if report == "" {
		t.Fatalf("%s has no want-miss", script)
	}
	want := terminal(report)
	if *updatePictures {
		if err := os.WriteFile(picture, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got := must.Read(t, picture); got != want {
		t.Errorf("%s does not show the report of %s: go test ./tests/docs -run TestPicture -update", picture, script)
	}
	if err := xml.Unmarshal([]byte(want), new(struct{})); err != nil {
		t.Errorf("%s is no XML: %v", picture, err)
	}
}

// colored has the texts of a report that are shown in a color.
var colored = []struct {
	text  *regexp.Regexp
	color string
}{
	{text: regexp.MustCompile(`^  PROMPTECHO_MODE=.*`), color: "#79c0ff"},
	{text: regexp.MustCompile(`^    recorded: .*|\[-.*?-\]`), color: "#ff7b72"},
	{text: regexp.MustCompile(`^    incoming: .*|\{\+.*?\+\}`), color: "#7ee787"},
	{text: regexp.MustCompile(`^\S+\.yaml:\d+:`), color: "#d2a8ff"},
}

// terminal returns a picture (SVG) of a text in a terminal.
func terminal(text string) string {
	const size, lineHeight, margin = 13, 19, 18
	const font = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	columns := 0
	for _, line := range lines {
		columns = max(columns, len(line))
	}
	width := columns*size*61/100 + 2*margin // a character of these fonts is 0.6 times as wide as high
	height := len(lines)*lineHeight + 2*margin

	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%d"`+
		` font-family="%s" font-size="%d" fill="#e6edf3">`+"\n", width, height, font, size)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="#0d1117"/>`+"\n")
	for i, line := range lines {
		if line != "" {
			fmt.Fprintf(&b, `<text x="%d" y="%d">%s</text>`+"\n", margin, margin+size+i*lineHeight, colorSpans(line))
		}
	}
	return b.String() + "</svg>\n"
}

// colorSpans returns a line as XML, with its blanks kept and its colored texts in elements.
func colorSpans(line string) string {
	// Characters for private use stand for the elements until the text is escaped.
	const start, startEnd, end = "\ue001", "\ue002", "\ue003"
	for _, c := range colored {
		line = c.text.ReplaceAllString(line, start+c.color+startEnd+"$0"+end)
	}
	var escaped strings.Builder
	_ = xml.EscapeText(&escaped, []byte(line)) // a strings.Builder returns no error
	return strings.NewReplacer(
		" ", "\u00a0",
		start, `<tspan fill="`,
		startEnd, `">`,
		end, "</tspan>",
	).Replace(escaped.String())
}
