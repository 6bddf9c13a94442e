package script

import (
	"github.com/promptecho/promptecho/internal/canon/perrun"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/session"
	"github.com/promptecho/promptecho/internal/tape"
)

// seenNames has the random texts and the other names that were in a session with a process so far. A
// random text that came from the process is a name wherever it is sent: its value is true. One that
// the client sent first is what a message is about: its value is false, and the process may repeat it
// before or after the client sends it again. See package perrun.
type seenNames map[string]bool

func (seen seenNames) add(names []string) {
	for _, name := range names {
		_, isSeen := seen[name]
		if !isSeen {
			seen[name] = true
		}
	}
}

// addSent adds the names of a message that the client sends, and its other random texts.
func (seen seenNames) addSent(text string, names []string) {
	seen.add(names)
	for _, name := range perrun.Names(perrun.Tokens(text)) {
		_, isSeen := seen[name]
		if !isSeen {
			seen[name] = false
		}
	}
}

func (seen seenNames) has(name string) bool { return seen[name] }

// A line is a message to a process as it is compared.
type line struct {
	masked string         // without the names that were seen before; the form has none of the others
	values []perrun.Value // with all names
}

// lineOf returns a message that the program sends to a process.
func (seen seenNames) lineOf(text string) line {
	values := perrun.OfSent(text, seen.has)
	var before []perrun.Value
	for _, v := range values {
		if seen[v.Name] {
			before = append(before, v)
		}
	}
	return line{masked: perrun.Mask(text, before), values: values}
}

// compareLines returns a recorded session with a process as the engine compares it.
func compareLines(rec *tape.Recording, it *interaction.Interaction) compared {
	req := rec.Request()
	c := compared{
		messages: make([]session.Message, len(it.Response.Events)),
		names:    openingNames(&req),
		values:   make([][]perrun.Value, len(it.Response.Events)),
	}
	seen := seenNames{}
	seen.addSent(string(req.Body), c.names)
	for i, event := range it.Response.Events {
		m, _ := event.Message()
		switch {
		case !m.Sent:
			c.values[i] = perrun.OfReceived(m.Data)
			c.messages[i] = receivedLine(m, c.values[i])
			seen.add(c.messages[i].Names)
		case m.Kind == interaction.Close:
			c.messages[i] = session.Message{Sent: true, Form: closeForm}
		default:
			sent := seen.lineOf(m.Data)
			masked := m
			masked.Data = sent.masked
			f := formOf(rec.MessageForm(&req, &masked), &m)
			c.hasDrift = c.hasDrift || f.mayDrift
			names := perrun.Names(sent.values)
			c.messages[i] = session.Message{Sent: true, Form: f.key, Names: names}
			seen.addSent(m.Data, names)
		}
	}
	return c
}

// openingNames returns the names in the request that stands for the start of a process.
func openingNames(req *interaction.Request) []string {
	return perrun.Names(perrun.OfSent(string(req.Body), perrun.None))
}

// receivedLine returns a message of a process as the engine compares it. Where a line of standard
// error, or a file, is among the lines of standard output is due to chance.
func receivedLine(m interaction.Message, values []perrun.Value) session.Message {
	masked := m
	masked.Data = perrun.Mask(m.Data, values)
	return session.Message{
		Form:  receivedForm(masked.Event()),
		Names: perrun.Names(values),
		Aside: m.IsStderr() || m.Kind == interaction.File,
	}
}
