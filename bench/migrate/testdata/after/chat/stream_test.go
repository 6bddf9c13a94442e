package chat

import (
	"context"
	"errors"
	"testing"
)

func TestStream(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var words []string
	err := open(t).Stream(ctx, "Count to three.", func(word string) {
		if words = append(words, word); len(words) == 3 {
			stop()
		}
	})
	if len(words) != 3 || !errors.Is(err, context.Canceled) {
		t.Errorf("%q, %v", words, err)
	}
}
