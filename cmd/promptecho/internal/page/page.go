// Package page writes one HTML page about cassettes: a list of them, the conversation in each,
// how the events of streams arrived, what the calls cost, and comparisons. The page is a single
// document that fetches nothing. Any text in it may be hostile: html/template escapes markup,
// [Page.Write] makes invisible characters visible, and the Content-Security-Policy of the page
// lets no script run but its own.
//
// The fragment of the page's address selects what is shown, so the page can be read without a
// script. The script adds the search and the keys. Each cassette is in a noscript element, so
// that a page of 1,000 cassettes opens fast: where scripts run, a browser reads such an element
// as one text, which the script turns into elements when the cassette is opened.
package page

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/redact"
)

// A Page has the content of an HTML page.
type Page struct {
	Title     string // the subject, such as the paths of the cassettes
	Total     string // the sums of all cassettes
	Served    bool   // by a server, which reads the files at each reload and compares any two
	Old, New  string // the cassettes that the server was asked to compare
	Problem   string // why the server could not
	Cassettes []*Cassette
	Compared  []*Comparison
}

// A Cassette is one file.
type Cassette struct {
	Path     string
	Name     string   // of its test, otherwise of the file
	Folder   string   // of its package; the list is grouped by it
	Place    []string // the names of its test and subtests, by which the cassettes of a folder are sorted
	Kind     string   // cassette, derived, journal or failed
	Calls    string   // the number of calls of each kind: "2 llm, 1 http"
	Models   string
	Input    int64 // tokens
	Output   int64
	Modified time.Time
	Age      string
	States   []string
	Problem  string  // why it cannot be read
	Given    []Field // recorded values
	List     []*Call

	ID         string // these are set by Write
	Prev, Next *Cassette
	Compared   []*Comparison
}

// A Call is one interaction.
type Call struct {
	ID, OfID string // set by Write
	Number   int
	Depth    int      // the number of functions that it is nested in
	Name     string   // the endpoint, the function or the request
	About    []string // the model, the tokens, the line
	Took     string
	End      string // why the answer ended
	Input    int64  // tokens
	Output   int64
	Of       int    // the number of an earlier call with the same first messages; 0 if there is none
	Folded   string // how many messages these are
	Tools    []Field
	Settings []Field
	Messages []Message // without the repeated ones; the answer is the last
	Plot     *Plot     // of a stream
	Raw      []Field
}

// A Message is what one side said at once.
type Message struct {
	Role  string
	Class string // prompt, tool or answer
	About string
	Parts []Part
}

// A Part is a piece of a message.
type Part struct {
	Kind string // that of conversation.Part, or "json"
	Name string // of the tool
	Text string
	Bad  bool // the result of a tool is an error

	Type string // the media type of a picture, a sound or a film: "image/png"
	Data []byte
}

// A Field is a named text.
type Field struct {
	Name string
	Text string
}

// A Comparison says what differs between two recordings.
type Comparison struct {
	Name     string
	Folder   string // of its package; may be empty
	Old, New string // the names of the recordings
	Of       string // the path of the cassette that it is shown with; empty if the user chose two
	Total    string
	Changes  []*Change

	ID string // set by Write
}

// A Change is a call that was changed, added or removed.
type Change struct {
	Is       string // changed, added or removed
	Number   int    // of the call in the new cassette, or of a removed one in the old; 0 if it is of no call
	Name     string
	Asked    string // if it was added or removed
	Repeated string // how many edits are shown above already
	Edits    []Edit

	CallID string // of the call, if its cassette is on the page; set by Write
}

// An Edit is a field that differs.
type Edit struct {
	Name     string
	Old, New []Mark
}

// A Mark is a piece of a text.
type Mark struct {
	Text    string
	Changed bool // it is on this side only
}

var (
	//go:embed page.html
	source string
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

var document = template.Must(template.New("page").Funcs(template.FuncMap{
	"fold":      fold,
	"groups":    groups,
	"href":      func(id string) string { return "#" + id },
	"line":      redact.OneLine,
	"policy":    func(p *Page) string { return p.Policy() },
	"script":    func() template.JS { return template.JS(script) },
	"share":     share,
	"style":     func() template.CSS { return template.CSS(style) },
	"thousands": english.Thousands[int64],
}).Parse(source))

// Policy returns the Content-Security-Policy of the page: its own style and script, and
// nothing from elsewhere.
func (p *Page) Policy() string {
	hashSource := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	formAction := "'none'"
	if p.Served {
		formAction = "'self'" // for the form that chooses what is compared
	}
	return fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; img-src data:; media-src "+
		"data:; base-uri 'none'; form-action %s", hashSource(style), hashSource(script), formAction)
}

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	p.link()
	var b bytes.Buffer
	if err := document.Execute(&b, p); err != nil {
		return err
	}
	_, err := io.WriteString(w, redact.Visible(b.String()))
	return err
}

// link sets the addresses of all parts of the page, and the links between them.
func (p *Page) link() {
	ids := usedIDs{}
	byPath := p.linkCassettes(ids)
	p.linkComparisons(ids, byPath)
}

