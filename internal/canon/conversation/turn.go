package conversation

// A Turn is what a client asks a process, with what follows until the answer: a prompt to an
// agent, or a call of a server.
type Turn struct {
	First int `json:"first"`          // the number of the message that asks
	Last  int `json:"last,omitempty"` // of the message that answers; 0 if there is none

	// Call is set if the client calls a method of a server; it is nil for a prompt.
	Call *MethodCall `json:"call,omitempty"`

	// What an agent did with a prompt.
	Tools  []*ToolUse `json:"tools,omitempty"`
	Finish string     `json:"finish,omitempty"` // the reason why the turn ended, as the agent has it

	Failed   bool `json:"failed,omitempty"`   // the answer is an error
	Canceled bool `json:"canceled,omitempty"` // the client has canceled it
}

// A MethodCall is a call of a method of a server.
type MethodCall struct {
	Method string `json:"method"`
	Target string `json:"target,omitempty"`    // the name of the tool, prompt or resource
	Args   string `json:"arguments,omitempty"` // of a tool: JSON
}

// A ToolUse is one use of a tool by an agent, which executes the tool by itself.
type ToolUse struct {
	Name    string  `json:"name"`
	Args    string  `json:"arguments,omitempty"` // JSON
	Outcome Outcome `json:"outcome,omitempty"`

	title string // the name for people; "" if it is Name
}

// An Outcome is how the use of a tool ended; "" if nothing says so.
type Outcome string

// The outcomes.
const (
	Ran        Outcome = "ran"
	ToolFailed Outcome = "failed"
	Denied     Outcome = "denied" // the client has not permitted it
)
