package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/interaction"
)

// changingText lists text that changes from run to run, and what to mask it with.
var changingText = []struct{ expr, name string }{
	{`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?`, "TIME"},
	{`\d{4}-\d\d-\d\d`, "DATE"},
	{`\b\d\d?:\d\d(:\d\d)?\b`, "TIME"},
	{`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`, "UUID"},
	{`127\.0\.0\.1:\d+`, "ADDRESS"},
	{`/tmp/[^/\s"']+(/\d{3})?`, "TMP"}, // folders named by testing.T.TempDir and os.MkdirTemp
	{`\b[0-9a-f]{16,64}\b`, "HEX"},
	{`\b1\d{9}(\d{3})?\b`, "UNIXTIME"},
}

// maxOptions is how many options a hint gives at most.
const maxOptions = 3

// hint returns the options to add, as code to paste, so that a request matches a recorded
// one. It returns "" if more differs than text that changes from run to run and fields
// that only tell calls apart.
func hint(edits []diff.Edit, options canon.Options, recorded, asked *interaction.Request) string {
	var code []string
	for _, e := range edits {
		option := addOption(&options, &e)
		if option == "" {
			return ""
		}
		if !slices.Contains(code, option) {
			code = append(code, option)
		}
	}
	if len(code) > maxOptions || options.Form(recorded).Key() != options.Form(asked).Key() {
		return ""
	}
	return strings.Join(code, ", ")
}

// addOption adds the option by which a field may match, and returns it as code, or "" if
// there is none.
func addOption(options *canon.Options, e *diff.Edit) string {
	if e.Path == "endpoint" || e.Path == "wire" {
		return ""
	}
	if canon.OfOneCall(e.Path) {
		path := canon.Short(e.Path)
		options.Ignore = append(slices.Clip(options.Ignore), path)
		return fmt.Sprintf("promptecho.Ignore(%q)", path)
	}
	recorded, ok := canon.Unquote(e.Recorded)
	incoming, isText := canon.Unquote(e.Incoming)
	if !ok || !isText {
		return ""
	}
	recorded, incoming = aroundDifference(recorded, incoming)
	for _, text := range changingText {
		re := regexp.MustCompile(text.expr)
		masked := re.ReplaceAllString(recorded, text.name)
		if masked != recorded && masked == re.ReplaceAllString(incoming, text.name) {
			options.Masks = append(slices.Clip(options.Masks), canon.Mask{Regexp: re, Placeholder: text.name})
			return fmt.Sprintf("promptecho.Mask(`%s`, %q)", text.expr, text.name)
		}
	}
	return ""
}

// aroundDifference cuts off what two texts begin and end with alike, since prompts are
// long. It leaves a margin, because a changing text may begin or end in that.
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
