package fakeprovider

import "strings"

// A Reply is an answer of a model, in no provider's spelling. What a provider
// has no place for is left out.
type Reply struct {
	Reasoning string // before the text
	Text      string
	Pieces    []string // the pieces of the text in a stream; nil for one a word
	Refusal   string   // in the place of the text
	Calls     []Call

	// Finish is why the answer ends. It is sent as it is if it is none of the
	// constants.
	Finish string

	// StopSequence is the sequence that ended the text, with the finish reason
	// StopSequence.
	StopSequence string

	Usage Usage

	Vectors [][]float32 // embeddings, one for each input; nil for vectors that are made from the texts
	Media   *Media      // a picture or a sound

	// Broken is an error that ends a stream, in the place of the finish reason.
	Broken *Problem
}

// A Call is a tool call.
type Call struct {
	ID   string // "" for an ID that the fake provider makes up
	Name string
	Args string // JSON
}

// Media is a picture or a sound.
type Media struct {
	Type string // such as image/png
	Data []byte
}

// Usage has the numbers of tokens. A number that is zero in a reply of a script
// is counted.
type Usage struct {
	Input     int
	Output    int // with the reasoning
	Reasoning int // of the output
	Cached    int // of the input
}

// The finish reasons of a [Reply].
const (
	FinishStop     = "stop"          // the answer is complete
	FinishLength   = "length"        // the token limit cut it
	FinishSequence = "stop_sequence" // a stop sequence cut it
	FinishCalls    = "tool_calls"    // the tools are to be called
	FinishFilter   = "filter"        // a filter of the provider withheld the rest
	FinishRefusal  = "refusal"       // the model refused
)

// finish returns a finish reason in the spelling of a provider. One that the
// table does not have is returned as it is.
func finish(reason string, spellings map[string]string) string {
	if spelled, ok := spellings[reason]; ok {
		return spelled
	}
	return reason
}

// pieces returns the pieces in which a stream sends the text.
func (r *Reply) pieces() []string {
	if r.Pieces != nil {
		return r.Pieces
	}
	return deltas(tokens(r.Text))
}

// reasoningPieces returns the pieces in which a stream sends the reasoning.
func (r *Reply) reasoningPieces() []string { return deltas(tokens(r.Reasoning)) }

// refusalPieces returns the pieces in which a stream sends the refusal.
func (r *Reply) refusalPieces() []string { return deltas(tokens(r.Refusal)) }

// media returns the picture or the sound of the reply if it is of a kind: image
// or audio. Else it returns nil.
func (r *Reply) media(kind string) *Media {
	if r.Media != nil && strings.HasPrefix(r.Media.Type, kind+"/") {
		return r.Media
	}
	return nil
}

// callTokens returns the number of tokens of tool calls.
func callTokens(calls []Call) (n int) {
	for _, c := range calls {
		n += len(tokens(c.Name)) + len(tokens(c.Args))
	}
	return n
}

// A Problem is an error of a provider, in no provider's spelling. The provider
// fills in what is empty.
type Problem struct {
	Status  int    // of HTTP; 0 is 500
	Kind    string // the provider's own word for it, such as invalid_request_error
	Message string
	Param   string // the field of the request
	Code    string

	Rule, Source string // the rule that the request breaks, and the URL of it; "" if there is none
}
