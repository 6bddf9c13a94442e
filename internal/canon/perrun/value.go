package perrun

// A Value is a value of a message that is another one in each run.
type Value struct {
	Start, End int // its place in the text

	// Name is the kind of the value, a colon, and the value as it is in the text. IDs that the two
	// sides make up for their own requests are of different kinds, as both may count from 1.
	Name string

	path   string // of the value in JSON; "" in other text
	isJSON bool   // the value is a whole JSON value, with its quotes
}

// The kinds of values. IDs and progress tokens have two, by the side that has made them up.
const (
	kindToken     = "token"
	kindSentID    = "sent id"
	kindGotID     = "received id"
	kindSentToken = "sent progress"
	kindGotToken  = "received progress"
)
