package attr

// An OtherAnswer says what the answers of another model change in a recorded call.
type OtherAnswer struct {
	Cassette string `json:"cassette"` // its absolute path
	Line     int    `json:"line"`     // of the recording
	Call     string `json:"call"`     // the endpoint, such as "openai.chat"
	Recorded string `json:"recorded"` // the model that the request names
	Model    string `json:"model"`    // the other one

	Answers int    `json:"answers"`       // how many were compared; the call was asked so often
	Why     string `json:"why,omitempty"` // why an answer is missing; "" if none is

	Differs []Differing `json:"differs,omitempty"` // by importance
	Detail  string      `json:"detail,omitempty"`  // the differences of the first answer that has any

	// Alike is how many of several answers agree. It is nil if there are less than two.
	Alike *Alike `json:"alike,omitempty"`

	RecordedTokens *Tokens `json:"recorded_tokens,omitempty"` // nil if the answer reports none
	Tokens         *Tokens `json:"tokens,omitempty"`          // of all answers of the other model
}

// A Differing is a part in which answers differ from the recorded one.
type Differing struct {
	Part    string `json:"part"`    // see [compare.Part]
	Answers int    `json:"answers"` // how many of them differ
}

// Alike has, for parts on which a program depends, how many answers are the same: those of the
// largest group of equal ones.
type Alike struct {
	Tools  int `json:"tools"`  // the calls of tools, with their arguments
	Finish int `json:"finish"` // the finish reasons
	Shape  int `json:"shape"`  // the shape of a structured output
}

// Tokens are those that answers report; see [interaction.Usage].
type Tokens struct {
	Input  int64 `json:"input"`
	Output int64 `json:"output"`
	Cached int64 `json:"cached,omitempty"`
}

// Add adds the tokens of another answer.
func (t *Tokens) Add(other Tokens) {
	t.Input += other.Input
	t.Output += other.Output
	t.Cached += other.Cached
}
