package conversation

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"
)

// findRepeats sets, for each exchange, the earlier exchange of which it repeats most
// messages: an agent sends the whole conversation with every turn. Reasoning is not compared,
// since most clients do not send it back, and neither are IDs.
func findRepeats(list []*Exchange) {
	last := map[[sha256.Size]byte]int{} // the index of the last exchange, by the hash of a prefix
	for i, e := range list {
		// The longest prefix that an earlier exchange has counts.
		for n, hash := range slices.Backward(prefixHashes(e.Messages)) {
			of, ok := last[hash]
			if !ok {
				continue
			}
			earlier := list[of]
			e.Repeats = &Repeat{
				Of:       of + 1,
				Messages: n + 1,
				Tools:    sameTools(earlier.Tools, e.Tools),
				Settings: slices.Equal(earlier.Settings, e.Settings),
			}
			break
		}

		// The next turn sends the answer back, too.
		answered := append(slices.Clone(e.Messages), Message{"assistant", e.Answer.Parts})
		for _, hash := range prefixHashes(answered) {
			last[hash] = i
		}
	}
}

// prefixHashes returns a hash of the first message, a hash of the first two, and so on.
func prefixHashes(messages []Message) (hashes [][sha256.Size]byte) {
	var sum [sha256.Size]byte
	for _, m := range messages {
		sum = sha256.Sum256(append(sum[:], m.comparedContent()...))
		hashes = append(hashes, sum)
	}
	return hashes
}

// comparedContent returns the content of a message, in one spelling for all APIs.
func (m *Message) comparedContent() string {
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
