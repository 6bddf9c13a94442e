package fakeprovider

import (
	"encoding/base64"
	"fmt"
	"strings"
)

func writeGemini(c *call, _ prompt, replies []Reply) *answer {
	model, _ := googleModel(c)
	g := newGeminiAnswer(c, model, replies)
	if !strings.HasSuffix(c.path, ":streamGenerateContent") {
		return googleBody(g.whole())
	}
	chunks := g.chunks()
	if c.query.Get("alt") == "sse" {
		return &answer{kind: "text/event-stream", events: geminiEvents(chunks)}
	}
	return &answer{kind: googleJSON, events: geminiArray(chunks)}
}

// geminiEvents is the chunks as server-sent events, as Gemini spells them.
func geminiEvents(chunks []object) [][]byte {
	var events [][]byte
	for _, o := range chunks {
		events = append(events, append(append([]byte("data: "), spaced(encode(o))...), "\r\n\r\n"...))
	}
	return events
}

// geminiArray is the chunks as the elements of one array.
func geminiArray(chunks []object) [][]byte {
	var events [][]byte
	before := "["
	for _, o := range chunks {
		events = append(events, append([]byte(before), pretty(o, "  ")...))
		before = "\n,\r\n"
	}
	return append(events, []byte("\n]\n"))
}

// spaced writes compact JSON with a blank after every colon.
func spaced(data []byte) []byte {
	var out []byte
	quoted, escaped := false, false
	for _, b := range data {
		out = append(out, b)
		switch {
		case escaped:
			escaped = false
		case b == '\\':
			escaped = true
		case b == '"':
			quoted = !quoted
		case b == ':' && !quoted:
			out = append(out, ' ')
		}
	}
	return out
}

// geminiFinish are Gemini's finish reasons. A model that refuses says so in the
// text; clients tell it by the reason SAFETY.
var geminiFinish = map[string]string{
	FinishStop:     "STOP",
	FinishLength:   "MAX_TOKENS",
	FinishSequence: "STOP",
	FinishCalls:    "STOP",
	FinishFilter:   "SAFETY",
	FinishRefusal:  "SAFETY",
}

// geminiBlocks are the reasons for which Gemini blocks a prompt
// (https://ai.google.dev/api/generate-content#BlockReason).
var geminiBlocks = map[string]bool{
	"SAFETY":             true,
	"OTHER":              true,
	"BLOCKLIST":          true,
	"PROHIBITED_CONTENT": true,
	"IMAGE_SAFETY":       true,
	"MODEL_ARMOR":        true,
	"JAILBREAK":          true,
}

// geminiBlocked reports whether a reply stands for a prompt that is blocked: it
// has no content, and its finish reason is a reason to block, spelled as Gemini
// does. FinishFilter is not one: there the answer is withheld, not the prompt.
func geminiBlocked(r Reply) bool {
	return geminiBlocks[r.Finish] && r.Broken == nil && len(geminiPieces(r)) == 0
}

// geminiPiece is a part of an answer, which a stream sends in a chunk of its own.
type geminiPiece struct {
	part    object
	thought bool
}

// geminiPieces returns the parts of a reply as a stream sends them.
func geminiPieces(r Reply) []geminiPiece {
	var pieces []geminiPiece
	for _, text := range r.reasoningPieces() {
		pieces = append(pieces, geminiPiece{part: geminiThought(text), thought: true})
	}
	for _, text := range r.pieces() {
		pieces = append(pieces, geminiPiece{part: object{{"text", text}}})
	}
	for _, part := range geminiRest(r) {
		pieces = append(pieces, geminiPiece{part: part})
	}
	return pieces
}

// geminiParts returns the parts of a reply in one response. A complete answer
// without content has an empty text, one that is withheld has no parts.
func geminiParts(r Reply, reason string) []object {
	var parts []object
	if r.Reasoning != "" {
		parts = append(parts, geminiThought(r.Reasoning))
	}
	if r.Text != "" {
		parts = append(parts, object{{"text", r.Text}})
	}
	parts = append(parts, geminiRest(r)...)
	if parts == nil && geminiComplete(reason) {
		parts = []object{{{"text", ""}}}
	}
	return parts
}

// geminiComplete reports whether an answer with this finish reason was not
// withheld.
func geminiComplete(reason string) bool { return reason == "STOP" || reason == "MAX_TOKENS" }

func geminiThought(text string) object { return object{{"text", text}, {"thought", true}} }

// geminiRest returns the parts that follow the text: a picture or sound, and the
// calls. Gemini gives calls an ID only sometimes: a call has one if the reply has.
func geminiRest(r Reply) []object {
	var parts []object
	if m := r.Media; m != nil {
		data := base64.StdEncoding.EncodeToString(m.Data)
		parts = append(parts, object{{"inlineData", object{{"mimeType", m.Type}, {"data", data}}}})
	}
	for _, t := range r.Calls {
		call := object{{"name", t.Name}, {"args", argsObject(t)}}
		if t.ID != "" {
			call = append(object{{"id", t.ID}}, call...)
		}
		parts = append(parts, object{{"functionCall", call}})
	}
	return parts
}

