package harness

import "testing"

func TestReplace(t *testing.T) {
	const page = "before\n<!-- loop:begin -->\nold\n<!-- loop:end -->\nafter\n"
	got, err := replace(page, "loop", "new\n")
	want := "before\n<!-- loop:begin -->\nnew\n<!-- loop:end -->\nafter\n"
	if got != want || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := replace(page, "replay", "new\n"); err == nil {
		t.Error("a page without the marks was taken")
	}
}
