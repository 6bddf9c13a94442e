package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"strings"
	"testing"
)

// written returns the page as it is written.
func written(t *testing.T, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A text of a cassette adds no element and no attribute wherever it is on the page, and its
// invisible characters are shown. The module browser tests what a browser makes of it.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	clean := func(evil string) *Page {
		call := &Call{Number: 1, Name: evil, About: []string{evil}, Took: evil, End: evil, Of: 1, Folded: evil,
			Tools: []Field{{evil, evil}}, Settings: []Field{{evil, evil}}, Raw: []Field{{evil, evil}},
			Messages: []Message{{Role: evil, Class: "answer", About: evil, Parts: []Part{{Kind: "text", Name: evil, Text: evil}, {Kind: "tool_call", Name: evil, Text: evil},
				{Kind: "tool_result", Name: evil, Text: evil}, {Kind: "media", Text: evil}, {Kind: "reasoning", Text: evil}, {Kind: "json", Text: evil}, {Kind: "note", Text: evil}}}},
			Plot: &Plot{Caption: evil, First: evil, Last: evil, Events: evil, Ticks: "M0 0v1"}}
		return &Page{Title: evil, Total: evil, Served: true, Old: evil, New: evil, Problem: evil,
			Cassettes: []*Cassette{{Path: evil, Name: evil, Folder: evil, Calls: evil, Models: evil, Age: evil, States: []string{"partial"}, Problem: evil, Values: []Field{{evil, evil}}, List: []*Call{call, call}}},
			Compared: []*Comparison{{Name: evil, Folder: evil, Old: evil, New: evil, Of: evil, Total: evil,
				Changes: []*Change{{Is: "changed", Name: evil, Asked: evil, Repeated: evil, Edits: []Edit{{Name: evil, Old: []Mark{{evil, true}}, New: []Mark{{evil, false}}}}}}}}}
	}
	elements := regexp.MustCompile(`<[a-zA-Z/!][^>]*>`)
	names := func(page string) (list []string) {
		for _, e := range elements.FindAllString(page, -1) {
			list = append(list, regexp.MustCompile(`"[^"]*"`).ReplaceAllString(e, `""`))
		}
		return list
	}
	want := strings.Join(names(written(t, clean("harmless"))), "\n")
	for _, evil := range []string{
		"</script><img src=x onerror=alert(1)>", "</noscript><script>alert(1)</script>", `" onfocus="alert(1)`, "' onfocus='alert(1)", "</style></title></textarea></pre><b>",
		"<!--", "]]>", "{{.}}", "javascript:alert(1)", "\x1b[2J\x00\x7f", "a\u202eb\u2066c", "\xff\xfe\xc3", "&lt;b&gt;",
	} {
		got := written(t, clean(evil))
		if list := strings.Join(names(got), "\n"); list != want {
			t.Errorf("%q changes the elements of the page", evil)
		}
		if i := strings.IndexFunc(got, func(r rune) bool {
			return r < ' ' && r != '\n' && r != '\t' || r == '\u202e' || r == '\u2066' || r == '\ufffd' && !strings.Contains(evil, "\x00")
		}); i >= 0 {
			t.Errorf("%q: the page has %q", evil, got[max(0, i-20):i+20])
		}
	}
}

// A line break in a name is shown as in the output of ls. The form that compares two cassettes has
// the names of the files as they are.
func TestNames(t *testing.T) {
	t.Parallel()
	const name = "new\nline"
	call := &Call{Number: 1, Name: name, About: []string{name}, End: name, Tools: []Field{{name, "x"}}, Settings: []Field{{name, "x"}},
		Messages: []Message{{Role: name, About: name, Parts: []Part{{Kind: "tool_call", Name: name}, {Kind: "tool_result", Name: name}}}}}
	got := written(t, &Page{Title: name, Served: true,
		Cassettes: []*Cassette{{Path: name, Name: name, Folder: name, Calls: name, Models: name, Values: []Field{{name, "x"}}, List: []*Call{call, call}}, {Path: "other"}},
		Compared:  []*Comparison{{Name: name, Folder: name, Old: name, New: name, Of: name, Changes: []*Change{{Name: name, Edits: []Edit{{Name: name}}}}}}})
	if strings.Count(got, name) != 1 || !strings.Contains(got, "<option value=\""+name+"\">") {
		t.Errorf("%d names have a line break, not just the option", strings.Count(got, name))
	}
}

// The content policy of promptecho view allows exactly the style and the script of the page.
func TestPolicy(t *testing.T) {
	t.Parallel()
	p := &Page{Title: "t"}
	text := written(t, p)
	for _, element := range []string{"style", "script"} {
		all := regexp.MustCompile(`(?s)<`+element+`>(.*?)</`+element+`>`).FindAllStringSubmatch(text, -1)
		if len(all) != 1 {
			t.Fatalf("%d elements %s", len(all), element)
		}
		sum := sha256.Sum256([]byte(all[0][1]))
		if want := element + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(p.Policy(), want) {
			t.Errorf("the policy %q lacks %s", p.Policy(), want)
		}
	}
	for _, want := range []string{"default-src 'none'", "base-uri 'none'", "form-action 'none'"} {
		if !strings.Contains(p.Policy(), want) {
			t.Errorf("the policy %q lacks %s", p.Policy(), want)
		}
	}
}

