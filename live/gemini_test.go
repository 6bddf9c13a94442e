package live

import (
	"encoding/json"
	"testing"

	"google.golang.org/genai"
)

const geminiModel = "gemini-3.5-flash"

// Gemini records and replays.
func TestGemini(t *testing.T) {
	rec := recorder(t, "GEMINI_API_KEY")
	c, err := genai.NewClient(t.Context(), &genai.ClientConfig{
		HTTPClient: rec.Client(),
		APIKey:     rec.Secret("GEMINI_API_KEY"),
		Backend:    genai.BackendGeminiAPI,
	})
	if err != nil {
		t.Fatal(err)
	}

	var r reply
	for part, err := range c.Models.GenerateContentStream(t.Context(), geminiModel, genai.Text(greeting), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if text := part.Text(); text != "" {
			r.text += text
			r.events++
		}
		if len(part.Candidates) > 0 {
			r.reason = string(part.Candidates[0].FinishReason)
		}
		if part.UsageMetadata != nil {
			r.tokens = int64(part.UsageMetadata.CandidatesTokenCount)
		}
	}
	r.check(t, "STOP")

	contents := genai.Text(question)
	config := &genai.GenerateContentConfig{Tools: []*genai.Tool{{
		FunctionDeclarations: []*genai.FunctionDeclaration{{Name: "get_weather", ParametersJsonSchema: schema()}},
	}}}
	first, err := c.Models.GenerateContent(t.Context(), geminiModel, contents, config)
	if err != nil {
		t.Fatal(err)
	}
	calls := first.FunctionCalls()
	if len(calls) != 1 {
		t.Fatalf("the model called %d tools: %s", len(calls), first.Text())
	}
	arguments, err := json.Marshal(calls[0].Args)
	if err != nil {
		t.Fatal(err)
	}
	checkCall(t, calls[0].Name, string(arguments))
	result := &genai.Part{FunctionResponse: &genai.FunctionResponse{
		ID: calls[0].ID, Name: calls[0].Name, Response: map[string]any{"output": weather},
	}}
	contents = append(contents, first.Candidates[0].Content, genai.NewContentFromParts([]*genai.Part{result}, genai.RoleUser))
	last, err := c.Models.GenerateContent(t.Context(), geminiModel, contents, config)
	if err != nil {
		t.Fatal(err)
	}
	checkFinal(t, last.Text())
}
