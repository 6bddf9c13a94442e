package echosnap

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/snapshot"
)

// The differences of a snapshot name the snapshot and the value, also in notes
// and where the value itself has the words of a difference.
func TestDifferencesNameSnapshotAndValue(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ was, is, want string }{
		{`{"a":1}`, `{"a":[]}`, "  a: the snapshot has a number, the value a list\n    snapshot: 1\n    now:      []\n"},
		{`{"a":"x\r\ny"}`, `{"a":"x\ny"}`, "  a: differs only in line ends: the snapshot has CRLF, the value LF\n"},
		{`{"a":"recorded: x","b":1}`, `{"b":1}`, "  a: only in the snapshot\n    \"recorded: x\"\n"},
		{`{"b":1}`, `{"b":1,"a":1}`, "  a: only in the value\n"},
	} {
		was := &snapshot.Section{Name: "s", Kind: snapshot.JSON, Text: tt.was}
		is := &snapshot.Section{Name: "s", Kind: snapshot.JSON, Text: tt.is}
		if got := differences(was, is, nil); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s, now %s:\n%s\nwant\n%s", tt.was, tt.is, got, tt.want)
		}
	}
}
