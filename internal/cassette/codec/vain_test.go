package codec

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A place is where keys stand in a cassette: what is before and behind them, and what is between two.
type place struct{ before, behind, between string }

func (p place) with(entries ...string) string {
	return p.before + strings.Join(entries, p.between) + p.behind
}

// around returns the place that KEY marks in minimal after an edit of it.
func around(text, between string) place {
	before, behind, _ := strings.Cut(text, "KEY")
	return place{before, behind, between}
}

var (
	atTop      = around("KEY\n"+minimal, "\n")
	inItem     = around(edit("kind: llm\n", "kind: llm\n    KEY\n"), "\n    ")
	inKind     = around(edit("kind: llm", "KEY"), "\n    ")
	inRequest  = around(edit("method: POST\n", "method: POST\n      KEY\n"), "\n      ")
	inAnswer   = around(response("      KEY"), "\n      ")
	inStream   = around(response("      stream: sse\n      events: [{data: {a: 1}}]\n      KEY"), "\n      ")
	inLayout   = around(body("{}\n      layout: {KEY}"), ", ")
	inUsage    = around(edit("kind: llm\n", "kind: llm\n    usage: {KEY}\n"), ", ")
	inForm     = around(edit("body: x\n", "headers:\n        content-type: multipart/form-data; boundary=b\n      form:\n        - name: a\n          value: x\n          KEY\n"), "\n          ")
	inFunction = around(strings.Replace(edit("kind: llm\n", "kind: tool\n    boundary: f\n"), "method: POST\n      url: /\n      body: x\n    response:\n      status: 200\n", "body: 1\n    response:\n      KEY\n", 1), "\n      ")
)

// inVain has each key of a cassette where it may stand, with a value that it can have, behind which
// other keys follow that it needs, and with one that it cannot have.
var inVain = map[string]struct {
	place     place
	good, bad string
}{
	"accepted":         {inItem, "true", "yes"},
	"after":            {inLayout, "' '", "'x'"},
	"again":            {inItem, "true", "[true]"},
	"before":           {inLayout, "' '", "'x'"},
	"body":             {inAnswer, "x", "!asset x"},
	"boundary":         {inItem, "openai.chat", "[a]"},
	"chunks":           {inAnswer, "[1]\n      body: x", "1"},
	"concurrent":       {inItem, "true", "asked x"},
	"delays_ms":        {inStream, "[1]", "1"},
	"end":              {inAnswer, "error", "[a]"},
	"env":              {atTop, "{A: b}", "a"},
	"error":            {inAnswer, "x\n      end: error", "[a]"},
	"error_is":         {inFunction, "[context.Canceled]\n      error: x", "{a: b}"},
	"escape":           {inLayout, "[html]", "html"},
	"events":           {around(response("      stream: sse\n      KEY"), "\n      "), "[{data: x}]", "x"},
	"events_layout":    {inStream, "{space: both}", "x"},
	"events_padding":   {inStream, "[1]", "[x]"},
	"fake":             {inItem, "true", "yes"},
	"filename":         {inForm, "a.png", "[a]"},
	"form":             {around(edit("body: x\n", "headers:\n        content-type: multipart/form-data; boundary=b\n      KEY\n"), "\n      "), "[{name: a, value: x}]", "x"},
	"headers":          {inAnswer, "{a: b}", "a"},
	"indent":           {inLayout, "2", "x"},
	"interactions":     {around("version: 1\nKEY\n", "\n"), "[]", "x"},
	"kind":             {inKind, "llm", "lmm"},
	"latency_ms":       {inItem, "1", "x"},
	"layout":           {around(body("{}\n      KEY"), "\n      "), "{space: both}", "x"},
	"method":           {around(edit("method: POST", "KEY"), "\n      "), "GET", "[a]"},
	"name":             {inItem, "a", "[a]"},
	"no_last_line_end": {around(edit("body: x\n", "headers:\n        content-type: multipart/form-data; boundary=b\n      form: [{name: a, value: x}]\n      KEY\n"), "\n      "), "true", "x"},
	"options":          {atTop, "{mask_times: true}", "[a]"},
	"padding":          {inLayout, "1", "x"},
	"partial":          {atTop, "true", "x"},
	"pinned":           {atTop, "true", "x"},
	"proto":            {inAnswer, "HTTP/2.0", "[a]"},
	"recorded":         {inItem, "2026-11-30", "2026-11-31"},
	"request":          {around(strings.Replace(minimal, "request:\n      method: POST\n      url: /\n      body: x", "KEY", 1), "\n    "), "{method: POST, url: /}", "x"},
	"response":         {around(strings.Replace(minimal, "response:\n      status: 200", "KEY", 1), "\n    "), "{status: 200}", "x"},
	"seals":            {around(minimal+"KEY\n", "\n"), "[]", "x"},
	"seed":             {atTop, "00112233445566778899aabbccddeeff", "x"},
	"space":            {inLayout, "both", "all"},
	"status":           {around(edit("status: 200", "KEY"), "\n      "), "200", "x"},
	"status_line":      {inAnswer, "200 Fine", "[a]"},
	"stream":           {around(response("      events: [{data: x}]\n      KEY"), "\n      "), "sse", "[a]"},
	"time":             {atTop, "2026-01-02T03:04:05Z", "x"},
	"times":            {inItem, "2", "x"},
	"trailers":         {inAnswer, "{a: b}", "a"},
	"transfer":         {inAnswer, "chunked", "[a]"},
	"type":             {inForm, "image/png", "[a]"},
	"unknown_headers":  {inRequest, "true", "x"},
	"url":              {around(edit("url: /", "KEY"), "\n      "), "/", "[a]"},
	"usage":            {inItem, "{input_tokens: 1}", "1"},
	"value":            {around(edit("body: x\n", "headers:\n        content-type: multipart/form-data; boundary=b\n      form:\n        - name: a\n          KEY\n"), "\n          "), "x", "!asset x"},
	"version":          {around(edit("version: 1", "KEY"), "\n"), "1", "2"},
	"within":           {inItem, "a", "[a]"},
}

// TestKeysInVain: a key of a cassette that is misspelt, given twice, or has no value or one that it cannot
// have is refused with its line, in each place in which keys stand.
func TestKeysInVain(t *testing.T) {
	t.Parallel()
	surface, err := os.ReadFile("../../../api.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(surface), "# keys of cassettes\n")
	list, _, _ = strings.Cut(list, "#")
	usage, _ := new(interaction.Usage).Fields()
	for _, key := range strings.Fields(list) {
		tt, ok := inVain[key]
		if slices.Contains(usage, key) {
			tt.place, tt.good, tt.bad, ok = inUsage, "1", "x", true
		}
		if !ok {
			t.Errorf("%s is missing from the list: in which wrong ways can it be given?", key)
			continue
		}
		refused := func(how, want string, entries ...string) {
			text := tt.place.with(entries...)
			if _, err := Parse("x.yaml", text, nil); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %s: %v, want %q\n%s", key, how, err, want, text)
			}
		}
		good := key + ": " + tt.good
		if _, err := Parse("x.yaml", tt.place.with(good), nil); err != nil {
			t.Errorf("%s: %v\n%s", key, err, tt.place.with(good))
		}
		refused("misspelt", key, key+"s: "+tt.good)
		refused("twice", `"`+key+`"`, good, key+": "+strings.SplitN(tt.good, "\n", 2)[0])
		refused("of another kind", "", key+": "+tt.bad)
		refused("empty", "", key+": null")
	}
}
