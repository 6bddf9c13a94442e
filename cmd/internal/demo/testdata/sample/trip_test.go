package trip

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho/echotest"
)

func TestTrip(t *testing.T) {
	rec := echotest.New(t) // the one line that it takes
	p := Planner{Client: rec.Client(), Key: rec.Secret("OPENAI_API_KEY")}
	plan, err := p.Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	title, err := p.Title(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(plan, "Paris") || !strings.Contains(title, "title") {
		t.Errorf("plan %q, title %q", plan, title)
	}
}
