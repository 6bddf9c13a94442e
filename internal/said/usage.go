package said

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A spelling tells how some vendors call token counts. Each field has paths, with a space
// between them. Of In, Out, Cached and Reasoned the first that is there counts; of MoreIn
// and MoreOut each is added to In and Out, as long as that is not more than the total: there
// are servers that count it twice. What has a question mark is in In and Out, unless the
// total says otherwise.
type spelling struct {
	At                              string // where an answer or an event has the counts, "." for its top
	In, MoreIn, Out, MoreOut, Total string
	Cached, Reasoned                string // what of In was read from a cache, and what of Out was thought
}

// spellings are what is known. The first whose counts are there is believed.
var spellings = []spelling{
	{ // Cohere bills by units, and says beside that how many tokens these are.
		At: "usage delta/usage meta response/meta", In: "billed_units/input_tokens tokens/input_tokens",
		MoreIn: "billed_units/image_tokens", Out: "billed_units/output_tokens tokens/output_tokens",
	},
	{ // OpenAI's chat, and all that speak it. xAI counts reasoning apart, and Mistral sound.
		At: "usage x_groq/usage response/usage", In: "prompt_tokens", MoreIn: "?prompt_tokens_details/audio_tokens",
		Out: "completion_tokens", MoreOut: "?completion_tokens_details/reasoning_tokens", Total: "total_tokens",
		Cached:   "prompt_tokens_details/cached_tokens prompt_cache_hit_tokens cached_tokens cache_read_input_tokens",
		Reasoned: "completion_tokens_details/reasoning_tokens reasoning_tokens",
	},
	{ // OpenAI's Responses, and Anthropic, which counts the cache, compactions and advice apart.
		At: "usage message/usage response/usage", In: "input_tokens", Out: "output_tokens", Total: "total_tokens",
		MoreIn: "cache_creation_input_tokens cache_read_input_tokens " + apart + "input_tokens " + apart + "cache_creation_input_tokens " +
			apart + "cache_read_input_tokens",
		MoreOut:  "?output_tokens_details/reasoning_tokens " + apart + "output_tokens",
		Cached:   "cache_read_input_tokens input_tokens_details/cached_tokens",
		Reasoned: "output_tokens_details/reasoning_tokens output_tokens_details/thinking_tokens",
	},
	{ // Bedrock's Converse
		At: "usage metadata/usage", In: "inputTokens", MoreIn: "cacheReadInputTokens cacheWriteInputTokens", Out: "outputTokens",
		Total: "totalTokens", Cached: "cacheReadInputTokens",
	},
	{ // Gemini
		At: "usageMetadata", In: "promptTokenCount", MoreIn: "toolUsePromptTokenCount", Out: "candidatesTokenCount",
		MoreOut: "thoughtsTokenCount", Total: "totalTokenCount", Cached: "cachedContentTokenCount", Reasoned: "thoughtsTokenCount",
	},
	{ // Gemini's interactions
		At: "usage interaction/usage metadata/total_usage", In: "total_input_tokens", MoreIn: "total_tool_use_tokens",
		Out: "total_output_tokens", MoreOut: "total_thought_tokens", Total: "total_tokens", Cached: "total_cached_tokens",
		Reasoned: "total_thought_tokens",
	},
	{At: ".", In: "prompt_eval_count", Out: "eval_count"},                                                   // Ollama
	{At: ".", In: "prompt_token_count", Out: "generation_token_count"},                                      // Llama on Bedrock
	{At: ".", In: "inputTextTokenCount", Out: "totalOutputTextTokenCount", MoreOut: "results/*/tokenCount"}, // Titan
	{ // any model on Bedrock, in the last piece of a stream
		At: "amazon-bedrock-invocationMetrics", In: "inputTokenCount", MoreIn: "cacheReadInputTokenCount cacheWriteInputTokenCount",
		Out: "outputTokenCount", Cached: "cacheReadInputTokenCount",
	},
}

const apart = "iterations/*/type=compaction|advisor_message/"

// counts are token counts of an answer, by spelling and path.
type counts []map[string]int64

// read takes the counts of one payload. Streams count up, so a later number takes the place
// of an earlier one.
func (c *counts) read(payload []byte, v *exactjson.Value) {
	if !bytes.Contains(payload, []byte("oken")) && !bytes.Contains(payload, []byte("eval_count")) {
		return
	}
	if *c == nil {
		*c = make(counts, len(spellings))
	}
	for i, s := range spellings {
		names := strings.Fields(strings.Join([]string{s.In, s.MoreIn, s.Out, s.MoreOut, s.Total, s.Cached, s.Reasoned}, " "))
		for _, place := range strings.Fields(s.At) {
			at(v, strings.TrimPrefix(place, "."), func(v *exactjson.Value) { (*c)[i] = take((*c)[i], v, names) })
		}
	}
}

// take takes what an object has of the named counts; those of one name in a list are a sum.
func take(seen map[string]int64, v *exactjson.Value, names []string) map[string]int64 {
	for _, name := range names {
		name = strings.TrimPrefix(name, "?")
		sum, found := int64(0), false
		at(v, name, func(v *exactjson.Value) {
			if n, err := strconv.ParseInt(v.Scalar(), 10, 64); err == nil && n >= 0 && v.Kind == exactjson.Number {
				sum, found = sum+n, true
			}
		})
		if found {
			if seen == nil {
				seen = map[string]int64{}
			}
			seen[name] = sum
		}
	}
	return seen
}

// usage returns what was used, or nil if the answer does not say. Embeddings and rerankers
// may have a total alone, which counts something else where no model answers.
func (c counts) usage(ofModel bool) *interaction.Usage {
	for _, aTotal := range []bool{false, true} {
		for i, seen := range c {
			if u := spellings[i].sum(seen, aTotal && ofModel); u != nil {
				return u
			}
		}
	}
	return nil
}

// sum adds up what is paid for.
func (s *spelling) sum(seen map[string]int64, aTotal bool) *interaction.Usage {
	first := func(names string) (int64, bool) {
		for name := range strings.FieldsSeq(names) {
			if n, ok := seen[name]; ok {
				return n, true
			}
		}
		return 0, false
	}
	in, hasIn := first(s.In)
	out, hasOut := first(s.Out)
	total, _ := first(s.Total)
	if !hasIn && !hasOut {
		if in = total; in == 0 || !aTotal {
			return nil
		}
	}
	add := func(to *int64, names string) {
		for name := range strings.FieldsSeq(names) {
			name, inside := strings.CutPrefix(name, "?")
			if n := seen[name]; total == 0 && !inside || in+out+n <= total {
				*to += n
			}
		}
	}
	add(&in, s.MoreIn)
	add(&out, s.MoreOut)
	if rest := total - in - out; rest > 0 {
		out += rest // what some gateways do not count, the model thought
	}
	u := &interaction.Usage{InputTokens: in, OutputTokens: out}
	u.CachedTokens, _ = first(s.Cached)
	u.ReasoningTokens, _ = first(s.Reasoned)
	return u
}
