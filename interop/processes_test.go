package interop

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/philippgille/chromem-go"

	"github.com/promptecho/promptecho/echotest"
)

// greeter returns the path of a program that greets by way of OpenAI.
func greeter(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("INTEROP_PROCESS", "openai")
	return self
}

// The tests of docs/PROCESSES.md.

// A program that a test starts is recorded and replayed through echotest.Serve.
func TestGreeter(t *testing.T) {
	server := echotest.Serve(t, echotest.New(t))
	cmd := exec.CommandContext(t.Context(), greeter(t))
	cmd.Env = append(cmd.Environ(), server.Env()...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "Hello") {
		t.Errorf("it says %s", out)
	}
}

// A library that takes no client is recorded and replayed through echotest.SetDefault.
func TestGuide(t *testing.T) {
	rec := echotest.New(t)
	echotest.SetDefault(t, rec)
	embed := chromem.NewEmbeddingFuncOpenAI(rec.Secret("OPENAI_API_KEY"), chromem.EmbeddingModelOpenAI3Small)
	guide, err := chromem.NewDB().CreateCollection("guide", nil, embed)
	if err != nil {
		t.Fatal(err)
	}
	if err := guide.AddDocument(t.Context(), chromem.Document{ID: "1", Content: "Da Enzo is in Trastevere."}); err != nil {
		t.Fatal(err)
	}
	found, err := guide.Query(t.Context(), "Where is Da Enzo?", 1, nil, nil)
	if err != nil || found[0].ID != "1" || found[0].Similarity < 0.6 {
		t.Errorf("found %v, %v", found, err)
	}
}
