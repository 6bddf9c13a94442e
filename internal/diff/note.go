package diff

// A Note describes the kind of difference of an edit. The zero Note is for edits whose
// values need no explanation.
type Note struct {
	Code    NoteCode
	Bytes   int    // AnotherFile: the size of the incoming file
	Problem string // RecordedNotJSON and IncomingNotJSON: the syntax error
}

// NoteCode is the kind of difference in a [Note].
type NoteCode uint8

// The kinds of differences.
const (
	NoNote NoteCode = iota

	DifferentKinds    // a string and a list, for example
	DifferentElements // the lists of an answer have different lengths
	DifferentBytes    // encoded bytes of an answer have different lengths
	ElementOrder      // a list has the same elements in another order
	Moved             // a list element is at another place
	OtherOrder        // a text has the same words in another order, as after a range over a map
	OfOtherOrder      // the same, and concurrent calls may be the reason

	LineEnds
	SpaceAtEnd
	SpaceAtStart
	SpaceAround
	OnlySpace
	LetterCase
	LookAlikes

	AnotherFile
	NotJSON         // bodies that are not JSON
	RecordedNotJSON // the recorded body is meant to be JSON and is not
	IncomingNotJSON
	MaybeCredential // values that are kept as hashes

	StreamAsked      // the request asks for a stream
	PlainAnswerAsked // the request asks for a plain answer
	OtherStream      // the request asks for a stream of another format
)

// noteWords has the words of notes that need no values.
var noteWords = [...]string{
	DifferentElements: "a different number of elements",
	DifferentBytes:    "a different number of bytes",
	ElementOrder:      "differs only in the order of its elements",
	Moved:             "moved",
	OtherOrder:        "the same words or elements in another order, as when a program ranges over a map",
	OfOtherOrder:      "the same words or elements in another order",

	SpaceAtEnd:   "differs only in white space at the end",
	SpaceAtStart: "differs only in white space at the start",
	SpaceAround:  "differs only in white space at the start and the end",
	OnlySpace:    "differs only in white space",
	LetterCase:   "differs only in letter case",
	LookAlikes:   "differs only in characters that look alike or are invisible",

	NotJSON:         "not JSON, compared by its SHA-256",
	MaybeCredential: "kept as a hash, since it may be a credential",

	StreamAsked:      "the recording is a plain answer, but the request asks for a stream",
	PlainAnswerAsked: "the recording is a stream, but the request asks for a plain answer",
	OtherStream:      "both are streams, but in different formats",
}

// Sides are the words for the two values of an edit.
type Sides struct {
	Recorded string // as in "only in the recording"
	Incoming string // as in "only in the incoming request"
	Short    string // Incoming in a sentence with Recorded: "the request"

	RecordedLabel string // before the recorded value, as wide as IncomingLabel: "recorded: "
	IncomingLabel string
}

// Labels begin the lines with the values of an edit of a request. The command
// colours these lines in the output of tests.
const (
	RecordedLabel = "recorded: "
	IncomingLabel = "incoming: "
)

var (
	requestSides = Sides{
		Recorded: "the recording", Incoming: "the incoming request", Short: "the request",
		RecordedLabel: RecordedLabel, IncomingLabel: IncomingLabel,
	}
	answerSides = Sides{
		Recorded: "the recording", Incoming: "the live answer", Short: "the live answer",
		RecordedLabel: RecordedLabel, IncomingLabel: "live:     ",
	}
)

// A Side is a side of a comparison.
type Side uint8

// The sides.
const (
	BothSides Side = iota
	RecordedSide
	IncomingSide
)

// only returns the words for a field that only one side has.
func (s *Sides) only(in Side) string {
	if in == RecordedSide {
		return "only in " + s.Recorded
	}
	return "only in " + s.Incoming
}
