package said

import (
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A spelling has the names of token counts in one family of APIs. at has the paths at which a
// response or an event has its counts ("." is the top). The other fields have paths below
// it. Paths are separated by spaces.
//
// Of in, out, total, cached and reasoned, the first path that has a number counts. The
// counts of moreIn and moreOut are added to in and out:
//
//	path   with a total                     without a total
//	x      if the sum is within the total   always
//	?x     if the sum is within the total   never, in and out include it
type spelling struct {
	at       string
	in       string
	moreIn   string
	out      string
	moreOut  string
	total    string
	cached   string // tokens of the input that were read from a cache
	reasoned string // tokens of the output that are reasoning
}

// eachPath calls f for each path of a count.
func (s *spelling) eachPath(f func(path string)) {
	lists := [...]string{s.in, s.moreIn, s.out, s.moreOut, s.total, s.cached, s.reasoned}
	for _, list := range lists {
		for path := range strings.FieldsSeq(list) {
			f(strings.TrimPrefix(path, "?"))
		}
	}
}

// iterations is the path of compactions and advice in the usage of Anthropic, whose tokens
// are not in its totals.
const iterations = "iterations/*/type=compaction|advisor_message/"

// spellings are all known spellings. The first one whose counts a response has is used.
var spellings = []spelling{
	{ // Cohere: billed units first, then the tokens that they stand for
		at:     "usage delta/usage meta response/meta",
		in:     "billed_units/input_tokens tokens/input_tokens",
		moreIn: "billed_units/image_tokens",
		out:    "billed_units/output_tokens tokens/output_tokens",
	},
	{ // OpenAI's chat and its imitations; Cloudflare has it below "result"
		at:      "usage x_groq/usage response/usage result/usage",
		in:      "prompt_tokens",
		moreIn:  "?prompt_tokens_details/audio_tokens", // Mistral does not include it
		out:     "completion_tokens",
		moreOut: "?completion_tokens_details/reasoning_tokens", // xAI does not include it
		total:   "total_tokens",
		cached: "prompt_tokens_details/cached_tokens prompt_cache_hit_tokens cached_tokens " +
			"cache_read_input_tokens",
		reasoned: "completion_tokens_details/reasoning_tokens reasoning_tokens",
	},
	{ // OpenAI's Responses, and Anthropic, whose input_tokens do not include the cache
		at: "usage message/usage response/usage result/usage",
		in: "input_tokens",
		moreIn: "cache_creation_input_tokens cache_read_input_tokens " +
			iterations + "input_tokens|cache_creation_input_tokens|cache_read_input_tokens",
		out:     "output_tokens",
		moreOut: iterations + "output_tokens ?output_tokens_details/reasoning_tokens",
		total:   "total_tokens",
		cached: "cache_read_input_tokens input_tokens_details/cached_tokens " +
			"input_token_details/cached_tokens", // Realtime
		reasoned: "output_tokens_details/reasoning_tokens|thinking_tokens",
	},
	{ // Bedrock's Converse
		at:     "usage metadata/usage",
		in:     "inputTokens",
		moreIn: "cacheReadInputTokens cacheWriteInputTokens",
		out:    "outputTokens",
		total:  "totalTokens",
		cached: "cacheReadInputTokens",
	},
	{ // Nova Sonic, whose counts are those of the session so far
		at:    "event/usageEvent",
		in:    "totalInputTokens",
		out:   "totalOutputTokens",
		total: "totalTokens",
	},
	{ // Gemini
		at:       "usageMetadata",
		in:       "promptTokenCount",
		moreIn:   "toolUsePromptTokenCount",
		out:      "candidatesTokenCount responseTokenCount", // the latter in a session
		moreOut:  "thoughtsTokenCount",
		total:    "totalTokenCount",
		cached:   "cachedContentTokenCount",
		reasoned: "thoughtsTokenCount",
	},
	{ // Gemini's interactions
		at:       "usage interaction/usage metadata/total_usage",
		in:       "total_input_tokens",
		moreIn:   "total_tool_use_tokens",
		out:      "total_output_tokens",
		moreOut:  "total_thought_tokens",
		total:    "total_tokens",
		cached:   "total_cached_tokens",
		reasoned: "total_thought_tokens",
	},
	{at: ".", in: "prompt_eval_count", out: "eval_count"},              // Ollama
	{at: ".", in: "prompt_token_count", out: "generation_token_count"}, // Llama on Bedrock
	{ // Titan on Bedrock
		at:      ".",
		in:      "inputTextTokenCount",
		out:     "totalOutputTextTokenCount",
		moreOut: "results/*/tokenCount",
	},
	{ // any model on Bedrock, in the last event of a stream
		at:     "amazon-bedrock-invocationMetrics",
		in:     "inputTokenCount",
		moreIn: "cacheReadInputTokenCount cacheWriteInputTokenCount",
		out:    "outputTokenCount",
		cached: "cacheReadInputTokenCount",
	},
}

// counts are the token counts of a response.
type counts map[count]int64

// A count is a path of the spelling with this index.
type count struct {
	spelling int
	path     string
}

// add adds the counts of one payload. The counts of a stream grow, so a later number
// replaces an earlier one.
func (c counts) add(payload string, v *exactjson.Value) {
	// Every path in spellings has "token", "Token" or "eval_count" in it.
	mayHaveCounts := strings.Contains(payload, "oken") || strings.Contains(payload, "eval_count")
	if !mayHaveCounts {
		return
	}
	for i, s := range spellings {
		for at := range strings.FieldsSeq(s.at) {
			if at == "." {
				at = "" // the path of v itself
			}
			v.Each(at, func(v *exactjson.Value) {
				s.eachPath(func(path string) { c.take(count{spelling: i, path: path}, v) })
			})
		}
	}
}

// take takes the sum of the numbers at a path, if there are any: there can be several in
// a list.
func (c counts) take(from count, v *exactjson.Value) {
	sum := int64(0)
	found := false
	v.Each(from.path, func(v *exactjson.Value) {
		if n, ok := tokens(v); ok {
			sum += n
			found = true
		}
	})
	if found {
		c[from] = sum
	}
}

// tokens returns a value as a number of tokens.
func tokens(v *exactjson.Value) (n int64, ok bool) {
	const most = 1 << 50 // so that sums do not overflow
	if v.Kind != exactjson.Number {
		return 0, false
	}
	n, err := strconv.ParseInt(v.Scalar(), 10, 64)
	isCount := err == nil && n >= 0 && n < most
	return n, isCount
}

// usage returns the usage by the first spelling with counts, or nil if there is none. The
// embeddings and rerankings of some APIs have a total only. In the response of an API that
// is not a model's, a total counts something else, and is not used.
func (c counts) usage(isModelAPI bool) *interaction.Usage {
	for i := range spellings {
		if c.hasInOrOut(i) {
			return c.sum(i)
		}
	}
	if !isModelAPI {
		return nil
	}
	for i, s := range spellings {
		if total, _ := c.first(i, s.total); total != 0 {
			return c.sum(i)
		}
	}
	return nil
}

// hasInOrOut reports whether a response counts its input or its output in a spelling.
func (c counts) hasInOrOut(spelling int) bool {
	_, hasIn := c.first(spelling, spellings[spelling].in)
	_, hasOut := c.first(spelling, spellings[spelling].out)
	return hasIn || hasOut
}

// first returns the count at the first of the paths that has one.
func (c counts) first(spelling int, paths string) (n int64, ok bool) {
	for path := range strings.FieldsSeq(paths) {
		if n, ok := c[count{spelling, path}]; ok {
			return n, true
		}
	}
	return 0, false
}

// sum returns the usage by one spelling. Without counts of input and output, the total is
// the input.
func (c counts) sum(spelling int) *interaction.Usage {
	s := spellings[spelling]
	in, _ := c.first(spelling, s.in)
	out, _ := c.first(spelling, s.out)
	total, _ := c.first(spelling, s.total)
	if !c.hasInOrOut(spelling) {
		in = total
	}

	// isAdded is the table at [spelling]. A path with "?" may be included in the
	// input or output already.
	isAdded := func(n int64, mayBeIncluded bool) bool {
		if total == 0 && !mayBeIncluded {
			return true
		}
		return in+out+n <= total
	}
	add := func(to *int64, paths string) {
		for path := range strings.FieldsSeq(paths) {
			path, mayBeIncluded := strings.CutPrefix(path, "?")
			n := c[count{spelling, path}]
			if isAdded(n, mayBeIncluded) {
				*to += n
			}
		}
	}
	add(&in, s.moreIn)
	add(&out, s.moreOut)

	// Some gateways leave reasoning out of the output, but not out of the total.
	out += max(total-in-out, 0)

	u := &interaction.Usage{InputTokens: in, OutputTokens: out}
	u.CachedTokens, _ = c.first(spelling, s.cached)
	u.ReasoningTokens, _ = c.first(spelling, s.reasoned)
	return u
}
