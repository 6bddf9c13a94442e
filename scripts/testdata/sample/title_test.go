package bot

import "testing"

func TestTitle(t *testing.T) {
	got, err := recorded(t).Title(t.Context(), "Once upon a time there was a fox.")
	if err != nil {
		t.Fatal(err)
	}
	if got == "" {
		t.Error("no title")
	}
}