// geminiCandidate is choice i. It has no content without parts, and no finish
// reason while it goes on.
func geminiCandidate(i int, parts []object, reason string) object {
	var o object
	if parts != nil {
		o = append(o, field{"content", object{{"parts", parts}, {"role", "model"}}})
	}
	if reason != "" {
		o = append(o, field{"finishReason", reason})
	}
	return append(o, field{"index", i})
}

// geminiAnswer spells replies.
type geminiAnswer struct {
	c       *call
	model   string
	replies []Reply
}

func newGeminiAnswer(c *call, model string, replies []Reply) *geminiAnswer {
	g := &geminiAnswer{c: c, model: model}
	for _, r := range replies {
		g.replies = append(g.replies, refusalAsText(r))
	}
	return g
}

// whole is the answer in one response.
func (g *geminiAnswer) whole() object {
	if geminiBlocked(g.replies[0]) {
		return g.blocked()
	}
	var candidates []object
	var used geminiUsed
	for i, r := range g.replies {
		reason := finish(r.Finish, geminiFinish)
		candidates = append(candidates, geminiCandidate(i, geminiParts(r, reason), reason))
		used = used.plus(usedBy(r))
	}
	return g.response(candidates, used)
}

// blocked is the response to a prompt that is blocked. It has no candidates.
func (g *geminiAnswer) blocked() object {
	in := g.replies[0].Usage.Input
	return append(object{
		{"promptFeedback", object{{"blockReason", g.replies[0].Finish}}},
		{"usageMetadata", object{
			{"promptTokenCount", in},
			{"totalTokenCount", in},
			{"promptTokensDetails", textTokens(in)},
		}},
	}, g.about()...)
}

// geminiUsed has the numbers of output tokens of an answer, or of a stream so far.
type geminiUsed struct{ thoughts, rest int }

func usedBy(r Reply) geminiUsed {
	thoughts := min(r.Usage.Reasoning, r.Usage.Output)
	return geminiUsed{thoughts: thoughts, rest: r.Usage.Output - thoughts}
}

func (u geminiUsed) plus(v geminiUsed) geminiUsed {
	return geminiUsed{thoughts: u.thoughts + v.thoughts, rest: u.rest + v.rest}
}

func (g *geminiAnswer) response(candidates []object, used geminiUsed) object {
	return append(object{
		{"candidates", candidates},
		{"usageMetadata", g.usage(used)},
	}, g.about()...)
}

func (g *geminiAnswer) usage(used geminiUsed) object {
	u := g.replies[0].Usage
	o := object{
		{"promptTokenCount", u.Input},
		{"candidatesTokenCount", used.rest},
		{"totalTokenCount", u.Input + used.rest + used.thoughts},
	}
	if u.Cached > 0 {
		o = append(o, field{"cachedContentTokenCount", u.Cached})
	}
	o = append(o, field{"promptTokensDetails", textTokens(u.Input)})
	if used.thoughts > 0 {
		o = append(o, field{"thoughtsTokenCount", used.thoughts})
	}
	return o
}

// about is what each response says of itself.
func (g *geminiAnswer) about() object {
	return object{
		{"modelVersion", g.model},
		{"responseId", fmt.Sprintf("standin%06d", g.c.n)},
	}
}

// textTokens is the detail of a number of tokens, all of them of text.
func textTokens(n int) []object {
	return []object{{{"modality", "TEXT"}, {"tokenCount", n}}}
}

// chunks is the pieces of a stream. The last chunk of each candidate says why it
// ends, or an error ends them all.
func (g *geminiAnswer) chunks() []object {
	if geminiBlocked(g.replies[0]) {
		return []object{g.blocked()}
	}
	var chunks []object
	var before geminiUsed // by the earlier candidates
	for i, r := range g.replies {
		chunks = append(chunks, g.candidateChunks(i, r, before)...)
		before = before.plus(usedBy(r))
	}
	if broken := g.replies[0].Broken; broken != nil {
		chunks = append(chunks, googleError(*broken))
	}
	return chunks
}

// candidateChunks is the chunks of choice i, whose tokens are counted after those
// of the choices before it. Each piece counts as a token until the last.
func (g *geminiAnswer) candidateChunks(i int, r Reply, before geminiUsed) []object {
	reason := finish(r.Finish, geminiFinish)
	if r.Broken != nil {
		reason = ""
	}
	pieces := geminiPieces(r)
	if pieces == nil && r.Broken == nil {
		only := geminiCandidate(i, geminiParts(r, reason), reason)
		return []object{g.response([]object{only}, before.plus(usedBy(r)))}
	}
	var chunks []object
	var sent geminiUsed
	all := usedBy(r)
	for k, p := range pieces {
		ends := ""
		if p.thought {
			sent.thoughts = min(sent.thoughts+1, all.thoughts)
		} else {
			sent.rest = min(sent.rest+1, all.rest)
		}
		if k == len(pieces)-1 {
			sent = all
			ends = reason
		}
		candidate := geminiCandidate(i, []object{p.part}, ends)
		chunks = append(chunks, g.response([]object{candidate}, before.plus(sent)))
	}
	return chunks
}
