package interaction

import (
	"reflect"
	"slices"
	"testing"
)

// TestDigest: requests that differ in any part, or in where a byte belongs, have
// different digests.
func TestDigest(t *testing.T) {
	t.Parallel()
	header := func(name string, values ...string) Headers { return Headers{{name, values}} }
	seen := map[uint64]int{}
	for i, r := range []Request{
		{},
		{Method: "POST"},
		{Method: "POS", URL: "T"},
		{URL: "POST"},
		{Method: "POST", URL: "/ab"},
		{Method: "POST", URL: "/a", Body: []byte("b")},
		{Method: "POST", URL: "/a", Headers: header("b")},
		{Method: "POST", URL: "/a", Headers: header("b", "")},
		{Method: "POST", URL: "/a", Headers: header("b", "", "")},
		{Method: "POST", URL: "/a", Headers: header("bc")},
		{Method: "POST", URL: "/a", Headers: header("b", "c")},
		{Method: "POST", URL: "/a", Headers: header("", "bc")},
		{Method: "POST", URL: "/a", Headers: header("b", "cd")},
		{Method: "POST", URL: "/a", Headers: header("b", "c", "d")},
		{Method: "POST", URL: "/a", Headers: header("b", "d", "c")},
		{Method: "POST", URL: "/a", Headers: Headers{{"b", nil}, {"c", nil}}},
		{Method: "POST", URL: "/a", Headers: Headers{{"b", []string{"c"}}, {"d", nil}}},
		{Method: "POST", URL: "/a", Headers: header("b", "c"), Body: []byte("d")},
		{Method: "POST", URL: "/a", Headers: header("b"), Body: []byte("\xff")},
		{Method: "POST", URL: "/a", Body: []byte("\x01b\x00\xff")},
		{Method: "POST", URL: "/a", Body: []byte("\xff")},
		{Method: "POST", URL: "/a"},
		{Function: "tool/a"},
		{Function: "tool/a", Body: []byte("1")},
		{Within: "tool/a"},
		{Function: "tool/a", Within: "tool/a"},
		{Method: "POST", Within: "tool/a"},
		{Method: "POST", Name: "tool/a"},
		{Method: "POSTtool/a"},
		{UnknownHeaders: true},
		{Method: "POST", URL: "/a", UnknownHeaders: true},
	} {
		d := r.Digest()
		if j, ok := seen[d]; ok {
			t.Errorf("requests %d and %d have one digest", j, i)
		}
		seen[d] = i
		same := Request{r.Method, r.URL, slices.Clone(r.Headers), append([]byte{}, r.Body...), r.UnknownHeaders, r.Function, r.Within, r.Name}
		if same.Digest() != d {
			t.Errorf("request %d has two digests", i)
		}
	}
}

func TestRest(t *testing.T) {
	t.Parallel()
	for _, pieces := range [][]Piece{nil, {{1, 0}}, {{20, 5}}, {{300, 0}, {20, 1 << 40}, {1, 3}}} {
		var r Rest
		for _, p := range pieces {
			r = r.Add(p)
		}
		if back, ok := r.Pieces(); !ok || !slices.Equal(back, pieces) {
			t.Errorf("%v is %q, and back %v, %v", pieces, r, back, ok)
		}
	}
	for _, r := range []Rest{"~", "20+5", "~20", "~20+", "~+5", "~0+5", "~-1+5", "~20+-5", "~020+5", "~20+05", "~20+5~", "~20+5~20+5", "~20+5~21+5", "~20+5 ", "~+20+5"} {
		if pieces, ok := r.Pieces(); ok {
			t.Errorf("%q is %v", r, pieces)
		}
	}
}

