package suite

import (
	"encoding/json"
	"strings"
	"testing"

	"google.golang.org/genai"

	"github.com/promptecho/promptecho/echofake"
	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// geminiModel is the model of Gemini that the tests ask.
const geminiModel = "gemini-2.5-flash"

func TestGeminiText(t *testing.T) {
	t.Parallel()
	client := setup.Gemini(t, setup.Recorder(t, echofake.Text(capital)))
	answer, err := client.Models.GenerateContent(t.Context(), geminiModel, genai.Text(question), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := answer.Text(); got != capital {
		t.Errorf("got %q", got)
	}
}

func TestGeminiWord(t *testing.T) {
	t.Parallel()
	client := setup.Gemini(t, setup.Recorder(t, echofake.Text(capital)))
	answer, err := client.Models.GenerateContent(t.Context(), geminiModel, genai.Text(question), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := answer.Text(); !strings.Contains(got, "Paris") {
		t.Errorf("got %q", got)
	}
}

func TestGeminiStream(t *testing.T) {
	t.Parallel()
	client := setup.Gemini(t, setup.Recorder(t, echofake.Text(pieces...)))
	contents := genai.Text(question)
	text := ""
	var reason genai.FinishReason
	for answer, err := range client.Models.GenerateContentStream(t.Context(), geminiModel, contents, nil) {
		if err != nil {
			t.Fatal(err)
		}
		text += answer.Text()
		for _, candidate := range answer.Candidates {
			reason = candidate.FinishReason
		}
	}
	if text != capital || reason != genai.FinishReasonStop {
		t.Errorf("got %q, %q", text, reason)
	}
}

func TestGeminiSchemaDecodes(t *testing.T) {
	t.Parallel()
	rec := setup.Recorder(t, echofake.JSON(map[string]any{"city": "Paris", "country": "France"}))
	client := setup.Gemini(t, rec)
	config := &genai.GenerateContentConfig{
		ResponseMIMEType:   "application/json",
		ResponseJsonSchema: citySchema,
	}
	answer, err := client.Models.GenerateContent(t.Context(), geminiModel, genai.Text(question), config)
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ City, Country string }
	err = json.Unmarshal([]byte(answer.Text()), &got)
	if err != nil {
		t.Error(err)
	}
}

// citySchema is the schema of an answer that names a city.
var citySchema = map[string]any{
	"type": "object",
	"properties": map[string]any{
		"city":    map[string]any{"type": "string"},
		"country": map[string]any{"type": "string"},
	},
	"required":             []string{"city", "country"},
	"additionalProperties": false,
}
