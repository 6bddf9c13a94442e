package conversation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// A protocol is a language in which a process and its client speak, in lines of JSON. The rows
// say which messages have a form for people. All others are shown as JSON.
type protocol struct {
	name string // the kind of the exchange
	peer string // what the process is: a server or an agent

	// isOwn reports whether a message shows that the session has this protocol.
	isOwn func(v *exactjson.Value) bool

	// parse returns what a message is.
	parse func(r *reader, v *exactjson.Value) parsed

	// callsAreTurns says that each request of the client is a turn. Else the rows say which are.
	callsAreTurns bool

	rows    []row // for requests, notifications and events
	answers []row // for the answers to requests, by the kind of the request
}

// A kind is what a message says that it is. The detail is "" for a message without one.
type kind struct {
	name   string // the method, or the type: "session/update", "control_request"
	detail string // "plan", "can_use_tool"
}

// String returns the kind for people.
func (k kind) String() string { return strings.TrimSpace(k.name + " " + k.detail) }

// A row says how one kind of message is read. A row without a detail is for each detail that has
// no row of its own.
type row struct {
	name, detail string // see kind

	// read returns the parts of a message. v is the content that parse has returned.
	read func(r *reader, v *exactjson.Value) []Part
}

// A parsed message is what a protocol says about a message before its content is read.
type parsed struct {
	kind         kind             // of an answer, that of the request
	title        string           // for people: the kind, and the target of a call
	content      *exactjson.Value // without what links messages; nil if there is none
	conversation string           // the ID of the conversation; "" if the message has none

	requestID string   // of a request that wants an answer
	answered  *request // the request that the message answers, if that is known
	failed    bool     // the message is an error that answers a request

	parts []Part // how the message reads without a row; nil for its content as JSON
}

// A request is a message that wants an answer.
type request struct {
	number       int // of the message
	parsed       parsed
	conversation string
	turn         *Turn // that it began
}

// A reader reads the messages of a session in order.
type reader struct {
	protocol *protocol
	session  *Session

	// The message that is being read.
	message      *SessionMessage
	conversation string
	answered     *request // the request that it answers, if that is known

	requests map[string]*request // those without an answer yet, see requestKey
	turns    map[string]*Turn    // the turn that is under way, by the ID of its conversation
	uses     map[string]*ToolUse // see useKey
	lastText string              // the last text of the agent
}

func newReader(p *protocol, s *Session) *reader {
	return &reader{
		protocol: p,
		session:  s,
		requests: map[string]*request{},
		turns:    map[string]*Turn{},
		uses:     map[string]*ToolUse{},
	}
}

// read reads a message, or a batch of messages of JSON-RPC.
func (r *reader) read(m *SessionMessage, v *exactjson.Value) {
	r.message = m
	m.Body = ""
	if v.Kind != exactjson.Array {
		m.Title, m.Parts = r.readOne(v)
		m.setJoinedText()
		return
	}
	var titles []string
	for i := range v.Elems {
		title, parts := r.readOne(&v.Elems[i])
		titles = append(titles, title)
		m.Parts = append(m.Parts, parts...)
	}
	m.Title = "batch: " + strings.Join(titles, ", ")
}

// setJoinedText puts the text that several messages brought in pieces in the place of the first
// piece.
func (m *SessionMessage) setJoinedText() {
	if m.Text != "" && len(m.Parts) == 1 {
		m.Parts[0].Text = m.Text
	}
}

// readOne reads one message. It returns its title and its parts.
func (r *reader) readOne(v *exactjson.Value) (title string, parts []Part) {
	p := r.protocol.parse(r, v)
	r.answered = p.answered
	r.setConversation(&p)
	before := len(r.session.Turns)
	parts = r.readContent(&p)
	isCall := r.protocol.callsAreTurns && r.message.Sent && p.requestID != ""
	if isCall {
		r.beginCall(&p)
	}

	var begun *Turn
	if len(r.session.Turns) > before {
		begun = r.session.Turns[before]
	}
	if p.requestID != "" {
		key := r.requestKey(r.message.Sent, p.requestID)
		r.requests[key] = &request{r.message.Number, p, r.conversation, begun}
	}
	if r.answered != nil {
		r.endRequest(&p)
	}
	title = p.title
	if p.failed || p.isFailedResult() {
		title += " (failed)"
	}
	return title, parts
}

// isFailedResult reports whether a message is the result of a tool of MCP that failed.
func (p *parsed) isFailedResult() bool {
	return p.answered != nil && compact(p.content.Member("isError")) == "true"
}

// setConversation sets the conversation to which a message belongs: the one that it names, or else
// that of the request that it answers, or else that of the message before it.
func (r *reader) setConversation(p *parsed) {
	switch {
	case p.conversation != "":
		r.conversation = p.conversation
		r.message.Conversation = p.conversation
	case p.answered != nil:
		r.conversation = p.answered.conversation
		r.message.Conversation = p.answered.parsed.conversation
	}
}

// readContent returns the parts of a message: by its row, or else its content as JSON.
func (r *reader) readContent(p *parsed) []Part {
	rows := r.protocol.rows
	if p.answered != nil {
		rows = r.protocol.answers
	}
	row := rowFor(rows, p.kind)
	switch {
	case row != nil && !p.failed:
		return row.read(r, p.content)
	case p.parts != nil:
		return p.parts
	}
	return jsonPart(p.content)
}

// rowFor returns the row for a kind of message; nil if there is none.
func rowFor(rows []row, k kind) *row {
	for _, detail := range []string{k.detail, ""} {
		i := slices.IndexFunc(rows, func(row row) bool {
			return row.name == k.name && row.detail == detail
		})
		if i >= 0 {
			return &rows[i]
		}
	}
	return nil
}

