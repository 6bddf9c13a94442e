package tape

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/promptecho/promptecho/internal/interaction"
)

// sameResponse reports whether two recordings have the same response, apart
// from the IDs that link it to its request.
func sameResponse(a, b *Recording) bool {
	return equalResponses(a.responseTo(&b.Interaction().Request), &b.Interaction().Response)
}

func equalResponses(x, y *interaction.Response) bool {
	isSameHead := x.Status == y.Status && x.Error == y.Error
	return isSameHead && equalBodies(x.Body, y.Body) &&
		slices.EqualFunc(x.Events, y.Events, slices.Equal[interaction.Event])
}

// equalBodies reports whether two bodies are equal, or are equal JSON values
// with other white space around them, which a [json.Decoder] may leave unread.
func equalBodies(x, y []byte) bool {
	if bytes.Equal(x, y) {
		return true
	}
	return bytes.Equal(bytes.TrimSpace(x), bytes.TrimSpace(y)) && json.Valid(x)
}

// agree reports whether two recordings have the same response as far as the
// client read both.
func agree(a, b *Recording) bool {
	x := a.responseTo(&b.Interaction().Request)
	y := &b.Interaction().Response
	if equalResponses(x, y) {
		return true
	}
	return x.Status == y.Status && (isBeginning(x, y) || isBeginning(y, x))
}

// isBeginning reports whether the client closed x before its end, and x is the
// beginning of y. The last event of x may be the beginning of one.
func isBeginning(x, y *interaction.Response) bool {
	if x.End != interaction.EndClosed || !bytes.HasPrefix(y.Body, x.Body) {
		return false
	}
	whole := x.Events[:max(0, len(x.Events)-1)]
	if len(whole) > len(y.Events) {
		return false
	}
	return slices.EqualFunc(whole, y.Events[:len(whole)], slices.Equal[interaction.Event])
}
