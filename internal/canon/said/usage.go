package said

import (
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A spelling tells how some vendors call token counts, by paths with a space between them.
// Of in, out, cached and reasoned the first that is there counts. Each of moreIn and moreOut is
// added, as long as that is not more than the total: some servers count it in already. What has
// a question mark is counted in, unless the total says otherwise.
type spelling struct {
	at               string // where an answer or an event has the counts, "." for its top
	in, moreIn       string
	out, moreOut     string
	total            string
	cached, reasoned string // what of in was read from a cache, and what of out was thought
}

const apart = "iterations/*/type=compaction|advisor_message/"

// spellings are what is known. The first whose counts are there is believed.
var spellings = [...]spelling{
	// Cohere bills by units, and says beside that how many tokens these are.
	{"usage delta/usage meta response/meta", "billed_units/input_tokens tokens/input_tokens", "billed_units/image_tokens",
		"billed_units/output_tokens tokens/output_tokens", "", "", "", ""},
	// OpenAI's chat, and all that speak it; Cloudflare has it below "result". xAI counts reasoning apart, and Mistral sound.
	{"usage x_groq/usage response/usage result/usage", "prompt_tokens", "?prompt_tokens_details/audio_tokens", "completion_tokens", "?completion_tokens_details/reasoning_tokens",
		"total_tokens", "prompt_tokens_details/cached_tokens prompt_cache_hit_tokens cached_tokens cache_read_input_tokens",
		"completion_tokens_details/reasoning_tokens reasoning_tokens"},
	// OpenAI's Responses, and Anthropic, which counts the cache, compactions and advice apart.
	{"usage message/usage response/usage result/usage", "input_tokens",
		"cache_creation_input_tokens cache_read_input_tokens " + apart + "input_tokens|cache_creation_input_tokens|cache_read_input_tokens",
		"output_tokens", apart + "output_tokens ?output_tokens_details/reasoning_tokens", "total_tokens",
		"cache_read_input_tokens input_tokens_details/cached_tokens", "output_tokens_details/reasoning_tokens|thinking_tokens"},
	// Bedrock's Converse, Gemini, and Gemini's interactions.
	{"usage metadata/usage", "inputTokens", "cacheReadInputTokens cacheWriteInputTokens", "outputTokens", "", "totalTokens", "cacheReadInputTokens", ""},
	{"usageMetadata", "promptTokenCount", "toolUsePromptTokenCount", "candidatesTokenCount", "thoughtsTokenCount", "totalTokenCount",
		"cachedContentTokenCount", "thoughtsTokenCount"},
	{"usage interaction/usage metadata/total_usage", "total_input_tokens", "total_tool_use_tokens", "total_output_tokens", "total_thought_tokens",
		"total_tokens", "total_cached_tokens", "total_thought_tokens"},
	// Ollama; Llama, Titan, and any model on Bedrock in the last piece of a stream.
	{".", "prompt_eval_count", "", "eval_count", "", "", "", ""},
	{".", "prompt_token_count", "", "generation_token_count", "", "", "", ""},
	{".", "inputTextTokenCount", "", "totalOutputTextTokenCount", "results/*/tokenCount", "", "", ""},
	{"amazon-bedrock-invocationMetrics", "inputTokenCount", "cacheReadInputTokenCount cacheWriteInputTokenCount", "outputTokenCount", "", "",
		"cacheReadInputTokenCount", ""},
}

// counts are the token counts of an answer, by the index of a spelling and a path.
type counts map[count]int64

type count struct {
	spelling int
	path     string
}

// read takes the counts of one payload. Streams count up, so a later number takes the place
// of an earlier one; those at one path in a list are a sum.
func (c counts) read(payload string, v *exactjson.Value) {
	if !strings.Contains(payload, "oken") && !strings.Contains(payload, "eval_count") {
		return
	}
	for i, s := range spellings {
		for place := range strings.FieldsSeq(s.at) {
			v.Each(strings.TrimPrefix(place, "."), func(v *exactjson.Value) {
				for _, paths := range [...]string{s.in, s.moreIn, s.out, s.moreOut, s.total, s.cached, s.reasoned} {
					for path := range strings.FieldsSeq(paths) {
						c.take(count{i, strings.TrimPrefix(path, "?")}, v)
					}
				}
			})
		}
	}
}

// take takes the sum of what is at a path, if there is a number.
func (c counts) take(from count, v *exactjson.Value) {
	sum := int64(-1)
	v.Each(from.path, func(v *exactjson.Value) {
		if n, err := strconv.ParseInt(v.Scalar(), 10, 64); err == nil && n >= 0 && n < 1<<50 && v.Kind == exactjson.Number {
			sum = max(sum, 0) + n
		}
	})
	if sum >= 0 {
		c[from] = sum
	}
}

// usage returns what was used, or nil if the answer does not say. Embeddings and rerankers
// may have a total alone, which counts something else where no model answers.
func (c counts) usage(ofModel bool) *interaction.Usage {
	var total *interaction.Usage
	for i := range spellings {
		switch u, alone := c.sum(i); {
		case u == nil:
		case !alone:
			return u
		case total == nil && ofModel:
			total = u
		}
	}
	return total
}

// sum adds up what is paid for, and says whether that is a total alone.
func (c counts) sum(i int) (u *interaction.Usage, alone bool) {
	s := spellings[i]
	first := func(paths string) (int64, bool) {
		for path := range strings.FieldsSeq(paths) {
			if n, ok := c[count{i, path}]; ok {
				return n, true
			}
		}
		return 0, false
	}
	in, hasIn := first(s.in)
	out, hasOut := first(s.out)
	total, _ := first(s.total)
	if alone = !hasIn && !hasOut; alone && total == 0 {
		return nil, alone
	} else if alone {
		in = total
	}
	add := func(to *int64, paths string) {
		for path := range strings.FieldsSeq(paths) {
			path, inside := strings.CutPrefix(path, "?")
			if n := c[count{i, path}]; total == 0 && !inside || in+out+n <= total {
				*to += n
			}
		}
	}
	add(&in, s.moreIn)
	add(&out, s.moreOut)
	out += max(total-in-out, 0) // what some gateways do not count, the model thought
	u = &interaction.Usage{InputTokens: in, OutputTokens: out}
	u.CachedTokens, _ = first(s.cached)
	u.ReasoningTokens, _ = first(s.reasoned)
	return u, alone
}
