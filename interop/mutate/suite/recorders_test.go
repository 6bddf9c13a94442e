package suite

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echofake"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// The subtests have a recorder each.
func TestCapitals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ country, answer, want string }{
		{"France", capital, "Paris"},
		{"Norway", "It is Oslo.", "Oslo"},
	} {
		t.Run(tt.country, func(t *testing.T) {
			t.Parallel()
			rec := setup.Recorder(t, echofake.Text(tt.answer))
			got, err := ask(t.Context(), rec, "What is the capital of "+tt.country+"?")
			if err != nil || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

// The subtests have one recorder, that of the test.
func TestTour(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, echofake.Text("Go to Paris."), echofake.Text("Then go to Oslo."))
	for _, tt := range []struct{ name, prompt, want string }{
		{"First", "Where do I go first?", "Go to Paris."},
		{"Then", "Where do I go then?", "Then go to Oslo."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ask(t.Context(), rec, tt.prompt)
			if err != nil || got != tt.want {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestTwoCassettes(t *testing.T) {
	t.Parallel()
	title := setup.Recorder(t, echofake.Text("A city of light"))
	body := echotest.Open(t, "testdata/cassettes/two/body.yaml", setup.Script(t, echofake.Text(capital)))
	_, err := ask(t.Context(), title, "Find a title.")
	if err != nil {
		t.Fatal(err)
	}
	got, err := ask(t.Context(), body, question)
	if err != nil || got != capital {
		t.Errorf("got %q, %v", got, err)
	}
}

// shared returns a recorder for a cassette of two tests, which cannot be parallel.
func shared(t *testing.T, script ...echofake.Step) *promptecho.Recorder {
	t.Helper()
	file := "testdata/cassettes/shared/capitals.yaml"
	return echotest.Open(t, file, promptecho.AllowUnused(), setup.Script(t, script...))
}

func TestSharedCassette(t *testing.T) {
	rec := shared(t, echofake.Text(capital))
	got, err := ask(t.Context(), rec, question)
	if err != nil || got != capital {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestSharedCassetteAnswers(t *testing.T) {
	rec := shared(t, echofake.Text("It is Oslo."))
	_, err := ask(t.Context(), rec, "What is the capital of Norway?")
	if err != nil {
		t.Error(err)
	}
}

// plainly asks through a recorder that is not one of package echotest.
func plainly(t *testing.T, file string) (string, error) {
	t.Helper()
	rec, err := promptecho.Open(file, setup.Script(t, echofake.Text(capital)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := ask(t.Context(), rec, question)
	if closing := rec.Close(); closing != nil {
		t.Error(closing)
	}
	return text, err
}

func TestPlainOpen(t *testing.T) {
	t.Parallel()
	got, err := plainly(t, "testdata/cassettes/plain/capital.yaml")
	if err != nil || got != capital {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestPlainOpenAnswers(t *testing.T) {
	t.Parallel()
	_, err := plainly(t, "testdata/cassettes/plain/answers.yaml")
	if err != nil {
		t.Error(err)
	}
}
