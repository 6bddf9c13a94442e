package echosnap_test

import (
	"context"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echosnap"
	"github.com/promptecho/promptecho/echotest"
)

// A trip is what the code under test returns.
type trip struct {
	Planned string   `json:"planned"` // another day in each recording
	Cities  []string `json:"cities"`
	Text    string   `json:"text"` // in the words of a model
}

// planTrip stands for the code under test, which asks a model and calls tools.
func planTrip(_ context.Context, _ *promptecho.Recorder) trip { return trip{} }

// ask stands for a function that sends a prompt to a model through the recorder.
func ask(_ context.Context, _ string) (string, error) { return "", nil }

// The first run writes testdata/snapshots/TestTrip.snap. Later runs compare with it, except
// for the day.
func ExampleMatch() {
	_ = func(t *testing.T) { // TestTrip
		got := planTrip(t.Context(), echotest.New(t))
		echosnap.Match(t, got, echosnap.Ignore("planned"))
	}
}

// Run the test with -echo.update, and the text of the snapshot is in the source.
func ExampleInline() {
	_ = func(t *testing.T) { // TestFirstCity
		got := planTrip(t.Context(), echotest.New(t))
		echosnap.Inline(t, got.Cities[0], "Oslo")
	}
}

// If the text differs from its snapshot, a model says whether it is right, too. Its verdict
// is recorded.
func ExampleJudge() {
	_ = func(t *testing.T) { // TestText
		got := planTrip(t.Context(), echotest.New(t))
		echosnap.Match(t, got.Text, echosnap.Judge(ask, "names Oslo and Bergen", "names no price"))
	}
}

// Without expectations, a route has a snapshot. With expectations it has none, so that other
// calls may change.
func ExampleRoute() {
	_ = func(t *testing.T) { // TestTools
		rec := echotest.New(t)
		planTrip(t.Context(), rec)
		echosnap.Route(t, rec)
		echosnap.Route(t, rec,
			echosnap.Calls("get_weather", "book_table"), // in this order
			echosnap.Never("charge_card"),
			echosnap.AtMost(5), // calls of tools
		)
	}
}
