// Package page makes one HTML page of cassettes: a list of them, what was said in each, how
// the events of streams arrived, what the calls cost, and comparisons. The page is a single
// document that fetches nothing. Every text in it may be hostile: html/template escapes
// markup, [Page.Write] makes visible what cannot be seen, and the policy of the page lets
// no other script run.
//
// What is open is the target of the page's address, so the page can be read without a
// script. The script adds the search and the keys. Each cassette stands in a noscript
// element: where scripts run, a browser takes that for one text, which the script turns into
// elements when the cassette is opened, so that a page of 1,000 cassettes opens fast.
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

// A Page is what is shown.
type Page struct {
	Title     string // what it is of, such as the paths that were asked for
	Total     string // what is said of all cassettes together
	Served    bool   // by a server that reads the files again with each reload and compares any two
	Old, New  string // what a server was asked to compare
	Problem   string // why it could not
	Cassettes []*Cassette
	Compared  []*Comparison
}

// A Cassette is one file.
type Cassette struct {
	Path     string
	Name     string   // of its test, else of the file
	Folder   string   // of its package, by which the list is grouped
	Place    []string // in its folder: the names of its test and subtest; cassettes are in the order of their places
	Kind     string   // cassette, derived, journal or failed
	Calls    string   // by kind
	Models   string
	Input    int64 // tokens
	Output   int64
	Modified time.Time
	Age      string
	States   []string
	Problem  string // if it cannot be read
	Given    []Field
	List     []*Call

	ID         string // these are set by Write
	Prev, Next *Cassette
	Compared   []*Comparison
}

// A Call is one interaction.
type Call struct {
	ID, OfID string // set by Write
	Number   int
	Depth    int      // within so many functions
	Name     string   // the endpoint, the function or the request
	About    []string // the model, the tokens, the line
	Took     string
	End      string // why it ended
	Input    int64  // tokens
	Output   int64
	Of       int // the number of the earlier call that it repeats, 0 if it does not
	Folded   string
	Tools    []Field
	Settings []Field
	Messages []Message // the answer is the last
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
	Kind string // as package conversation has it, or "json"
	Name string // of the tool
	Text string
	Bad  bool

	Type string // of a picture, a sound or a film that is shown: "image/png"
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
	Old, New string // their names
	Of       string // the path of the cassette that it is shown with; empty if it was chosen
	Total    string
	Changes  []*Change

	ID string // set by Write
}

// A Change is what became of one call.
type Change struct {
	Is       string // changed, added or removed
	Number   int    // of the call in the new cassette, else in the old one; 0 if it is of none
	Name     string
	Asked    string // if it was added or removed
	Repeated string // what is said above already
	Edits    []Edit

	CallID string // of the call, if its cassette is on the page; set by Write
}

// An Edit is a field that differs.
type Edit struct {
	Name     string
	Old, New []Mark
}

// A Mark is a piece of a text that is on one side only, or on both.
type Mark struct {
	Text    string
	Changed bool
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
	"cut": cut, "line": redact.OneLine, "groups": groups, "thousands": english.Thousands[int64], "share": share, "href": func(id string) string { return "#" + id },
	"style": func() template.CSS { return template.CSS(style) }, "script": func() template.JS { return template.JS(script) },
	"policy": func(p *Page) string { return p.Policy() },
}).Parse(source))

// Policy returns the Content-Security-Policy of the page: its own style and script, and
// nothing from elsewhere.
func (p *Page) Policy() string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	form := "'none'"
	if p.Served {
		form = "'self'"
	}
	return fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; img-src data:; media-src "+
		"data:; base-uri 'none'; form-action %s", hash(style), hash(script), form)
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

// link gives everything its address, and each cassette its neighbours and comparisons.
func (p *Page) link() {
	used := map[string]int{}
	address := func(name string) string {
		id := idOf(name)
		used[id]++
		if used[id] > 1 {
			id = fmt.Sprintf("%s~%d", id, used[id])
		}
		return id
	}
	byPath := map[string]*Cassette{}
	for i, c := range p.Cassettes {
		c.ID, c.Compared = address(c.Path), nil
		byPath[c.Path] = c
		if i > 0 {
			c.Prev, p.Cassettes[i-1].Next = p.Cassettes[i-1], c
		}
		for _, call := range c.List {
			call.ID, call.OfID = fmt.Sprintf("%s/%d", c.ID, call.Number), fmt.Sprintf("%s/%d", c.ID, call.Of)
		}
	}
	for _, d := range p.Compared {
		d.ID = "compared"
		if p.Old == "" || d.Old != p.Old || d.New != p.New {
			d.ID = address("compare/" + cmp.Or(d.Of, d.New, d.Old))
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
				change.CallID = fmt.Sprintf("%s/%d", c.ID, change.Number)
			}
		}
	}
}

// idOf returns a text as an address within the page that needs no escapes.
func idOf(name string) string {
	id := []byte(name)
	for i, c := range id {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '/' || c == '.' || c == '-' || c == '_') {
			id[i] = '_'
		}
	}
	return string(id)
}

// A group is the rows of one folder.
type group struct {
	Folder string
	Rows   []row
}

// A row is a cassette, or the name of a test that only has subtests.
type row struct {
	*Cassette
	Above string // the tests that it is a subtest of, with a slash
	Own   string // its name without these
	Level int    // how many these are
}

// groups returns the cassettes by their folders, in their order, subtests below their tests.
func groups(list []*Cassette) (all []*group) {
	at, last := map[string]*group{}, map[string][]string{}
	for _, c := range list {
		g := at[c.Folder]
		if g == nil {
			g = &group{Folder: c.Folder}
			at[c.Folder], all = g, append(all, g)
		}
		place := c.Place
		if len(place) == 0 {
			place = []string{c.Name}
		}
		level := len(place) - 1
		for i := range level {
			if above := last[c.Folder]; i >= len(above) || !slices.Equal(above[:i+1], place[:i+1]) {
				g.Rows = append(g.Rows, row{Own: place[i], Level: i})
				last[c.Folder] = place[:i+1]
			}
		}
		last[c.Folder] = place
		above := ""
		for _, name := range place[:level] {
			above += name + "/"
		}
		g.Rows = append(g.Rows, row{Cassette: c, Above: above, Own: place[level], Level: min(level, 3)})
	}
	return all
}

// Kinds returns how many calls of each kind a cassette has.
func (c *Cassette) Kinds() []string {
	if c.Calls == "" {
		return nil
	}
	return strings.Split(c.Calls, ", ")
}

// Plays returns the element that shows or plays a part, "" if there is none.
func (p Part) Plays() string {
	kind, _, _ := strings.Cut(p.Type, "/")
	if kind == "image" || kind == "audio" || kind == "video" {
		return kind
	}
	return ""
}

// Address returns the bytes of a part as an address that fetches nothing.
func (p Part) Address() template.URL {
	return template.URL("data:" + p.Type + ";base64," + base64.StdEncoding.EncodeToString(p.Data)) // the type is one of a list
}

// A shareOf is how much of the most expensive call of a cassette another one costs, in
// percent.
type shareOf struct {
	Input, Output string
}

// share returns the tokens of a call as a share of those of the call that has most.
func share(c *Call, all []*Call) shareOf {
	var most int64 = 1
	for _, other := range all {
		most = max(most, other.Input+other.Output)
	}
	return shareOf{percent(c.Input, most), percent(c.Output, most)}
}