// requestKey returns the key of a request by a side.
func (r *reader) requestKey(sent bool, id string) string {
	if sent {
		return "sent " + id
	}
	return "received " + id
}

// requestFor returns the request that the current message answers by its ID, and forgets it.
func (r *reader) requestFor(id string) *request {
	key := r.requestKey(!r.message.Sent, id)
	asked := r.requests[key]
	delete(r.requests, key)
	return asked
}

// setAnswered notes that a message answers a request, or one that is not known.
func (p *parsed) setAnswered(asked *request) {
	p.answered = asked
	p.title = "answer"
	if asked != nil {
		p.kind = asked.parsed.kind
		p.title = answerTitle(asked)
	}
}

// answerTitle returns the title of the answer to a request: "answer to 4: tools/call".
func answerTitle(asked *request) string {
	return fmt.Sprintf("answer to %d: %s", asked.number, asked.parsed.kind)
}

// beginCall begins a turn that is the call of a server.
func (r *reader) beginCall(p *parsed) {
	turn := &Turn{First: r.message.Number, Call: methodCall(p)}
	r.session.Turns = append(r.session.Turns, turn)
}

// methodCall returns the call that a request is.
func methodCall(p *parsed) *MethodCall {
	c := &MethodCall{Method: p.kind.name, Target: textOf(p.content, "name", "uri")}
	if c.Method == "tools/call" {
		c.Args = "{}"
		if args := p.content.Member("arguments"); args != nil {
			c.Args = compact(args)
		}
	}
	return c
}

// endRequest ends the turn of a request that has its answer, if the answer ends it: that of a
// server does, and an error does.
func (r *reader) endRequest(p *parsed) {
	turn := r.answered.turn
	if turn == nil {
		return
	}
	if turn.Call != nil {
		turn.Last = r.message.Number
		turn.Failed = p.failed || p.isFailedResult()
		return
	}
	if p.failed {
		turn.Last = r.message.Number
		turn.Failed = true
		delete(r.turns, r.conversation)
	}
}

// begin begins a turn of an agent. A prompt to an agent that is still at work belongs to the turn
// that is under way.
func (r *reader) begin() *Turn {
	turn := r.turns[r.conversation]
	if turn == nil {
		turn = &Turn{First: r.message.Number}
		r.turns[r.conversation] = turn
		r.session.Turns = append(r.session.Turns, turn)
	}
	return turn
}

// end ends the turn that is under way.
func (r *reader) end(finish string, failed bool) {
	turn := r.begin() // a prompt in the arguments of the command has no message
	turn.Last = r.message.Number
	turn.Finish = finish
	turn.Failed = failed
	delete(r.turns, r.conversation)
}

// noteID notes an ID with which a client can resume a conversation later.
func (r *reader) noteID(id string) {
	if id != "" && !slices.Contains(r.session.IDs, id) {
		r.session.IDs = append(r.session.IDs, id)
	}
}

// useKey returns the key of a tool use. Conversations of one agent may count their IDs from 1.
func (r *reader) useKey(id string) string { return r.conversation + "\n" + id }

// use notes that the agent uses a tool. It returns the earlier use with this ID, if there is one,
// and reports whether the use is new. A use outside of a turn is in none: an agent of ACP that loads
// an earlier session reports what it did then.
func (r *reader) use(id, name, args string) (u *ToolUse, isNew bool) {
	u = r.uses[r.useKey(id)]
	if u != nil {
		return u, false
	}
	u = &ToolUse{Name: name, Args: args}
	r.uses[r.useKey(id)] = u
	turn := r.turns[r.conversation]
	if turn != nil {
		turn.Tools = append(turn.Tools, u)
	}
	return u, true
}

// setOutcome notes how the use of a tool ended. What the client has denied stays denied: the
// agent reports an error for it.
func (r *reader) setOutcome(id string, outcome Outcome) {
	u := r.uses[r.useKey(id)]
	if u != nil && u.Outcome != Denied {
		u.Outcome = outcome
	}
}

// toolTitle returns the name for people of the tool with this use.
func (r *reader) toolTitle(id string) string {
	u := r.uses[r.useKey(id)]
	switch {
	case u == nil:
		return ""
	case u.title != "":
		return u.title
	}
	return u.Name
}

// outcomeOf returns the outcome of a tool that has come to its end.
func outcomeOf(failed bool) Outcome {
	if failed {
		return ToolFailed
	}
	return Ran
}

// textParts returns a text as the parts of a message; nil for "".
func textParts(kind, text string) []Part {
	if text == "" {
		return nil
	}
	return []Part{{Kind: kind, Text: text}}
}

// jsonPart returns a value as the parts of a message; nil for an empty one. Long base64 is
// replaced by its size.
func jsonPart(v *exactjson.Value) []Part {
	isEmpty := v == nil || v.Kind == exactjson.Null || v.Kind == exactjson.Object && len(v.Elems) == 0
	if isEmpty {
		return nil
	}
	text := compact(v)
	copied, err := exactjson.Parse(text)
	if err == nil {
		shortenBase64(&copied)
		text = compact(&copied)
	}
	return []Part{{Kind: Other, Text: text}}
}

// at returns the value at a path of names of members, such as "params/update", or nil.
func at(v *exactjson.Value, path string) *exactjson.Value {
	for name := range strings.SplitSeq(path, "/") {
		v = v.Member(name)
	}
	return v
}

// textAt returns the text at the first of these paths that leads to one, or "".
func textAt(v *exactjson.Value, paths ...string) string {
	for _, path := range paths {
		found := at(v, path)
		if found != nil && found.Kind == exactjson.String {
			return found.Text
		}
	}
	return ""
}
