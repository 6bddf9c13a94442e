package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/promptecho/promptecho/internal/diff/compare"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/testenv/attr"
)

// judgeOthers notes what the answers of other models change. It fails the run if no answer came.
// That an answer differs is no failure: the test itself may say what it must be.
func (l *Log) judgeOthers(rep *Report, others []attr.OtherAnswer) {
	if len(others) == 0 {
		rep.note(finding.Compared, fmt.Sprintf("%s: nothing was asked of %s: no call of the test is asked "+
			"of another model (docs/COMPARE.md)", l.File, l.OtherModel))
		return
	}
	answers := 0
	text := ""
	for i := range others[:min(len(others), maxListed)] {
		text += fmt.Sprintf("\n%s:%d: %s", l.File, others[i].Line, OtherAnswer(&others[i]))
	}
	for _, o := range others {
		answers += o.Answers
	}
	text += english.AndMore("\n… ", len(others)-maxListed)
	if answers == 0 {
		head := fmt.Sprintf("%s asked of %s, but no answer could be compared (mode %s, %s)",
			english.Count(len(others), "model call"), l.OtherModel, l.Mode, l.ModeBy)
		rep.Fail(finding.NothingComparable, head, head+text)
		return
	}
	rep.note(finding.Compared, fmt.Sprintf("mode compare, %s asked of %s%s",
		english.Count(len(others), "recorded call"), l.OtherModel, text))
}

// OtherAnswer says in a line, and in further ones with the differences, what the answers of
// another model change in a call.
func OtherAnswer(o *attr.OtherAnswer) string {
	text := o.Call
	if o.Recorded != "" {
		text += ", model " + o.Recorded
	}
	text += ": "
	if o.Answers == 0 {
		return text + "no answer of " + o.Model + ": " + o.Why
	}
	text += cmp.Or(strings.Join(Differences(o), ", "), "the same")
	if a := o.Alike; a != nil {
		text += fmt.Sprintf(" (alike: tool calls %d of %d, finish %d of %d, shape %d of %d)",
			a.Tools, o.Answers, a.Finish, o.Answers, a.Shape, o.Answers)
	}
	if o.Why != "" {
		text += "; an answer is missing: " + o.Why
	}
	if detail := strings.TrimRight(o.Detail, "\n"); detail != "" {
		text += "\n  " + strings.ReplaceAll(detail, "\n", "\n  ")
	}
	return text
}

// Differences names the parts in which answers of another model differ from a recorded one:
// "other tool arguments", or of several answers "other tool arguments in 2 of 3".
func Differences(o *attr.OtherAnswer) (list []string) {
	for _, d := range o.Differs {
		text := PartText(d.Part)
		if o.Answers > 1 {
			text += fmt.Sprintf(" in %d of %d", d.Answers, o.Answers)
		}
		list = append(list, text)
	}
	return list
}

// PartText names a part in which answers differ.
func PartText(part string) string {
	texts := map[compare.Part]string{
		compare.PartStatus:    "another status",
		compare.PartTools:     "other tools",
		compare.PartOrder:     "tools in another order",
		compare.PartArguments: "other tool arguments",
		compare.PartFinish:    "another finish reason",
		compare.PartShape:     "another JSON shape",
		compare.PartWords:     "other words",
	}
	return cmp.Or(texts[compare.Part(part)], part)
}
