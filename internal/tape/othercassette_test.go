package tape

import (
	"slices"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A miss names another cassette if that has the requests of this run, whatever
// headers its tool has left out.
func TestRequestsInAnotherCassette(t *testing.T) {
	t.Parallel()
	withBeta := withHeader(prompt("hi"), "anthropic-beta", "b1")
	tests := []struct {
		name  string
		other []*interaction.Interaction
		asked []interaction.Request
		has   []bool
	}{{
		"it has one of two requests",
		exchanges{exchange(prompt("hi"), says("one"))},
		[]interaction.Request{prompt("hi"), prompt("other")},
		[]bool{true, false},
	}, {
		"it has another header",
		exchanges{exchange(withBeta, says("one"))},
		[]interaction.Request{prompt("hi")},
		[]bool{false},
	}, {
		"its tool may have left out a header",
		exchanges{imported(prompt("hi"), says("one"))},
		[]interaction.Request{withBeta, prompt("other")},
		[]bool{true, false},
	}, {
		"its tool has written a header, which the report does not compare",
		exchanges{imported(withBeta, says("one"))},
		[]interaction.Request{prompt("hi")},
		[]bool{true},
	}, {
		"it is empty",
		nil,
		[]interaction.Request{prompt("hi")},
		[]bool{false},
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := replay(t)
			var asked [][]string
			for _, req := range tt.asked {
				m := send(t, run, req)
				asked = append(asked, run.Keys(&m))
			}
			path := cassetteOf(t, tt.other...)
			has, recordings := run.Has(path, asked)
			if !slices.Equal(has, tt.has) || recordings != len(tt.other) {
				t.Errorf("got %v of %d recordings, want %v", has, recordings, tt.has)
			}
			want := 0
			for _, isThere := range tt.has {
				if isThere {
					want++
				}
			}
			if got := run.CountIn(path, asked); got != want {
				t.Errorf("got %d requests, want %d", got, want)
			}
		})
	}
}

// A cassette that cannot be read has no requests.
func TestRequestsInAnUnreadableCassette(t *testing.T) {
	t.Parallel()
	run := replay(t)
	m := send(t, run, prompt("hi"))
	asked := [][]string{run.Keys(&m)}

	missingFile := cassetteOf(t) + ".missing"
	broken := cassetteOf(t, exchange(prompt("hi"), says("one")))
	writeFile(t, broken, "interactions: [")
	for _, path := range []string{missingFile, broken} {
		if has, recordings := run.Has(path, asked); has[0] || recordings != 0 {
			t.Errorf("%s has %v of %d recordings", path, has, recordings)
		}
	}
}
