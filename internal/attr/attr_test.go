package attr

import (
	"reflect"
	"testing"
)

// What is written is read again; that of two recorders of one test adds up.
func TestWriteRead(t *testing.T) {
	t.Parallel()
	one := Done{Cassettes: []string{"/a/x y.yaml"}, Saved: []string{"/a/x y.yaml"}, Counts: Counts{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}}
	two := Done{Cassettes: []string{"/b.yaml", "/line\nbreak"}, Counts: Counts{Replayed: 10}}
	var got Done
	for _, d := range []Done{one, two} {
		d.Write(func(key, value string) {
			if !got.Read(key, value) {
				t.Errorf("%s=%s is not read", key, value)
			}
		})
	}
	want := Done{Cassettes: []string{"/a/x y.yaml", "/b.yaml"}, Saved: []string{"/a/x y.yaml"}, Counts: Counts{11, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}}
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
