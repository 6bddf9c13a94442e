package script

import (
	"github.com/promptecho/promptecho/internal/canon/perrun"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/session"
	"github.com/promptecho/promptecho/internal/tape"
)

// known has the names of random texts that were in a session so far. Such a text is a name wherever
// it is sent; any other random text may be what a message is about. See package perrun.
type known map[string]bool

func (k known) add(names []string) {
	for _, name := range names {
		k[name] = true
	}
}

func (k known) has(name string) bool { return k[name] }

// A line is a message to a process as it is compared.
type line struct {
	masked string // without the names that are known
	names  []string
}

// lineOf returns a message that the program sends to a process.
func (k known) lineOf(text string) line {
	values := k.valuesOf(text)
	var old []perrun.Value
	for _, v := range values {
		if k[v.Name] {
			old = append(old, v)
		}
	}
	return line{masked: perrun.Mask(text, old), names: perrun.Names(values)}
}

// valuesOf returns the values of a message that the program sends.
func (k known) valuesOf(text string) []perrun.Value {
	return perrun.OfSent(text, k.has)
}

// compareLines returns a recorded session with a process as the engine compares it.
func compareLines(rec *tape.Recording, it *interaction.Interaction) compared {
	req := rec.Request()
	k := known{}
	k.add(perrun.Names(k.valuesOf(string(req.Body))))
	c := compared{messages: make([]session.Message, len(it.Response.Events))}
	for i, event := range it.Response.Events {
		m, _ := event.Message()
		if !m.Sent {
			c.messages[i] = receivedLine(m)
			k.add(c.messages[i].Names)
			continue
		}
		if m.Kind == interaction.Close {
			c.messages[i] = session.Message{Sent: true, Form: closeForm}
			continue
		}
		sent := k.lineOf(m.Data)
		masked := m
		masked.Data = sent.masked
		f := formOf(rec.MessageForm(&req, &masked), &m)
		c.hasDrift = c.hasDrift || f.mayDrift
		c.messages[i] = session.Message{Sent: true, Form: f.key, Names: sent.names}
		k.add(sent.names)
	}
	return c
}

// receivedLine returns a message of a process as the engine compares it. Where a line of standard
// error, or a file, is among the lines of standard output is due to chance.
func receivedLine(m interaction.Message) session.Message {
	values := perrun.OfReceived(m.Data)
	masked := m
	masked.Data = perrun.Mask(m.Data, values)
	return session.Message{
		Form:  receivedForm(masked.Event()),
		Names: perrun.Names(values),
		Aside: m.Kind == interaction.Stderr || m.Kind == interaction.File,
	}
}
