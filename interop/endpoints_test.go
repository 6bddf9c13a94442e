package interop

import (
	"bytes"
	"io"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/bedrock"
	aoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/vertex"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/azure"
	"github.com/openai/openai-go/v3/option"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/googleai"
	lcollama "github.com/tmc/langchaingo/llms/ollama"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
)

// The endpoints of OpenAI other than chat, embeddings and Responses; files go as
// multipart forms, whose boundary is random.
func TestOpenAIEndpoints(t *testing.T) {
	t.Parallel()
	vendor(t, func(e env) map[string]func() (any, error) {
		c := openaiClient(e, "/v1")
		sound := func(content string) io.Reader {
			return openai.File(bytes.NewReader([]byte(content)), "tmp.mp3", "audio/mpeg")
		}
		transcribe := func(content string) func() (any, error) {
			return func() (any, error) {
				r, err := c.Audio.Transcriptions.New(t.Context(), openai.AudioTranscriptionNewParams{Model: "gpt-4o-mini-transcribe", File: sound(content)})
				if err != nil {
					return nil, err
				}
				return r.Text, nil
			}
		}
		edit := func(prompt, image string) func() (any, error) {
			return func() (any, error) {
				r, err := c.Images.Edit(t.Context(), openai.ImageEditParams{
					Model: "gpt-image-2", Prompt: prompt,
					Image: openai.ImageEditParamsImageUnion{OfFile: openai.File(bytes.NewReader([]byte(image)), "a.png", "image/png")},
				})
				if err != nil {
					return nil, err
				}
				return r.RawJSON(), nil
			}
		}
		complete := func(prompt string) func() (any, error) {
			return func() (any, error) {
				r, err := c.Completions.New(t.Context(), openai.CompletionNewParams{
					Model: "gpt-3.5-turbo-instruct", Prompt: openai.CompletionNewParamsPromptUnion{OfString: openai.String(prompt)},
				})
				if err != nil {
					return nil, err
				}
				return r.RawJSON(), nil
			}
		}
		return map[string]func() (any, error){
			"completion a":      complete("a"),
			"completion b":      complete("b"),
			"transcription a":   transcribe("SOUND"),
			"transcription b":   transcribe("NOISE"),
			"edit a":            edit("a", "IMAGE"),
			"edit b":            edit("b", "IMAGE"),
			"edit, other image": edit("a", "OTHER"),
			"moderation": func() (any, error) {
				r, err := c.Moderations.New(t.Context(), openai.ModerationNewParams{Input: openai.ModerationNewParamsInputUnion{OfString: openai.String("a")}})
				if err != nil {
					return nil, err
				}
				return r.RawJSON(), nil
			},
			"image": func() (any, error) {
				r, err := c.Images.Generate(t.Context(), openai.ImageGenerateParams{Model: "gpt-image-2", Prompt: "a"})
				if err != nil {
					return nil, err
				}
				return r.RawJSON(), nil
			},
			"speech": func() (any, error) {
				r, err := c.Audio.Speech.New(t.Context(), openai.AudioSpeechNewParams{
					Model: "gpt-4o-mini-tts", Input: "a", Voice: openai.AudioSpeechNewParamsVoiceUnion{OfString: openai.String("alloy")},
				})
				if err != nil {
					return nil, err
				}
				defer r.Body.Close()
				return io.ReadAll(r.Body)
			},
		}
	})
}

// Azure OpenAI records and replays through openai-go.
func TestOpenAIAzure(t *testing.T) {
	t.Parallel()
	vendor(t, func(e env) map[string]func() (any, error) {
		// Over plain http the SDK goes round the client it is given.
		c := openai.NewClient(option.WithHTTPClient(e.client), azure.WithEndpoint("https://resource.openai.azure.com", "2024-10-21"), azure.WithAPIKey(fakeKey))
		ask := func(deployment, text string) func() (any, error) {
			return func() (any, error) {
				r, err := c.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{
					Model: deployment, Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(text)},
				})
				if err != nil {
					return nil, err
				}
				return r.RawJSON(), nil
			}
		}
		return map[string]func() (any, error){"a": ask("one", "a"), "b": ask("one", "b"), "a, other deployment": ask("two", "a")}
	})
}

// Claude through Anthropic's SDK on its own API, on Bedrock and on Vertex.
func TestAnthropicClouds(t *testing.T) {
	t.Parallel()
	vendor(t, func(e env) map[string]func() (any, error) {
		own := anthropicClient(e)
		onBedrock := anthropic.NewClient(bedrock.WithConfig(aws.Config{
			Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("AKIDEXAMPLE-NOT-REAL", fakeKey, ""),
		}), aoption.WithHTTPClient(e.client))
		onVertex := anthropic.NewClient(aoption.WithHTTPClient(e.client), vertex.WithCredentials(t.Context(), "us-east5", "project",
			&google.Credentials{ProjectID: "project", TokenSource: oauth2.StaticTokenSource(&oauth2.Token{AccessToken: fakeKey})}))
		ask := func(c anthropic.Client, text string) func() (any, error) {
			return func() (any, error) {
				m, err := c.Messages.New(t.Context(), messageParams(text))
				if err != nil {
					return nil, err
				}
				return m.RawJSON(), nil
			}
		}
		return map[string]func() (any, error){
			"own a":   ask(own, "a"),
			"own b":   ask(own, "b"),
			"bedrock": ask(onBedrock, "c"),
			"vertex":  ask(onVertex, "d"),
			"count": func() (any, error) {
				r, err := own.Messages.CountTokens(t.Context(), anthropic.MessageCountTokensParams{
					Model: "claude-opus-4-8", Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("a"))},
				})
				if err != nil {
					return nil, err
				}
				return r.RawJSON(), nil
			},
		}
	})
}

// Ollama and Gemini record and replay through langchaingo.
func TestLangChainOthers(t *testing.T) {
	t.Parallel()
	vendor(t, func(e env) map[string]func() (any, error) {
		o, err := lcollama.New(lcollama.WithHTTPClient(e.client), lcollama.WithServerURL(e.base), lcollama.WithModel("llama3.2"))
		if err != nil {
			t.Fatal(err)
		}
		g, err := googleai.New(t.Context(), googleai.WithHTTPClient(e.client), googleai.WithRest(), googleai.WithAPIKey(fakeKey), googleai.WithDefaultModel("gemini-flash"))
		if err != nil {
			t.Fatal(err)
		}
		ask := func(m llms.Model, text string) func() (any, error) {
			return func() (any, error) { return llms.GenerateFromSinglePrompt(t.Context(), m, text) }
		}
		return map[string]func() (any, error){
			"ollama a":   ask(o, "a"),
			"ollama b":   ask(o, "b"),
			"googleai a": ask(g, "c"),
			"googleai b": ask(g, "d"),
		}
	})
}
