package fakewires

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/respjson"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/responses"

	"github.com/promptecho/promptecho/internal/fakeprovider"
)

// openaiAnswer is what a client of openai-go decodes of an answer.
type openaiAnswer struct {
	Reasoning string
	Text      string
	Pieces    []string // of the text, in a stream
	Refusal   string
	Calls     []fakeprovider.Call
	Finish    string
	Usage     fakeprovider.Usage
	Media     string // the bytes of a picture or a sound
}

// openaiClient is a way to ask for an answer.
type openaiClient struct {
	ask      func(ctx context.Context, c openai.Client) (openaiAnswer, error)
	path     string // of the base URL
	streams  bool
	media    string            // the type of the media that the API has a place for
	finishes map[string]string // finish reasons that have a word of their own
}

var chatReasons = map[string]string{
	fakeprovider.FinishSequence: "stop",
	fakeprovider.FinishFilter:   "content_filter",
	fakeprovider.FinishRefusal:  "stop",
}

var mistralReasons = map[string]string{
	fakeprovider.FinishSequence: "stop",
	fakeprovider.FinishFilter:   "stop",
	fakeprovider.FinishRefusal:  "stop",
}

var responsesReasons = map[string]string{
	fakeprovider.FinishStop:     "completed",
	fakeprovider.FinishSequence: "completed",
	fakeprovider.FinishCalls:    "completed",
	fakeprovider.FinishRefusal:  "completed",
	fakeprovider.FinishLength:   "max_output_tokens",
	fakeprovider.FinishFilter:   "content_filter",
}

var openaiClients = map[string]openaiClient{
	"chat":                {askChat, "/v1", false, "audio", chatReasons},
	"chat, streamed":      {streamChat, "/v1", true, "audio", chatReasons},
	"responses":           {askResponses, "/v1", false, "image", responsesReasons},
	"responses, streamed": {streamResponses, "/v1", true, "image", responsesReasons},
	"mistral":             {askChat, "/mistral/v1", false, "", mistralReasons},
	"mistral, streamed":   {streamChat, "/mistral/v1", true, "", mistralReasons},
}

var openaiReplies = map[string]fakeprovider.Reply{
	"text":             {Text: "Hello there, 日本語 and 🎉."},
	"empty":            {},
	"pieces":           {Pieces: []string{"Hel", "lo ", "there", "."}},
	"pieces of a rune": {Pieces: []string{"日", "本", "語", "\n", "{}"}},
	"reasoning":        {Reasoning: "The user says hello.", Text: "Hello."},
	"refusal":          {Refusal: "I can't help with that."},
	"one call": {Calls: []fakeprovider.Call{
		{ID: "abc123def", Name: "f", Args: `{"a":"日本","n":[1,2]}`},
	}},
	"two calls": {Calls: []fakeprovider.Call{
		{ID: "abc123def", Name: "f", Args: `{"city":"Paris"}`},
		{ID: "ghi456jkl", Name: "g", Args: `{}`},
	}},
	"text and call": {
		Text:  "I look it up.",
		Calls: []fakeprovider.Call{{ID: "abc123def", Name: "f", Args: `{"a":1}`}},
	},
	"everything": {
		Reasoning: "First I think.",
		Pieces:    []string{"Then ", "I speak."},
		Calls:     []fakeprovider.Call{{ID: "abc123def", Name: "f", Args: `{"a":1}`}},
		Usage:     fakeprovider.Usage{Input: 100, Output: 50, Reasoning: 20, Cached: 64},
	},
	"usage":   {Text: "a", Usage: fakeprovider.Usage{Input: 7, Output: 5, Reasoning: 3, Cached: 2}},
	"stop":    {Text: "a", Finish: fakeprovider.FinishStop},
	"length":  {Text: "a", Finish: fakeprovider.FinishLength},
	"stopped": {Text: "a", Finish: fakeprovider.FinishSequence, StopSequence: "b"},
	"filter":  {Text: "a", Finish: fakeprovider.FinishFilter},
	"other":   {Text: "a", Finish: "model_length"},
	"picture": {
		Text:  "A cat.",
		Media: &fakeprovider.Media{Type: "image/png", Data: []byte("\x89PNG, more or less")},
	},
	"sound": {
		Pieces: []string{"Miau", "."},
		Media:  &fakeprovider.Media{Type: "audio/wav", Data: bytesOf(10_000)},
	},
}

