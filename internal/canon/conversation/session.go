package conversation

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A Session is the conversation in messages of a response that is one; see
// [interaction.Response.IsSession].
type Session struct {
	Sent     int              `json:"sent"`     // the number of messages of the client
	Received int              `json:"received"` // and of the server
	Ended    string           `json:"ended"`    // how it ended, in words
	Messages []SessionMessage `json:"messages"` // with the closes

	// What follows is only of sessions with processes.

	Peer    string   `json:"peer,omitempty"`        // what the process is: server, agent or process
	Turns   []*Turn  `json:"turns,omitempty"`       // prompts and calls, in the order in which they were sent
	IDs     []string `json:"session_ids,omitempty"` // with which a client can resume the conversations
	Model   string   `json:"model,omitempty"`       // that the agent asks, if it says so
	CostUSD string   `json:"cost_usd,omitempty"`    // as the agent has last reported it
}

// A SessionMessage is one message of a session, or several consecutive ones of one side that
// are the pieces of one text or sound.
type SessionMessage struct {
	Number  int   `json:"number"` // of the first message in the session, from 1
	Count   int   `json:"count"`
	Line    int   `json:"line,omitempty"` // of the first message in its file; 0 if unknown
	Sent    bool  `json:"sent"`           // by the client; else by the server
	FirstMS int64 `json:"first_ms"`       // when the first message came, after the request
	LastMS  int64 `json:"last_ms"`        // when the last one came

	// Type is what the message says that it is: its type, or the name of its first member.
	Type string `json:"type,omitempty"`

	// Title is what the message is, of a session with a process: "tools/call search({...})",
	// "answer to 4: tools/call". It is in the place of Type for people.
	Title string `json:"title,omitempty"`

	// Conversation is the ID of the conversation of an agent; "" if the message names none.
	Conversation string `json:"session_id,omitempty"`

	// Parts are the content of a message in a protocol that is known. Such a message has no Body.
	Parts []Part `json:"parts,omitempty"`

	// One of these is set. In JSON, a size is in the place of bytes in base64.
	Text   string  `json:"text,omitempty"`   // pieces of a text, joined
	Body   string  `json:"body,omitempty"`   // any other text or JSON
	Bytes  int64   `json:"bytes,omitempty"`  // the size of a sound or of a binary message
	Closed *string `json:"closed,omitempty"` // the code and the reason of a close

	// SHA256 has the first 16 hex digits of the digest of Bytes bytes.
	SHA256 string `json:"sha256,omitempty"`

	folding string   // equal for messages that are pieces of one text or sound; "" for any other
	isSound bool     // folding is of a sound
	pieces  []string // of that text, or of the sound in base64, until all are read
}

// Last returns the number of the last message.
func (m *SessionMessage) Last() int { return m.Number + m.Count - 1 }

// ReadSession returns the session that a response is, or nil if it is none. came are the
// milliseconds at which its events came.
func ReadSession(resp *interaction.Response, came []int64) *Session {
	if !resp.IsSession() {
		return nil
	}
	s := &Session{}
	for i, event := range resp.Events {
		m := readEvent(event)
		m.Number = i + 1
		m.Count = 1
		if i < len(came) {
			m.FirstMS = came[i]
			m.LastMS = came[i]
		}
		s.add(m)
	}
	for i := range s.Messages {
		s.Messages[i].joinPieces()
	}
	s.Ended = s.endOf(resp)
	return s
}

// add adds a message, or joins it to the last one.
func (s *Session) add(m SessionMessage) {
	switch {
	case m.Closed != nil:
	case m.Sent:
		s.Sent++
	default:
		s.Received++
	}
	if m.folding != "" && len(s.Messages) > 0 {
		last := &s.Messages[len(s.Messages)-1]
		if last.Sent == m.Sent && last.folding == m.folding {
			last.Count++
			last.LastMS = m.LastMS
			last.pieces = append(last.pieces, m.pieces...)
			return
		}
	}
	s.Messages = append(s.Messages, m)
}

