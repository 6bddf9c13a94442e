package decode

import (
	"testing"

	"google.golang.org/genai"

	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// geminiModel is the model of Gemini that the tests ask.
const geminiModel = "gemini-2.5-flash"

// A prompt is a question to Gemini, with its settings.
type prompt struct {
	question string
	config   *genai.GenerateContentConfig
}

// prompts are the questions for a text, for calls and for JSON.
var prompts = []prompt{
	{forText, nil},
	{forCall, &genai.GenerateContentConfig{Tools: []*genai.Tool{{
		FunctionDeclarations: []*genai.FunctionDeclaration{{Name: "get_weather", ParametersJsonSchema: schema}},
	}}}},
	{forJSON, &genai.GenerateContentConfig{ResponseMIMEType: "application/json", ResponseJsonSchema: schema}},
}

func TestGemini(t *testing.T) {
	t.Parallel()
	client := setup.Gemini(t, recorder(t, 3))
	for _, p := range prompts {
		_, err := client.Models.GenerateContent(t.Context(), geminiModel, genai.Text(p.question), p.config)
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestGeminiStream(t *testing.T) {
	t.Parallel()
	client := setup.Gemini(t, recorder(t, 3))
	for _, p := range prompts {
		contents := genai.Text(p.question)
		for _, err := range client.Models.GenerateContentStream(t.Context(), geminiModel, contents, p.config) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestGeminiEmbeddings(t *testing.T) {
	t.Parallel()
	client := setup.Gemini(t, vectors(t))
	_, err := client.Models.EmbedContent(t.Context(), "gemini-embedding-001", genai.Text(forText),
		&genai.EmbedContentConfig{OutputDimensionality: genai.Ptr[int32](3)})
	if err != nil {
		t.Fatal(err)
	}
}
