package saving_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// git on Windows writes line ends as CRLF where no .gitattributes says otherwise: a cassette and its
// files replay all the same.
func TestCassetteCheckedOutWithCRLFIsReplayed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	latin := strings.Repeat("caf\xe9 in Latin-1, which git takes for text\n", 5000)
	speaks := provider.Func(func(req *http.Request) (*http.Response, error) {
		resp, err := provider.Says(latin).RoundTrip(req)
		resp.Header.Set("Content-Type", "text/plain; charset=iso-8859-1")
		return resp, err
	})
	const url = "https://api.example/latin"
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(speaks))
	must.Get(t, rec, url)
	must.Close(t, rec)
	assets, err := filepath.Glob(filepath.Join(filepath.Dir(file), "c.assets", "*"))
	if err != nil || len(assets) != 1 {
		t.Fatalf("files of the cassette: %q, %v", assets, err)
	}

	for _, path := range append(assets, file) {
		withCRLF := strings.ReplaceAll(must.Read(t, path), "\n", "\r\n")
		if err := os.WriteFile(path, []byte(withCRLF), 0o666); err != nil {
			t.Fatal(err)
		}
	}

	rec = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	if got := must.Get(t, rec, url); got != latin {
		t.Errorf("the answer has %d bytes, want %d", len(got), len(latin))
	}
	must.Close(t, rec)
}
