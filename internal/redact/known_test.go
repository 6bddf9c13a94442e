package redact

import (
	"encoding/binary"
	"strings"
	"testing"
)

// TestSecretInUTF16: a known secret is found in UTF-16, and what replaces it is in the same byte
// order, so that the text around it can still be read.
func TestSecretInUTF16(t *testing.T) {
	t.Parallel()
	const secret = "Zq3vT8mKx2Lw9pRb4NcY7dHs"
	for name, order := range map[string]binary.AppendByteOrder{
		"little endian": binary.LittleEndian,
		"big endian":    binary.BigEndian,
	} {
		var p Policy
		p.AddSecret(secret)
		text := utf16Of("it is "+secret+" there", order)
		want := strings.Replace(text, utf16Of(secret, order), utf16Of(Placeholder, order), 1)
		if got := hidden(t, &p, text); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
