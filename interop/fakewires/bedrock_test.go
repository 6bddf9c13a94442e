package fakewires

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"github.com/promptecho/promptecho/internal/fakeprovider"
)

const (
	titanText   = "amazon.titan-text-express-v1"
	titanEmbed1 = "amazon.titan-embed-text-v1"
	titanEmbed2 = "amazon.titan-embed-text-v2:0"
	cohereEmbed = "cohere.embed-english-v3"
	cohere4     = "us.cohere.embed-v4:0"
)

// titanAnswer is an answer of a Titan model, or a piece of one.
type titanAnswer struct {
	InputTextTokenCount int
	Results             []struct {
		TokenCount       int
		OutputText       string
		CompletionReason string
	}

	OutputText                string
	TotalOutputTextTokenCount int
	CompletionReason          string
}

// A program that invokes Titan Text gets the text, the reason and the
// usage of the script, plain and streamed.
func TestTitanText(t *testing.T) {
	const body = `{"inputText":"Hello there"}`
	pieces := []string{"It ", "is ", "four."}
	for reason, want := range map[string]string{
		"":                            "FINISHED",
		fakeprovider.FinishLength:     "LENGTH",
		fakeprovider.FinishSequence:   "STOP_CRITERIA_MET",
		fakeprovider.FinishFilter:     "CONTENT_FILTERED",
		"RAG_QUERY_WHEN_RAG_DISABLED": "RAG_QUERY_WHEN_RAG_DISABLED",
	} {
		url := serve(t, fakeprovider.Reply{
			Pieces: pieces, Finish: reason, Usage: fakeprovider.Usage{Input: 70, Output: 30},
		})
		data, err := invokeModel(t.Context(), url, titanText, body)
		if err != nil {
			t.Fatal(err)
		}
		var plain titanAnswer
		if err := json.Unmarshal(data, &plain); err != nil {
			t.Fatal(err)
		}
		result := plain.Results[0]
		if result.OutputText != "It is four." || result.CompletionReason != want {
			t.Errorf("%q: %s", reason, data)
		}
		if plain.InputTextTokenCount != 70 || result.TokenCount != 30 {
			t.Errorf("%q: usage of %s", reason, data)
		}

		var got []string
		var last titanAnswer
		err = eachChunk(t, url, titanText, body, func(data []byte) {
			last = titanAnswer{}
			if err := json.Unmarshal(data, &last); err != nil {
				t.Error(err)
			}
			got = append(got, last.OutputText)
		})
		if err != nil || !slices.Equal(got, pieces) {
			t.Errorf("%q: pieces %q, error %v", reason, got, err)
		}
		if last.CompletionReason != want || last.TotalOutputTextTokenCount != 30 {
			t.Errorf("%q: last piece %+v", reason, last)
		}
	}
}

// Vectors of a script arrive as they are, and others have as many
// dimensions as the model or the request says.
func TestBedrockEmbeddings(t *testing.T) {
	vectors := [][]float32{{0.5, -0.25, 0.125}, {1, 0, 0}}
	for _, tt := range []struct {
		name, model, body string
		path              []string // of the vectors in the answer
		count, size       int
	}{
		{"titan 1", titanEmbed1, `{"inputText":"a cat"}`, []string{"embedding"}, 1, 1536},
		{"titan 2", titanEmbed2, `{"inputText":"a cat"}`, []string{"embedding"}, 1, 1024},
		{
			"titan 2 by type", titanEmbed2, `{"inputText":"a cat","dimensions":256}`,
			[]string{"embeddingsByType", "float"}, 1, 256,
		},
		{
			"cohere 3", cohereEmbed, `{"texts":["a cat","a dog"],"input_type":"clustering"}`,
			[]string{"embeddings"}, 2, 1024,
		},
		{
			"cohere 4", cohere4, `{"texts":["a cat","a dog"],"input_type":"clustering"}`,
			[]string{"embeddings"}, 2, 1536,
		},
		{
			"cohere 4 by type", cohere4, `{"texts":["a cat","a dog"],"input_type":"clustering",` +
				`"embedding_types":["float"],"output_dimension":256}`,
			[]string{"embeddings", "float"}, 2, 256,
		},
		{
			"cohere 4 mixed", cohere4, `{"input_type":"clustering","inputs":[{"content":[` +
				`{"type":"text","text":"a cat"},{"type":"image_url","image_url":"data:x"}]}]}`,
			[]string{"embeddings"}, 1, 1536,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			scripted := serve(t, fakeprovider.Reply{Vectors: vectors})
			got := bedrockVectors(t, scripted, tt.model, tt.body, tt.path)
			if !reflect.DeepEqual(got, vectors[:tt.count]) {
				t.Errorf("got %v", got)
			}
			made := bedrockVectors(t, serve(t, fakeprovider.Reply{}), tt.model, tt.body, tt.path)
			if len(made) != tt.count || len(made[0]) != tt.size {
				t.Errorf("%d vectors, the first with %d numbers", len(made), len(made[0]))
			}
		})
	}
}

