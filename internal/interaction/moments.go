package interaction

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Moments say when something of an interaction happened among what ran side by side with it.
// They count from 1, where nothing else was under way, and go on by one whenever something
// of another interaction happens. Only their order means something.
type Moments struct {
	Asked    int   // 0 if only that it had company is known
	Answered int   // when the headers came
	Pieces   []int // when the events came, or the chunks; missing ones came with the end
	Ended    int   // when the body ended; a body in one piece came then
}

// String returns the moments as a cassette has them: "asked 1, answered 3, pieces 3x4 5,
// ended 7". Pieces that came with the end are left out, and an end that came with what was
// before it. It is "" for nil.
func (m *Moments) String() string {
	switch {
	case m == nil:
		return ""
	case m.Asked == 0:
		return "true"
	}
	text := fmt.Sprintf("asked %d, answered %d", m.Asked, m.Answered)
	last := m.Answered
	if runs := m.runs(); runs != "" {
		text += ", pieces" + runs
		last = m.Pieces[len(m.Pieces)-1]
	}
	if m.Ended != last {
		text += ", ended " + strconv.Itoa(m.Ended)
	}
	return text
}

// runs writes equal pieces in a row as one with their number; "" if all came with the end.
func (m *Moments) runs() (text string) {
	alone := true
	for i := 0; i < len(m.Pieces); {
		n := i
		for n < len(m.Pieces) && m.Pieces[n] == m.Pieces[i] {
			n++
		}
		alone = alone && m.Pieces[i] == m.Ended
		text += " " + strconv.Itoa(m.Pieces[i])
		if n-i > 1 {
			text += "x" + strconv.Itoa(n-i)
		}
		i = n
	}
	if alone {
		return ""
	}
	return text
}

// maxPieces is how many pieces of one moment are believed.
const maxPieces = 1 << 20

var errMoments = errors.New(`want numbers that grow, such as "asked 1, answered 2, pieces 3 4x2, ended 5"`)

// ParseMoments reads what String writes. Each moment must be one before which the earlier
// ones came.
func ParseMoments(text string) (*Moments, error) {
	m := new(Moments)
	if text == "true" {
		return m, nil
	}
	last := 0
	next := func(text string) (n int, err error) {
		if n, err = strconv.Atoi(text); err != nil || n < 1 || n < last {
			return 0, fmt.Errorf("want a number of at least %d behind each word", max(last, 1))
		}
		last = n
		return n, nil
	}
	for i, part := range strings.Split(text, ", ") {
		name, value, _ := strings.Cut(part, " ")
		var err error
		switch {
		case name == "asked" && i == 0:
			m.Asked, err = next(value)
		case name == "answered" && i == 1:
			m.Answered, err = next(value)
		case name == "pieces" && i == 2:
			err = m.parsePieces(value, next)
		case name == "ended" && i > 1:
			m.Ended, err = next(value)
		default:
			err = errMoments
		}
		if err != nil {
			return nil, err
		}
	}
	if m.Answered == 0 {
		return nil, errMoments
	}
	m.Ended = max(m.Ended, last)
	return m, nil
}

func (m *Moments) parsePieces(text string, next func(string) (int, error)) error {
	for run := range strings.FieldsSeq(text) {
		value, count, many := strings.Cut(run, "x")
		at, err := next(value)
		n := 1
		if many && err == nil {
			n, err = strconv.Atoi(count)
		}
		if err != nil || n < 1 || n+len(m.Pieces) > maxPieces {
			return errMoments
		}
		for range n {
			m.Pieces = append(m.Pieces, at)
		}
	}
	return nil
}