// Addresses are unique, also those of names that differ only in characters that are replaced.
func TestAddresses(t *testing.T) {
	t.Parallel()
	p := &Page{Cassettes: []*Cassette{
		{Path: "a b.yaml"}, {Path: "a_b.yaml", List: []*Call{{Number: 1}, {Number: 2, Of: 1}}}, {Path: "bot/Testé.yaml"},
	}, Compared: []*Comparison{{Of: "a_b.yaml"}, {Old: "x", New: "y"}}, Old: "x", New: "y"}
	p.link()
	c := p.Cassettes[1]
	for _, tt := range []struct{ got, want string }{
		{p.Cassettes[0].ID, "a_b.yaml"}, {c.ID, "a_b.yaml~2"}, {c.List[1].ID, "a_b.yaml~2/2"}, {c.List[1].OfID, "a_b.yaml~2/1"},
		{p.Cassettes[2].ID, "bot/Test__.yaml"}, {p.Compared[0].ID, "compare/a_b.yaml"}, {p.Compared[1].ID, "compared"},
		{c.Prev.Path, "a b.yaml"}, {c.Next.Path, "bot/Testé.yaml"}, {c.Compared[0].ID, "compare/a_b.yaml"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	lines := strings.Repeat("line\n", 40)
	huge := strings.Repeat("é", pageBytes)
	for _, tt := range []struct {
		name, text, head string
		rest, more       int // bytes
	}{
		{"short", "short", "short", 0, 0},
		{"as many lines as are shown", strings.Repeat("line\n", 29) + "line", strings.Repeat("line\n", 29) + "line", 0, 0},
		{"many lines", lines, strings.Repeat("line\n", headLines), 20 * 5, 0},
		{"one long line", strings.Repeat("x", 5000), strings.Repeat("x", headBytes), 2000, 0},
		{"between letters", "x" + strings.Repeat("é", 2500), "x" + strings.Repeat("é", 1499), 5001 - 2999, 0},
		{"huge", huge, huge[:headBytes], pageBytes - headBytes, pageBytes},
	} {
		got := fold(tt.text)
		if got.Head != tt.head || len(got.Rest) != tt.rest || (got.More != "") != (tt.more > 0) {
			t.Errorf("%s: %d bytes, %d on demand, %q not at all", tt.name, len(got.Head), len(got.Rest), got.More)
		}
		if tt.more == 0 && got.Head+got.Rest != tt.text {
			t.Errorf("%s: the pieces are not the text", tt.name)
		}
	}
}

// The first event is at the time of its arrival, the curve ends at the top, and a stream that took
// no time is not drawn.
func TestPlot(t *testing.T) {
	t.Parallel()
	p := NewPlot([]int64{100, 100, 400}, []int{10, 20, 40}, 400)
	if p.Ticks != "M250.0 0v1M250.0 0v1M1000.0 0v1" || p.At != "25.00%" || p.Late {
		t.Errorf("ticks %q, the first at %s", p.Ticks, p.At)
	}
	if p.Curve != "M0 100L250.0 100.0V75.0L250.0 75.0V50.0L1000.0 50.0V0.0H1000V100Z" {
		t.Errorf("curve %q", p.Curve)
	}
	if p := NewPlot([]int64{0, 0}, []int{0, 0}, 0); p.Ticks != "" {
		t.Errorf("a stream that took no time is drawn: %q", p.Ticks)
	}
}

// Subtests are below their test, also if the test has no cassette of its own.
func TestGroups(t *testing.T) {
	t.Parallel()
	list := []*Cassette{
		{Name: "TestA", Folder: "bot", Place: []string{"TestA"}}, {Name: "TestA/x", Folder: "bot", Place: []string{"TestA", "x"}},
		{Name: "TestB/card/y", Folder: "bot", Place: []string{"TestB", "card", "y"}}, {Name: "TestB/card/z", Folder: "bot", Place: []string{"TestB", "card", "z"}},
		{Name: "TestA", Folder: "shop", Place: []string{"TestA"}}, {Name: "odd", Folder: "shop"},
	}
	var got string
	for _, g := range groups(list) {
		got += g.Folder + "\n"
		for _, r := range g.Rows {
			got += strings.Repeat(" ", r.Level+1) + r.Above + r.Own
			if r.Cassette == nil {
				got += " (no cassette)"
			}
			got += "\n"
		}
	}
	if want := "bot\n TestA\n  TestA/x\n TestB (no cassette)\n  card (no cassette)\n   TestB/card/y\n   TestB/card/z\nshop\n TestA\n odd\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Pictures, sounds and films are shown from data URLs, and the policy permits no other source.
func TestMediaIsShown(t *testing.T) {
	t.Parallel()
	parts := []Part{{Kind: "media", Text: "image/png, 3 bytes", Type: "image/png", Data: []byte("abc")}, {Kind: "media", Text: "audio/wav, 3 bytes", Type: "audio/wav", Data: []byte("abc")},
		{Kind: "media", Text: "application/pdf, 3 bytes", Type: "application/pdf", Data: []byte("abc")}}
	got := written(t, &Page{Cassettes: []*Cassette{{Path: "a.yaml", List: []*Call{{Number: 1, Messages: []Message{{Parts: parts}}}}}}})
	for _, want := range []string{`<img src="data:image/png;base64,YWJj" alt="image/png, 3 bytes">`, `src="data:audio/wav;base64,YWJj"></audio>`, `<figcaption>application/pdf, 3 bytes</figcaption>`, "media-src data:;"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(got, "data:application") {
		t.Error("a document is embedded")
	}
}
