package suite

import (
	"context"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// A flight is what a function finds.
type flight struct {
	Number string `json:"number"`
	Price  int    `json:"price"`
}

// findFlight returns a function that finds the flight to a city.
func findFlight(rec *promptecho.Recorder) func(context.Context, string) (flight, error) {
	return promptecho.Wrap(rec, "tool/find_flight", func(context.Context, string) (flight, error) {
		return flight{Number: "PE 79", Price: 120}, nil
	})
}

func TestFunction(t *testing.T) {
	t.Parallel()
	got, err := findFlight(echotest.New(t))(t.Context(), "Oslo")
	if err != nil || got.Number != "PE 79" || got.Price != 120 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestFunctionOneField(t *testing.T) {
	t.Parallel()
	got, err := findFlight(echotest.New(t))(t.Context(), "Oslo")
	if err != nil || got.Price != 120 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestFunctionRuns(t *testing.T) {
	t.Parallel()
	_, err := findFlight(echotest.New(t))(t.Context(), "Oslo")
	if err != nil {
		t.Error(err)
	}
}

func TestAgentWithFunction(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, weatherScript...)
	tools := newToolbox()
	tools.weather = promptecho.Wrap(rec, "tool/get_weather", tools.weather)
	got, err := chatAgent(t.Context(), rec, tools)
	if err != nil || got != forecast {
		t.Errorf("got %q, %v", got, err)
	}
}
