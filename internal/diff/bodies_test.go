package diff

import (
	"strings"
	"testing"
)

// Of a body that is broken JSON the note says where. Lines of JSON are none, broken or not: the edit
// shows their words.
func TestNoteOfBrokenJSON(t *testing.T) {
	t.Parallel()
	const lines = "{\"index\": {}}\n{\"text\": \"the first document\"}\n"
	for _, tt := range []struct{ recorded, incoming, want string }{
		{`{"a": [1, 2]}`, `{"a": [1, 2}`, "the request is not JSON: invalid character '}'"},
		{`{"a": [1, 2}`, `{"a": [1, 2]}`, "the recording is not JSON: invalid character '}'"},
		{lines, strings.Replace(lines, "first", "second", 1), ""},
	} {
		e := Edit{Path: "body", Recorded: `"sha256:1"`, Incoming: `"sha256:2"`}
		e.CompareBodies([]byte(tt.recorded), []byte(tt.incoming))
		note := e.NoteText()
		if !strings.HasPrefix(note, tt.want) || strings.Contains(note, "JSON") != (tt.want != "") {
			t.Errorf("%s, now %s: note %q, want %q", tt.recorded, tt.incoming, note, tt.want)
		}
		if got, want := e.Incoming, quote(tt.incoming); got != want {
			t.Errorf("incoming is %s, want %s", got, want)
		}
	}
}
