package compare

import (
	"slices"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/rerecord"
)

// counts are the members that hold what an answer cost and how long it took, whatever
// they have: usage (OpenAI, Anthropic, Bedrock), usageMetadata (Gemini), meta (Cohere),
// timings (llama.cpp), x_groq, time_info (Cerebras), and counts of Ollama and of models on
// Bedrock.
var counts = []string{
	"usage", "usageMetadata", "meta", "metrics", "timings", "x_groq", "time_info", "prompt_eval_count", "eval_count",
	"amazon-bedrock-invocationMetrics", "inputTextTokenCount", "tokenCount", "totalOutputTextTokenCount", "prompt_token_count",
	"generation_token_count",
}

// noise are the members that are other ones in every answer: what signs or encrypts a
// thought, and a time that rerecord leaves alone.
var noise = []string{"signature", "thoughtSignature", "thought_signature", "encrypted_content", "encrypted_index", "updated"}

// besideText are the members that come and go with the wording: log probabilities,
// citations, the sources of a search, ratings of what was said.
var besideText = []string{
	"logprobs", "log_probs", "logprobs_result", "logprobsResult", "avgLogprobs", "annotations", "citations", "citationMetadata",
	"groundingMetadata", "urlContextMetadata", "search_results", "safetyRatings", "reasoning_details", "context", "stop_sequence",
	"thought", "warnings",
}

// isChance reports whether the member of this name says nothing in any answer.
func isChance(name string) bool {
	return rerecord.IsChance(name) || slices.Contains(counts, name) || slices.Contains(noise, name)
}

// given are the members that hold what a tool gets: their names are the program's.
var given = []string{"input", "args", "arguments", "parameters"}

// withoutChance returns a value without what differs by chance: ids, times, fingerprints,
// latencies and usage. A text that is JSON is what it says, as the arguments of a call are.
func withoutChance(v exactjson.Value) exactjson.Value {
	v = parsed(v)
	elems := v.Elems
	v.Elems = nil
	for _, e := range elems {
		isScalar := e.Kind != exactjson.Object && e.Kind != exactjson.Array
		if v.Kind == exactjson.Object && (isChance(e.Name) || isScalar && rerecord.IsID(e.Name)) {
			continue
		}
		if slices.Contains(given, e.Name) && v.Kind == exactjson.Object {
			v.Elems = append(v.Elems, parsed(e))
		} else {
			v.Elems = append(v.Elems, withoutChance(e))
		}
	}
	return v
}

// parsed returns what a text that is JSON says, and any other value as it is.
func parsed(v exactjson.Value) exactjson.Value {
	if object, ok := parseObject(v.Text); v.Kind == exactjson.String && ok {
		object.Name = v.Name
		return object
	}
	return v
}
