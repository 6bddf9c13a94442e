package session

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The rules of the package in their plainest form: each conversation has its whole
// history, which is played on a recording from its start whenever something is asked,
// and placements are found by trying all.

// A modelMessage is a message of a recording; a part has the pieces in which it was sent.
type modelMessage struct {
	kind   kind
	form   string
	pieces []string
}

// data returns the bytes of a part.
func (m modelMessage) data() string { return strings.Join(m.pieces, "") }

// isSentBy reports whether pieces are the bytes of a part in order, or its pieces in any order.
func (m modelMessage) isSentBy(pieces []string) bool {
	sorted := slices.Sorted(slices.Values(pieces))
	return strings.Join(pieces, "") == m.data() || slices.Equal(sorted, slices.Sorted(slices.Values(m.pieces)))
}

// modelRecording returns the messages of a script for record.
func modelRecording(script string) []modelMessage {
	var messages []modelMessage
	parts := map[string]int{}
	for _, word := range strings.Fields(script) {
		switch word[0] {
		case '<':
			clear(parts)
			messages = append(messages, modelMessage{kind: received, form: word[1:]})
		case '~':
			form, data, _ := strings.Cut(word[1:], ":")
			if _, isOpen := parts[form]; !isOpen {
				parts[form] = len(messages)
				messages = append(messages, modelMessage{kind: sentPart, form: form})
			}
			part := &messages[parts[form]]
			if data != "" {
				part.pieces = append(part.pieces, data)
			}
		default:
			messages = append(messages, modelMessage{kind: sentWhole, form: word})
		}
	}
	return messages
}

// A history is what one conversation has sent, in the words of record, and received.
type history struct {
	sent     []string
	received []string
	stays    bool // on the recording stayOn
	stayOn   int
}

func (h history) with(word string) history {
	h.sent = append(slices.Clone(h.sent), word)
	return h
}

// An outcome is what a history does to a recording.
type outcome struct {
	fits  bool
	taken []bool // by message
	order []int  // messages taken by whole messages, in the order sent
}

// playHistory plays a history on a recording.
func playHistory(rec []modelMessage, h history) outcome {
	out := outcome{fits: true, taken: make([]bool, len(rec))}
	filled := make([][]string, len(rec)) // the pieces that each part has
	for _, word := range h.sent {
		piece, isPiece := strings.CutPrefix(word, "~")
		if !isPiece {
			at := slices.IndexFunc(rec, func(m modelMessage) bool {
				return m.kind == sentWhole && m.form == word
			})
			for at >= 0 && at < len(rec) && !isUntaken(rec[at], word, out.taken[at]) {
				at++
			}
			if at < 0 || at == len(rec) {
				out.fits = false
				return out
			}
			out.taken[at] = true
			out.order = append(out.order, at)
			continue
		}
		form, data, _ := strings.Cut(piece, ":")
		last := -1 // the part that has the byte before
		for _, char := range data {
			at := 0
			for at < len(rec) && !hasRoom(rec[at], form, filled[at]) {
				at++
			}
			if at == len(rec) {
				out.fits = false
				return out
			}
			if at != last {
				filled[at] = append(filled[at], "")
			}
			last = at
			filled[at][len(filled[at])-1] += string(char)
		}
	}

	isPartial := map[string]bool{} // by form: a part before is not full
	for i, m := range rec {
		if m.kind != sentPart {
			continue
		}
		isFull := sizeOf(filled[i]) == len(m.data())
		if isFull && !m.isSentBy(filled[i]) {
			out.fits = false
		}
		out.taken[i] = isFull && !isPartial[m.form]
		if !isFull {
			isPartial[m.form] = true
		}
	}

	var answers []string
	for _, m := range rec {
		if m.kind == received {
			answers = append(answers, m.form)
		}
	}
	if len(h.received) > len(answers) {
		out.fits = false
		return out
	}
	if !slices.Equal(h.received, answers[:len(h.received)]) {
		out.fits = false
	}
	return out
}

func isUntaken(m modelMessage, form string, isTaken bool) bool {
	return m.kind == sentWhole && m.form == form && !isTaken
}

func hasRoom(m modelMessage, form string, filled []string) bool {
	return m.kind == sentPart && m.form == form && sizeOf(filled) < len(m.data())
}

func sizeOf(pieces []string) int { return len(strings.Join(pieces, "")) }

// nextOf returns the next received message of a history on a recording, and the
// messages that are missing for it.
func nextOf(rec []modelMessage, h history) (index int, state State, missing []int) {
	taken := playHistory(rec, h).taken
	count := 0
	for i, m := range rec {
		switch {
		case m.kind == received && count == len(h.received):
			if len(missing) > 0 {
				return 0, Waiting, missing
			}
			return i, Released, nil
		case m.kind == received:
			count++
		case !taken[i]:
			missing = append(missing, i)
		}
	}
	if len(missing) > 0 {
		return 0, Waiting, missing
	}
	return 0, Ended, nil
}

