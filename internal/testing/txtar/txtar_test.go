package txtar

import "testing"

func TestParse(t *testing.T) {
	t.Parallel()
	const text = "what it is\n-- a.txt --\none\n\ntwo\n--  b/c.txt  --\n-- not a name\n-- --\n-- d --\n"
	a := Parse([]byte(text))
	want := []File{{"a.txt", []byte("one\n\ntwo\n")}, {"b/c.txt", []byte("-- not a name\n-- --\n")}, {"d", nil}}
	if string(a.Comment) != "what it is\n" || len(a.Files) != len(want) {
		t.Fatalf("comment %q, files %q", a.Comment, a.Files)
	}
	for i, f := range a.Files {
		if f.Name != want[i].Name || string(f.Data) != string(want[i].Data) {
			t.Errorf("file %d is %q, want %q", i, f, want[i])
		}
	}
	if got := string(Format(a)); got != "what it is\n-- a.txt --\none\n\ntwo\n-- b/c.txt --\n-- not a name\n-- --\n-- d --\n" {
		t.Errorf("formatted: %q", got)
	}
}
