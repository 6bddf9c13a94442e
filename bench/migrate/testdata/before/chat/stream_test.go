package chat

import (
	"strings"
	"testing"
)

func TestStream(t *testing.T) {
	// A fixture plays all of a stream at once, so this test cannot stop in the middle.
	var words []string
	err := open(t).Stream(t.Context(), "Count to three.", func(word string) { words = append(words, word) })
	if said := strings.Join(words, ""); err != nil || !strings.Contains(said, "Count to three.") {
		t.Errorf("%q, %v", said, err)
	}
}
