package conversation

import "github.com/promptecho/promptecho/internal/finding"

// An Exchange is one interaction: what was asked, and what answered.
type Exchange struct {
	Number   int       `json:"number"` // in its file, counted from 1
	Line     int       `json:"line"`
	Accepted bool      `json:"accepted,omitempty"` // its request is newer than its answer
	Call     string    `json:"call"`               // what selectors call it
	Kind     string    `json:"kind"`               // as people call it: mcp and a2a are llm in the file
	Boundary string    `json:"boundary,omitempty"`
	Title    string    `json:"title,omitempty"` // what a call of JSON-RPC asks: "tools/call search({...})"
	Request  string    `json:"request"`         // "POST https://...", or the function
	Within   string    `json:"within,omitempty"`
	Name     string    `json:"name,omitempty"`
	Model    string    `json:"model,omitempty"` // that was asked
	Tools    []Tool    `json:"tools,omitempty"`
	Messages []Message `json:"messages,omitempty"`
	Settings []Setting `json:"settings,omitempty"` // what else the body of a request to a model says
	Body     string    `json:"body,omitempty"`     // of any other request
	Answer   Answer    `json:"answer"`

	InputTokens     int64 `json:"input_tokens"`
	OutputTokens    int64 `json:"output_tokens"`
	CachedTokens    int64 `json:"cached_tokens,omitempty"`    // of the input
	ReasoningTokens int64 `json:"reasoning_tokens,omitempty"` // of the output
	FirstMS         int64 `json:"first_ms,omitempty"`         // until the first event of a stream
	TotalMS         int64 `json:"total_ms"`                   // until the answer was complete

	Concurrent []int   `json:"concurrent,omitempty"` // the numbers of those that were under way meanwhile
	Repeats    *Repeat `json:"repeats,omitempty"`
}

// A Tool is one that the model may call.
type Tool struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Parameters  []string `json:"parameters,omitempty"` // their names
}

// A Setting is a field of a request that is no message and no tool.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"` // JSON
}

// An Answer is what came back.
type Answer struct {
	Status int    `json:"status,omitempty"` // of HTTP
	Stream string `json:"stream,omitempty"` // the framing, if it was streamed
	Events int    `json:"events,omitempty"` // of a stream
	Parts  []Part `json:"parts,omitempty"`  // reasoning, text, calls of tools, results

	Finish []string `json:"finish,omitempty"` // why it ended
	Model  string   `json:"model,omitempty"`  // that answered
	Body   string   `json:"body,omitempty"`   // if nothing is known of what it says
	Error  string   `json:"error,omitempty"`  // that a function returned

	// Code says how the answer ended before its end, and Broken says it for people.
	Code   finding.Code `json:"code,omitempty"`
	Broken string       `json:"broken,omitempty"`
}

// A Repeat says what a turn repeats of an earlier one.
type Repeat struct {
	Of       int  `json:"of"`       // the number of the earlier exchange
	Messages int  `json:"messages"` // so many of the first messages are the same; the earlier answer may be the last
	Tools    bool `json:"tools"`    // the tools are the same
	Settings bool `json:"settings"` // the settings are the same
}
