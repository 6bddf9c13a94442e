package accept

import "fmt"

// A Refusal says why no recording takes a request. The zero Refusal is for a
// request that one takes.
type Refusal struct {
	Code   RefusalCode
	values []any // what the words of the code name
}

// RefusalCode is a reason to refuse a request.
type RefusalCode uint8

// The reasons.
const (
	NotRefused RefusalCode = iota

	NothingLeft     // no recording is left
	TooDifferent    // from each recording that is left
	OtherEndpoint   // than the recordings that are left
	OtherWire       // a stream instead of a plain answer, for example
	OtherModel      // than that of the recording
	RecordedFailure // the recording is not an answer to keep
	IsJSONRPC       // its answer repeats the ID of the request
	QuestionDiffers // not only the system prompt, tools or settings
	ReportsMiss     // the request has the report of a miss in it

	WentToEqual        // the recording matched another request exactly
	WentToSameQuestion // the recording went to another request with the same question
	WentBefore         // the recording went to another request in an earlier round
	AskedMoreOften     // than it is recorded
	TwoRecordings      // are about equally similar
	TwoRequests        // are about equally similar to the recording
	ValuesDiffer       // in fields that matching ignores, and several recordings have other ones
	OrderDiffers       // between edited and old requests
	ToolMissing        // the answer calls a tool that the request does not offer
	OtherToolMissing   // the same of another request of the cassette
)

var refusalWords = map[RefusalCode]string{
	NothingLeft:     "the cassette has no unused recording of which this request could be an edit",
	TooDifferent:    "the most similar recording is too different",
	OtherEndpoint:   "it calls %s, and the recordings that are left call %s",
	OtherWire:       "it wants another form of answer: %s",
	OtherModel:      "it calls the model %s, and the recording is of %s",
	RecordedFailure: "the recording is a failure, and not an answer to keep",
	IsJSONRPC: "this is a JSON-RPC call, whose recorded answer repeats the id of the old request, " +
		"so it cannot be kept for an edited one: record it again",
	QuestionDiffers: "the question differs (%s), and not only the system prompt, tools or settings",
	ReportsMiss:     "this request contains the report of a miss, which the program took for an answer",

	WentToEqual: "the most similar recording, in line %s, went to another request, which matched it exactly. " +
		"Perhaps the test makes one call more than before",
	WentToSameQuestion: "the most similar recording, in line %s, went to another request, which has the same question. " +
		"Perhaps the test makes one call more than before",
	WentBefore: "the most similar recording already went to another request: the test makes more calls than before, " +
		"or this request changes with each run",
	AskedMoreOften: "the same request was sent more often than it is recorded (recorded: %d)",
	TwoRecordings: "two recordings are about equally similar to this request (lines %s and %s), " +
		"so it is not clear which of the two was edited",
	TwoRequests: "another request without a recording is about as similar to this recording, or more similar, " +
		"so it is not clear which of the two requests is the edited one",
	ValuesDiffer: "this request is recorded several times, with different values in fields that matching ignores (seed, say), " +
		"and none of them has the values sent now, so it is not clear which one to replace",
	OrderDiffers: "before the edit, several calls sent the same request, and each has its recording. " +
		"Now one of these calls sends the edited request, another one still sends the old request, " +
		"and their order differs from that of the recordings. So it is not clear which answer belongs to which call: record them again",
	ToolMissing: "the recorded answer calls the tool %q, which this request does not offer: record it again",
	OtherToolMissing: "another answer in this cassette calls the tool %q, which is not offered any more, " +
		"so the test must be recorded again as a whole",
}

// refuse returns a refusal; values are what its words name.
func refuse(code RefusalCode, values ...any) Refusal { return Refusal{code, values} }

// String returns the reason in words, "" if there is none.
func (r Refusal) String() string { return fmt.Sprintf(refusalWords[r.Code], r.values...) }
