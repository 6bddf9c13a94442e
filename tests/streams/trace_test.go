package streams_test

import (
	"net/http/httptrace"
	"slices"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// A program that measures the time to the first byte with httptrace can do so in replay.
func TestTraceOfTheFirstByte(t *testing.T) {
	t.Parallel()
	file := must.RecordAnswers(t, []string{"{}"}, []must.Request{must.Chat("")})
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	var events []string
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		WroteRequest:         func(httptrace.WroteRequestInfo) { events = append(events, "wrote the request") },
		GotFirstResponseByte: func() { events = append(events, "got the first byte") },
	})
	must.PostIn(t, ctx, rec, must.ChatURL, must.Chat("").Body)
	if want := []string{"wrote the request", "got the first byte"}; !slices.Equal(events, want) {
		t.Errorf("%q, want %q", events, want)
	}
	must.Close(t, rec)
}
