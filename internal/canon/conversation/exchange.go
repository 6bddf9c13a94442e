package conversation

import "github.com/promptecho/promptecho/internal/finding"

// An Exchange is one interaction: a request with its answer.
type Exchange struct {
	Number   int       `json:"number"` // in its file, counted from 1
	Line     int       `json:"line"`
	Accepted bool      `json:"accepted,omitempty"` // an edited request with the answer to the old one
	Fake     bool      `json:"fake,omitempty"`     // a fake has given the answer, not a provider
	Recorded string    `json:"recorded,omitempty"` // the day of the answer, if it is known
	Call     string    `json:"call"`               // its name in selectors
	Kind     string    `json:"kind"`               // see [KindOf]; mcp and a2a are llm in the file
	Boundary string    `json:"boundary,omitempty"`
	Title    string    `json:"title,omitempty"` // of a JSON-RPC call: "tools/call search({...})"
	Request  string    `json:"request"`         // "POST https://...", or the function
	Within   string    `json:"within,omitempty"`
	Name     string    `json:"name,omitempty"`
	Model    string    `json:"model,omitempty"` // of the request
	Streams  bool      `json:"-"`               // the request asks for a stream
	Tools    []Tool    `json:"tools,omitempty"`
	Messages []Message `json:"messages,omitempty"`
	Settings []Setting `json:"settings,omitempty"` // other members of the body of a request to a model
	Body     string    `json:"body,omitempty"`     // of any other request
	Answer   Answer    `json:"answer"`
	Session  *Session  `json:"session,omitempty"` // nil if the response is not a session

	InputTokens     int64 `json:"input_tokens"`
	OutputTokens    int64 `json:"output_tokens"`
	CachedTokens    int64 `json:"cached_tokens,omitempty"`    // of the input
	ReasoningTokens int64 `json:"reasoning_tokens,omitempty"` // of the output
	FirstMS         int64 `json:"first_ms,omitempty"`         // until the first event of a stream
	TotalMS         int64 `json:"total_ms"`                   // until the response was complete

	Concurrent []int   `json:"concurrent,omitempty"` // the numbers of the overlapping exchanges
	Repeats    *Repeat `json:"repeats,omitempty"`
}

// A Tool is a tool that the model may call.
type Tool struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Parameters  []string `json:"parameters,omitempty"` // their names
}

// A Setting is a field of a request other than its messages and tools.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"` // JSON
}

// An Answer is a response, or the result of a function.
type Answer struct {
	Status int    `json:"status,omitempty"` // of HTTP
	Stream string `json:"stream,omitempty"` // the framing, if it was streamed
	Events int    `json:"events,omitempty"` // of a stream
	Parts  []Part `json:"parts,omitempty"`  // reasoning, text, tool calls, results

	Finish []string `json:"finish,omitempty"` // the finish reasons
	Model  string   `json:"model,omitempty"`  // of the response
	Body   string   `json:"body,omitempty"`   // if it has no known parts
	Error  string   `json:"error,omitempty"`  // that a function returned

	// Code is set if the response ended before it was complete; Broken is the same in words.
	Code   finding.Code `json:"code,omitempty"`
	Broken string       `json:"broken,omitempty"`
}

// A Repeat has the parts of an earlier exchange that an exchange repeats.
type Repeat struct {
	Of       int  `json:"of"`       // the number of the earlier exchange
	Messages int  `json:"messages"` // the number of repeated messages, from the first; the earlier answer may be the last
	Tools    bool `json:"tools"`    // the tools are the same
	Settings bool `json:"settings"` // the settings are the same
}