// bytesOf returns n bytes.
func bytesOf(n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(i)
	}
	return data
}

// TestOpenAIReplies: openai-go decodes every reply of a script to equal values, from
// chat completions, Responses and Mistral, plain and streamed.
func TestOpenAIReplies(t *testing.T) {
	t.Parallel()
	for clientName, client := range openaiClients {
		for replyName, reply := range openaiReplies {
			t.Run(clientName+"/"+replyName, func(t *testing.T) {
				t.Parallel()
				got, err := client.ask(t.Context(), openaiSDK(serve(t, reply)+client.path))
				if err != nil {
					t.Fatal(err)
				}
				want := client.want(reply)
				if reply.Usage == (fakeprovider.Usage{}) {
					got.Usage, want.Usage = fakeprovider.Usage{}, fakeprovider.Usage{}
				}
				if reply.Pieces == nil {
					got.Pieces = nil
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("\ngot  %+v\nwant %+v", got, want)
				}
			})
		}
	}
}

// want returns what a client is to decode of a reply.
func (c openaiClient) want(r fakeprovider.Reply) openaiAnswer {
	want := openaiAnswer{
		Reasoning: r.Reasoning,
		Text:      r.Text + strings.Join(r.Pieces, ""),
		Refusal:   r.Refusal,
		Calls:     r.Calls,
		Usage:     r.Usage,
	}
	if c.streams {
		want.Pieces = r.Pieces
	}
	if r.Media != nil && c.media != "" && strings.HasPrefix(r.Media.Type, c.media) {
		want.Media = string(r.Media.Data)
	}
	want.Finish = r.Finish
	if want.Finish == "" {
		want.Finish = fakeprovider.FinishStop
		if len(r.Calls) > 0 {
			want.Finish = fakeprovider.FinishCalls
		}
	}
	if word, ok := c.finishes[want.Finish]; ok {
		want.Finish = word
	}
	if strings.HasPrefix(c.path, "/mistral") {
		want.Text = cmp.Or(want.Text, want.Refusal) // Mistral has no place for a refusal
		want.Refusal = ""
		want.Usage.Reasoning = 0 // nor for the tokens of reasoning
	}
	return want
}

