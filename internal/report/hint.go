package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/diff"
)

// changingText lists text that changes from run to run, and what to mask it by.
var changingText = []struct{ expr, name string }{
	{`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?`, "TIME"},
	{`\d{4}-\d\d-\d\d`, "DATE"},
	{`\b\d\d?:\d\d(:\d\d)?\b`, "TIME"},
	{`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`, "UUID"},
	{`127\.0\.0\.1:\d+`, "ADDRESS"},
	{`/tmp/[^\s"']+`, "TMP"},
	{`\b[0-9a-f]{16,64}\b`, "HEX"},
	{`\b1\d{9}(\d{3})?\b`, "UNIXTIME"},
}

// maxOptions is how many options a hint gives at most.
const maxOptions = 3

// hint returns the options that would make a request match, as code to paste, if all that
// differs is text that changes from run to run or fields that only tell calls apart;
// else "".
func hint(edits []diff.Edit) string {
	var options []string
	for _, e := range edits {
		option := optionFor(&e)
		if option == "" {
			return ""
		}
		if !slices.Contains(options, option) {
			options = append(options, option)
		}
	}
	if len(options) > maxOptions {
		return ""
	}
	return strings.Join(options, ", ")
}

// optionFor returns the option by which a field would match, "" if there is none.
func optionFor(e *diff.Edit) string {
	if e.Path == "endpoint" || e.Path == "wire" {
		return ""
	}
	if canon.OfOneCall(e.Path) {
		return fmt.Sprintf("promptecho.Ignore(%q)", canon.Short(e.Path))
	}
	recorded, ok := canon.Unquote(e.Recorded)
	incoming, isText := canon.Unquote(e.Incoming)
	if !ok || !isText {
		return ""
	}
	recorded, incoming = aroundDifference(recorded, incoming)
	for _, text := range changingText {
		re := regexp.MustCompile(text.expr)
		if re.MatchString(recorded) && re.ReplaceAllString(recorded, text.name) == re.ReplaceAllString(incoming, text.name) {
			return fmt.Sprintf("promptecho.Mask(`%s`, %q)", text.expr, text.name)
		}
	}
	return ""
}

// aroundDifference cuts off what two texts begin and end with alike, but for some of it,
// in which a changing text may begin or end: prompts are long.
func aroundDifference(a, b string) (string, string) {
	const margin = 128
	i, n := 0, min(len(a), len(b))
	for i < n && a[i] == b[i] {
		i++
	}
	j := 0
	for j < n-i && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	i, j = max(0, i-margin), max(0, j-margin)
	return a[i : len(a)-j], b[i : len(b)-j]
}
