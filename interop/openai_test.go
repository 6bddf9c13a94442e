package interop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/fakeprovider"
)

func openaiClient(e env, path string) openai.Client {
	return openai.NewClient(option.WithHTTPClient(e.client), option.WithBaseURL(e.base+path), option.WithAPIKey(fakeKey))
}

func chatParams(text string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model:    openai.ChatModelGPT5_4Mini,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage("Be terse."), openai.UserMessage(text)},
	}
}

const unicodeText = "Hällo <b> & \u2028 🎉\r\nworld\t\"quoted\""

// A chat completion replays through openai-go.
func TestOpenAIChat(t *testing.T) {
	t.Parallel()
	recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
		c := openaiClient(e, "/v1")
		r, err := c.Chat.Completions.New(t.Context(), chatParams(unicodeText))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(r.Choices[0].Message.Content, unicodeText) {
			t.Errorf("the answer is %q", r.Choices[0].Message.Content)
		}
		see.add("%s", r.RawJSON())
	})
}

// streamChat adds every chunk of a stream to see and returns the sum.
func streamChat(t *testing.T, c openai.Client, p openai.ChatCompletionNewParams, see *notes) (openai.ChatCompletionAccumulator, error) {
	t.Helper()
	stream := c.Chat.Completions.NewStreaming(t.Context(), p)
	defer stream.Close()
	var acc openai.ChatCompletionAccumulator
	for stream.Next() {
		see.add("%s", stream.Current().RawJSON())
		if !acc.AddChunk(stream.Current()) {
			t.Errorf("the accumulator refused %s", stream.Current().RawJSON())
		}
	}
	return acc, stream.Err()
}

// A streamed chat completion replays through openai-go.
func TestOpenAIChatStream(t *testing.T) {
	t.Parallel()
	cassette := recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
		p := chatParams(unicodeText)
		p.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
		acc, err := streamChat(t, openaiClient(e, "/v1"), p, see)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(acc.Choices[0].Message.Content, unicodeText) || acc.Usage.TotalTokens == 0 {
			t.Errorf("accumulated %q, usage %+v", acc.Choices[0].Message.Content, acc.Usage)
		}
	})
	// openai-go closes the body at [DONE] without reading on; that is the whole
	// stream all the same.
	if ends := endsOf(cassette); len(ends) > 0 {
		t.Errorf("the stream is recorded as ending early: %q", ends)
	}
	if !strings.Contains(cassette, "usage: {input_tokens: ") {
		t.Errorf("the cassette does not tell the usage")
	}
}

// Structured output replays through openai-go.
func TestOpenAIStructuredOutput(t *testing.T) {
	t.Parallel()
	recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
		p := chatParams("The weather in Paris for 3 days")
		p.ResponseFormat = openai.ChatCompletionNewParamsResponseFormatUnion{OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "weather", Schema: schema, Strict: openai.Bool(false)},
		}}
		c := openaiClient(e, "/v1")
		r, err := c.Chat.Completions.New(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		var v struct{ City string }
		if err := json.Unmarshal([]byte(r.Choices[0].Message.Content), &v); err != nil || v.City == "" {
			t.Errorf("structured answer %q: %v", r.Choices[0].Message.Content, err)
		}
		see.add("%s", r.RawJSON())
	})
}

// An embedding replays through openai-go.
func TestOpenAIEmbeddings(t *testing.T) {
	t.Parallel()
	recordReplay(t, 2, func(t *testing.T, e env, see *notes) {
		c := openaiClient(e, "/v1")
		for _, format := range []openai.EmbeddingNewParamsEncodingFormat{"float", "base64"} {
			r, err := c.Embeddings.New(t.Context(), openai.EmbeddingNewParams{
				Model: openai.EmbeddingModelTextEmbedding3Small, Dimensions: openai.Int(8), EncodingFormat: format,
				Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"a cat", "a dog"}},
			})
			if err != nil {
				t.Fatal(err)
			}
			see.add("%v %v", r.Data[0].Embedding, r.RawJSON()) // openai-go decodes floats only; base64 is in the raw answer
		}
	})
}

