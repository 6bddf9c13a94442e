package cassette

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/atomicfile"
	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/interaction"
)

// eachFrame calls read for each frame of a journal whose first line begins with start: with the
// rest of that line, and with all text below the line. read returns the length of the frame's
// text, or 0 if the frame is incomplete.
func eachFrame(data []byte, start string, read func(line string, text []byte) int) {
	for {
		_, rest, found := bytes.Cut(data, []byte(start))
		if !found {
			return
		}
		line, text, _ := bytes.Cut(rest, []byte("\n"))
		n := read(string(line), text)
		if n > 0 {
			// start begins with "\n", which may be the last byte of this frame.
			data = text[n-1:]
		} else {
			// The next frame may be in what looks like the text of this one.
			data = rest
		}
	}
}

// matchesStart reports whether text begins with the text that has this ID.
func (id textID) matchesStart(text []byte) bool {
	return 0 < id.len && id.len <= len(text) && idOf(text[:id.len]) == id
}

// completeItems returns the texts of the interactions in a journal. Incomplete ones are left out:
// the process that wrote them was killed.
func completeItems(data []byte) (texts [][]byte) {
	eachFrame(data, frameStart, func(line string, text []byte) int {
		s, ok := parseSeal(line)
		if !ok || !s.text.matchesStart(text) {
			return 0
		}
		texts = append(texts, text[:s.text.len])
		return s.text.len
	})
	return texts
}

// recordedValuesIn returns the recorded values of a journal: those of the last complete frame
// with values, since each frame repeats the values of the ones before it.
func recordedValuesIn(data []byte) (values interaction.RecordedValues) {
	eachFrame(data, valuesStart, func(line string, text []byte) int {
		id, ok := parseTextID(line)
		if !ok || !id.matchesStart(text) {
			return 0
		}
		if later, err := codec.ParseRecordedValues(text[:id.len]); err == nil {
			values = later
		}
		return id.len
	})
	return values
}

// parseTextID parses an ID as [valuesFrame] writes it: "9f21e5eb 85".
func parseTextID(line string) (id textID, ok bool) {
	hexSum, decimalLen, _ := strings.Cut(line, " ")
	sum, sumErr := strconv.ParseUint(hexSum, 16, 32)
	length, lenErr := strconv.ParseUint(decimalLen, 10, 30)
	return textID{uint32(sum), int(length)}, sumErr == nil && lenErr == nil
}

// valuesFrame returns the journal frame for the text of recorded values, or nothing if the text
// is empty.
func valuesFrame(text []byte) []byte {
	if len(text) == 0 {
		return nil
	}
	id := idOf(text)
	return append(fmt.Appendf(nil, "%s%08x %d\n", valuesStart, id.sum, id.len), text...)
}

// Append appends recorded values (from [EncodeRecordedValues]) and an interaction to the journal
// at path; each of the two may be nil. With create, Append makes the file, and the error is
// fs.ErrExist if it exists. The file is not kept open: another process may replace it.
func Append(path string, values []byte, item *Encoded, create bool) (err error) {
	flags := os.O_WRONLY | os.O_APPEND
	var pieces [][]byte
	if create {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		flags |= os.O_CREATE | os.O_EXCL
		pieces = append(pieces, journalHead())
	}
	var f *os.File
	err = atomicfile.Retry(func() error {
		f, err = os.OpenFile(path, flags, 0o666)
		return err
	})
	if err != nil {
		return err
	}
	defer func() {
		closeErr := f.Close()
		if err == nil {
			err = closeErr
		}
		if err != nil && create {
			os.Remove(path)
		}
	}()

	pieces = append(pieces, valuesFrame(values))
	if item != nil {
		if _, err := saveAssets(path, item.Assets); err != nil {
			return err
		}
		pieces = append(pieces, item.journalFrame())
	}
	// One write for each piece: another process may append at the same time.
	return atomicfile.Pieces(pieces...)(f)
}

// journalHead returns the first lines of a journal, which are those of a partial cassette.
func journalHead() []byte { return []byte(fileHead(false, true, nil, 1)) }

// SaveJournal replaces the journal at path by one with these recorded values (from
// [EncodeRecordedValues]) and interactions.
func SaveJournal(path string, values []byte, items []*Encoded) error {
	pieces := [][]byte{journalHead(), valuesFrame(values)}
	assets := map[string][]byte{}
	for _, item := range items {
		pieces = append(pieces, item.journalFrame())
		maps.Copy(assets, item.Assets)
	}
	return writeFile(path, assets, false, pieces)
}

// LoadJournal reads the complete interactions of the journal at path, which [Append] wrote, and
// the recorded values. saved is the path of the cassette that the journal is for. stale is true
// if the cassette has one of the interactions: then the run that wrote the journal has saved its
// recording, and left is empty. If the journal does not exist, left is empty and err is nil.
func LoadJournal(path, saved string) (left *File, stale bool, err error) {
	left = &File{Partial: true}
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, false, errors.New("it is not a file; move it out of the way")
	}
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return left, false, nil
	}
	if err != nil {
		return nil, false, err
	}

	texts := completeItems(data)
	if len(texts) == 0 && !isJournalStart(data) {
		return nil, false, &SyntaxError{
			File: path, Line: 1, Column: 1, Msg: "this is not a journal of promptecho",
		}
	}

	left.RecordedValues = recordedValuesIn(data)
	savedByRequest := loadByRequest(saved)
	for _, text := range texts {
		it, err := codec.ParseItem(path, string(text), assetReader(path), nil)
		var syntax *SyntaxError
		if errors.As(err, &syntax) && syntax.Incomplete {
			continue // the process was killed while it wrote the asset
		}
		if err != nil {
			return nil, false, err // for example, written by a newer version
		}
		isSaved := slices.ContainsFunc(
			savedByRequest[it.Request.Digest()],
			func(other *interaction.Interaction) bool { return other.Difference(it) == "" },
		)
		if isSaved {
			return &File{Partial: true}, true, nil
		}
		left.Interactions = append(left.Interactions, it)
	}
	return left, false, nil
}

// isJournalStart reports whether data is the start of a journal: its first lines or a part of them.
func isJournalStart(data []byte) bool {
	start := journalHead()
	if len(data) < len(start) {
		start = start[:len(data)]
	}
	return bytes.HasPrefix(data, start)
}

// loadByRequest returns the interactions of the cassette at path by the digests of their requests.
// If the cassette cannot be read, the result is empty. So it is for a truncated cassette, whose
// last interactions may be in the journal only.
func loadByRequest(path string) map[uint64][]*interaction.Interaction {
	byRequest := map[uint64][]*interaction.Interaction{}
	f, err := Load(path)
	if err != nil {
		return byRequest
	}
	for _, it := range f.Interactions {
		digest := it.Request.Digest()
		byRequest[digest] = append(byRequest[digest], it)
	}
	return byRequest
}
