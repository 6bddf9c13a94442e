package conversation

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"
)

// fold finds for each exchange the earlier one that it repeats most of: an agent sends the
// whole conversation with every turn. Reasoning does not count, since most clients do not
// send it back, and neither do ids.
func fold(list []*Exchange) {
	type place struct{ exchange, messages int }
	known := map[[sha256.Size]byte]place{} // by a hash of the messages up to there
	for i, e := range list {
		hashes := chain(e.Messages)
		for n, h := range slices.Backward(hashes) {
			if p, ok := known[h]; ok {
				was := list[p.exchange]
				e.Repeats = &Repeat{p.exchange + 1, n + 1, sameTools(was.Tools, e.Tools), slices.Equal(was.Settings, e.Settings)}
				break
			}
		}
		answered := append(slices.Clone(e.Messages), Message{"assistant", e.Answer.Parts})
		for n, h := range chain(answered) {
			known[h] = place{i, n + 1}
		}
	}
}

// chain returns a hash of the first message, of the first two, and so on.
func chain(messages []Message) (hashes [][sha256.Size]byte) {
	var sum [sha256.Size]byte
	for _, m := range messages {
		sum = sha256.Sum256(append(sum[:], m.says()...))
		hashes = append(hashes, sum)
	}
	return hashes
}

// says returns what a message says, in one spelling.
func (m *Message) says() string {
	var b, texts strings.Builder
	b.WriteString(m.Role)
	for _, p := range m.Parts {
		switch p.Kind {
		case Reasoning:
		case Text:
			texts.WriteString(p.Text)
		default:
			b.WriteString("\x00" + p.Kind + "\x00" + p.Name + "\x00" + OneSpelling(p.Args) + "\x00" + p.Text)
		}
	}
	return b.String() + "\x00" + texts.String()
}

// OneSpelling returns JSON with sorted members and without white space; any other text is
// returned as it is.
func OneSpelling(text string) string {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return text
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return text
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// sameTools reports whether two requests offer the same tools, and some at all.
func sameTools(a, b []Tool) bool {
	return len(a) > 0 && slices.EqualFunc(a, b, func(a, b Tool) bool {
		return a.Name == b.Name && a.Description == b.Description && slices.Equal(a.Parameters, b.Parameters)
	})
}
