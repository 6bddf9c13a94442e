package text

import "testing"

func TestFirst(t *testing.T) {
	if got := First("It is so. It is not."); got != "It is so." {
		t.Error(got)
	}
}
