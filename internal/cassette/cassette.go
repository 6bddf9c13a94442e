// Package cassette reads and writes cassette files: the lines above and below the interactions,
// the seals that show edits, the assets in the folder next to the file, and the journal to
// which a recording test appends. Files are replaced atomically. Package codec encodes and
// parses the interactions themselves.
package cassette

import (
	"cmp"

	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/interaction"
)

// File is one cassette: the interactions of one test, in the order of their requests.
type File struct {
	Pinned         bool // never overwritten by a recording run
	Partial        bool // saved by a run that failed or was interrupted
	RecordedValues interaction.RecordedValues
	Interactions   []*interaction.Interaction

	// Shared counts the interactions that have aliases of values in another interaction. Its
	// keys are the lines at which the interactions with the values start.
	Shared map[int]int

	// Revision is the number of the matching rules that made the match keys, for the seals.
	// Parse leaves it 0: then a seal shows edits, and its match key is not used.
	Revision uint32
}

// Version is the version of the format of cassettes.
const Version = codec.Version

// A SyntaxError says where a cassette is broken, and what to do about it.
type SyntaxError = codec.SyntaxError

// Parse parses the text of a cassette. name is the name of the file for messages. asset returns
// the content of an asset by its file name, and may be nil for a cassette without assets. Parse
// rejects all text whose meaning is not exactly defined: the error is a *SyntaxError, and its
// message says what to do.
func Parse(name string, data []byte, asset codec.ReadAsset) (*File, error) {
	f, _, err := parse(name, data, asset)
	return f, err
}

// parse is Parse, and also returns the lines at which the seals show an edit (see [Index.Edited]).
func parse(name string, data []byte, asset codec.ReadAsset) (f *File, edited []int, err error) {
	text := codec.Normalize(data)
	doc, syntaxErr := codec.Parse(name, text, asset)
	if syntaxErr != nil {
		syntaxErr = cmp.Or(foreignError(name, text), syntaxErr)
	}
	// A truncated file is reported as such even if it can be parsed, and before any other error.
	syntaxErr = cmp.Or(checkComplete(name, text), syntaxErr)
	if syntaxErr != nil {
		syntaxErr.Incomplete = syntaxErr.Incomplete && !isPinned(text)
		return nil, nil, syntaxErr
	}

	f = &File{
		Pinned:         doc.Pinned,
		Partial:        doc.Partial,
		RecordedValues: doc.RecordedValues,
		Interactions:   doc.Interactions,
		Shared:         map[int]int{},
	}
	for _, item := range doc.Items {
		for _, i := range item.DependsOn {
			withValues := doc.Items[i].Interactions[0]
			f.Shared[withValues.Line]++
		}
	}
	return f, applySeals(doc.Items, text, doc.Seals), nil
}

// Load reads the cassette NAME.yaml, and its assets from the folder NAME.assets next to it. If
// path is a symbolic link, the folder is next to the target of the link.
//
// If the file does not exist, the error is fs.ErrNotExist. If the file is broken, or if an
// asset is missing or was changed, the error is a *SyntaxError.
func Load(path string) (*File, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data, assetReader(path))
}
