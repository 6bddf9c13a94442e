package transcript

import (
	"testing"

	"github.com/promptecho/promptecho/internal/exactjson"
)

func parse(t *testing.T, text string) *exactjson.Value {
	t.Helper()
	v, err := exactjson.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return &v
}

// TestJoin: what the events of a stream make, in the ways in which servers tell it.
func TestJoin(t *testing.T) {
	t.Parallel()
	chat := []Piece{{Grow: []string{"delta"}}}
	blocks := []Piece{
		{At: "start", To: "content/{index}"},
		{At: "delta", To: "content/{index}", Grow: []string{"*"}},
		{At: "whole"},
		{At: "more/type=text", To: "steps/{index}/type=output/content/+", Grow: []string{"*"}},
	}
	for _, tt := range []struct {
		name   string
		pieces []Piece
		events []string
		want   string
	}{
		{"texts grow, other members are the last", chat, []string{
			`{"id":"a","choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"}}]}`,
			`{"id":"a","choices":[{"index":0,"delta":{"role":"assistant","content":"lo"},"finish_reason":"stop"}]}`,
			`{"id":"a","choices":[],"usage":{"n":1}}`},
			`{"id":"a","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"n":1}}`},
		{"several choices", chat, []string{
			`{"choices":[{"index":1,"delta":{"content":"b"}}]}`, `{"choices":[{"index":0,"delta":{"content":"a"}}]}`, `{"choices":[{"index":1,"delta":{"content":"B"}}]}`},
			`{"choices":[{"index":1,"message":{"content":"bB"}},{"index":0,"message":{"content":"a"}}]}`},
		{"calls by index", chat, []string{
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"}"}},{"index":1,"function":{"name":"g"}}]}}]}`},
			`{"choices":[{"index":0,"message":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}},{"index":1,"function":{"name":"g"}}]}}]}`},
		{"calls without an index, by id", chat, []string{
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"c","function":{"name":"f"}}]}}]}`, `{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"d","function":{"name":"f"}}]}}]}`},
			`{"choices":[{"index":0,"message":{"tool_calls":[{"id":"c","function":{"name":"f"}},{"id":"d","function":{"name":"f"}}]}}]}`},
		{"all that was said, beside what is new", chat, []string{
			`{"choices":[{"index":0,"message":{"content":"a"},"delta":{"content":"a"}}]}`, `{"choices":[{"index":0,"message":{"content":"ab"},"delta":{"content":"b"}}]}`},
			`{"choices":[{"index":0,"message":{"content":"ab"}}]}`},
		{"a list, then texts", chat, []string{
			`{"choices":[{"delta":{"content":[{"type":"thinking"}]}}]}`, `{"choices":[{"delta":{"content":"Hi"}}]}`},
			`{"choices":[{"message":{"content":[{"type":"thinking"},"Hi"]}}]}`},
		{"blocks of any type", blocks, []string{
			`{"index":0,"start":{"type":"brand_new","code":""}}`, `{"index":0,"delta":{"type":"brand_new_delta","code":"1+"}}`, `{"index":0,"delta":{"type":"brand_new_delta","code":"1"}}`},
			`{"content":[{"type":"brand_new","code":"1+1"}]}`},
		{"what comes whole takes the place of its pieces", blocks, []string{
			`{"index":3,"delta":{"text":"Hi"}}`, `{"index":3,"start":{"text":"Hi"}}`, `{"whole":{"status":"done","content":[{"text":"Hi!"}]}}`, `{"whole":{"content":[]}}`},
			`{"content":[{"text":"Hi!"}],"status":"done"}`},
		{"elements that are not numbered", blocks, []string{
			`{"index":7,"more":{"type":"text","text":"a"}}`, `{"index":7,"more":{"type":"text","text":"b"}}`, `{"more":{"type":"text","text":"c"}}`},
			`{"steps":[{"type":"output","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},{"type":"output","content":[{"type":"text","text":"c"}]}]}`},
		{"nonsense", blocks, []string{`{"index":{},"start":7}`, `{"index":0,"delta":[1]}`, `{"whole":5}`, `{"start":{"a":{}},"index":0}`, `{"delta":{"a":"x"},"index":0}`},
			`{"content":[7,{"a":"x"}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var j Joined
			for _, e := range tt.events {
				j.Take(&Transcript{Pieces: tt.pieces}, parse(t, e))
			}
			v := j.Value()
			if got := string(v.AppendJSON(nil, exactjson.Layout{})); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