// bedrockVectors returns the vectors of an answer: one vector, or a list of them.
func bedrockVectors(t *testing.T, url, model, body string, path []string) [][]float32 {
	t.Helper()
	data, err := invokeModel(t.Context(), url, model, body)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range path {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(data, &members); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		data = members[name]
	}
	var all [][]float32
	if json.Unmarshal(data, &all) == nil {
		return all
	}
	var one []float32
	if err := json.Unmarshal(data, &one); err != nil {
		t.Fatal(err)
	}
	return [][]float32{one}
}

// A request that Bedrock would not accept fails with
// its validation error.
func TestBedrockRefusesWrongEmbeddings(t *testing.T) {
	url := serve(t, fakeprovider.Reply{})
	for _, tt := range []struct{ model, body string }{
		{titanEmbed2, `{}`},
		{titanEmbed2, `{"inputText":"a cat","dimensions":1536}`},
		{cohere4, `{"texts":["a cat"]}`},
		{cohere4, `{"input_type":"clustering","texts":[]}`},
		{titanText, `{}`},
	} {
		_, err := invokeModel(t.Context(), url, tt.model, tt.body)
		var invalid *types.ValidationException
		if !errors.As(err, &invalid) {
			t.Errorf("%s %s: %v", tt.model, tt.body, err)
		}
	}

	err := eachChunk(t, url, titanEmbed2, `{"inputText":"a cat"}`, func([]byte) {})
	var invalid *types.ValidationException
	if !errors.As(err, &invalid) {
		t.Errorf("an embedding in a stream: %v", err)
	}
}

// A picture of a script arrives through Converse and ConverseStream with its format and bytes.
func TestConversePicture(t *testing.T) {
	png := []byte("\x89PNG\r\n\x1a\n and so on")
	url := serve(t, fakeprovider.Reply{Media: &fakeprovider.Media{Type: "image/png", Data: png}})
	out, err := runtime(url).Converse(t.Context(), &bedrockruntime.ConverseInput{
		ModelId: aws.String(novaModel), Messages: converseMessages,
	})
	if err != nil {
		t.Fatal(err)
	}
	content := out.Output.(*types.ConverseOutputMemberMessage).Value.Content
	image, isImage := content[0].(*types.ContentBlockMemberImage)
	if !isImage || len(content) != 1 || image.Value.Format != types.ImageFormatPng {
		t.Fatalf("content %+v", content)
	}
	source := image.Value.Source.(*types.ImageSourceMemberBytes)
	if !bytes.Equal(source.Value, png) {
		t.Errorf("%d bytes", len(source.Value))
	}

	streamed, err := runtime(url).ConverseStream(t.Context(), &bedrockruntime.ConverseStreamInput{
		ModelId: aws.String(novaModel), Messages: converseMessages,
	})
	if err != nil {
		t.Fatal(err)
	}
	stream := streamed.GetStream()
	defer stream.Close()
	var format types.ImageFormat
	var data []byte
	for event := range stream.Events() {
		switch event := event.(type) {
		case *types.ConverseStreamOutputMemberContentBlockStart:
			format = event.Value.Start.(*types.ContentBlockStartMemberImage).Value.Format
		case *types.ConverseStreamOutputMemberContentBlockDelta:
			delta := event.Value.Delta.(*types.ContentBlockDeltaMemberImage).Value
			data = append(data, delta.Source.(*types.ImageSourceMemberBytes).Value...)
		}
	}
	if format != types.ImageFormatPng || !bytes.Equal(data, png) || stream.Err() != nil {
		t.Errorf("streamed %s, %d bytes, error %v", format, len(data), stream.Err())
	}
}

// AWS's SDK reads the number of tokens of a script, of a request in either format.
func TestBedrockCountTokens(t *testing.T) {
	url := serve(t, fakeprovider.Reply{Usage: fakeprovider.Usage{Input: 77}})
	for _, input := range []types.CountTokensInput{
		&types.CountTokensInputMemberConverse{
			Value: types.ConverseTokensRequest{Messages: converseMessages},
		},
		&types.CountTokensInputMemberInvokeModel{
			Value: types.InvokeModelTokensRequest{Body: []byte(claudeBody)},
		},
	} {
		out, err := runtime(url).CountTokens(t.Context(), &bedrockruntime.CountTokensInput{
			ModelId: aws.String(claudeModel), Input: input,
		})
		if err != nil || aws.ToInt32(out.InputTokens) != 77 {
			t.Errorf("%T: %+v, error %v", input, out, err)
		}
	}
}