func responsesParams(text string) responses.ResponseNewParams {
	return responses.ResponseNewParams{
		Model: openai.ChatModelGPT5_4Mini, Instructions: openai.String("Be kind."),
		Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(text)},
	}
}

// streamResponse adds every event of a stream to see and returns the response
// that it ended with.
func streamResponse(t *testing.T, c openai.Client, p responses.ResponseNewParams, see *notes) *responses.Response {
	t.Helper()
	stream := c.Responses.NewStreaming(t.Context(), p)
	defer stream.Close()
	var done *responses.Response
	for stream.Next() {
		event := stream.Current()
		see.add("%s", event.RawJSON())
		if event.Type == "response.completed" {
			done = &event.Response
		}
	}
	if err := stream.Err(); err != nil || done == nil {
		t.Fatalf("the stream ended with %v, response %v", err, done)
	}
	return done
}

// A response of the Responses API replays through openai-go.
func TestOpenAIResponses(t *testing.T) {
	t.Parallel()
	recordReplay(t, 2, func(t *testing.T, e env, see *notes) {
		c := openaiClient(e, "/v1")
		p := responsesParams(unicodeText)
		for range 2 {
			r, err := c.Responses.New(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			see.add("%s", r.RawJSON())
			p = responsesParams("And now?")
			p.PreviousResponseID = openai.String(r.ID)
		}
	})
}

// A streamed response of the Responses API replays through openai-go.
func TestOpenAIResponsesStream(t *testing.T) {
	t.Parallel()
	cassette := recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
		r := streamResponse(t, openaiClient(e, "/v1"), responsesParams(unicodeText), see)
		if !strings.Contains(r.OutputText(), unicodeText) {
			t.Errorf("the answer is %q", r.OutputText())
		}
	})
	if ends := endsOf(cassette); len(ends) > 0 {
		t.Errorf("the stream is recorded as ending early: %q", ends)
	}
}

// A loop of tool calls replays through openai-go.
func TestOpenAIChatToolLoop(t *testing.T) { t.Parallel(); testChatToolLoop(t, false) }

// A streamed loop of tool calls replays through openai-go.
func TestOpenAIChatToolLoopStream(t *testing.T) { t.Parallel(); testChatToolLoop(t, true) }

func testChatToolLoop(t *testing.T, stream bool) {
	recordReplay(t, toolTurns, func(t *testing.T, e env, see *notes) { chatToolLoop(t, e, see, stream) })
}

// chatToolLoop is an agent: it calls the tools the model asks for until there
// is an answer.
func chatToolLoop(t *testing.T, e env, see *notes, stream bool) {
	c := openaiClient(e, "/v1")
	p := chatParams(toolPlan)
	for _, name := range toolNames {
		p.Tools = append(p.Tools, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{Name: name, Parameters: schema}))
	}
	turns, parallel := 0, 0
	for turns < 10 {
		turns++
		var m openai.ChatCompletionMessage
		if stream {
			acc, err := streamChat(t, c, p, see)
			if err != nil {
				t.Fatal(err)
			}
			m = acc.Choices[0].Message
		} else {
			r, err := c.Chat.Completions.New(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			m = r.Choices[0].Message
			see.add("%s", r.RawJSON())
		}
		p.Messages = append(p.Messages, m.ToParam())
		if len(m.ToolCalls) == 0 {
			break
		}
		parallel = max(parallel, len(m.ToolCalls))
		for _, call := range m.ToolCalls {
			see.add("%s %s %s", call.ID, call.Function.Name, call.Function.Arguments)
			p.Messages = append(p.Messages, openai.ToolMessage("result of "+call.Function.Name, call.ID))
		}
	}
	if turns != toolTurns || parallel < 2 {
		t.Errorf("%d turns with at most %d calls each, want %d turns, one with 2 calls", turns, parallel, toolTurns)
	}
}

