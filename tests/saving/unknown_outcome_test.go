package saving_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// In mode all, Close replaces the cassette if the run recorded at least as many interactions. After fewer, the old
// recordings stay: Close does not know whether the test passed.
func TestCloseInModeAllReplacesACassetteOfNoMoreInteractions(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, asked, want string }{
		{name: "as many, all others", asked: "d e f", want: "d e f"},
		{name: "as many, one the same", asked: "a e f", want: "a e f"},
		{name: "fewer", asked: "d e", want: "d e a b c"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			must.Record(t, file, "a", "b", "c")
			r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says(`{}`)))
			for prompt := range strings.FieldsSeq(tt.asked) {
				must.Ask(t, r, "http://127.0.0.1:9", prompt)
			}
			must.Close(t, r)
			if got := must.Prompts(t, file); got != tt.want {
				t.Errorf("the cassette has %s, want %s", got, tt.want)
			}
		})
	}
}
