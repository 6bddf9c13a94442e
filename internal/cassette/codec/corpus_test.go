package codec

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/internal/testing/seeds"
)

type corpusRecord struct {
	Source string
	URL    string
	Method string
	Status int
	Req    string `json:"req_body_b64"`
	Resp   string `json:"resp_body_b64"`
}

// TestCorpus puts real bodies through a cassette and counts how many of the
// JSON ones are stored as structure.
func TestCorpus(t *testing.T) {
	full.Only(t, "TestBodies")
	t.Parallel()
	var bodies, events share
	records, err := seeds.Corpus[corpusRecord]()
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("no corpus: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	var all []*interaction.Interaction
	for _, r := range records {
		it := &interaction.Interaction{Request: interaction.Request{Method: r.Method, URL: r.URL}, Response: interaction.Response{Status: r.Status}}
		it.Request.Body = bodies.decode(t, r.Req)
		it.Response.Body = bodies.decode(t, r.Resp)
		if es := splitSSE(string(it.Response.Body)); es != nil {
			it.Response.Stream, it.Response.Events, it.Response.Body = "sse", es, nil
			events.count(es)
		}
		all = append(all, it)
		checkRoundTrip(t, it)
		if t.Failed() {
			t.Fatalf("%s %s", r.Source, r.URL)
		}
	}
	checkRoundTrip(t, all...)
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
	if _, _, _, ok := new(encoder).bodyStructure(b); ok {
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
	most := e.eventsInLayout(es, l, &c).fields
	l = c.Layout()
	l.Padding = 0
	s.structure += max(most, e.eventsInLayout(es, l, nil).fields)
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

// mayBeJSON reports whether it is worth parsing s to find an array or object.
func mayBeJSON[T string | []byte](s T) bool {
	for i := range len(s) {
		if !exactjson.IsSpace(s[i]) {
			return s[i] == '{' || s[i] == '['
		}
	}
	return false
}
