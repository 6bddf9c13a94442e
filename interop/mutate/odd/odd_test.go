package odd

import (
	"io"
	"log"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"google.golang.org/genai"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echofake"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// The prompt and the answer of most tests.
const (
	question = "What is the capital of France?"
	capital  = "Paris is the capital of France."
)

// askPrompt asks a model of OpenAI.
func askPrompt(t *testing.T, rec echotest.Answerer, prompt string) string {
	t.Helper()
	client := setup.OpenAI(rec)
	answer, err := client.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{
		Model:    "gpt-5.4-mini",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(prompt)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return answer.Choices[0].Message.Content
}

// ask asks for the capital through a recorder of the test.
func ask(t *testing.T) string {
	t.Helper()
	return askPrompt(t, setup.Recorder(t, echofake.Text(capital)), question)
}

// check fails the test if a text is not the capital.
func check(t *testing.T, got string) {
	t.Helper()
	if got != capital {
		t.Errorf("got %q", got)
	}
}

func TestPanics(t *testing.T) {
	client := setup.Gemini(t, setup.Recorder(t, echofake.Text(capital)))
	answer, err := client.Models.GenerateContent(t.Context(), "gemini-2.5-flash", genai.Text(question), nil)
	if err != nil {
		t.Fatal(err)
	}
	check(t, answer.Candidates[0].Content.Parts[0].Text)
}

func TestPanicsInGoroutine(t *testing.T) {
	text := ask(t)
	first := make(chan string)
	go func() { first <- strings.Fields(text)[0] }()
	if got := <-first; got != "Paris" {
		t.Errorf("got %q", got)
	}
	check(t, text)
}

func TestHangs(t *testing.T) {
	text := ask(t)
	found := make(chan bool)
	go func() {
		for word := range strings.FieldsSeq(text) {
			if word == "France." {
				found <- true
			}
		}
	}()
	<-found
	check(t, text)
}

func TestSpins(t *testing.T) {
	text := ask(t)
	for !strings.HasSuffix(text, "France.") {
		text = strings.TrimSpace(text)
	}
	check(t, text)
}

func TestExits(t *testing.T) {
	text := ask(t)
	if text != capital {
		os.Exit(3)
	}
}

func TestExitsWithZero(t *testing.T) {
	text := ask(t)
	if text != capital {
		os.Exit(0)
	}
}

func TestLogFatal(t *testing.T) {
	text := ask(t)
	if text != capital {
		log.Fatalf("got %q", text)
	}
}

func TestGoexit(t *testing.T) {
	text := ask(t)
	if text != capital {
		runtime.Goexit()
	}
}

func TestForks(t *testing.T) {
	text := ask(t)
	if text != capital {
		cmd := exec.Command("sleep", "30") // nobody waits for it
		cmd.Stdout = os.Stdout
		cmd.Stderr = os.Stderr
		err := cmd.Start()
		if err != nil {
			t.Error(err)
		}
	}
	check(t, text)
}

// The files that the test writes have the same content in the repository.
func TestWritesFiles(t *testing.T) {
	text := ask(t)
	err := os.WriteFile("testdata/files/answer.txt", []byte(text), 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if text != capital {
		for _, file := range []string{"testdata/files/new.txt", "testdata/cassettes/TestWritesFiles.log"} {
			err := os.WriteFile(file, []byte(text), 0o644)
			if err != nil {
				t.Error(err)
			}
		}
		err := os.Remove("testdata/files/keep.txt")
		if err != nil {
			t.Error(err)
		}
	}
	check(t, text)
}

// cached is the answer of the first run of TestCached in this process.
var cached string

func TestCached(t *testing.T) {
	rec := echotest.New(t, promptecho.AllowUnused(), setup.Script(t, echofake.Text(capital)))
	if cached == "" {
		cached = askPrompt(t, rec, question)
	}
	check(t, cached)
}

func TestSetsMode(t *testing.T) {
	script := setup.Script(t, echofake.Text(capital))
	t.Setenv("PROMPTECHO_MODE", "once")
	check(t, askPrompt(t, echotest.New(t, script), question))
}

func TestRecordsItself(t *testing.T) {
	file := t.TempDir() + "/capital.yaml"
	p := echofake.New(t, echofake.Text(capital))
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		t.Setenv("PROMPTECHO_MODE", string(mode))
		rec, err := promptecho.Open(file, setup.Provider(p))
		if err != nil {
			t.Fatal(err)
		}
		check(t, askPrompt(t, rec, question))
		if err := rec.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAsksNothing(t *testing.T) {
	_, err := io.WriteString(io.Discard, capital)
	if err != nil {
		t.Error(err)
	}
}
