package wrap_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// A station knows the weather. Most tests of this folder wrap its function.
type station struct {
	calls atomic.Int64 // of the function itself, not of the wrapped one
}

// city is the argument of the function.
type city struct {
	Name string    `json:"city"`
	At   time.Time `json:"at,omitzero"`
}

// weather is the result of the function.
type weather struct {
	Celsius float64        `json:"celsius"`
	Tags    []string       `json:"tags"`           // the name of the city
	More    map[string]any `json:"more,omitempty"` // "n" is the number of the call
}

func (s *station) forecast(_ context.Context, c city) (weather, error) {
	n := s.calls.Add(1)
	return weather{
		Celsius: float64(len(c.Name)) + 0.5,
		Tags:    []string{c.Name},
		More:    map[string]any{"n": n},
	}, nil
}

// wrap gives the function a name and a recorder.
func (s *station) wrap(rec *promptecho.Recorder, name string) func(context.Context, city) (weather, error) {
	return promptecho.Wrap(rec, name, s.forecast)
}

// forecasts asks for the weather of cities in a run of its own, which must pass.
func (s *station) forecasts(t *testing.T, file, name string, cities ...string) []weather {
	t.Helper()
	rec := must.Open(t, file)
	forecast := s.wrap(rec, name)
	var results []weather
	for _, c := range cities {
		result, err := forecast(t.Context(), city{Name: c})
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, result)
	}
	must.Pass(t, rec)
	return results
}
