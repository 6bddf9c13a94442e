package suite

import (
	"testing"

	"github.com/promptecho/promptecho/echofake"
	"github.com/promptecho/promptecho/echosnap"
	"github.com/promptecho/promptecho/interop/mutate/setup"
)

func TestSnapshotText(t *testing.T) {
	t.Parallel()
	got, err := ask(t.Context(), setup.Recorder(t, echofake.Text(capital)), question)
	if err != nil {
		t.Fatal(err)
	}
	echosnap.Match(t, got)
}

func TestSnapshotInline(t *testing.T) {
	t.Parallel()
	got, err := ask(t.Context(), setup.Recorder(t, echofake.Text(capital)), question)
	if err != nil {
		t.Fatal(err)
	}
	echosnap.Inline(t, got, `Paris is the capital of France.`)
}

func TestRouteOfText(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, echofake.Text(capital))
	_, err := ask(t.Context(), rec, question)
	if err != nil {
		t.Fatal(err)
	}
	echosnap.Route(t, rec)
}

func TestRouteOfAgent(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, weatherScript...)
	got, err := chatAgent(t.Context(), rec, newToolbox())
	if err != nil {
		t.Fatal(err)
	}
	echosnap.Route(t, rec)
	echosnap.Match(t, got)
}
