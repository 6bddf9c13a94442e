package fakeprovider

import (
	"cmp"
	"slices"
	"strconv"
)

// block is a content block of an answer, as Anthropic and Bedrock have them.
type block struct {
	kind   string   // text, thinking, tool_use or image
	text   string   // of a text or of thinking
	pieces []string // of the text in a stream
	call   Call
	media  *Media // of an image
}

// signature stands for what a real one signs its thinking with.
const signature = "c3RhbmQtaW4tc2lnbmF0dXJl"

// replyBlocks returns the content blocks of a reply. A call without an ID gets one
// that begins with prefix.
//
// An answer without any content has an empty text, unless an error ends its stream.
func replyBlocks(r Reply, prefix string) []block {
	var blocks []block
	if r.Reasoning != "" {
		pieces := r.reasoningPieces()
		blocks = append(blocks, block{kind: "thinking", text: r.Reasoning, pieces: pieces})
	}

	hasText := r.Text != "" || r.Refusal != ""
	hasMore := r.Reasoning != "" || len(r.Calls) > 0 || r.Media != nil
	isEmpty := !hasText && !hasMore
	if hasText || isEmpty && r.Broken == nil {
		pieces := slices.Concat(r.pieces(), r.refusalPieces())
		blocks = append(blocks, block{kind: "text", text: r.Text + r.Refusal, pieces: pieces})
	}

	for i, call := range r.Calls {
		call.ID = cmp.Or(call.ID, prefix+strconv.Itoa(i))
		call.Args = cmp.Or(call.Args, "{}")
		blocks = append(blocks, block{kind: "tool_use", pieces: fragments(call.Args), call: call})
	}
	return blocks
}

// uncached returns the number of input tokens without those of the cache, as
// Anthropic and Bedrock count them.
func uncached(u Usage) int { return max(0, u.Input-u.Cached) }
