package gates

import (
	"os"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/promptecho/promptecho/echotest"
)

func TestPlain(t *testing.T) {
	if os.Getenv("OPENAI_API_KEY") == "" { // want `the test is skipped if OPENAI_API_KEY is not set, so CI never runs it: write rec := echotest.New\(t\) and rec.Secret\("OPENAI_API_KEY"\), which need no key in replay, and delete the condition \(keyskip\)`
		t.Skip("no key")
	}
}

func TestVariable(t *testing.T) {
	key := os.Getenv("LLM_API_KEY")
	if key == "" { // want `skipped if LLM_API_KEY is not set`
		t.Skipf("no key")
	}
	rec := echotest.New(t)
	c := openai.NewClient(option.WithAPIKey(key), option.WithHTTPClient(rec.Client()))
	c.Models.List(t.Context())
}

func TestLookup(t *testing.T) {
	if _, ok := os.LookupEnv("ANTHROPIC_API_KEY"); !ok { // want `skipped if ANTHROPIC_API_KEY is not set`
		t.SkipNow()
	}
}

func needKey(t testing.TB) {
	t.Helper()
	if os.Getenv("GEMINI_API_KEY") == "" { // want `skipped if GEMINI_API_KEY is not set`
		t.Skip("no key")
	}
}

func TestHelper(t *testing.T) { needKey(t) }

func needKeyOf(tb testing.TB) {
	if os.Getenv("GEMINI_API_KEY") == "" { // want `write rec := echotest.New\(tb\) and rec.Secret`
		tb.Skip("no key")
	}
}

func BenchmarkHelper(b *testing.B) {
	needKeyOf(b)
	if os.Getenv("GEMINI_API_KEY") == "" { // want `write rec := echotest.New\(b\) and rec.Secret`
		b.Skip("no key")
	}
}

func FuzzInput(f *testing.F) {
	f.Fuzz(func(t *testing.T, s string) {
		if os.Getenv("GEMINI_API_KEY") == "" { // want `write rec := echotest.New\(f\) before f.Fuzz and rec.Secret`
			t.Skip("no key")
		}
	})
}

var noKey bool

func TestSaid(t *testing.T) {
	if noKey { // want `skipped if MISTRAL_API_KEY is not set`
		t.Skip("MISTRAL_API_KEY not set")
	}
}

// These are no gates of a model's key.

func TestShort(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	if os.Getenv("DATABASE_URL") == "" {
		t.Skip("no database")
	}
	if os.Getenv("GITHUB_TOKEN") == "" {
		t.Skip("no token")
	}
	if os.Getenv("OPENAI_API_KEY") == "" {
		t.Log("no key")
	}
	if os.Getenv("OPENAI_API_KEY") != "" {
		t.Skip("a key")
	}
}

// A recording lets these run without the key.

func TestFile(t *testing.T) {
	if os.Getenv("OPENAI_API_KEY") == "" {
		if _, err := os.Stat("testdata/TestFile.httprr"); os.IsNotExist(err) {
			t.Skip("OPENAI_API_KEY not set, and nothing is there")
		}
	}
}

func recorded() bool { return false }

func TestRecorded(t *testing.T) {
	if os.Getenv("OPENAI_API_KEY") == "" && !recorded() {
		t.Skip("OPENAI_API_KEY not set and no recording available")
	}
}
