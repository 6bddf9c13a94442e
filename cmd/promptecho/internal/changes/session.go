package changes

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/conversation"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// sessionEdits compares the messages of two sessions, and how they ended. The path of a message
// begins with its number in the new session, or in the old one if only that has it:
// "12/sent/item/content/0/text".
func sessionEdits(old, fresh *interaction.Response) []diff.Edit {
	oldSession := conversation.ReadSession(old, nil)
	newSession := conversation.ReadSession(fresh, nil)
	edits := diff.Answers(sessionLines(oldSession, old), sessionLines(newSession, fresh))
	for i := range edits {
		e := &edits[i]
		side := newSession
		if e.Incoming == "" {
			side = oldSession
		}
		e.Path = numbered(e.Path, side)
		e.From = numbered(e.From, oldSession)
	}
	return edits
}

// messagesList is the name of the list of messages in the lines of a session.
const messagesList = "messages"

// numbered returns the path of a message with its numbers instead of its index in the list.
func numbered(path string, s *conversation.Session) string {
	rest, isInList := strings.CutPrefix(path, messagesList+"/")
	index, inMessage, _ := strings.Cut(rest, "/")
	i, err := strconv.Atoi(index)
	if !isInList || err != nil || i >= len(s.Messages) {
		return path
	}
	m := &s.Messages[i]
	number := strconv.Itoa(m.Number)
	if m.Count > 1 {
		number += "-" + strconv.Itoa(m.Last())
	}
	return strings.TrimSuffix(number+"/"+inMessage, "/")
}

// sessionLines returns a session as fields.
func sessionLines(s *conversation.Session, resp *interaction.Response) []canon.Line {
	list := exactjson.Value{Name: messagesList, Kind: exactjson.Array}
	for i := range s.Messages {
		list.Elems = append(list.Elems, messageValue(&s.Messages[i]))
	}
	v := exactjson.Value{Kind: exactjson.Object, Elems: []exactjson.Value{list}}
	for _, f := range []interaction.Field{{Name: "end", Value: resp.End}, {Name: "error", Value: resp.Error}} {
		if f.Value != "" {
			v.Elems = append(v.Elems, textValue(f.Name, f.Value))
		}
	}
	return canon.Lines(&v)
}

// messageValue returns a message as an object with one member, whose name is that of the field
// in a cassette. Pieces of a text are one text, and bytes are their size and digest.
func messageValue(m *conversation.SessionMessage) exactjson.Value {
	name := "received"
	if m.Sent {
		name = "sent"
	}
	var content exactjson.Value
	switch {
	case m.Closed != nil:
		name += string(interaction.Close)
		content = textValue("", *m.Closed)
	case m.SHA256 != "":
		size := fmt.Sprintf("%d bytes (SHA-256 %s)", m.Bytes, m.SHA256)
		content = ofType(m, textValue("bytes", size))
	case m.Text != "":
		content = ofType(m, textValue("text", m.Text))
	default:
		content = parsed(m.Body)
	}
	content.Name = name
	return exactjson.Value{Kind: exactjson.Object, Elems: []exactjson.Value{content}}
}

// ofType returns an object with the type of a message and a part of it.
func ofType(m *conversation.SessionMessage, part exactjson.Value) exactjson.Value {
	kind := textValue("type", cmp.Or(m.Type, "binary"))
	return exactjson.Value{Kind: exactjson.Object, Elems: []exactjson.Value{kind, part}}
}
