package interaction

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// Moments say when the parts of an interaction happened, in relation to the parts of the
// interactions that overlapped it. The first moment, when no other request was in progress, is
// 1. The number grows by one whenever the next part belongs to another interaction than the
// part before. Only the order of the numbers has a meaning.
type Moments struct {
	Asked    int   // when the request was sent; 0 if only the fact that others overlapped is known
	Answered int   // when the headers came
	Pieces   []int // when the events, or the chunks, came; missing ones came with the end
	Ended    int   // when the body ended; a body in one piece came then
}

// String returns the moments as a cassette has them: "asked 1, answered 3, pieces 3x4 5,
// ended 7". Two parts are left out: pieces if all of them came with the end, and the end if
// it came with the part before. The result for nil is "".
func (m *Moments) String() string {
	if m == nil {
		return ""
	}
	if m.Asked == 0 {
		return "true"
	}
	text := fmt.Sprintf("asked %d, answered %d", m.Asked, m.Answered)
	last := m.Answered
	if m.hasPiecesBeforeEnd() {
		text += ", pieces" + m.runs()
		last = m.Pieces[len(m.Pieces)-1]
	}
	if m.Ended != last {
		text += ", ended " + strconv.Itoa(m.Ended)
	}
	return text
}

// hasPiecesBeforeEnd reports whether a piece came at another moment than the end.
func (m *Moments) hasPiecesBeforeEnd() bool {
	return slices.ContainsFunc(m.Pieces, func(piece int) bool { return piece != m.Ended })
}

// runs returns the moments of the pieces, each after a space. Equal ones in a row are written
// once with their number: " 3x4 5".
func (m *Moments) runs() string {
	var text strings.Builder
	for start := 0; start < len(m.Pieces); {
		end := start + 1
		for end < len(m.Pieces) && m.Pieces[end] == m.Pieces[start] {
			end++
		}
		text.WriteString(" " + strconv.Itoa(m.Pieces[start]))
		if end-start > 1 {
			text.WriteString("x" + strconv.Itoa(end-start))
		}
		start = end
	}
	return text.String()
}

// maxPieces is the most pieces that ParseMoments accepts, so that a broken file cannot use up
// the memory.
const maxPieces = 1 << 20

var (
	moments    = memo.Regexp(`^asked (\S+), answered (\S+)(?:, pieces([^,]*))?(?:, ended (\S+))?$`)
	errMoments = errors.New("want the order of events as promptecho wrote it, such as " +
		`"asked 1, answered 2, pieces 3 4x2, ended 5": restore it from git, or write true`)
)

// ParseMoments reads the text that [Moments.String] returns. No moment may be before an
// earlier one in the text.
func ParseMoments(text string) (*Moments, error) {
	m := new(Moments)
	if text == "true" {
		return m, nil
	}
	match := moments().FindStringSubmatch(text)
	if match == nil {
		return nil, errMoments
	}
	asked, answered, pieces, ended := match[1], match[2], match[3], match[4]

	last := 0          // the moment that was read last
	var orderErr error // of the first moment that is no number, or is before an earlier one
	parse := func(text string) int {
		n, err := strconv.Atoi(text)
		isInOrder := err == nil && n >= max(last, 1)
		if !isInOrder && orderErr == nil {
			orderErr = fmt.Errorf("want numbers of which none is smaller than the one before it, "+
				"so here at least %d: restore them from git, or write true", max(last, 1))
		}
		last = n
		return n
	}

	m.Asked = parse(asked)
	m.Answered = parse(answered)
	for run := range strings.FieldsSeq(pieces) { // "5" or "3x4"
		moment, times, isRun := strings.Cut(run, "x")
		count := 1
		if isRun {
			var err error
			count, err = strconv.Atoi(times)
			if err != nil {
				return nil, errMoments
			}
		}
		if count < 1 || count+len(m.Pieces) > maxPieces {
			return nil, errMoments
		}
		m.Pieces = append(m.Pieces, slices.Repeat([]int{parse(moment)}, count)...)
	}
	if ended != "" {
		m.Ended = parse(ended)
	}
	m.Ended = max(m.Ended, last) // String leaves out an end that came with the part before
	if orderErr != nil {
		return nil, orderErr
	}
	return m, nil
}
