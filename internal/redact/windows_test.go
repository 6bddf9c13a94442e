package redact

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/encode"
	"github.com/promptecho/promptecho/internal/testing/full"
)

// TestWindowsTellWhetherASecretMayBeThere: a text that holds a secret in two encodings is never
// said to hold none, and for nearly no text a secret that it does not hold is looked for again.
func TestWindowsTellWhetherASecretMayBeThere(t *testing.T) {
	t.Parallel()
	const other = "Hf6Jg2RsD3x9Qm2Vw7Lr4Tn8"
	every := full.Cases(7, 1)
	n, suspected := 0, 0
	for _, secret := range []string{"Zq3vT8mKx2Lw9pRb4NcY7dHsUe5JfAg6", `Zq3v&T8mKx<2Lw9"pRb4/+~`, "line one of it\nAq7mW2xKp9Lr4Tn8"} {
		for _, inner := range encode.All {
			for _, outer := range encode.All {
				n++
				if n%every != 0 {
					continue
				}
				text := strings.Repeat("some words before it, ", 50) + outer.Encode("see "+inner.Encode(secret)+" there")
				w := WindowsOf([]byte(text))
				p := new(Policy)
				p.AddSecret(other)
				if w.MayHaveAny(p.NewTexts(0)) {
					suspected++
				}
				p.AddSecret(secret)
				if !w.MayHaveAny(p.NewTexts(1)) || !w.MayHaveAny(p.NewTexts(0)) {
					t.Errorf("%s of %s: the secret is overlooked in %s", outer.Name, inner.Name, text)
				}
				if w.MayHaveAny(p.NewTexts(2)) {
					t.Errorf("%s of %s: a secret is new that is not", outer.Name, inner.Name)
				}
			}
		}
	}
	if suspected*20 > n/every {
		t.Errorf("%d of %d texts are said to hold another secret", suspected, n/every)
	}
}
