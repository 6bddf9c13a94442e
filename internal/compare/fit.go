package compare

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// Unfit says why nothing can be compared with a recorded answer, or "" if something can.
// If not, its request need not be sent.
func Unfit(recorded *interaction.Response) string {
	switch why := brokenOff(recorded); {
	case recorded.Status == 0:
		return "the recording has no answer"
	case recorded.Passing():
		return fmt.Sprintf("the recording is a temporary failure, status %d", recorded.Status)
	case recorded.End == interaction.EndClosed:
		return "the recorded answer is incomplete, because its client closed it"
	case why != "":
		return "the recorded answer broke off: " + why
	}
	return ""
}

// saysNothing says why a live answer tells nothing of the model, or returns "".
func saysNothing(recorded, live *interaction.Response) string {
	if why := brokenOff(live); why != "" {
		return "the live answer broke off: " + why
	}
	if live.Status == recorded.Status {
		return ""
	}
	why := ""
	switch status := live.Status; {
	case status == 401, status == 403, status == 407:
		why = "the key was refused"
	case status == 404, status == 400 && saysNotFound(live):
		why = "something that the request names no longer exists, or the key has no access to it"
	case live.Passing():
		why = "the server was busy or failed, try again"
	default:
		return ""
	}
	text := fmt.Sprintf("status %d: %s", live.Status, why)
	if message := errorOf(live); message != "" {
		text += fmt.Sprintf(" (%q)", message)
	}
	return text
}

// brokenOff says why an answer is not whole, or returns "" if it is. A stream whose status
// was sent tells of a failure with an event.
func brokenOff(resp *interaction.Response) string {
	if resp.End != "" {
		return cmp.Or(resp.Error, "its end is missing")
	}
	for _, event := range resp.Events {
		for _, f := range event {
			if f.Name == ":exception-type" { // of an AWS event stream
				return f.Value
			}
			if !interaction.IsPayload(f.Name) || !strings.Contains(f.Value, `"error"`) {
				continue
			}
			v, err := exactjson.Parse([]byte(f.Value))
			isError := v.Member("type").Scalar() == "error"
			if e := v.Member("error"); err == nil && (isError || e != nil && e.Kind != exactjson.Null) {
				return cmp.Or(messageOf(&v), "one of its events is an error")
			}
		}
	}
	return ""
}

// errorOf returns the message of an error, "" if the answer has none.
func errorOf(resp *interaction.Response) string {
	if resp.Status < 400 {
		return ""
	}
	v, err := exactjson.Parse(resp.Body)
	if err != nil {
		return ""
	}
	return messageOf(&v)
}

// messageOf returns the message of an error wherever the vendors have it: in its error, in
// that of the first element (Gemini), or beside everything else.
func messageOf(v *exactjson.Value) string {
	if v.Kind == exactjson.Array && len(v.Elems) > 0 {
		v = &v.Elems[0]
	}
	e := v.Member("error")
	return cmp.Or(e.Member("message").Scalar(), e.Scalar(), v.Member("message").Scalar(), v.Member("detail").Scalar())
}

// saysNotFound reports whether an error has a code that says so although its status does
// not: a previous response that has expired is status 400 at OpenAI.
func saysNotFound(resp *interaction.Response) bool {
	v, err := exactjson.Parse(resp.Body)
	return err == nil && strings.HasSuffix(v.Member("error").Member("code").Scalar(), "_not_found")
}
