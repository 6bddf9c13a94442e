package tape

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/promptecho/promptecho/internal/interaction"
)

// sameAnswer reports whether two recordings say the same.
func sameAnswer(a, b *Recording) bool {
	return saySame(a.responseTo(&b.Interaction().Request), &b.Interaction().Response)
}

func saySame(x, y *interaction.Response) bool {
	return x.Status == y.Status && x.Error == y.Error && sameBody(x.Body, y.Body) &&
		slices.EqualFunc(x.Events, y.Events, slices.Equal[interaction.Event])
}

// sameBody reports whether two bodies say the same: a [json.Decoder] leaves what stands behind a value.
func sameBody(x, y []byte) bool {
	return bytes.Equal(x, y) || bytes.Equal(bytes.TrimSpace(x), bytes.TrimSpace(y)) && json.Valid(x)
}

// agree reports whether two recordings say the same as far as both were read.
func agree(a, b *Recording) bool {
	x, y := a.responseTo(&b.Interaction().Request), &b.Interaction().Response
	return saySame(x, y) || x.Status == y.Status && (begins(x, y) || begins(y, x))
}

// begins reports whether x was closed before its end and is the beginning of y. Its last event may be the beginning of one.
func begins(x, y *interaction.Response) bool {
	whole := x.Events[:max(0, len(x.Events)-1)]
	return x.End == interaction.EndClosed && bytes.HasPrefix(y.Body, x.Body) && len(whole) <= len(y.Events) &&
		slices.EqualFunc(whole, y.Events[:len(whole)], slices.Equal[interaction.Event])
}