// joinPieces sets the text or the sound whose pieces are read.
func (m *SessionMessage) joinPieces() {
	if m.pieces == nil {
		return
	}
	if !m.isSound {
		m.Text = strings.Join(m.pieces, "")
		m.pieces = nil
		return
	}
	var data []byte
	for _, piece := range m.pieces {
		decoded, err := base64.StdEncoding.DecodeString(piece)
		if err != nil {
			decoded = []byte(piece)
		}
		data = append(data, decoded...)
	}
	m.setBytes(data)
	m.pieces = nil
}

// setBytes sets the size and the digest of a sound or of a binary message.
func (m *SessionMessage) setBytes(data []byte) {
	sum := sha256.Sum256(data)
	m.Bytes = int64(len(data))
	m.SHA256 = digestOf(sum)
}

// digestOf returns the first 16 hex digits of a digest.
func digestOf(sum [sha256.Size]byte) string { return hex.EncodeToString(sum[:8]) }

// endOf returns in words how a session ended: who closed it first, or what broke it.
func (s *Session) endOf(resp *interaction.Response) string {
	isClose := func(m SessionMessage) bool { return m.Closed != nil }
	first := slices.IndexFunc(s.Messages, isClose)
	switch {
	case resp.End == interaction.EndError:
		return "the connection broke: " + resp.Error
	case resp.End == interaction.EndClosed:
		return "the client left without closing it"
	case first < 0:
		return "complete"
	}
	closing := &s.Messages[first]
	text := "closed by the server"
	if closing.Sent {
		text = "closed by the client"
	}
	if *closing.Closed != "" {
		text += ": " + *closing.Closed
	}
	return text
}

// readEvent reads an event of a session as a message, without its number.
func readEvent(event interaction.Event) (m SessionMessage) {
	message, ok := event.Message()
	if !ok { // an event of a server whose stream has a framing of its own
		return readText(false, payloadOf(event))
	}
	switch {
	case message.Kind == interaction.Close:
		return SessionMessage{Sent: message.Sent, Closed: &message.Data}
	case isBytes(&message) && message.Audio == nil:
		m.Sent = message.Sent
		m.setBytes([]byte(message.Data))
		return m
	}
	m = readText(message.Sent, message.Data)
	if message.Audio != nil {
		m.Body = ""
		m.pieces = nil
		m.folding = ""
		m.isSound = false
		m.Bytes = message.Audio.Size
		m.SHA256 = digestOf(message.Audio.Sum)
	}
	return m
}

// isBytes reports whether a message has bytes, which need not be a text.
func isBytes(m *interaction.Message) bool {
	return m.Kind == interaction.Bytes || m.Kind == interaction.StderrBytes
}

// payloadOf returns the payload of an event, or all of its fields if it has none.
func payloadOf(event interaction.Event) string {
	for _, f := range event {
		if interaction.IsPayload(f.Name) {
			return f.Value
		}
	}
	var lines []string
	for _, f := range event {
		lines = append(lines, f.Name+": "+f.Value)
	}
	return strings.Join(lines, "\n")
}

// piecePaths are the places of a text or a sound that services send in pieces, a message for
// each.
var piecePaths = []struct {
	path    string
	isSound bool
}{
	// OpenAI's Realtime and Responses (developers.openai.com/api/reference/realtime). The
	// deltas of a sound and of its transcript stand at one place.
	{"type=response.output_audio.delta|response.audio.delta/delta", true},
	{"delta", false},
	{"type=input_audio_buffer.append/audio", true},

	// Gemini's Live API (ai.google.dev/api/live).
	{"serverContent/modelTurn/parts/*/text", false},
	{"serverContent/modelTurn/parts/*/inlineData/data", true},
	{"serverContent/inputTranscription/text", false},
	{"serverContent/outputTranscription/text", false},
	{"realtimeInput/audio/data", true},
	{"realtimeInput/mediaChunks/*/data", true},

	// Nova Sonic (docs.aws.amazon.com/nova/latest/userguide/speech-bidirection.html).
	{"event/audioInput/content", true},
	{"event/audioOutput/content", true},

	// Agents in child processes: ACP, Codex, Claude Code. See acp.go, codexserver.go, claude.go.
	{"params/update/sessionUpdate=agent_message_chunk|agent_thought_chunk/content/text", false},
	{"params/delta", false},
	{"event/delta/text|thinking|partial_json", false},
}

