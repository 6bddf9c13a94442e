package suite

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/promptecho/promptecho/internal/atomicfile"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/testenv/attr"
)

// What is written is read again; that of two recorders of one test adds up.
func TestWriteRead(t *testing.T) {
	t.Parallel()
	codes := []finding.Code{finding.RequestChanged, finding.ValueLacking}
	one := attr.Done{Cassettes: []string{"/a/x y.yaml"}, Saved: []string{"/a/x y.yaml"}, Codes: codes}
	last := int64(0)
	for _, n := range one.All() {
		last++
		*n = last
	}
	two := attr.Done{Cassettes: []string{"/b.yaml", "/line\nbreak"}, Codes: codes[:1], Counts: attr.Counts{Replayed: 10}}
	var got attr.Done
	for _, d := range []attr.Done{one, two} {
		d.Write(func(key, value string) {
			if !readAttr(&got, key, value) {
				t.Errorf("%s=%s is not read", key, value)
			}
		})
	}
	want := attr.Done{Cassettes: []string{"/a/x y.yaml", "/b.yaml"}, Saved: []string{"/a/x y.yaml"}, Codes: codes, Counts: one.Counts}
	want.Replayed += 10
	if want.Replayed != 11 || want.NotSent != 15 {
		t.Errorf("%+v", want)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, other := range [][2]string{{"replayed", "1"}, {"promptecho.else", "1"}, {"promptecho.replayed", "many"}} {
		if d := (attr.Done{}); readAttr(&d, other[0], other[1]) || !reflect.DeepEqual(d, attr.Done{}) {
			t.Errorf("%q is read as %+v", other, d)
		}
	}
}

// What is left in the folder is read again, if there is a folder. A process that is killed may
// leave a temporary file, and one of another version an empty one.
func TestLeave(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(attr.Env, dir)
	want := attr.Done{Cassettes: []string{"/a\nb.yaml"}, Saved: []string{"/a\nb.yaml"}, Counts: attr.Counts{Recorded: 2, InputTokens: 30}}
	if err := want.WriteFile(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "empty"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	temp, err := atomicfile.CreateTemp(filepath.Join(dir, "half"))
	if err != nil {
		t.Fatal(err)
	}
	temp.WriteString("{")
	temp.Close()
	if got, err := ReadDone(dir); err != nil || !reflect.DeepEqual(got, []attr.Done{want}) {
		t.Errorf("%+v, %v", got, err)
	}
	t.Setenv(attr.Env, "")
	if err := want.WriteFile(); err != nil {
		t.Errorf("nobody wants to know: %v", err)
	}
	t.Setenv(attr.Env, filepath.Join(dir, "gone"))
	if err := want.WriteFile(); err == nil {
		t.Error("no error, and nothing is left")
	}
}
