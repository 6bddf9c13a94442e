package secrets_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A credential that is new with every call rewrites the journal only if the journal contains it.
func TestNewCredentialRewritesOnlyAJournalThatContainsIt(t *testing.T) {
	t.Parallel()
	const echoed = "Zk3vQ9pXw7RtLm2NcY8b000003"
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file,
		promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says(`{"text":"`+echoed+`"}`)))
	journalAfter := func(credential string) os.FileInfo {
		must.Post(t, r, must.ChatURL, `{"model":"m","messages":[]}`, "Authorization", "Bearer "+credential)
		info, err := os.Stat(file + must.JournalSuffix)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	first := journalAfter("Aq7mW2xKp9Lr4Tn8Yb1Kc5Zc")
	if second := journalAfter("Hf6Jg2RsD3x9Qm2Vw7Lr4Tn8"); !os.SameFile(first, second) {
		t.Error("the journal is rewritten for a credential that it does not contain")
	}
	third := journalAfter(echoed)
	if os.SameFile(first, third) || strings.Contains(must.Read(t, file+must.JournalSuffix), echoed) {
		t.Error("the journal contains a credential that has become known")
	}
	must.Close(t, r)

	text := must.Read(t, file)
	if strings.Contains(text, echoed) {
		t.Errorf("the cassette contains a credential:\n%s", text)
	}
	isOneRecording := strings.Count(text, `text: "[REDACTED]"`) == 1 && strings.Contains(text, "\n  times: 3\n")
	if !isOneRecording {
		t.Errorf("the three calls are not one recording:\n%s", text)
	}
}
