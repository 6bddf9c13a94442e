package encode

import "testing"

// TestHoldsFindsEachPairOfEncodings keeps the search from overlooking what the
// tests of redaction rely on.
func TestHoldsFindsEachPairOfEncodings(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"Zq3vT8mKx2Lw9pRb4NcY7dHsUe5JfAg6", `Zq3v&T8mKx<2Lw9"pRb4/+~`} {
		for _, inner := range All {
			for _, outer := range All {
				text := outer.Encode("see " + inner.Encode(secret) + " there")
				if !Holds("x: "+text, secret) {
					t.Errorf("%s of %s: %s is overlooked in %s", outer.Name, inner.Name, secret, text)
				}
				if Holds("x: "+text, secret+"!") {
					t.Errorf("%s of %s: %s! is found in %s", outer.Name, inner.Name, secret, text)
				}
			}
		}
	}
}