// pieceNumbers are the members that differ between the pieces of one text.
var pieceNumbers = []string{"event_id", "sequence_number", "obfuscation", "logprobs", "uuid"}

// readText reads a message that is a text.
func readText(sent bool, text string) SessionMessage {
	m := SessionMessage{Sent: sent}
	v, err := exactjson.Parse(text)
	if err != nil || v.Kind != exactjson.Object {
		m.Body = text
		return m
	}
	m.Type = typeOf(&v)
	if m.takePiece(&v) {
		return m
	}
	shortenBase64(&v)
	m.Body = string(v.AppendJSON(nil, exactjson.Layout{}))
	return m
}

// typeOf returns what a message says that it is: its type, the method of a JSON-RPC message, or
// the name of its first member. Nova Sonic has all in a member "event".
func typeOf(v *exactjson.Value) string {
	for _, name := range []string{"type", "method"} {
		member := v.Member(name)
		if member != nil && member.Kind == exactjson.String {
			return member.Text
		}
	}
	inner := v.Member("event")
	if inner != nil && inner.Kind == exactjson.Object {
		v = inner
	}
	if len(v.Elems) == 0 {
		return ""
	}
	return v.Elems[0].Name
}

// takePiece reads a message that is a piece of a text or a sound, and reports whether it is one.
func (m *SessionMessage) takePiece(v *exactjson.Value) bool {
	for _, place := range piecePaths {
		var piece *exactjson.Value
		n := 0
		v.Each(place.path, func(found *exactjson.Value) {
			piece = found
			n++
		})
		if n != 1 || piece.Kind != exactjson.String {
			continue
		}
		m.isSound = place.isSound
		m.pieces = []string{piece.Text}
		piece.Text = ""
		rest := *v
		rest.Elems = slices.DeleteFunc(slices.Clone(v.Elems), func(member exactjson.Value) bool {
			return slices.Contains(pieceNumbers, member.Name)
		})
		m.folding = place.path + " " + string(rest.AppendJSON(nil, exactjson.Layout{}))
		return true
	}
	return false
}

// shortenBase64 replaces bytes in base64 by their number.
func shortenBase64(v *exactjson.Value) {
	const long = 200 // characters; shorter ones may be IDs
	if v.Kind == exactjson.String && len(v.Text) > long {
		data := fromBase64(v.Text)
		if data != nil {
			v.Text = fmt.Sprintf("(%d bytes in base64)", len(data))
		}
	}
	for i := range v.Elems {
		shortenBase64(&v.Elems[i])
	}
}

// SessionLines returns the messages of a session as lines of JSON, each with the fields of its
// event, such as {"sent":{"type":"response.create"}}. Bytes are in base64. ends has the offset
// just past each line.
func SessionLines(resp *interaction.Response) (text []byte, ends []int) {
	for _, event := range resp.Events {
		text = append(text, eventJSON(event)...)
		text = append(text, '\n')
		ends = append(ends, len(text))
	}
	return text, ends
}

// eventJSON returns an event of a session as one line of JSON.
func eventJSON(event interaction.Event) []byte {
	object := exactjson.Value{Kind: exactjson.Object}
	for _, f := range event {
		v, err := exactjson.Parse(f.Value)
		isStructure := err == nil && (v.Kind == exactjson.Object || v.Kind == exactjson.Array)
		if !isStructure {
			v = exactjson.Value{Kind: exactjson.String, Text: f.Value}
		}
		if strings.HasSuffix(f.Name, string(interaction.Bytes)) {
			encoded, _ := json.Marshal([]byte(f.Value))
			v, _ = exactjson.Parse(encoded)
		}
		v.Name = f.Name
		object.Elems = append(object.Elems, v)
	}
	return object.AppendJSON(nil, exactjson.Layout{})
}
