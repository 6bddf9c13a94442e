// Package cassette is the file that a recording lives in: what stands before and behind its
// interactions, the seals that tell of edits, the assets beside it, the journal that grows
// while a test runs, and how all that reaches the disk whole. The text of an interaction is
// the business of package codec.
package cassette

import (
	"cmp"

	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/interaction"
)

// File is one cassette: the interactions of one test, in the order asked.
type File struct {
	Pinned         bool // never overwritten by a recording run
	Partial        bool // saved by a run that failed or was cut short
	RecordedValues interaction.RecordedValues
	Interactions   []*interaction.Interaction

	// Shared tells of the lines of interactions with values that others share by aliases how
	// many those are. Save does not need it.
	Shared map[int]int

	// Revision is the number of the rules that made the match keys, for the seals. Parse
	// leaves it 0: a seal by no rules tells of edits, and nothing of the request.
	Revision uint32
}

// A SyntaxError says where a cassette is broken, and what to do about it.
type SyntaxError = codec.SyntaxError

// Parse reads the cassette data. name is the file's name for messages; asset
// returns the content of an asset by its file name and may be nil if there are
// none. Nothing that Parse cannot give its exact meaning is accepted: the error
// is a *SyntaxError then, whose message says what to do.
func Parse(name string, data []byte, asset codec.ReadAsset) (*File, error) {
	f, _, err := parse(name, data, asset)
	return f, err
}

// parse is Parse. It also returns the lines of the edits that the seals tell of.
func parse(name string, data []byte, asset codec.ReadAsset) (f *File, edited []int, err error) {
	text := codec.Normalize(data)
	doc, broken := codec.Parse(name, text, asset)
	if broken != nil {
		broken = cmp.Or(notOurs(name, text), broken)
	}
	broken = cmp.Or(checkWhole(name, text), broken)
	if broken != nil {
		broken.Incomplete = broken.Incomplete && !isPinned(text)
		return nil, nil, broken
	}
	f = &File{Pinned: doc.Pinned, Partial: doc.Partial, RecordedValues: doc.RecordedValues, Interactions: doc.Interactions, Shared: map[int]int{}}
	for _, item := range doc.Items {
		for _, i := range item.DependsOn {
			f.Shared[doc.Items[i].Interactions[0].Line]++
		}
	}
	return f, unseal(doc.Items, text, doc.Seals), nil
}

// Load reads the cassette NAME.yaml and the assets it names from the folder
// NAME.assets beside it. If path is a symbolic link, that is beside its target.
//
// If there is no such file the error is fs.ErrNotExist; if the file is broken,
// or an asset is missing or was changed, it is a *SyntaxError.
func Load(path string) (*File, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data, readFrom(path))
}
