package perrun

import (
	"slices"
	"strings"
	"testing"
)

const (
	session = "aeeebf91-c249-91b2-d6c4-9923defd23ec"
	item    = "msg_01ABcdEFgh23Jk"
)

// The IDs of a message are found by the members around them. Both sides may count from 1, so their
// IDs have different kinds.
func TestIDsAreFoundAtTheirPlaces(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text     string
		sent, received []string
	}{
		{
			"a request", `{"jsonrpc":"2.0","id":1,"method":"m"}`,
			[]string{"sent id:1"}, []string{"received id:1"},
		},
		{
			"an ID that is a string", `{"id":"1","method":"m"}`,
			[]string{`sent id:"1"`}, []string{`received id:"1"`},
		},
		{
			"a response", `{"id":1,"result":{"id":2}}`,
			[]string{"received id:1"}, []string{"sent id:1"},
		},
		{
			"an error", `{"error":{"code":1},"id":1}`,
			[]string{"received id:1"}, []string{"sent id:1"},
		},
		{
			"a result next to an error", `{"id":1,"result":2,"error":null}`,
			[]string{"received id:1"}, []string{"sent id:1"},
		},
		{"an error without an ID", `{"error":{"code":1},"id":null}`, nil, nil},
		{"a notification", `{"method":"m","params":{"id":1}}`, nil, nil},
		{
			"a progress token", `{"id":1,"method":"m","params":{"_meta":{"progressToken":1}}}`,
			[]string{"sent id:1", "sent progress:1"}, []string{"received id:1", "received progress:1"},
		},
		{
			"progress", `{"method":"notifications/progress","params":{"progressToken":"a"}}`,
			[]string{`received progress:"a"`}, []string{`sent progress:"a"`},
		},
		{
			"a cancellation of MCP", `{"method":"notifications/cancelled","params":{"requestId":3}}`,
			[]string{"sent id:3"}, []string{"received id:3"},
		},
		{
			"a batch", `[{"id":1,"method":"m"},{"id":2,"result":0}]`,
			[]string{"sent id:1", "received id:2"}, []string{"received id:1", "sent id:2"},
		},
		{
			"a control request", `{"request_id":"r","type":"control_request","request":{"request_id":"x"}}`,
			[]string{`sent id:"r"`}, []string{`received id:"r"`},
		},
		{
			"a control response", `{"type":"control_response","response":{"request_id":"r"}}`,
			[]string{`received id:"r"`}, []string{`sent id:"r"`},
		},
		{"an ID of something else", `{"id":1,"type":"item"}`, nil, nil},
		{"no JSON", `id 1`, nil, nil},
	}
	for _, tt := range tests {
		if got := Names(OfSent(tt.text, None)); !slices.Equal(got, tt.sent) {
			t.Errorf("%s, sent: %q, want %q", tt.name, got, tt.sent)
		}
		if got := Names(OfReceived(tt.text)); !slices.Equal(got, tt.received) {
			t.Errorf("%s, received: %q, want %q", tt.name, got, tt.received)
		}
	}
}

// A random text that the program has not seen before is what its message is about, unless the member
// names a session, or the text is a temporary folder.
func TestRandomTextsOfAProgramMatch(t *testing.T) {
	t.Parallel()
	const folder = "$PROMPTECHO_TEMP/TestAgent1234/001"
	tests := []struct {
		name, text string
		want       []string
	}{
		{"in a prompt", `{"prompt":"explain ` + session + `"}`, nil},
		{"a member for a session", `{"session_id":"` + session + `"}`, []string{"token:" + session}},
		{"a member for a session that is not random", `{"session_id":"main"}`, nil},
		{"an argument of a tool", `{"params":{"arguments":{"sessionId":"` + session + `"}}}`, nil},
		{"a flag", `{"args":["--session-id","` + session + `"]}`, []string{"token:" + session}},
		{"another flag", `{"args":["--document","` + session + `"]}`, nil},
		{"a temporary folder", `{"cwd":"` + folder + `/a.txt"}`, []string{"token:" + folder}},
		{"a temporary folder of Windows", `{"cwd":"$PROMPTECHO_TEMP\\T123\\001\\a"}`, []string{`token:$PROMPTECHO_TEMP\\T123\\001`}},
		{"a folder that is not random", `{"cwd":"$PROMPTECHO_TEMP/agent"}`, nil},
		{"a line of text", "open " + folder, []string{"token:" + folder}},
	}
	for _, tt := range tests {
		if got := Names(OfSent(tt.text, None)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	known := func(name string) bool { return name == "token:"+item }
	text := `{"prompt":"what is in ` + item + ` and ` + session + `?"}`
	if got := Names(OfSent(text, known)); !slices.Equal(got, []string{"token:" + item}) {
		t.Errorf("a text that was received before: %q", got)
	}
}

func TestMaskAndRename(t *testing.T) {
	t.Parallel()
	text := `{"id":7,"result":{"sessionId":"` + session + `","text":"in ` + item + `: ` + item + `"}}`
	values := OfReceived(text)
	masked := `{"id":"#","result":{"sessionId":"#","text":"in #: #"}}`
	if got := Mask(text, values); got != masked {
		t.Errorf("masked: %s", got)
	}
	names := Names(values)
	for i, name := range names {
		names[i] = strings.NewReplacer("id:7", `id:"x"`, item, "msg_other").Replace(name)
	}
	renamed := `{"id":"x","result":{"sessionId":"` + session + `","text":"in msg_other: msg_other"}}`
	if got := Rename(text, values, names); got != renamed {
		t.Errorf("renamed: %s", got)
	}
}

// FuzzValues checks that values are apart, that a text keeps its bytes if each value keeps its name,
// and that the order of members does not count.
func FuzzValues(f *testing.F) {
	for _, text := range []string{
		`{"id":1,"method":"m","params":{"_meta":{"progressToken":1},"sessionId":"` + session + `"}}`,
		`[{"id":1,"result":{}},{"id":2,"error":{}}]`,
		"in $PROMPTECHO_TEMP/T123/001: " + item,
		`{"a":"` + item, `{"id":1}{"method":"x"}`, `[[{"id":1,"method":"m"}]]`, "",
		`{"id":1,"result":2,"error":null}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all := func(string) bool { return true }
		for _, values := range [][]Value{OfSent(text, all), OfReceived(text)} {
			byPlace := slices.SortedFunc(slices.Values(values), func(a, b Value) int { return a.Start - b.Start })
			end := 0
			for _, v := range byPlace {
				if v.Start < end || v.End < v.Start || v.End > len(text) {
					t.Fatalf("%q: the values %+v", text, byPlace)
				}
				end = v.End
			}
			if got := Rename(text, values, Names(values)); got != text {
				t.Fatalf("%q became %q", text, got)
			}
		}
	})
}
