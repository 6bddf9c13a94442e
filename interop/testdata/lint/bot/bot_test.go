package bot

import (
	"context"
	"net/http/httptest"
	"testing"

	"github.com/openai/openai-go/v3/option"

	"github.com/promptecho/promptecho/echotest"
)

func TestNew(t *testing.T) {
	b := New("key") // want `New makes its own client \(openai.NewClient, bot.go:21\), so this test calls the provider: let New take an \*http.Client and pass option.WithHTTPClient\(client\), and pass rec.Client\(\) here; until then, use echotest.SetDefault\(t, rec\) \(hardwired\)`
	b.Ask(t.Context(), "?")
}

func TestOptions(t *testing.T) {
	NewOptions("key", "org").Ask(t.Context(), "?") // want `NewOptions makes its own client \(openai.NewClient, bot.go:30\)`
}

func TestGateway(t *testing.T) {
	NewGateway().Ask(t.Context(), "?") // want `NewGateway makes its own client`
}

func TestAnswer(t *testing.T) {
	Answer(t.Context(), "?") // want `Answer makes its own client \(goopenai.NewClient, bot.go:74\), .* and call openai.NewClientWithConfig, and set HTTPClient of its configuration`
}

func TestClaude(t *testing.T) {
	Claude(t.Context()) // want `Claude makes its own client \(anthropic.NewClient, bot.go:81\)`
}

// A helper makes it, a test asks it.
func helper() *Bot { return New("key") } // want `New makes its own client`

func TestHelper(t *testing.T) { helper().Ask(t.Context(), "?") }

// Nothing is asked.
func TestName(t *testing.T) {
	if New("key").Name() != "bot" {
		t.Error("name")
	}
}

// Whoever is asked is given a client, a URL or options.
func TestGiven(t *testing.T) {
	rec := echotest.New(t)
	NewClient("key", rec.Client()).Ask(t.Context(), "?")
	NewWith(option.WithHTTPClient(rec.Client())).Ask(t.Context(), "?")
	Default(nil).Ask(t.Context(), "?")
	srv := httptest.NewServer(nil)
	defer srv.Close()
	NewURL(srv.URL).Ask(t.Context(), "?")
}

// A variable of the environment says where requests go.
func TestSetenv(t *testing.T) {
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
	New("key").Ask(t.Context(), "?")
}

// Through an interface, nobody knows who is asked.
type fake struct{}

func (fake) Ask(context.Context, string) (string, error) { return "", nil }

func TestInterface(t *testing.T) {
	var m Model = New("key")
	m = fake{}
	Twice(t.Context(), m)
}
