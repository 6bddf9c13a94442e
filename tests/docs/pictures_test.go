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

var updatePictures = flag.Bool("update", false, "draw the pictures of docs/pictures anew")

// The README's picture of a failed test shows the report that a script compares with.
func TestPictureOfAMiss(t *testing.T) {
	t.Parallel()
	const script, picture = "scripts/testdata/readme/readme.txtar", "docs/pictures/miss.svg"
	report := ""
	for _, f := range txtar.Parse([]byte(must.Read(t, script))).Files {
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
		t.Errorf("%s does not show the report of %s: go test . -run TestPictureOfAMiss -update", picture, script)
	}
	if err := xml.Unmarshal([]byte(want), new(struct{})); err != nil {
		t.Errorf("%s is no XML: %v", picture, err)
	}
}

// What the picture has in a color, and in which.
var colored = []struct {
	text  *regexp.Regexp
	color string
}{
	{regexp.MustCompile(`^  PROMPTECHO_MODE=.*`), "#79c0ff"},
	{regexp.MustCompile(`^    recorded: .*|\[-.*?-\]`), "#ff7b72"},
	{regexp.MustCompile(`^    incoming: .*|\{\+.*?\+\}`), "#7ee787"},
	{regexp.MustCompile(`^\S+\.yaml:\d+:`), "#d2a8ff"},
}

// terminal returns a picture (SVG) of a text in a terminal.
func terminal(text string) string {
	const size, line, margin = 13, 19, 18
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	columns := 0
	for _, l := range lines {
		columns = max(columns, len(l))
	}
	width, height := columns*size*61/100+2*margin, len(lines)*line+2*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%d" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="%d" fill="#e6edf3">`+"\n", width, height, size)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="#0d1117"/>`+"\n")
	for i, l := range lines {
		if l == "" {
			continue
		}
		for _, c := range colored {
			l = c.text.ReplaceAllString(l, "\ue001"+c.color+"\ue002$0\ue003")
		}
		var escaped strings.Builder
		_ = xml.EscapeText(&escaped, []byte(l))
		spans := strings.NewReplacer(" ", "\u00a0", "\ue001", `<tspan fill="`, "\ue002", `">`, "\ue003", "</tspan>").Replace(escaped.String())
		fmt.Fprintf(&b, `<text x="%d" y="%d">%s</text>`+"\n", margin, margin+size+i*line, spans)
	}
	return b.String() + "</svg>\n"
}