// TestDifference: a change of any field but those that do not count is named. The
// fields are found by reflection, so a new one is not forgotten.
func TestDifference(t *testing.T) {
	t.Parallel()
	names := map[string]string{ // by the path of the field in Go; "" does not count
		"Kind": "kind", "Boundary": "boundary", "MatchKey": "", "Usage": "usage", "LatencyMS": "latency_ms", "Concurrent": "concurrent", "Accepted": "accepted", "Fake": "fake", "Recorded": "recorded", "Again": "again", "Line": "",
		"Request.Method": "request.method", "Request.URL": "request.url", "Request.Headers": "request.headers", "Request.Body": "request.body",
		"Request.UnknownHeaders": "request.unknown_headers",
		"Request.Function":       "function", "Request.Within": "within", "Request.Name": "name", "Response.ErrorIs": "response.error_is",
		"Response.Status": "response.status", "Response.Proto": "response.proto", "Response.Headers": "response.headers", "Response.Trailers": "response.trailers",
		"Response.Body": "response.body", "Response.Stream": "response.stream", "Response.Events": "response.events", "Response.Chunks": "response.chunks",
		"Response.Line": "response.status_line", "Response.Transfer": "response.transfer", "Response.Delays": "response.delays_ms", "Response.Text": "", "Response.End": "response.end", "Response.Error": "response.error",
	}
	values := []any{
		"x", int64(1), 1, true, []byte("x"), Headers{{"a", []string{"b"}}}, []Event{{{Name: "a", Value: "b"}}}, []int{1}, []string{"x"}, []Delay{{MS: 1}}, &Usage{InputTokens: 1}, &Moments{Asked: 1, Answered: 2, Ended: 2}, Date("2026-11-30"),
	}
	check := func(path string, field reflect.Value, changed *Interaction) {
		want, known := names[path]
		if !known {
			t.Errorf("%s is not in the table", path)
		}
		for _, v := range values {
			if v := reflect.ValueOf(v); v.Type() == field.Type() {
				field.Set(v)
			}
		}
		if field.IsZero() {
			t.Errorf("no value for %s", path)
		}
		if got := changed.Difference(&Interaction{}); got != want {
			t.Errorf("%s: difference %q, want %q", path, got, want)
		}
		if got := changed.Difference(changed); got != "" {
			t.Errorf("%s: difference %q from itself", path, got)
		}
	}
	typ := reflect.TypeFor[Interaction]()
	for i := range typ.NumField() {
		f := typ.Field(i)
		if f.Type.Kind() != reflect.Struct {
			it := new(Interaction)
			check(f.Name, reflect.ValueOf(it).Elem().Field(i), it)
			continue
		}
		for j := range f.Type.NumField() {
			it := new(Interaction)
			check(f.Name+"."+f.Type.Field(j).Name, reflect.ValueOf(it).Elem().Field(i).Field(j), it)
		}
	}
}

// TestSame: what is nil and what is empty, and delays at the end that say nothing, are
// no difference.
func TestSame(t *testing.T) {
	t.Parallel()
	a := &Interaction{Response: Response{Delays: []Delay{{MS: 2}, {}}}}
	b := &Interaction{
		Request:  Request{Headers: Headers{}, Body: []byte{}},
		Response: Response{Headers: Headers{}, Trailers: Headers{}, Body: []byte{}, Events: []Event{}, Chunks: []int{}, Delays: []Delay{{MS: 2}, {}, {}}},
	}
	if got := a.Difference(b); got != "" {
		t.Errorf("difference %q", got)
	}
	b.Response.Delays = []Delay{{}, {MS: 2}}
	if got := a.Difference(b); got != "response.delays_ms" {
		t.Errorf("difference %q", got)
	}
}

// TestMoments: moments are read as they are written, and what is none is said.
func TestMoments(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"true", "asked 1, answered 3", "asked 1, answered 1, ended 2", "asked 1, answered 3, pieces 3x4 5, ended 7", "asked 2, answered 3, pieces 4 5x2"} {
		if m, err := ParseMoments(text); err != nil || m.String() != text {
			t.Errorf("%q: %v, %v", text, m, err)
		}
	}
	const grow = `want the order of events as promptecho wrote it, such as "asked 1, answered 2, pieces 3 4x2, ended 5": restore it from git, or write true`
	for text, want := range map[string]string{
		"": grow, "false": grow, "asked 1": grow, "answered 1, asked 1": grow, "asked 1, answered 2, ended 3, pieces 3": grow,
		"asked 1, answered 2, pieces 3x0": grow, "asked 1, answered 2, pieces 3xy": grow, "asked 1, answered 2, pieces 3x1048577": grow,
		"asked 0, answered 2":                      "want numbers of which none is smaller than the one before it, so here at least 1: restore them from git, or write true",
		"asked 3, answered 2":                      "want numbers of which none is smaller than the one before it, so here at least 3: restore them from git, or write true",
		"asked 1, answered x":                      "want numbers of which none is smaller than the one before it, so here at least 1: restore them from git, or write true",
		"asked 1, answered 2, pieces 4 3, ended 5": "want numbers of which none is smaller than the one before it, so here at least 4: restore them from git, or write true",
	} {
		if m, err := ParseMoments(text); m != nil || err == nil || err.Error() != want {
			t.Errorf("%q: %v, %v", text, m, err)
		}
	}
}
