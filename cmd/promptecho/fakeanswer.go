package main

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// finishNames are the constants of package echofake for the finish reasons of the APIs. ""
// stands for an answer that is complete, of which a script says nothing. A reason is here only
// if the constant gives it back in its API; any other stays as it is.
var finishNames = map[string]string{
	"stop": "", "end_turn": "", "STOP": "", "COMPLETE": "", "completed": "", "load": "",
	"tool_calls": "", "function_call": "", "tool_use": "", "TOOL_CALL": "",
	"incomplete": "", // of Responses, next to the reason

	"length": "Length", "max_tokens": "Length", "MAX_TOKENS": "Length", "max_output_tokens": "Length",

	"content_filter": "Filter", "content_filtered": "Filter", "SAFETY": "Filter",
}

// refusalPaths are the places of refusals: in chat completions, whole and streamed, and in
// Responses, whole and streamed.
var refusalPaths = []string{
	"choices/*/message/refusal",
	"choices/*/delta/refusal",
	"output/*/content/*/refusal",
	"type=response.refusal.delta/delta",
}

// refusalOf returns the text with which a model has refused to answer; "" if it has not.
func refusalOf(resp *interaction.Response) string {
	var text strings.Builder
	eachPayload(resp, func(v *exactjson.Value) {
		for _, path := range refusalPaths {
			v.Each(path, func(piece *exactjson.Value) {
				if piece.Kind == exactjson.String {
					text.WriteString(piece.Text)
				}
			})
		}
	})
	return text.String()
}

// errorPlaces are the places of the message in the errors of providers.
var errorPlaces = []string{"error/message", "message", "error", "detail"}

// errorMessage returns the message of an error; "" if it has none at a known place.
func errorMessage(resp *interaction.Response) (message string) {
	eachPayload(resp, func(v *exactjson.Value) {
		for _, path := range errorPlaces {
			v.Each(path, func(m *exactjson.Value) {
				if message == "" && m.Kind == exactjson.String {
					message = m.Text
				}
			})
		}
	})
	return message
}

// eachPayload calls f with each JSON value of a response.
func eachPayload(resp *interaction.Response, f func(v *exactjson.Value)) {
	for payload := range resp.Payloads() {
		v, err := exactjson.Parse(payload)
		if err == nil {
			f(&v)
		}
	}
}

// vectorMembers are the members that hold embeddings: of OpenAI, Ollama and Titan; of Gemini;
// of Cohere.
var vectorMembers = []string{"embedding", "embeddings", "values", "float"}

// vectorsOf returns the embeddings in a response.
func vectorsOf(resp *interaction.Response) (vectors [][]float32) {
	var walk func(v *exactjson.Value, name string)
	walk = func(v *exactjson.Value, name string) {
		if slices.Contains(vectorMembers, name) {
			if vector := vectorOf(v); vector != nil {
				vectors = append(vectors, vector)
				return
			}
		}
		for i := range v.Elems {
			inner := &v.Elems[i]
			if v.Kind == exactjson.Object {
				name = inner.Name
			}
			walk(inner, name)
		}
	}
	eachPayload(resp, func(v *exactjson.Value) { walk(v, "") })
	return vectors
}

// vectorOf returns a list of numbers, or the numbers in base64 that OpenAI's SDKs ask for. It
// returns nil for any other value.
func vectorOf(v *exactjson.Value) (vector []float32) {
	if v.Kind == exactjson.String {
		data, err := base64.StdEncoding.DecodeString(v.Text)
		if err != nil || len(data) == 0 || len(data)%4 != 0 {
			return nil
		}
		for ; len(data) > 0; data = data[4:] {
			vector = append(vector, math.Float32frombits(binary.LittleEndian.Uint32(data)))
		}
		return vector
	}
	if v.Kind != exactjson.Array {
		return nil
	}
	for i := range v.Elems {
		number, ok := float32Of(&v.Elems[i])
		if !ok {
			return nil
		}
		vector = append(vector, number)
	}
	return vector
}

// float32Of returns a number; false for any other value.
func float32Of(v *exactjson.Value) (number float32, ok bool) {
	if v.Kind != exactjson.Number {
		return 0, false
	}
	wide, err := strconv.ParseFloat(v.Text, 32)
	return float32(wide), err == nil
}