// A loop of tool calls of the Responses API replays through openai-go.
func TestOpenAIResponsesToolLoop(t *testing.T) { t.Parallel(); testResponsesToolLoop(t, false) }

// A streamed loop of tool calls of the Responses API replays through openai-go.
func TestOpenAIResponsesToolLoopStream(t *testing.T) { t.Parallel(); testResponsesToolLoop(t, true) }

func testResponsesToolLoop(t *testing.T, stream bool) {
	recordReplay(t, toolTurns, func(t *testing.T, e env, see *notes) {
		c := openaiClient(e, "/v1")
		in := responses.ResponseInputParam{responses.ResponseInputItemParamOfMessage(toolPlan, responses.EasyInputMessageRoleUser)}
		p := responses.ResponseNewParams{Model: openai.ChatModelGPT5_4Mini}
		for _, name := range toolNames {
			p.Tools = append(p.Tools, responses.ToolParamOfFunction(name, schema, false))
		}
		turns := 0
		for again := true; again && turns < 10; turns++ {
			p.Input = responses.ResponseNewParamsInputUnion{OfInputItemList: in}
			var r *responses.Response
			if stream {
				r = streamResponse(t, c, p, see)
			} else {
				var err error
				if r, err = c.Responses.New(t.Context(), p); err != nil {
					t.Fatal(err)
				}
				see.add("%s", r.RawJSON())
			}
			again = false
			for _, item := range r.Output {
				call, ok := item.AsAny().(responses.ResponseFunctionToolCall)
				if !ok {
					continue
				}
				again = true
				see.add("%s %s %s", call.CallID, call.Name, call.Arguments)
				in = append(in, responses.ResponseInputItemParamOfFunctionCall(call.Arguments, call.CallID, call.Name),
					responses.ResponseInputItemUnionParam{OfFunctionCallOutput: &responses.ResponseInputItemFunctionCallOutputParam{
						CallID: openai.String(call.CallID),
						Output: responses.ResponseInputItemFunctionCallOutputOutputUnionParam{OfString: openai.String("result of " + call.Name)},
					}})
			}
		}
		if turns != toolTurns {
			t.Errorf("%d turns, want %d", turns, toolTurns)
		}
	})
}

// Thirty-two calls at once replay through openai-go.
func TestOpenAIParallelCalls(t *testing.T) {
	t.Parallel()
	const n = 32
	recordReplay(t, n, func(t *testing.T, e env, see *notes) {
		c := openaiClient(e, "/v1")
		parallelCalls(t, n, see, func(question string) (string, error) {
			r, err := c.Chat.Completions.New(context.Background(), chatParams(question))
			if err != nil {
				return "", err
			}
			return r.RawJSON(), nil
		})
	})
}

// An error that the SDK's retry overcame is part of the recording: in replay
// the SDK meets it again and retries again, at once.
func TestOpenAIRetryOver429(t *testing.T) {
	t.Parallel()
	cassette := recordReplay(t, 2, func(t *testing.T, e env, see *notes) {
		if !e.replay {
			e.provider.Fail(1, 429, http.Header{"Retry-After-Ms": {"1"}})
		}
		var count *counter
		e.client, count = counted(e.client)
		c := openaiClient(e, "/v1")
		r, err := c.Chat.Completions.New(t.Context(), chatParams("hello"))
		if err != nil {
			t.Fatal(err)
		}
		see.add("%d attempts, %s", count.attempts, r.RawJSON())
	}, promptecho.OnRecordError(promptecho.Fail))
	if !strings.Contains(cassette, "status: 429") {
		t.Error("the 429 is not in the cassette")
	}
}