// TestOpenAIBroken: an error inside a stream reaches the program after the pieces
// before it, and a plain response is that error.
func TestOpenAIBroken(t *testing.T) {
	t.Parallel()
	reply := fakeprovider.Reply{
		Pieces: []string{"half ", "a sen"},
		Broken: &fakeprovider.Problem{Status: 503, Message: "out of breath", Kind: "server_error"},
	}
	for name, client := range openaiClients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := client.ask(t.Context(), openaiSDK(serve(t, reply)+client.path))
			if !client.streams {
				var apiErr *openai.Error
				if !errors.As(err, &apiErr) || apiErr.StatusCode != 503 {
					t.Fatalf("the error is %v", err)
				}
				if !strings.Contains(string(apiErr.DumpResponse(true)), "out of breath") {
					t.Errorf("the response is %s", apiErr.DumpResponse(true))
				}
				return
			}
			if !slices.Equal(got.Pieces, reply.Pieces) {
				t.Errorf("the pieces before the error are %q", got.Pieces)
			}
			isMistral := strings.HasPrefix(client.path, "/mistral")
			if isMistral {
				if got.Finish != "error" || err != nil {
					t.Errorf("the finish reason is %q, the error %v", got.Finish, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), "out of breath") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// TestOpenAIIDs: calls without an ID in the script get IDs that differ, and equal
// ones plain and streamed.
func TestOpenAIIDs(t *testing.T) {
	t.Parallel()
	call := fakeprovider.Call{Name: "f", Args: "{}"}
	reply := fakeprovider.Reply{Calls: []fakeprovider.Call{call, call}}
	ids := map[string][]string{}
	for name, client := range openaiClients {
		got, err := client.ask(t.Context(), openaiSDK(serve(t, reply)+client.path))
		if err != nil {
			t.Fatal(err)
		}
		areTwo := len(got.Calls) == 2 && got.Calls[0].ID != got.Calls[1].ID
		if !areTwo || got.Calls[0].ID == "" {
			t.Errorf("%s: the calls are %+v", name, got.Calls)
			continue
		}
		api, _, _ := strings.Cut(name, ",")
		ids[api] = append(ids[api], got.Calls[0].ID+" "+got.Calls[1].ID)
	}
	for _, api := range slices.Sorted(maps.Keys(ids)) {
		if both := ids[api]; len(both) != 2 || both[0] != both[1] {
			t.Errorf("%s: the IDs plain and streamed are %q", api, both)
		}
	}
}

// TestOpenAIMedia: pictures, sounds and transcriptions of a script arrive as they are.
func TestOpenAIMedia(t *testing.T) {
	t.Parallel()
	picture := fakeprovider.Reply{Media: &fakeprovider.Media{Type: "image/png", Data: bytesOf(500)}}
	sound := fakeprovider.Reply{Media: &fakeprovider.Media{Type: "audio/mpeg", Data: bytesOf(500)}}
	text := fakeprovider.Reply{Pieces: []string{"Good ", "morning", "."}}
	for name, c := range map[string]struct {
		reply fakeprovider.Reply
		want  string
		ask   asker
	}{
		"picture":             {picture, string(bytesOf(500)), generatePicture},
		"picture, streamed":   {picture, string(bytesOf(500)), streamPicture},
		"edit":                {picture, string(bytesOf(500)), editPicture},
		"speech":              {sound, "audio/mpeg" + string(bytesOf(500)), speak},
		"transcription":       {text, "Good morning.", transcribe("json")},
		"verbose":             {text, "Good morning.", transcribe("verbose_json")},
		"transcription, text": {text, "Good morning.\n", transcribeText},
		"streamed":            {text, "Good |morning|.|Good morning.|", streamTranscription},
		"translation":         {text, "Good morning.", translate},
		"moderation":          {text, "unflagged unflagged", moderate},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := c.ask(t.Context(), openaiSDK(serve(t, c.reply)+"/v1"))
			if err != nil {
				t.Fatal(err)
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestOpenAIVectors: embeddings of a script arrive as they are, and texts beyond
// them get vectors of their own.
func TestOpenAIVectors(t *testing.T) {
	t.Parallel()
	reply := fakeprovider.Reply{Vectors: [][]float32{{0.5, -0.25}}}
	for _, path := range []string{"/v1", "/mistral/v1"} {
		c := openaiSDK(serve(t, reply) + path)
		r, err := c.Embeddings.New(t.Context(), openai.EmbeddingNewParams{
			Model: "mistral-embed",
			Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"a", "b"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Data) != 2 || !slices.Equal(r.Data[0].Embedding, []float64{0.5, -0.25}) {
			t.Fatalf("%s: the vectors are %v", path, r.Data)
		}
		if len(r.Data[1].Embedding) < 1024 {
			t.Errorf("%s: the second vector has %d numbers", path, len(r.Data[1].Embedding))
		}
	}
}

func openaiSDK(base string) openai.Client {
	return openai.NewClient(
		option.WithBaseURL(base),
		option.WithAPIKey("none"),
		option.WithMaxRetries(0),
	)
}

func chatParams() openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model:    "m",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Hello.")},
		StreamOptions: openai.ChatCompletionStreamOptionsParam{
			IncludeUsage: openai.Bool(true),
		},
	}
}

func askChat(ctx context.Context, c openai.Client) (openaiAnswer, error) {
	p := chatParams()
	p.StreamOptions = openai.ChatCompletionStreamOptionsParam{}
	r, err := c.Chat.Completions.New(ctx, p)
	if err != nil {
		return openaiAnswer{}, err
	}
	message := r.Choices[0].Message
	answer := openaiAnswer{
		Refusal: message.Refusal,
		Finish:  r.Choices[0].FinishReason,
		Usage:   ofChatUsage(r.Usage),
	}
	if err := answer.addMessage(message.JSON.Content, message.JSON.ExtraFields); err != nil {
		return answer, err
	}
	for _, call := range message.ToolCalls {
		answer.Calls = append(answer.Calls, fakeprovider.Call{
			ID:   call.ID,
			Name: call.Function.Name,
			Args: call.Function.Arguments,
		})
	}
	if sound := message.Audio; sound.ID != "" {
		answer.Text += sound.Transcript
		answer.Media, err = fromBase64(sound.Data)
	}
	return answer, err
}

func streamChat(ctx context.Context, c openai.Client) (openaiAnswer, error) {
	var answer openaiAnswer
	stream := c.Chat.Completions.NewStreaming(ctx, chatParams())
	for stream.Next() {
		chunk := stream.Current()
		if chunk.Usage.TotalTokens > 0 {
			answer.Usage = ofChatUsage(chunk.Usage)
		}
		if len(chunk.Choices) == 0 {
			continue
		}
		answer.Finish += chunk.Choices[0].FinishReason
		if err := answer.addDelta(chunk.Choices[0].Delta); err != nil {
			return answer, err
		}
	}
	answer.Text = strings.Join(answer.Pieces, "")
	return answer, stream.Err()
}

func (a *openaiAnswer) addDelta(delta openai.ChatCompletionChunkChoiceDelta) error {
	before := a.Text
	a.Text = ""
	if err := a.addMessage(delta.JSON.Content, delta.JSON.ExtraFields); err != nil {
		return err
	}
	a.addPiece(a.Text)
	a.addPiece(delta.Audio.Transcript)
	a.Text = before
	a.Refusal += delta.Refusal
	for _, call := range delta.ToolCalls {
		if call.ID != "" {
			a.Calls = append(a.Calls, fakeprovider.Call{ID: call.ID, Name: call.Function.Name})
		}
		a.Calls[call.Index].Args += call.Function.Arguments
	}
	sound, err := fromBase64(delta.Audio.Data)
	a.Media += sound
	return err
}

func (a *openaiAnswer) addPiece(piece string) {
	if piece != "" {
		a.Pieces = append(a.Pieces, piece)
	}
}

// addMessage adds the content of a message or a delta: a text, or Mistral's parts.
// Reasoning is beside it, or among the parts.
func (a *openaiAnswer) addMessage(content respjson.Field, extra map[string]respjson.Field) error {
	var reasoning string
	if raw := extra["reasoning_content"].Raw(); raw != "" {
		if err := json.Unmarshal([]byte(raw), &reasoning); err != nil {
			return err
		}
	}
	a.Reasoning += reasoning
	raw := content.Raw()
	if raw == "" || raw == "null" {
		return nil
	}
	if raw[0] == '"' {
		var text string
		err := json.Unmarshal([]byte(raw), &text)
		a.Text += text
		return err
	}
	var parts []struct {
		Text     string
		Thinking []struct{ Text string }
	}
	err := json.Unmarshal([]byte(raw), &parts)
	for _, part := range parts {
		a.Text += part.Text
		for _, thought := range part.Thinking {
			a.Reasoning += thought.Text
		}
	}
	return err
}

func ofChatUsage(u openai.CompletionUsage) fakeprovider.Usage {
	return fakeprovider.Usage{
		Input:     int(u.PromptTokens),
		Output:    int(u.CompletionTokens),
		Reasoning: int(u.CompletionTokensDetails.ReasoningTokens),
		Cached:    int(u.PromptTokensDetails.CachedTokens),
	}
}

func responsesParams() responses.ResponseNewParams {
	return responses.ResponseNewParams{
		Model: "m",
		Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("Hello.")},
	}
}

func askResponses(ctx context.Context, c openai.Client) (openaiAnswer, error) {
	r, err := c.Responses.New(ctx, responsesParams())
	if err != nil {
		return openaiAnswer{}, err
	}
	return ofResponse(r)
}

// ofResponse returns what a whole response says.
func ofResponse(r *responses.Response) (answer openaiAnswer, err error) {
	for _, item := range r.Output {
		switch item := item.AsAny().(type) {
		case responses.ResponseReasoningItem:
			for _, part := range item.Summary {
				answer.Reasoning += part.Text
			}
		case responses.ResponseFunctionToolCall:
			answer.Calls = append(answer.Calls, ofFunctionCall(item))
		case responses.ResponseOutputItemImageGenerationCall:
			answer.Media, err = fromBase64(item.Result)
		case responses.ResponseOutputMessage:
			for _, part := range item.Content {
				answer.Text += part.Text
				answer.Refusal += part.Refusal
			}
		}
	}
	answer.Finish = string(r.Status)
	if r.Status == responses.ResponseStatusIncomplete {
		answer.Finish = r.IncompleteDetails.Reason
	}
	answer.Usage = fakeprovider.Usage{
		Input:     int(r.Usage.InputTokens),
		Output:    int(r.Usage.OutputTokens),
		Reasoning: int(r.Usage.OutputTokensDetails.ReasoningTokens),
		Cached:    int(r.Usage.InputTokensDetails.CachedTokens),
	}
	return answer, err
}

func ofFunctionCall(call responses.ResponseFunctionToolCall) fakeprovider.Call {
	return fakeprovider.Call{ID: call.CallID, Name: call.Name, Args: call.Arguments}
}

// streamResponses collects the deltas of a stream, and checks that they say the same
// as the events that end a part, an item and the response.
func streamResponses(ctx context.Context, c openai.Client) (openaiAnswer, error) {
	var answer, parts, whole openaiAnswer
	var failed error
	stream := c.Responses.NewStreaming(ctx, responsesParams())
	for stream.Next() {
		switch event := stream.Current().AsAny().(type) {
		case responses.ResponseTextDeltaEvent:
			answer.Pieces = append(answer.Pieces, event.Delta)
			answer.Text += event.Delta
		case responses.ResponseTextDoneEvent:
			parts.Text += event.Text
		case responses.ResponseRefusalDeltaEvent:
			answer.Refusal += event.Delta
		case responses.ResponseRefusalDoneEvent:
			parts.Refusal += event.Refusal
		case responses.ResponseReasoningSummaryTextDeltaEvent:
			answer.Reasoning += event.Delta
		case responses.ResponseReasoningSummaryTextDoneEvent:
			parts.Reasoning += event.Text
		case responses.ResponseFunctionCallArgumentsDeltaEvent:
			answer.Calls[len(answer.Calls)-1].Args += event.Delta
		case responses.ResponseOutputItemAddedEvent:
			if event.Item.Type == "function_call" {
				answer.Calls = append(answer.Calls, ofFunctionCall(event.Item.AsFunctionCall()))
			}
		case responses.ResponseOutputItemDoneEvent:
			if event.Item.Type == "function_call" {
				parts.Calls = append(parts.Calls, ofFunctionCall(event.Item.AsFunctionCall()))
			}
			if event.Item.Type == "image_generation_call" {
				picture, err := fromBase64(event.Item.AsImageGenerationCall().Result)
				if err != nil {
					return answer, err
				}
				answer.Media = picture
			}
		case responses.ResponseErrorEvent:
			failed = errors.New(event.Message)
		case responses.ResponseFailedEvent:
			if event.Response.Error.Message != failed.Error() {
				return answer, errors.New("the response failed for another reason: " + event.Response.RawJSON())
			}
			return answer, failed
		case responses.ResponseCompletedEvent:
			whole, failed = ofResponse(&event.Response)
		case responses.ResponseIncompleteEvent:
			whole, failed = ofResponse(&event.Response)
		}
	}
	parts.Pieces, parts.Media, whole.Pieces = answer.Pieces, answer.Media, answer.Pieces
	answer.Finish, answer.Usage = whole.Finish, whole.Usage
	parts.Finish, parts.Usage = whole.Finish, whole.Usage
	isSame := reflect.DeepEqual(answer, whole) && reflect.DeepEqual(answer, parts)
	if failed == nil && !isSame {
		failed = errors.New("deltas, parts and response differ: " + asText(answer, parts, whole))
	}
	return answer, cmp.Or(stream.Err(), failed)
}

func asText(v ...any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

func fromBase64(text string) (string, error) {
	data, err := base64.StdEncoding.DecodeString(text)
	return string(data), err
}

var pictureParams = openai.ImageGenerateParams{Model: "gpt-image-1", Prompt: "A cat."}

func generatePicture(ctx context.Context, c openai.Client) (string, error) {
	r, err := c.Images.Generate(ctx, pictureParams)
	if err != nil {
		return "", err
	}
	return fromBase64(r.Data[0].B64JSON)
}

func streamPicture(ctx context.Context, c openai.Client) (string, error) {
	var picture string
	stream := c.Images.GenerateStreaming(ctx, pictureParams)
	for stream.Next() {
		if done := stream.Current().AsImageGenerationCompleted(); done.B64JSON != "" {
			picture += done.B64JSON
		}
	}
	if err := stream.Err(); err != nil {
		return "", err
	}
	return fromBase64(picture)
}

func editPicture(ctx context.Context, c openai.Client) (string, error) {
	pictures := []io.Reader{openaiFile("a.png"), openaiFile("b.png")}
	r, err := c.Images.Edit(ctx, openai.ImageEditParams{
		Model:  "gpt-image-1",
		Prompt: "A cat.",
		Image:  openai.ImageEditParamsImageUnion{OfFileArray: pictures},
	})
	if err != nil {
		return "", err
	}
	return fromBase64(r.Data[0].B64JSON)
}

func openaiFile(name string) io.Reader {
	return openai.File(strings.NewReader("content"), name, "application/octet-stream")
}

// speak returns the type of a sound and its bytes.
func speak(ctx context.Context, c openai.Client) (string, error) {
	r, err := c.Audio.Speech.New(ctx, openai.AudioSpeechNewParams{
		Model: "tts-1", Input: "Good morning.",
		Voice: openai.AudioSpeechNewParamsVoiceUnion{OfString: openai.String("alloy")},
	})
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	return r.Header.Get("Content-Type") + string(data), err
}

type asker = func(ctx context.Context, c openai.Client) (string, error)

func transcribe(format openai.AudioResponseFormat) asker {
	return func(ctx context.Context, c openai.Client) (string, error) {
		p := transcriptionParams()
		p.ResponseFormat = format
		r, err := c.Audio.Transcriptions.New(ctx, p)
		if err != nil {
			return "", err
		}
		return r.Text, nil
	}
}

func transcriptionParams() openai.AudioTranscriptionNewParams {
	return openai.AudioTranscriptionNewParams{Model: "gpt-4o-transcribe", File: openaiFile("a.wav")}
}

// transcribeText asks for a text that is not JSON, which the SDK gives as bytes.
func transcribeText(ctx context.Context, c openai.Client) (string, error) {
	p := transcriptionParams()
	p.ResponseFormat = openai.AudioResponseFormatText
	var text string
	err := c.Post(ctx, "audio/transcriptions", p, &text)
	return text, err
}

// streamTranscription returns the pieces of a text and the whole text.
func streamTranscription(ctx context.Context, c openai.Client) (string, error) {
	var stream *ssestream.Stream[openai.TranscriptionStreamEventUnion]
	var all string
	stream = c.Audio.Transcriptions.NewStreaming(ctx, transcriptionParams())
	for stream.Next() {
		all += stream.Current().Delta + stream.Current().Text + "|"
	}
	return all, stream.Err()
}

func translate(ctx context.Context, c openai.Client) (string, error) {
	//lint:ignore SA1019 programs that use it are answered, too
	r, err := c.Audio.Translations.New(ctx, openai.AudioTranslationNewParams{
		Model: "whisper-1",
		File:  openaiFile("a.wav"),
	})
	if err != nil {
		return "", err
	}
	return r.Text, nil
}

func moderate(ctx context.Context, c openai.Client) (string, error) {
	r, err := c.Moderations.New(ctx, openai.ModerationNewParams{
		Input: openai.ModerationNewParamsInputUnion{OfStringArray: []string{"a", "b"}},
	})
	if err != nil {
		return "", err
	}
	var results []string
	for _, result := range r.Results {
		types := result.CategoryAppliedInputTypes.Violence
		if result.Flagged || result.Categories.Violence || len(types) == 0 {
			return result.RawJSON(), nil
		}
		results = append(results, "unflagged")
	}
	return strings.Join(results, " "), nil
}
