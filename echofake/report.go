package echofake

import (
	"fmt"
	"strings"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/internal/testenv/stack"
)

// A question is a request as reports name it.
type question struct {
	*promptecho.Request
	number int // in the order of arrival, from 1
}

// describe returns the lines about a request, with the line of the program. It is
// called in the goroutine of the request.
func (q *question) describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "  asked:  %s", q.name())
	if q.Model != "" {
		fmt.Fprintf(&b, ", model %s", q.Model)
	}
	if text := q.lastText(); text != "" {
		fmt.Fprintf(&b, ", %s", quoted(text))
	}
	if caller := stack.Caller(); caller != "" {
		fmt.Fprintf(&b, "\n  caller: %s", caller)
	}
	return b.String()
}

// name returns the endpoint, or the method and the URL of an unknown one.
func (q *question) name() string {
	if q.Endpoint != "" {
		return "llm/" + q.Endpoint
	}
	return q.Method + " " + q.URL
}

// lastText returns the text of the last message, or of its last result.
func (q *question) lastText() string {
	last := q.Last()
	if n := len(last.Results); n > 0 {
		return last.Results[n-1].Text
	}
	return last.Text
}

// noTurn reports a request that no turn answers. Kind is that of the turns that
// could.
func noTurn(q *question, kind turnKind, slots []slot) string {
	var unmet, other int
	for i := range slots {
		switch {
		case slots[i].isUsed():
		case slots[i].kind == kind || slots[i].kind == anything:
			unmet++
		default:
			other++
		}
	}
	why := fmt.Sprintf("all turns are used: the script has %s", english.Count(len(slots), "turn"))
	switch {
	case len(slots) == 0:
		why = "the script has no turns"
	case unmet > 0:
		why = "no unused turn has conditions that it meets"
	case other > 0 && kind == embeddings:
		why = "it asks for vectors, and no unused turn is an Embedding"
	case other > 0:
		why = "the unused turns are for embeddings"
	}
	text := fmt.Sprintf("request %d has no turn: %s\n%s", q.number, why, q.describe())
	if len(slots) > 0 {
		text += "\n\n" + list(slots)
	}
	return text + fmt.Sprintf("\n\n  To answer it, add a turn%s.", after(slots))
}

// after says behind which turn the next one belongs.
func after(slots []slot) string {
	if len(slots) == 0 {
		return " to echofake.New"
	}
	last := slots[len(slots)-1]
	if last.line == "" {
		return ""
	}
	return " after " + last.line
}

// list shows the turns of a script, a line each.
func list(slots []slot) string {
	var b strings.Builder
	b.WriteString("  the script:")
	const most = 20 // turns, so that a long script does not hide the request
	from := 0
	if len(slots) > most {
		from = len(slots) - most
		fmt.Fprintf(&b, "\n    ... %s before", english.Count(from, "turn"))
	}
	for i := from; i < len(slots); i++ {
		fmt.Fprintf(&b, "\n    %s  %s: %s", slots[i].line, slots[i].words, slots[i].use())
	}
	return b.String()
}

// use says which requests took a turn.
func (s *slot) use() string {
	if len(s.takenBy) == 0 {
		if s.always {
			return "not needed"
		}
		return "not used"
	}
	var numbers []string
	for _, n := range s.takenBy {
		numbers = append(numbers, fmt.Sprint(n))
	}
	noun := "request "
	if len(numbers) > 1 {
		noun = "requests "
	}
	const most = 5
	if len(numbers) > most {
		numbers = append(numbers[:most:most], "...")
	}
	text := noun + strings.Join(numbers, ", ")
	if n := s.missing(); n > 0 {
		text += fmt.Sprintf(", and %d more expected", n)
	}
	return text
}

// unused reports the turns that no request took; "" if there are none.
func unused(slots []slot, requests int) string {
	n := 0
	for i := range slots {
		if slots[i].missing() > 0 {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	verb := "was"
	if n > 1 {
		verb = "were"
	}
	return fmt.Sprintf("%s %s not used: the program sent %s\n\n%s\n\n"+
		"  If the program is right, remove what it does not need, or let a turn be optional with Always.",
		english.Count(n, "turn"), verb, english.Count(requests, "request"), list(slots))
}

// wrong reports a request that the provider would refuse.
func wrong(q *question, p *fakeprovider.Problem) string {
	text := fmt.Sprintf("request %d is one that the provider refuses, with status %d: %s\n%s",
		q.number, p.Status, p.Message, q.describe())
	if p.Source != "" {
		text += "\n  source: " + p.Source
	}
	return text + "\n\n  To answer it nevertheless, mark the turn with Unchecked()."
}

// unknown reports a request to an endpoint that the fake does not have.
func unknown(q *question) string {
	return fmt.Sprintf("request %d is to an endpoint that echofake does not have\n%s\n\n"+
		"  To answer it, use the method Handle, or a turn of Handler. docs/FAKES.md lists the endpoints.",
		q.number, q.describe())
}

// implausible reports a turn that says what a model could not.
func implausible(q *question, t *taken, why string) string {
	return fmt.Sprintf("turn %d (%s: %s) does not fit request %d: %s\n%s\n\n"+
		"  Change the turn, or mark it with Unchecked() if the model is to be wrong.",
		t.number, t.line, t.words, q.number, why, q.describe())
}

// unset reports a member that the response of a turn cannot have.
func unset(q *question, t *taken, err error) string {
	return fmt.Sprintf("turn %d (%s: %s): %v\n%s", t.number, t.line, t.words, err, q.describe())
}
