package script

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/session"
)

// ids are the IDs that a client makes up in a session, and that are others in each run. The server
// repeats them, and the client refers to them later: a client of OpenAI's Realtime waits for the
// item that it has created under its own ID.
//
// So the IDs of this run replace the recorded ones in what the client receives, and the recorded
// ones replace those of this run in what is compared.
type ids struct {
	recording int            // on which the session is placed; the recorded IDs are those of it
	made      [][]canon.Line // the IDs in each message that was sent whole, by path

	toRecorded map[string]string // by the ID of this run
	toMade     map[string]string // by the recorded ID
}

// madeIn returns the IDs that a client has made up in a message with this form.
func madeIn(form *canon.Form) (made []canon.Line) {
	for _, line := range form.Drift {
		if slices.Contains(form.Generated, line.Path) {
			made = append(made, line)
		}
	}
	return made
}

// add adds the IDs of a message that was sent, and those of the recorded message that it took. The
// message is the one that was compared, with recorded IDs in the place of those known already.
func (i *ids) add(made, recorded []canon.Line) {
	for k, line := range made {
		id, _ := exactjson.Unquote(line.Value)
		if now, isKnown := i.toMade[id]; isKnown {
			made[k].Value = `"` + now + `"`
		}
	}
	i.made = append(i.made, made)
	i.pair(made, recorded)
}

// pair notes which recorded ID each ID of this run stands for.
func (i *ids) pair(made, recorded []canon.Line) {
	for _, line := range made {
		at := slices.IndexFunc(recorded, func(l canon.Line) bool { return l.Path == line.Path })
		if at < 0 || recorded[at].Value == line.Value {
			continue
		}
		now, isText := exactjson.Unquote(line.Value)
		then, wasText := exactjson.Unquote(recorded[at].Value)
		if !isText || !wasText || !mayBeID(now) || !mayBeID(then) {
			continue
		}
		if i.toRecorded == nil {
			i.toRecorded = map[string]string{}
			i.toMade = map[string]string{}
		}
		i.toRecorded[now] = then
		i.toMade[then] = now
	}
}

// mayBeID reports whether a text is long enough to be told from other texts, and has no
// character that JSON escapes.
func mayBeID(text string) bool {
	const shortest = 6
	return len(text) >= shortest && !strings.ContainsAny(text, "\"\\\n\r\t")
}

// moveTo notes that the session is placed on another recording. recordedIn returns the IDs of a
// message of it.
func (i *ids) moveTo(taken []session.Place, recordedIn func(session.Place) []canon.Line) {
	i.toRecorded = nil
	i.toMade = nil
	for k, place := range taken {
		if k < len(i.made) && i.made[k] != nil {
			i.pair(i.made[k], recordedIn(place))
		}
	}
}

// replaceStrings replaces the strings of a JSON text that are keys of a map.
func replaceStrings(text string, by map[string]string) string {
	if len(by) == 0 {
		return text
	}
	var b strings.Builder
	rest := text
	for {
		start := strings.IndexByte(rest, '"')
		if start < 0 {
			break
		}
		end := endOfString(rest, start+1)
		if end < 0 {
			break
		}
		b.WriteString(rest[:start+1])
		value := rest[start+1 : end]
		if other, isKnown := by[value]; isKnown {
			value = other
		}
		b.WriteString(value)
		b.WriteByte('"')
		rest = rest[end+1:]
	}
	b.WriteString(rest)
	return b.String()
}

// endOfString returns the index of the quote that ends a JSON string whose text begins at start, or
// -1.
func endOfString(text string, start int) int {
	for i := start; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}