func untakenOf(rec []modelMessage, h history) []int {
	var list []int
	for i, isTaken := range playHistory(rec, h).taken {
		if rec[i].kind != received && !isTaken {
			list = append(list, i)
		}
	}
	return list
}

// A model is a group of recordings with the histories of its conversations.
type model struct {
	recordings [][]modelMessage
	histories  []history
}

func (m *model) fits(h history, rec int) bool {
	if h.stays && h.stayOn != rec {
		return false
	}
	return playHistory(m.recordings[rec], h).fits
}

// hasPlacement reports whether each history has a recording of its own that it fits.
func (m *model) hasPlacement(histories []history, used []bool) bool {
	if len(histories) == 0 {
		return true
	}
	for rec := range m.recordings {
		if used[rec] || !m.fits(histories[0], rec) {
			continue
		}
		used[rec] = true
		ok := m.hasPlacement(histories[1:], used)
		used[rec] = false
		if ok {
			return true
		}
	}
	return false
}

func (m *model) canPlace(histories []history) bool {
	return m.hasPlacement(histories, make([]bool, len(m.recordings)))
}

// A comparison plays the same steps on a group and on the model.
type comparison struct {
	t       *testing.T
	model   model
	group   *Group
	players []*Player
	closed  []bool
	log     []string
}

func (c *comparison) placements() []int {
	list := make([]int, len(c.players))
	for i, p := range c.players {
		list[i] = p.Recording()
	}
	return list
}

// fail ends the test with all steps so far.
func (c *comparison) fail(format string, args ...any) {
	c.t.Helper()
	c.t.Logf("steps: %s", strings.Join(c.log, "; "))
	c.t.Fatalf(format, args...)
}

func (c *comparison) open() {
	want := c.model.canPlace(append(slices.Clone(c.model.histories), history{}))
	p, ok := c.group.Open()
	if ok != want {
		c.fail("open: %v, want %v", ok, want)
	}
	if ok {
		c.players = append(c.players, p)
		c.closed = append(c.closed, false)
		c.model.histories = append(c.model.histories, history{})
	}
}

func (c *comparison) send(i int, word string) {
	before := c.placements()
	history := c.model.histories[i].with(word)
	histories := slices.Clone(c.model.histories)
	histories[i] = history
	want := c.model.canPlace(histories)

	p := c.players[i]
	piece, isPiece := strings.CutPrefix(word, "~")
	var place Place
	var err error
	if isPiece {
		form, data, _ := strings.Cut(piece, ":")
		err = p.SendBytes(form, []byte(data))
	} else {
		place, err = p.Send(word)
	}
	if (err == nil) != want {
		c.fail("error %v, want a placement: %v", err, want)
	}
	after := c.placements()
	if err != nil {
		c.checkMiss(missOf(c.t, err), i, history)
	}

	mustStay := err != nil || c.model.fits(history, before[i])
	if mustStay && !slices.Equal(before, after) {
		c.fail("moved from %v to %v without need", before, after)
	}
	if err != nil {
		return
	}
	c.model.histories = histories
	if !mustStay {
		c.checkMove(i, before, after)
	}
	if !isPiece {
		order := playHistory(c.model.recordings[after[i]], history).order
		if want := (Place{after[i], order[len(order)-1]}); place != want {
			c.fail("took %v, want %v", place, want)
		}
	}
}

// checkMove checks that a conversation moved to the first recording without a
// conversation, if it fits one.
func (c *comparison) checkMove(i int, before, after []int) {
	for rec := range c.model.recordings {
		if slices.Contains(before, rec) || !c.model.fits(c.model.histories[i], rec) {
			continue
		}
		want := slices.Clone(before)
		want[i] = rec
		if !slices.Equal(after, want) {
			c.fail("moved from %v to %v, want %v", before, after, want)
		}
		return
	}
}

// checkMiss checks what a miss of a conversation says, with the history that it
// would have had.
func (c *comparison) checkMiss(miss *Miss, i int, missed history) {
	h := c.model.histories[i]
	var fitting []int
	for rec, messages := range c.model.recordings {
		if !c.model.fits(h, rec) {
			continue
		}
		fitting = append(fitting, rec)
		if len(fitting) > len(miss.Candidates) {
			break
		}
		candidate := miss.Candidates[len(fitting)-1]
		untaken := indexes(c.t, candidate.Untaken)
		if candidate.Recording != rec || !slices.Equal(untaken, untakenOf(messages, h)) {
			c.fail("candidate %+v", candidate)
		}
		if candidate.Fits != c.model.fits(missed, rec) {
			c.fail("candidate %+v", candidate)
		}
	}
	if len(fitting) != len(miss.Candidates) {
		c.fail("miss %+v, want candidates %v", miss, fitting)
	}
}

