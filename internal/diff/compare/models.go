package compare

import (
	"slices"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/said"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A Part is a part of an answer in which the answers of two models differ.
type Part string

// The parts, the most important ones first.
const (
	PartStatus    Part = "status"
	PartTools     Part = "tools"          // the names of the called tools, or their number
	PartOrder     Part = "tool_order"     // the same calls in another order
	PartArguments Part = "tool_arguments" // the same tools with other arguments
	PartFinish    Part = "finish_reason"
	PartShape     Part = "json_shape" // the members and types of a structured output
	PartWords     Part = "words"
)

// Parts are all parts, in the order of reports.
var Parts = []Part{
	PartStatus, PartTools, PartOrder, PartArguments, PartFinish, PartShape, PartWords,
}

// A Difference is what differs between the answers of two models to the same question.
type Difference struct {
	Parts []Part      // in the order of [Parts]; empty if the answers are the same
	Edits []diff.Edit // the differences themselves
}

// Detail writes the first differences, up to so many.
func (d *Difference) Detail(most int) string { return diff.Write(d.Edits, "", most) }

// Has reports whether answers differ in a part.
func (d *Difference) Has(p Part) bool { return slices.Contains(d.Parts, p) }

// add adds edits to the difference if there are any.
func (d *Difference) add(p Part, edits []diff.Edit) {
	if len(edits) > 0 {
		d.Parts = append(d.Parts, p)
		d.Edits = append(d.Edits, edits...)
	}
}

// Models compares the recorded answer of a model with the answer of another model to the same
// request, whose form is form. [Unfit] must return "" for the recorded answer. In contrast to
// [Answers], the name of the model is no difference, nor are members of the body in which no
// program finds the answer: each model, and each provider, has others.
func Models(form *canon.Form, recorded, other *interaction.Response) Difference {
	recordedContent, otherContent := said.Read(form, recorded), said.Read(form, other)
	a := comparedAnswer{recorded, &recordedContent}
	b := comparedAnswer{other, &otherContent}

	var d Difference
	if recorded.Status != other.Status {
		d.add(PartStatus, diff.Answers(a.decisions(other.Status), b.decisions(recorded.Status)))
		return d
	}

	edits := diff.Answers(a.decisions(other.Status), b.decisions(recorded.Status))
	inTools, inFinish := splitDecisions(edits)
	if len(inTools) > 0 {
		d.Parts = toolParts(a.content, b.content)
		d.Edits = inTools
	}
	d.add(PartFinish, inFinish)

	// An answer with other tools has another text anyway.
	var shape []diff.Edit
	if !d.Has(PartTools) && a.content.Text != "" && b.content.Text != "" {
		shape = compareTexts(a.content, b.content)
	}
	d.add(PartShape, shape)
	showsTexts := func(e diff.Edit) bool { return e.Path == "text" }
	if !slices.ContainsFunc(shape, showsTexts) {
		d.add(PartWords, diff.Answers(wording(a.content), wording(b.content)))
	}
	return d
}

// toolParts returns the parts in which calls of tools differ that are not the same:
//
//	calls                             parts
//	other names, or more or fewer     PartTools
//	the same calls, in another order  PartOrder
//	the same names, other arguments   PartArguments
//	both of these                     PartOrder, PartArguments
func toolParts(a, b *said.Answer) []Part {
	namesA, namesB := calledNames(a), calledNames(b)
	isInOrder := slices.Equal(namesA, namesB)
	slices.Sort(namesA)
	slices.Sort(namesB)
	switch {
	case !slices.Equal(namesA, namesB):
		return []Part{PartTools}
	case isReordered(a.Calls, b.Calls):
		return []Part{PartOrder}
	case isInOrder:
		return []Part{PartArguments}
	}
	return []Part{PartOrder, PartArguments}
}

// calledNames returns the names of the calls of an answer, in their order.
func calledNames(content *said.Answer) (names []string) {
	for _, c := range slices.Concat(content.Calls, content.Blocks) {
		names = append(names, c.Name)
	}
	return names
}

// isReordered reports whether two lists have the same calls, each as often. Calls have the
// same arguments if the values are equal.
func isReordered(a, b []said.Call) bool {
	sorted := func(calls []said.Call) (texts []string) {
		for _, c := range calls {
			args := arguments(c)
			lines := canon.Lines(&args)
			text := c.Name
			for _, l := range lines {
				text += "\n" + l.Path + " " + l.Value
			}
			texts = append(texts, text)
		}
		slices.Sort(texts)
		return texts
	}
	return slices.Equal(sorted(a), sorted(b))
}

// splitDecisions returns the edits in the calls of tools, and those in the finish reasons. It
// leaves out the model, which always differs.
func splitDecisions(edits []diff.Edit) (inTools, inFinish []diff.Edit) {
	for _, e := range edits {
		switch {
		case isInToolCalls(e):
			inTools = append(inTools, e)
		case firstSegment(e.Path) != "model":
			inFinish = append(inFinish, e)
		}
	}
	return inTools, inFinish
}