// An error of OpenAI is the typed error of its SDK in replay.
func TestOpenAITypedError(t *testing.T) {
	t.Parallel()
	recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
		p := chatParams("hello")
		p.Model = "no-such-model"
		c := openaiClient(e, "/v1")
		_, err := c.Chat.Completions.New(t.Context(), p)
		var typed *openai.Error
		if !errors.As(err, &typed) {
			t.Fatalf("got %v", err)
		}
		see.add("%d %s %s", typed.StatusCode, typed.Code, typed.RawJSON())
	}, promptecho.OnRecordError(promptecho.Keep))
}

// A gateway move is no reason to record again.
func TestOpenAIBaseURLChange(t *testing.T) {
	t.Parallel()
	bases := []string{
		"https://api.openai.com/v1", "https://api.groq.com/openai/v1", "https://openrouter.ai/api/v1",
		"https://gateway.ai.cloudflare.com/v1/account/gateway/openai", "http://127.0.0.1:1/v1", "https://api.deepseek.com",
		"https://api.together.xyz/v1", "https://api.fireworks.ai/inference/v1", "https://api.x.ai/v1", "https://api.mistral.ai/v1",
		"https://api.perplexity.ai", "https://router.huggingface.co/v1", "https://generativelanguage.googleapis.com/v1beta/openai",
		"https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/l/endpoints/openapi",
		"https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1", "https://api.cohere.ai/compatibility/v1",
		"https://models.github.ai/inference", "https://api.z.ai/api/coding/paas/v4", "http://localhost:11434/v1",
	}
	recordReplay(t, 2*len(bases), func(t *testing.T, e env, see *notes) {
		for i := range bases {
			path := "/v1"
			if e.replay {
				e.base, path = bases[i], ""
			}
			c := openaiClient(e, path)
			r, err := c.Chat.Completions.New(t.Context(), chatParams(fmt.Sprint("question ", i)))
			if err != nil {
				t.Fatal(err)
			}
			see.add("%s", r.RawJSON())
			re, err := c.Responses.New(t.Context(), responsesParams(fmt.Sprint("question ", i)))
			if err != nil {
				t.Fatal(err)
			}
			see.add("%s", re.RawJSON())
		}
	})
}

// A client of OpenAI that stops after two events gets the same two in replay.
func TestOpenAIStoppedEarly(t *testing.T) {
	t.Parallel()
	cassette := recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
		if !e.replay {
			gate := e.provider.Hold()
			gate.Step() // the second event; the rest is held back for ever
		}
		c := openaiClient(e, "/v1")
		stream := c.Chat.Completions.NewStreaming(t.Context(), chatParams("hello"))
		for range 2 {
			if !stream.Next() {
				t.Fatal(stream.Err())
			}
			see.add("%s", stream.Current().RawJSON())
		}
		stream.Close()
	})
	if ends := endsOf(cassette); len(ends) != 1 || ends[0] != "closed" {
		t.Errorf("ends %q, want closed", ends)
	}
}

// A stream of OpenAI that its server cuts off ends with the same error in replay.
func TestOpenAIStreamCutByServer(t *testing.T) {
	t.Parallel()
	recordReplay(t, 1, func(t *testing.T, e env, see *notes) {
		if !e.replay {
			e.provider.Cut(3)
		}
		_, err := streamChat(t, openaiClient(e, "/v1"), chatParams("hello"), see)
		if err == nil {
			t.Error("the cut was not seen")
		}
		see.add("%s", kind(err))
	}, promptecho.OnRecordError(promptecho.Keep))
}

