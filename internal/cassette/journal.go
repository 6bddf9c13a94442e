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

// eachFrame calls whole with the line of each frame of a journal that begins with start,
// and the text behind it. whole returns how long the text of the frame is, or 0 if the frame
// is torn.
func eachFrame(data []byte, start string, whole func(line string, text []byte) int) {
	for {
		_, rest, found := bytes.Cut(data, []byte(start))
		if !found {
			return
		}
		data = rest
		line, text, _ := bytes.Cut(rest, []byte("\n"))
		if n := whole(string(line), text); n > 0 {
			data = text[n-1:] // its line end may be that of the next frame
		}
	}
}

// begins reports whether text begins with what id is of.
func (id textID) matchesStart(text []byte) bool {
	return 0 < id.len && id.len <= len(text) && idOf(text[:id.len]) == id
}

// wholeItems returns the texts of the interactions in a journal that are whole.
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

// valuesIn returns the recorded values of a journal: the last of the texts with that which is
// whole, since each has what the ones before it have.
func recordedValuesIn(data []byte) (g interaction.RecordedValues) {
	eachFrame(data, valuesStart, func(line string, text []byte) int {
		id, ok := parseTextID(line)
		if !ok || !id.matchesStart(text) {
			return 0
		}
		if later, err := codec.ParseRecordedValues(text[:id.len]); err == nil {
			g = later
		}
		return id.len
	})
	return g
}

// parseTextID reads an ID as [frameValues] writes it: "9f21e5eb 85".
func parseTextID(line string) (id textID, ok bool) {
	hexSum, decimalLen, _ := strings.Cut(line, " ")
	sum, sumErr := strconv.ParseUint(hexSum, 16, 32)
	length, lenErr := strconv.ParseUint(decimalLen, 10, 30)
	return textID{uint32(sum), int(length)}, sumErr == nil && lenErr == nil
}

// frameValues returns what [EncodeRecordedValues] returned as it stands in a journal.
func frameValues(text []byte) []byte {
	if len(text) == 0 {
		return nil
	}
	id := idOf(text)
	return append(fmt.Appendf(nil, "%s%08x %d\n", valuesStart, id.sum, id.len), text...)
}

// Append adds to the journal at path what [EncodeRecordedValues] returned and an interaction; each
// of the two may be nil. create makes the file, and it is an error (fs.ErrExist) if there
// is one. The file is not kept open: another process may put a new one in its place.
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
	f, err := os.OpenFile(path, flags, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil && create {
			os.Remove(path)
		}
	}()
	pieces = append(pieces, frameValues(values))
	if item != nil {
		if _, err := saveAssets(path, item.Assets); err != nil {
			return err
		}
		pieces = append(pieces, item.journalFrame())
	}
	return atomicfile.Pieces(pieces...)(f) // each in one write: others may append, too
}

func journalHead() []byte { return []byte(fileHead(false, true, nil, 1)) }

// SaveJournal puts a journal of these interactions, and of what [EncodeRecordedValues] returned, in
// the place of the one at path.
func SaveJournal(path string, values []byte, items []*Encoded) error {
	pieces, assets := [][]byte{journalHead(), frameValues(values)}, map[string][]byte{}
	for _, item := range items {
		pieces = append(pieces, item.journalFrame())
		maps.Copy(assets, item.Assets)
	}
	return writeFile(path, assets, false, pieces)
}

// LoadJournal reads a journal that [Append] wrote: what is whole of it, with assets. saved
// is the cassette that the journal is for. If one of the interactions stands in it, then
// all were saved that were to be, and stale is true. If there is no journal, or one that
// nothing was finished in, what is left has no interactions, and there is no error.
func LoadJournal(path, saved string) (left *File, stale bool, err error) {
	left = &File{Partial: true}
	if info, err := os.Lstat(path); err == nil && irregularKind(info.Mode()) != "" {
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
	if head := journalHead(); len(texts) == 0 && !bytes.HasPrefix(data, head[:min(len(head), len(data))]) {
		return nil, false, &SyntaxError{File: path, Line: 1, Column: 1, Msg: "this is not a journal of promptecho"}
	}
	// In a cassette that was cut nothing counts as saved: what it lost may be in the journal only.
	there := map[uint64][]*interaction.Interaction{}
	if f, err := Load(saved); err == nil {
		for _, it := range f.Interactions {
			digest := it.Request.Digest()
			there[digest] = append(there[digest], it)
		}
	}
	left.RecordedValues = recordedValuesIn(data)
	for _, text := range texts {
		it, err := codec.ParseItem(path, string(text), assetReader(path), nil)
		var syntax *SyntaxError
		switch {
		case errors.As(err, &syntax) && syntax.Cut:
			continue // its asset is torn
		case err != nil:
			return nil, false, err // by another version
		case slices.ContainsFunc(there[it.Request.Digest()], func(saved *interaction.Interaction) bool { return saved.Difference(it) == "" }):
			return &File{Partial: true}, true, nil
		}
		left.Interactions = append(left.Interactions, it)
	}
	return left, false, nil
}
