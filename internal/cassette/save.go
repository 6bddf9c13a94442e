package cassette

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/alias"
	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/interaction"
)

// Encoded is an interaction as it stands in a cassette.
type Encoded struct {
	Text   []byte
	Assets map[string][]byte // beside the file, by name

	seal  seal
	plain uint32 // see plainSum
}

// Interaction reads what was encoded.
func (e *Encoded) Interaction() (*interaction.Interaction, error) {
	return codec.Read(e.Text, e.Assets)
}

// framed returns the interaction as it stands in a journal.
func (e *Encoded) journalFrame() []byte {
	return append([]byte(frameStart+e.seal.String()+"\n"), e.Text...)
}

// Encode returns an interaction as it stands in a cassette, with a seal by the match rules
// of a revision, and makes sure that it reads as it again. Errors are those of
// [codec.Encode].
func Encode(it *interaction.Interaction, revision uint32) (*Encoded, error) {
	text, assets, err := codec.EncodeChecked(it)
	if err != nil {
		return nil, err
	}
	return &Encoded{
		Text:   text,
		Assets: assets,
		seal:   newSeal(it, text, revision),
		plain:  checksumPlain(text),
	}, nil
}

// EncodeRecordedValues returns the recorded values of a cassette, as it stands at its top, and makes
// sure that it reads as that again.
func EncodeRecordedValues(g *interaction.RecordedValues) ([]byte, error) {
	return codec.EncodeRecordedValues(g)
}

// Contents is what a cassette is saved from.
type Contents struct {
	Pinned, Partial bool
	New             bool   // it is an error (fs.ErrExist) if there is a file
	RecordedValues  []byte // as EncodeRecordedValues returns them
	Items           []*Encoded
}

// Pieces returns what the file consists of, and its assets.
func (c *Contents) Pieces() (pieces [][]byte, assets map[string][]byte, err error) {
	pieces = append(pieces, []byte(fileHead(c.Pinned, c.Partial, c.RecordedValues, len(c.Items))))
	assets = map[string][]byte{}
	var tail strings.Builder
	if len(c.Items) > 0 {
		tail.WriteString(sealsLine)
	}

	items, texts := c.withoutRepeats()
	for i, item := range items {
		pieces = append(pieces, texts[i])
		seal := item.seal
		seal.text = idOf(texts[i])
		isChanged := seal.text != item.seal.text // by shared values or a number of times
		if isChanged {
			seal.plain = item.plain
		}
		tail.WriteString(codec.ItemStart + seal.String() + "\n")
	}

	for _, item := range c.Items {
		for name, content := range item.Assets {
			if err := codec.AddAsset(assets, name, content); err != nil {
				return nil, nil, err
			}
		}
	}
	tail.WriteString(codec.EndMark + "\n")
	return append(pieces, []byte(tail.String())), assets, nil
}

// withoutRepeats returns the interactions without those that repeat the one before, and
// their texts. The text of an interaction that is repeated says how many times it stands
// there, and a value that several texts have is written once.
func (c *Contents) withoutRepeats() (items []*Encoded, texts [][]byte) {
	times := 1
	for i, item := range c.Items {
		if i > 0 && times < codec.MostTimes && item.repeats(c.Items[i-1]) {
			times++
			texts[len(texts)-1] = codec.Times(items[len(items)-1].Text, times)
			continue
		}
		times = 1
		items = append(items, item)
		texts = append(texts, item.Text)
	}
	return items, alias.Write(texts)
}

// repeats reports whether an interaction is the same as the one before it, but for the
// time its answer took.
func (e *Encoded) repeats(before *Encoded) bool {
	return e.seal.key == before.seal.key && codec.SameBut(e.Text, before.Text)
}

// head returns what stands before n interactions.
func fileHead(pinned, partial bool, values []byte, n int) string {
	text := headStart
	if pinned {
		text += "pinned: true\n"
	}
	if partial {
		text += "partial: true\n"
	}
	text += string(values)
	if n == 0 {
		return text + "interactions: []\n"
	}
	return text + codec.ItemsLine
}

// Save writes a cassette to path whole or not at all, and its assets beside it. Afterwards
// the file is read back and must be what was written. Then assets that it does not name are
// removed. A file that already has these bytes is not written. A symbolic link stays one: its
// target is written.
//
// On an error the old cassette and its assets are as before, unless the error
// says that the file on disk is not what was written. A link that leads out of the
// folder of path is not followed: that is an error.
func (c *Contents) Save(path string) error {
	pieces, assets, err := c.Pieces()
	if err != nil {
		return fmt.Errorf("%s: not saved: %w", path, err)
	}
	if err := makeFile(path, assets, c.New, pieces); err != nil {
		return err
	}
	if err := RemoveAssets(path, assets); err != nil {
		return fmt.Errorf("%s: saved, but old assets could not be removed: %w", path, err)
	}
	return nil
}

// Put makes the cassette at path one of these pieces, as [Contents.Save] does, and saves assets
// beside it; those that are there stay.
func Put(path string, assets map[string][]byte, pieces ...[]byte) error {
	return makeFile(path, assets, false, pieces)
}

// makeFile writes the pieces and the assets of the cassette at path, and reads the file back.
func makeFile(path string, assets map[string][]byte, isNew bool, pieces [][]byte) error {
	file, err := placeFor(path)
	if err == nil {
		err = writeFile(file, assets, isNew, pieces)
	}
	if err != nil {
		return fmt.Errorf("%s: not saved: %w", path, err)
	}
	return checkWritten(path, pieces)
}

// placeFor returns the file to write for path, and makes its folder. It is an error if
// something other than a file is there.
func placeFor(path string) (file string, err error) {
	file, err = writablePath(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err == nil && !info.Mode().IsRegular() {
		return "", errors.New("this is not a file; move it out of the way")
	}
	return file, os.MkdirAll(filepath.Dir(file), 0o777)
}

// writeFile makes file one of these pieces, and saves its assets beside it. On an error the old
// file and its assets are as before.
func writeFile(file string, assets map[string][]byte, isNew bool, pieces [][]byte) (err error) {
	added, err := saveAssets(file, assets)
	defer func() {
		if err != nil {
			removeAdded(Assets(file), added)
		}
	}()
	if err != nil {
		return err
	}
	if isNew {
		return createFile(file, pieces)
	}
	return replaceFile(file, file, pieces...)
}

// Remove deletes the cassette file at path and its assets. It is no error if
// there is none.
func Remove(path string) error {
	// Look first: a read-only file system refuses to remove even a file that does not exist.
	if _, err := os.Lstat(path); err == nil {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return RemoveAssets(path, nil)
}

// readBack returns an error if the file at path does not consist of these pieces.
func checkWritten(path string, pieces [][]byte) error {
	same, err := hasContent(path, pieces)
	if err != nil {
		return fmt.Errorf("%s: saved, but it cannot be read back: %w", path, err)
	}
	if !same {
		return fmt.Errorf("%s: the file is not what was just written; "+
			"does something else write it? Record again",
			path)
	}
	return nil
}
