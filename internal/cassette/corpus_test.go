package cassette

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// corpusFile holds interactions that other projects recorded, outside the
// repository: data of others, to run against and never to commit.
const corpusFile = "../../../shared/corpus/recorded.jsonl.gz"

type corpusRecord struct {
	Source string
	URL    string
	Method string
	Status int
	Req    string `json:"req_body_b64"`
	Resp   string `json:"resp_body_b64"`
}

func readCorpus(t *testing.T) []corpusRecord {
	f, err := os.Open(corpusFile)
	if err != nil {
		t.Skipf("no corpus: %v", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var rs []corpusRecord
	for d := json.NewDecoder(bufio.NewReader(z)); d.More(); {
		var r corpusRecord
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		rs = append(rs, r)
	}
	return rs
}

// TestCorpus puts real bodies through a cassette and counts how many of the
// JSON ones are stored as structure.
func TestCorpus(t *testing.T) {
	t.Parallel()
	var bodies, events share
	records := readCorpus(t)
	f := &File{}
	for _, r := range records {
		it := &interaction.Interaction{Request: interaction.Request{Method: r.Method, URL: r.URL}, Response: interaction.Response{Status: r.Status}}
		it.Request.Body = bodies.decode(t, r.Req)
		it.Response.Body = bodies.decode(t, r.Resp)
		if es := splitSSE(string(it.Response.Body)); es != nil {
			it.Response.Stream, it.Response.Events, it.Response.Body = "sse", es, nil
			events.count(es)
		}
		f.Interactions = append(f.Interactions, it)
		one := &File{Interactions: []*interaction.Interaction{it}}
		checkRoundTrip(t, one)
		if t.Failed() {
			t.Fatalf("%s %s", r.Source, r.URL)
		}
	}
	checkRoundTrip(t, f)
	t.Logf("%d interactions; bodies: %s; JSON fields of events: %s", len(records), bodies, events)
	if bodies.structure*1000 < bodies.json*985 {
		t.Errorf("too few bodies are stored as structure: %s", bodies)
	}
	if events.structure*1000 < events.json*995 {
		t.Errorf("too few events are stored as structure: %s", events)
	}
}

// share counts JSON arrays and objects, and those that are stored as structure.
type share struct{ all, json, structure int }

func (s share) String() string {
	b, _ := json.Marshal(map[string]int{"all": s.all, "json": s.json, "structure": s.structure})
	return string(b)
}

func (s *share) decode(t *testing.T, b64 string) []byte {
	b, err := base64.StdEncoding.DecodeString(b64)
	if err != nil {
		t.Fatal(err)
	}
	s.all++
	if !mayBeJSON(b) || !json.Valid(b) {
		return b
	}
	s.json++
	if _, _, _, ok := bodyStructure(new(exactjson.Parser), b); ok {
		s.structure++
	} else {
		t.Logf("stored as text: %.200q", b)
	}
	return b
}

func (s *share) count(es []interaction.Event) {
	for _, e := range es {
		for _, f := range e {
			s.all++
			if mayBeJSON(f.Value) && json.Valid([]byte(f.Value)) {
				s.json++
			}
		}
	}
	var l exactjson.Layout
	var c exactjson.Clues
	e := encoder{assets: map[string][]byte{}}
	most := e.eventsIn(es, &l, &c).fields
	l = c.Layout()
	l.Padding = 0
	s.structure += max(most, e.eventsIn(es, &l, nil).fields)
}

// splitSSE splits a body into events well enough for this test.
func splitSSE(body string) []interaction.Event {
	if !strings.HasPrefix(body, "data: ") && !strings.HasPrefix(body, "event: ") {
		return nil
	}
	var es []interaction.Event
	for block := range strings.SplitSeq(strings.ReplaceAll(body, "\r\n", "\n"), "\n\n") {
		e := interaction.Event{}
		for line := range strings.SplitSeq(block, "\n") {
			name, value, _ := strings.Cut(line, ": ")
			e = append(e, interaction.Field{Name: name, Value: value})
		}
		es = append(es, e)
	}
	return es
}

// checkRoundTrip fails the test unless Parse(Format(f)) is f and formatting
// that gives the same bytes.
func checkRoundTrip(t testing.TB, f *File) []byte {
	t.Helper()
	data, assets, err := Format(f)
	if err != nil {
		t.Errorf("Format: %v", err)
		return nil
	}
	g, err := Parse("x.yaml", data, func(name string) ([]byte, error) { return assets[name], nil })
	if err != nil {
		t.Errorf("Parse: %v\n%.2000s", err, data)
		return nil
	}
	if d := difference(f, g); d != "" {
		t.Errorf("%s changed\n%.2000s", d, data)
		return nil
	}
	g.Rules = f.Rules
	for i, it := range g.Interactions { // what is computed when it is saved
		if valid := f.Interactions[i].MatchKey; it.MatchKey != valid && len(valid) == 16 && strings.Trim(valid, "0123456789abcdef") == "" && strings.Trim(valid, "0") != "" {
			t.Errorf("match key %q changed to %q", valid, it.MatchKey)
		}
		it.MatchKey, it.Response.Text = f.Interactions[i].MatchKey, f.Interactions[i].Response.Text
	}
	again, assets2, err := Format(g)
	if err != nil || !bytes.Equal(again, data) {
		t.Errorf("formatting again gives something else (%v)", err)
	}
	if len(assets2) != len(assets) {
		t.Errorf("%d assets, then %d", len(assets), len(assets2))
	}
	return data
}
