package interop

import (
	"context"
	"encoding/base64"
	"iter"
	"net/http"

	"google.golang.org/genai"
)

const (
	genaiText   = `{"candidates":[{"content":{"parts":[{"text":"Hello there."}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":3,"totalTokenCount":12},"modelVersion":"gemini-2.5-flash","responseId":"r1"}`
	genaiCalls  = `{"candidates":[{"content":{"parts":[{"text":"Two cities.","thought":true},{"functionCall":{"name":"get_weather","args":{"city":"Paris"}},"thoughtSignature":"CsQBnotreal+/A=="},{"functionCall":{"id":"call-2","name":"get_weather","args":{"city":"Rome","days":2}}}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":3,"totalTokenCount":12},"modelVersion":"gemini-2.5-flash","responseId":"r2"}`
	genaiStream = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hello\"}],\"role\":\"model\"},\"index\":0}]}\r\n\r\ndata: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\" there.\",\"thoughtSignature\":\"CsQBnotreal+/A==\"}],\"role\":\"model\"},\"finishReason\":\"STOP\",\"index\":0}]}\r\n\r\n"
)

var genaiScenarios = []scenario{
	{"generate", []string{genaiText}, func(ctx context.Context, client *http.Client, base string) error {
		return genaiAsk(ctx, client, base, genai.Text("Say hello."), nil)
	}},
	{"generate with system and sampling", []string{genaiText}, func(ctx context.Context, client *http.Client, base string) error {
		return genaiAsk(ctx, client, base, genai.Text("Say hello – «in French» & <b>bold</b>."), &genai.GenerateContentConfig{
			SystemInstruction: genai.NewContentFromText("Be brief.", genai.RoleUser),
			Temperature:       genai.Ptr[float32](0.2), TopP: genai.Ptr[float32](0.9), TopK: genai.Ptr[float32](40), MaxOutputTokens: 100, Seed: genai.Ptr[int32](7),
			StopSequences: []string{"END"}, CandidateCount: 1,
		})
	}},
	{"generate with system of parts", []string{genaiText}, func(ctx context.Context, client *http.Client, base string) error {
		return genaiAsk(ctx, client, base, []*genai.Content{{Parts: []*genai.Part{{Text: "Say hello."}}}}, &genai.GenerateContentConfig{
			SystemInstruction: &genai.Content{Parts: []*genai.Part{{Text: "Be brief."}}},
		})
	}},
	{"generate with safety settings", []string{genaiText}, func(ctx context.Context, client *http.Client, base string) error {
		return genaiAsk(ctx, client, base, genai.Text("Say hello."), &genai.GenerateContentConfig{SafetySettings: []*genai.SafetySetting{
			{Category: genai.HarmCategoryHarassment, Threshold: genai.HarmBlockThresholdBlockOnlyHigh},
			{Category: genai.HarmCategoryDangerousContent, Threshold: genai.HarmBlockThresholdBlockNone},
		}})
	}},
	{"stream", []string{genaiStream}, func(ctx context.Context, client *http.Client, base string) error {
		c, err := genaiAt(ctx, client, base)
		if err != nil {
			return err
		}
		return exhaust(c.Models.GenerateContentStream(ctx, "gemini-2.5-flash", genai.Text("Say hello."), nil))
	}},
	{"turns", []string{genaiText}, func(ctx context.Context, client *http.Client, base string) error {
		return genaiAsk(ctx, client, base, []*genai.Content{
			genai.NewContentFromText("Say hello.", genai.RoleUser), genai.NewContentFromText("Hello there.", genai.RoleModel), genai.NewContentFromText("And goodbye.", genai.RoleUser),
		}, nil)
	}},
	{"chat", []string{genaiText, genaiText}, func(ctx context.Context, client *http.Client, base string) error {
		c, err := genaiAt(ctx, client, base)
		if err != nil {
			return err
		}
		chat, err := c.Chats.Create(ctx, "gemini-2.5-flash", &genai.GenerateContentConfig{SystemInstruction: genai.NewContentFromText("Be brief.", genai.RoleUser)}, nil)
		if err != nil {
			return err
		}
		if _, err := chat.SendMessage(ctx, genai.Part{Text: "Say hello."}); err != nil {
			return err
		}
		_, err = chat.SendMessage(ctx, genai.Part{Text: "And goodbye."})
		return err
	}},
	{"chat stream", []string{genaiStream, genaiStream}, func(ctx context.Context, client *http.Client, base string) error {
		c, err := genaiAt(ctx, client, base)
		if err != nil {
			return err
		}
		chat, err := c.Chats.Create(ctx, "gemini-2.5-flash", nil, []*genai.Content{genai.NewContentFromText("Hi.", genai.RoleUser), genai.NewContentFromText("Hi.", genai.RoleModel)})
		if err != nil {
			return err
		}
		if err := exhaust(chat.SendMessageStream(ctx, genai.Part{Text: "Say hello."})); err != nil {
			return err
		}
		return exhaust(chat.SendMessageStream(ctx, genai.Part{Text: "And goodbye."}))
	}},
	{"chat tools", []string{genaiCalls, genaiText}, func(ctx context.Context, client *http.Client, base string) error {
		c, err := genaiAt(ctx, client, base)
		if err != nil {
			return err
		}
		chat, err := c.Chats.Create(ctx, "gemini-2.5-flash", &genai.GenerateContentConfig{Tools: genaiTools()}, nil)
		if err != nil {
			return err
		}
		r, err := chat.SendMessage(ctx, genai.Part{Text: "The weather in Paris and Rome?"})
		if err != nil {
			return err
		}
		var results []genai.Part
		for _, call := range r.FunctionCalls() {
			results = append(results, *genai.NewPartFromFunctionResponse(call.Name, map[string]any{"weather": "sunny"}))
		}
		_, err = chat.SendMessage(ctx, results...)
		return err
	}},
	{"tools", []string{genaiCalls, genaiText}, func(ctx context.Context, client *http.Client, base string) error {
		c, err := genaiAt(ctx, client, base)
		if err != nil {
			return err
		}
		contents := genai.Text("The weather in Paris and Rome?")
		config := &genai.GenerateContentConfig{
			Tools:      genaiTools(),
			ToolConfig: &genai.ToolConfig{FunctionCallingConfig: &genai.FunctionCallingConfig{Mode: genai.FunctionCallingConfigModeAny, AllowedFunctionNames: []string{"get_weather"}}},
		}
		r, err := c.Models.GenerateContent(ctx, "gemini-2.5-flash", contents, config)
		if err != nil {
			return err
		}
		contents = append(contents, r.Candidates[0].Content)
		results := &genai.Content{Role: genai.RoleUser}
		for _, call := range r.FunctionCalls() {
			results.Parts = append(results.Parts, &genai.Part{FunctionResponse: &genai.FunctionResponse{ID: call.ID, Name: call.Name, Response: map[string]any{"output": "sunny"}}})
		}
		_, err = c.Models.GenerateContent(ctx, "gemini-2.5-flash", append(contents, results), config)
		return err
	}},
	{"tool with JSON schema", []string{genaiText}, func(ctx context.Context, client *http.Client, base string) error {
		return genaiAsk(ctx, client, base, genai.Text("The weather?"), &genai.GenerateContentConfig{Tools: []*genai.Tool{{
			FunctionDeclarations: []*genai.FunctionDeclaration{{Name: "get_weather", ParametersJsonSchema: weatherSchema()}},
		}}})
	}},
	{"hosted tools", []string{genaiText}, func(ctx context.Context, client *http.Client, base string) error {
		return genaiAsk(ctx, client, base, genai.Text("The news?"), &genai.GenerateContentConfig{Tools: []*genai.Tool{{GoogleSearch: &genai.GoogleSearch{}}, {CodeExecution: &genai.ToolCodeExecution{}}}})
	}},
	{"response schema", []string{genaiText}, func(ctx context.Context, client *http.Client, base string) error {
		return genaiAsk(ctx, client, base, genai.Text("Where?"), &genai.GenerateContentConfig{ResponseMIMEType: "application/json", ResponseSchema: genaiSchema()})
	}},
	{"response JSON schema", []string{genaiText}, func(ctx context.Context, client *http.Client, base string) error {
		return genaiAsk(ctx, client, base, genai.Text("Where?"), &genai.GenerateContentConfig{ResponseMIMEType: "application/json", ResponseJsonSchema: weatherSchema()})
	}},
	{"image", []string{genaiText}, func(ctx context.Context, client *http.Client, base string) error {
		data, err := base64.StdEncoding.DecodeString(pixel)
		if err != nil {
			return err
		}
		return genaiAsk(ctx, client, base, []*genai.Content{genai.NewContentFromParts([]*genai.Part{
			genai.NewPartFromText("What is this?"), genai.NewPartFromBytes(data, "image/png"), genai.NewPartFromURI("gs://bucket/cat.png", "image/png"),
		}, genai.RoleUser)}, nil)
	}},
	{"thinking", []string{genaiText}, func(ctx context.Context, client *http.Client, base string) error {
		return genaiAsk(ctx, client, base, genai.Text("Say hello."), &genai.GenerateContentConfig{ThinkingConfig: &genai.ThinkingConfig{IncludeThoughts: true, ThinkingBudget: genai.Ptr[int32](0)}})
	}},
	{"thinking level", []string{genaiText}, func(ctx context.Context, client *http.Client, base string) error {
		return genaiAsk(ctx, client, base, genai.Text("Say hello."), &genai.GenerateContentConfig{ThinkingConfig: &genai.ThinkingConfig{ThinkingLevel: genai.ThinkingLevelLow}})
	}},
	{"modalities", []string{genaiText}, func(ctx context.Context, client *http.Client, base string) error {
		return genaiAsk(ctx, client, base, genai.Text("Draw."), &genai.GenerateContentConfig{ResponseModalities: []string{"TEXT", "IMAGE"}})
	}},
	{"embed", []string{`{"embeddings":[{"values":[0.5,0.25]}]}`}, func(ctx context.Context, client *http.Client, base string) error {
		c, err := genaiAt(ctx, client, base)
		if err != nil {
			return err
		}
		_, err = c.Models.EmbedContent(ctx, "gemini-embedding-001", genai.Text("zebra"), &genai.EmbedContentConfig{TaskType: "RETRIEVAL_QUERY", OutputDimensionality: genai.Ptr[int32](2)})
		return err
	}},
	{"count tokens", []string{`{"totalTokens":11}`}, func(ctx context.Context, client *http.Client, base string) error {
		c, err := genaiAt(ctx, client, base)
		if err != nil {
			return err
		}
		_, err = c.Models.CountTokens(ctx, "gemini-2.5-flash", genai.Text("Say hello."), nil)
		return err
	}},
	{"models", []string{`{"models":[{"name":"models/gemini-2.5-flash"}]}`}, func(ctx context.Context, client *http.Client, base string) error {
		c, err := genaiAt(ctx, client, base)
		if err != nil {
			return err
		}
		_, err = c.Models.List(ctx, &genai.ListModelsConfig{PageSize: 5})
		return err
	}},
	{"vertex generate", []string{genaiText}, func(ctx context.Context, client *http.Client, base string) error {
		c, err := genaiVertex(ctx, client, base)
		if err != nil {
			return err
		}
		_, err = c.Models.GenerateContent(ctx, "gemini-2.5-flash", genai.Text("Say hello."), &genai.GenerateContentConfig{Labels: map[string]string{"team": "one"}})
		return err
	}},
	{"vertex tools", []string{genaiCalls, genaiText}, func(ctx context.Context, client *http.Client, base string) error {
		c, err := genaiVertex(ctx, client, base)
		if err != nil {
			return err
		}
		contents := genai.Text("The weather in Paris and Rome?")
		config := &genai.GenerateContentConfig{Tools: genaiTools()}
		r, err := c.Models.GenerateContent(ctx, "gemini-2.5-flash", contents, config)
		if err != nil {
			return err
		}
		contents = append(contents, r.Candidates[0].Content, genai.NewContentFromFunctionResponse("get_weather", map[string]any{"output": "sunny"}, genai.RoleUser))
		_, err = c.Models.GenerateContent(ctx, "gemini-2.5-flash", contents, config)
		return err
	}},
	{"vertex embed", []string{`{"predictions":[{"embeddings":{"values":[0.5,0.25],"statistics":{"truncated":false,"token_count":2}}}]}`}, func(ctx context.Context, client *http.Client, base string) error {
		c, err := genaiVertex(ctx, client, base)
		if err != nil {
			return err
		}
		_, err = c.Models.EmbedContent(ctx, "text-embedding-005", genai.Text("zebra"), nil)
		return err
	}},
}

