package interaction

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
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

var (
	moments    = memo.Regexp(`^asked (\S+), answered (\S+)(?:, pieces([^,]*))?(?:, ended (\S+))?$`)
	errMoments = errors.New(`want the order of events as promptecho wrote it, such as "asked 1, answered 2, pieces 3 4x2, ended 5": restore it from git, or write true`)
)

// ParseMoments reads what String writes. Each moment must be one before which the earlier
// ones came.
func ParseMoments(text string) (*Moments, error) {
	m := new(Moments)
	if text == "true" {
		return m, nil
	}
	parts := moments().FindStringSubmatch(text)
	if parts == nil {
		return nil, errMoments
	}
	last := 0
	var err error
	next := func(text string) int {
		n, failed := strconv.Atoi(text)
		if err == nil && (failed != nil || n < 1 || n < last) {
			err = fmt.Errorf("want numbers of which none is smaller than the one before it, so here "+
				"at least %d: restore them from git, or write true", max(last, 1))
		}
		last = n
		return n
	}
	m.Asked, m.Answered = next(parts[1]), next(parts[2])
	for run := range strings.FieldsSeq(parts[3]) {
		value, count, many := strings.Cut(run, "x")
		n, failed := strconv.Atoi(count)
		if !many {
			n, failed = 1, nil
		}
		if failed != nil || n < 1 || n+len(m.Pieces) > maxPieces {
			return nil, errMoments
		}
		m.Pieces = append(m.Pieces, slices.Repeat([]int{next(value)}, n)...)
	}
	if parts[4] != "" {
		m.Ended = next(parts[4])
	}
	m.Ended = max(m.Ended, last)
	if err != nil {
		return nil, err
	}
	return m, nil
}
