package attr

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// What is written is read again; that of two recorders of one test adds up.
func TestWriteRead(t *testing.T) {
	t.Parallel()
	one := Done{Cassettes: []string{"/a/x y.yaml"}, Saved: []string{"/a/x y.yaml"}, Counts: Counts{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}}
	two := Done{Cassettes: []string{"/b.yaml", "/line\nbreak"}, Counts: Counts{Replayed: 10}}
	var got Done
	for _, d := range []Done{one, two} {
		d.Write(func(key, value string) {
			if !got.Read(key, value) {
				t.Errorf("%s=%s is not read", key, value)
			}
		})
	}
	want := Done{Cassettes: []string{"/a/x y.yaml", "/b.yaml"}, Saved: []string{"/a/x y.yaml"}, Counts: Counts{11, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, other := range [][2]string{{"replayed", "1"}, {"promptecho.else", "1"}, {"promptecho.replayed", "many"}} {
		if d := (Done{}); d.Read(other[0], other[1]) || !reflect.DeepEqual(d, Done{}) {
			t.Errorf("%q is read as %+v", other, d)
		}
	}
}

// A recorder that did nothing has nothing to say.
func TestNothing(t *testing.T) {
	t.Parallel()
	new(Done).Write(func(key, value string) { t.Errorf("%s=%s", key, value) })
}

// What is left in the folder is read again, if there is a folder. A process that is killed may
// leave an empty file.
func TestLeave(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(Env, dir)
	want := Done{Cassettes: []string{"/a\nb.yaml"}, Saved: []string{"/a\nb.yaml"}, Counts: Counts{Recorded: 2, InputTokens: 30}}
	if err := want.Leave(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "empty"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Left(dir); err != nil || !reflect.DeepEqual(got, []Done{want}) {
		t.Errorf("%+v, %v", got, err)
	}
	t.Setenv(Env, "")
	if err := want.Leave(); err != nil {
		t.Errorf("nobody wants to know: %v", err)
	}
	t.Setenv(Env, filepath.Join(dir, "gone"))
	if err := want.Leave(); err == nil {
		t.Error("no error, and nothing is left")
	}
}