func (c *comparison) next(i int) {
	before := c.placements()
	h := &c.model.histories[i]
	rec := before[i]
	index, state, _ := nextOf(c.model.recordings[rec], *h)
	if c.closed[i] {
		state = Closed
	}
	want := Place{}
	if state == Released {
		want = Place{rec, index}
	}
	place, _, got := c.players[i].Next()
	if got != state || place != want {
		c.fail("next %v %v, want %v %v", place, got, want, state)
	}
	switch state {
	case Released:
		form := c.model.recordings[rec][index].form
		h.received = append(slices.Clone(h.received), form)
	case Ended:
		h.stays, h.stayOn = true, rec
	}
	if !slices.Equal(before, c.placements()) {
		c.fail("moved from %v to %v", before, c.placements())
	}
}

func (c *comparison) close(i int) {
	rec := c.players[i].Recording()
	h := &c.model.histories[i]
	_, state, _ := nextOf(c.model.recordings[rec], *h)
	isComplete := state == Ended && !c.closed[i]
	if isComplete {
		h.stays, h.stayOn = true, rec
	}
	c.closed[i] = true
	c.players[i].Close()
}

// check compares all that can be asked.
func (c *comparison) check() {
	used := map[int]bool{}
	for i, p := range c.players {
		rec := p.Recording()
		if used[rec] {
			c.fail("recording %d is used twice", rec)
		}
		used[rec] = true

		h := c.model.histories[i]
		messages := c.model.recordings[rec]
		out := playHistory(messages, h)
		if !c.model.fits(h, rec) {
			c.fail("conversation %d does not fit recording %d", i, rec)
		}
		_, _, missing := nextOf(messages, h)
		lists := []struct {
			name string
			got  []Place
			want []int
		}{
			{"taken", p.Taken(), out.order},
			{"missing", p.Missing(), missing},
			{"unsent", p.Unsent(), untakenOf(messages, h)},
		}
		for _, list := range lists {
			if !slices.Equal(indexes(c.t, list.got), list.want) {
				c.fail("%s of %d: %v, want %v", list.name, i, list.got, list.want)
			}
		}
	}
}

// Words of recordings and of what is sent. Few of them, so that recordings are alike.
var (
	recordedWords = []string{
		"a", "a", "b", "c", "<1", "<1", "<2", "<1",
		"~s:", "~s:x", "~s:xy", "~s:x", "~s:y", "~t:x", "~a:x", "b",
	}
	sentWords = []string{
		"a", "a", "b", "c", "~s:x", "~s:xy", "~s:y", "~s:xx",
		"~s:xyx", "~s:", "~t:x", "~a:x", "d", "a", "b", "~s:x",
	}
)

// FuzzOrder plays random steps: a conversation is placed exactly when the model
// finds a placement, and both agree on all that can be asked.
//
// The first byte is the number of recordings. Each recording is a byte for the number
// of its messages, and a byte for each of them; recordings after the first one copy
// the beginning of the one before. Each step is two bytes.
func FuzzOrder(f *testing.F) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		data := make([]byte, 40+random.IntN(160))
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		data = data[:min(len(data), 400)] // the model is slow
		read := func() int {
			if len(data) == 0 {
				return 0
			}
			value := data[0]
			data = data[1:]
			return int(value)
		}

		c := &comparison{t: t}
		var scripts []string
		var words []string
		for range 1 + read()%5 {
			shape := read()
			words = slices.Clone(words[:min(len(words), shape%8)])
			for range shape / 8 % 7 {
				words = append(words, recordedWords[read()%len(recordedWords)])
			}
			script := strings.Join(words, " ")
			scripts = append(scripts, script)
			c.model.recordings = append(c.model.recordings, modelRecording(script))
			c.log = append(c.log, "recording "+script)
		}
		c.group = groupOf(scripts...)

		for len(data) > 0 {
			step, word := read(), read()
			isOpen := len(c.players) == 0 || step%16 < 2
			if isOpen {
				c.log = append(c.log, "open")
				c.open()
				c.check()
				if len(c.players) == 0 {
					return
				}
				continue
			}
			i := step / 16 % len(c.players)
			name := string(rune('A' + i))
			switch step % 16 {
			case 2, 3, 4, 5, 6:
				c.log = append(c.log, name+" next")
				c.next(i)
			case 7:
				if word%4 == 0 {
					c.log = append(c.log, name+" close")
					c.close(i)
				}
			default:
				if c.closed[i] {
					continue
				}
				word := sentWords[word%len(sentWords)]
				c.log = append(c.log, name+" "+word)
				c.send(i, word)
			}
			c.check()
		}
	})
}