// A miss fails at once: one attempt, an error for the application, one entry.
func TestOpenAIMiss(t *testing.T) {
	t.Parallel()
	p := fakeprovider.New()
	defer p.Close()
	file := filepath.Join(t.TempDir(), "c.yaml")
	ask := func(t *testing.T, e env, see *notes) {
		c := openaiClient(e, "/v1")
		_, err := c.Chat.Completions.New(t.Context(), chatParams("the cat sat"))
		see.add("%v", err)
	}
	play(t, file, promptecho.ModeAll, env{base: p.URL}, ask, nil)
	rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeNone))
	if err != nil {
		t.Fatal(err)
	}
	client, count := counted(rec.Client())
	c := openaiClient(env{client: client, base: p.URL}, "/v1")
	for _, call := range []func() error{
		func() error { _, err := c.Chat.Completions.New(t.Context(), chatParams("the dog sat")); return err },
		func() error { _, err := streamChat(t, c, chatParams("the dog sat"), &notes{}); return err },
		func() error { _, err := c.Responses.New(t.Context(), responsesParams("the dog sat")); return err },
	} {
		before := count.attempts
		err := call()
		var typed *openai.Error
		if !errors.As(err, &typed) || typed.StatusCode != http.StatusTeapot || typed.Type != "promptecho_miss" {
			t.Errorf("the application sees %v", err)
		}
		if got := count.attempts - before; got != 1 {
			t.Errorf("%d attempts, want 1", got)
		}
	}
	if misses := rec.Misses(); len(misses) != 3 || !strings.HasPrefix(misses[0].Caller, "openai_test.go:") || !strings.Contains(misses[0].Diff, "dog") {
		t.Errorf("misses %+v", misses)
	}
	if err := rec.Close(); err == nil || !strings.Contains(err.Error(), "3 requests have no recording") {
		t.Errorf("Close: %v", err)
	}
}

// Two hundred events are two hundred reads, cut where they were cut.
func TestOpenAIStreamReads(t *testing.T) {
	t.Parallel()
	p := fakeprovider.New()
	defer p.Close()
	file := filepath.Join(t.TempDir(), "c.yaml")
	words := strings.TrimSpace(strings.Repeat("word ", 190))
	var live, again *counter
	app := func(c **counter) func(*testing.T, env, *notes) {
		return func(t *testing.T, e env, see *notes) {
			e.client, *c = counted(e.client)
			if e.provider != nil {
				gate := e.provider.Hold()
				stream := openaiClient(e, "/v1")
				s := stream.Chat.Completions.NewStreaming(t.Context(), chatParams(words))
				for s.Next() {
					see.add("%s", s.Current().RawJSON())
					gate.Step() // one event at a time, so that each is an arrival
				}
				if s.Err() != nil {
					t.Error(s.Err())
				}
				return
			}
			if _, err := streamChat(t, openaiClient(e, "/v1"), chatParams(words), see); err != nil {
				t.Error(err)
			}
		}
	}
	first := play(t, file, promptecho.ModeAll, env{base: p.URL, provider: p}, app(&live), nil)
	second := play(t, file, promptecho.ModeNone, env{base: p.URL, replay: true}, app(&again), nil)
	compare(t, first, second)
	if len(first) < 200 || len(again.reads) < len(first) {
		t.Errorf("%d events, %d reads live, %d reads in replay", len(first), len(live.reads), len(again.reads))
	}
	if fmt.Sprint(live.reads) != fmt.Sprint(again.reads) {
		t.Errorf("reads live %v\nin replay  %v", live.reads, again.reads)
	}
}

// What a person writes into a cassette is what the SDK gets.
func TestOpenAIEditedAnswer(t *testing.T) {
	t.Parallel()
	p := fakeprovider.New()
	defer p.Close()
	file := filepath.Join(t.TempDir(), "c.yaml")
	var got string
	app := func(t *testing.T, e env, see *notes) {
		c := openaiClient(e, "/v1")
		r, err := c.Chat.Completions.New(t.Context(), chatParams("hello"))
		if err != nil {
			t.Fatal(err)
		}
		got = r.Choices[0].Message.Content
	}
	play(t, file, promptecho.ModeAll, env{base: p.URL}, app, nil)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(data), "You said: hello", "You were: edited", 1)
	if err := os.WriteFile(file, []byte(edited), 0o644); err != nil {
		t.Fatal(err)
	}
	play(t, file, promptecho.ModeNone, env{base: p.URL}, app, nil)
	if !strings.Contains(got, "You were: edited") {
		t.Errorf("the SDK got %q", got)
	}
}