func genaiVertex(ctx context.Context, client *http.Client, base string) (*genai.Client, error) {
	return genai.NewClient(ctx, &genai.ClientConfig{
		HTTPClient: client, Project: "project", Location: "us-central1", Backend: genai.BackendVertexAI, HTTPOptions: genai.HTTPOptions{BaseURL: base},
	})
}

func genaiAsk(ctx context.Context, client *http.Client, base string, contents []*genai.Content, config *genai.GenerateContentConfig) error {
	c, err := genaiAt(ctx, client, base)
	if err != nil {
		return err
	}
	_, err = c.Models.GenerateContent(ctx, "gemini-2.5-flash", contents, config)
	return err
}

func genaiSchema() *genai.Schema {
	return &genai.Schema{
		Type: genai.TypeObject, Required: []string{"city"}, PropertyOrdering: []string{"city", "units"},
		Properties: map[string]*genai.Schema{
			"city":  {Type: genai.TypeString, Description: "The city, e.g. Paris"},
			"units": {Type: genai.TypeString, Enum: []string{"celsius", "fahrenheit"}, Nullable: genai.Ptr(true)},
		},
	}
}

func genaiTools() []*genai.Tool {
	return []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{
		{Name: "get_weather", Description: "The weather in a city", Parameters: genaiSchema()}, {Name: "now"},
	}}}
}

// exhaust reads a stream to its end.
func exhaust(s iter.Seq2[*genai.GenerateContentResponse, error]) error {
	for _, err := range s {
		if err != nil {
			return err
		}
	}
	return nil
}