// linkCassettes sets the addresses of cassettes and calls. It returns the cassettes by their paths.
func (p *Page) linkCassettes(ids usedIDs) map[string]*Cassette {
	byPath := map[string]*Cassette{}
	for i, c := range p.Cassettes {
		c.ID = ids.add(c.Path)
		c.Compared = nil
		byPath[c.Path] = c
		if i > 0 {
			c.Prev = p.Cassettes[i-1]
			c.Prev.Next = c
		}
		for _, call := range c.List {
			call.ID = c.idOfCall(call.Number)
			call.OfID = c.idOfCall(call.Of)
		}
	}
	return byPath
}

// linkComparisons sets the addresses of comparisons, and links them to their cassettes and calls.
func (p *Page) linkComparisons(ids usedIDs, byPath map[string]*Cassette) {
	for _, d := range p.Compared {
		d.ID = "compared"
		isChosen := p.Old != "" && d.Old == p.Old && d.New == p.New
		if !isChosen {
			d.ID = ids.add("compare/" + cmp.Or(d.Of, d.New, d.Old))
		}
		if c := byPath[d.Of]; c != nil {
			c.Compared = append(c.Compared, d)
		}
		for _, change := range d.Changes {
			path := d.New
			if change.Is == "removed" {
				path = d.Old
			}
			if c := byPath[path]; c != nil && change.Number > 0 {
				change.CallID = c.idOfCall(change.Number)
			}
		}
	}
}

// idOfCall returns the address of a call.
func (c *Cassette) idOfCall(number int) string { return fmt.Sprintf("%s/%d", c.ID, number) }

// usedIDs has how often each ID was wanted.
type usedIDs map[string]int

// add returns an ID of its own for a name: "a.yaml", and "a.yaml~2" for the second one.
func (ids usedIDs) add(name string) string {
	id := idOf(name)
	ids[id]++
	if ids[id] > 1 {
		id = fmt.Sprintf("%s~%d", id, ids[id])
	}
	return id
}

// idOf returns a text as a fragment of an address that needs no escapes: it has underscores for
// the bytes of other characters.
func idOf(name string) string {
	id := []byte(name)
	for i, c := range id {
		isLetter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		isDigit := '0' <= c && c <= '9'
		if !isLetter && !isDigit && !strings.ContainsRune("/.-_", rune(c)) {
			id[i] = '_'
		}
	}
	return string(id)
}

// A group has the rows of one folder.
type group struct {
	Folder string
	Rows   []row

	lastPlace []string // of the last row
}

// A row is a cassette, or the name of a test that only has subtests.
type row struct {
	*Cassette
	Above string // the names of the tests that it is a subtest of, each with a slash
	Own   string // its name without these
	Level int    // the number of these tests; of a cassette at most maxLevel
}

// maxLevel is the deepest level for which page.css has an indent.
const maxLevel = 3

// groups returns cassettes by their folders, in their order, with subtests below their tests.
func groups(list []*Cassette) (all []*group) {
	byFolder := map[string]*group{}
	for _, c := range list {
		g := byFolder[c.Folder]
		if g == nil {
			g = &group{Folder: c.Folder}
			byFolder[c.Folder] = g
			all = append(all, g)
		}
		g.add(c)
	}
	return all
}

// add adds a row for a cassette, and rows for the tests above it that have none yet.
func (g *group) add(c *Cassette) {
	place := c.Place
	if len(place) == 0 {
		place = []string{c.Name}
	}
	level := len(place) - 1
	above := ""
	for i, test := range place[:level] {
		hasRow := i < len(g.lastPlace) && slices.Equal(g.lastPlace[:i+1], place[:i+1])
		if !hasRow {
			g.Rows = append(g.Rows, row{Own: test, Level: i})
			g.lastPlace = place[:i+1]
		}
		above += test + "/"
	}
	g.Rows = append(g.Rows, row{
		Cassette: c,
		Above:    above,
		Own:      place[level],
		Level:    min(level, maxLevel),
	})
	g.lastPlace = place
}

// Kinds returns the number of calls of each kind: "2 llm", "1 http".
func (c *Cassette) Kinds() []string {
	if c.Calls == "" {
		return nil
	}
	return strings.Split(c.Calls, ", ")
}

// Plays returns the HTML element that shows a part: image, audio, video, or "" for any other.
func (p Part) Plays() string {
	kind, _, _ := strings.Cut(p.Type, "/")
	if kind == "image" || kind == "audio" || kind == "video" {
		return kind
	}
	return ""
}

// Address returns the bytes of a part as a data URL, which fetches nothing. It is safe to use in
// the page: the caller has taken the type from a list.
func (p Part) Address() template.URL {
	return template.URL("data:" + p.Type + ";base64," + base64.StdEncoding.EncodeToString(p.Data))
}

// A tokenShare has the tokens of a call as percentages.
type tokenShare struct {
	Input, Output string
}

// share returns the tokens of a call as percentages of those of the call that has most.
func share(c *Call, all []*Call) tokenShare {
	var most int64 = 1
	for _, other := range all {
		most = max(most, other.Input+other.Output)
	}
	return tokenShare{percent(c.Input, most), percent(c.Output, most)}
}
