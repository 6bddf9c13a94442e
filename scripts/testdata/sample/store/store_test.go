package store

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
)

var texts *Store // all tests share it

func TestMain(m *testing.M) {
	echotest.Main(echotest.RunFunc(func() int { return run(m) }))
}

func run(m *testing.M) int {
	// With -count=2 all tests ask a second time, but the recorder is the same.
	rec, err := promptecho.Open(filepath.Join("testdata", "cassettes", "store.yaml"), promptecho.AllowRepeats())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer rec.Close()
	base := cmp.Or(os.Getenv("OPENAI_BASE_URL"), "https://api.openai.com/v1")
	texts, err = Open(context.Background(), rec.Client(), base, rec.Secret("OPENAI_API_KEY"), "The fox saw grapes.", "Cologne lies on the Rhine.")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer fmt.Println("the store is torn down")
	return m.Run()
}

func nearest(t *testing.T, query string) {
	t.Helper()
	got, err := texts.Nearest(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	if got != query {
		t.Errorf("%q is nearest to %q", got, query)
	}
}

func TestFox(t *testing.T)  { t.Parallel(); nearest(t, "The fox saw grapes.") }
func TestCity(t *testing.T) { t.Parallel(); nearest(t, "Cologne lies on the Rhine.") }
