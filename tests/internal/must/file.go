package must

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/cassette/rewrite"
	"github.com/promptecho/promptecho/internal/tape"
)

// What is appended to the name of a cassette for the files beside it.
const (
	JournalSuffix = tape.JournalSuffix // what a recording run has recorded so far
	FailedSuffix  = tape.FailedSuffix  // what a run that failed has recorded
)

// Read returns the text of a file.
func Read(t testing.TB, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Write makes a text the whole content of a file.
func Write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Edit replaces a text of a file, which must be there, once.
func Edit(t testing.TB, file, old, with string) {
	t.Helper()
	text := Read(t, file)
	if !strings.Contains(text, old) {
		t.Fatalf("no %q in\n%s", old, text)
	}
	Write(t, file, strings.Replace(text, old, with, 1))
}

// SetTop puts lines at the top of a cassette.
func SetTop(t testing.TB, file, lines string) {
	t.Helper()
	Edit(t, file, "version: 1\n", "version: 1\n"+lines)
}

// Load reads a cassette.
func Load(t testing.TB, file string) *cassette.File {
	t.Helper()
	f, err := cassette.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Prompts returns the prompts that a cassette has recorded, in its order and with blanks between
// them. A cassette that does not exist has none.
func Prompts(t testing.TB, file string) string {
	t.Helper()
	f, err := cassette.Load(file)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	var prompts []string
	for _, it := range f.Interactions {
		var body struct{ Messages []struct{ Content string } }
		if err := json.Unmarshal(it.Request.Body, &body); err != nil {
			t.Fatal(err)
		}
		prompts = append(prompts, body.Messages[0].Content)
	}
	return strings.Join(prompts, " ")
}

// Seal gives a cassette what a recorder adds when it writes it: a revision of the rules of
// matching, and the key of each interaction.
func Seal(f *cassette.File) *cassette.File {
	f.Revision = canon.Revision
	for _, it := range f.Interactions {
		it.Kind, it.MatchKey = "llm", (&canon.Options{}).Form(&it.Request).Key()
	}
	return f
}

// Save writes a cassette to a new file.
func Save(t testing.TB, f *cassette.File) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "c.yaml")
	if err := rewrite.Save(file, f); err != nil {
		t.Fatal(err)
	}
	return file
}
