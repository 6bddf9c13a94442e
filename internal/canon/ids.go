package canon

import (
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// ordinals replaces ids that only link a tool call to its result by "#1", "#2"
// in order of first appearance: fantasy and Genkit make random ones.
type ordinals map[string]string

// call replaces the id of a tool call.
func (o ordinals) call(v *exactjson.Value) {
	if !isKind(v, exactjson.String) {
		return
	}
	n, ok := o[v.Text]
	if !ok {
		n = "#" + strconv.Itoa(len(o)+1)
		o[v.Text] = n
	}
	v.Text = n
}

// result replaces the id of a tool's result. One whose call is not in the body
// (it is in the response that previous_response_id names) stays as it is:
// nothing else tells which call it answers.
func (o ordinals) result(v *exactjson.Value) {
	if !isKind(v, exactjson.String) {
		return
	}
	if n, ok := o[v.Text]; ok {
		v.Text = n
	} else if strings.HasPrefix(v.Text, "#") {
		v.Text = "#" + v.Text // not an ordinal
	}
}
