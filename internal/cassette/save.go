package cassette

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/promptecho/promptecho/internal/atomicfile"
	"github.com/promptecho/promptecho/internal/cassette/alias"
	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/interaction"
)

// Encoded is the text of an interaction in a cassette, with its assets.
type Encoded struct {
	Text   []byte
	Assets map[string][]byte // their contents by file name

	seal  seal
	plain uint32 // see plainChecksum
}

// Interaction parses the text.
func (e *Encoded) Interaction() (*interaction.Interaction, error) {
	return codec.Read(e.Text, e.Assets)
}

// journalFrame returns the text to append to a journal.
func (e *Encoded) journalFrame() []byte {
	return append([]byte(frameStart+e.seal.String()+"\n"), e.Text...)
}

// Encode encodes an interaction and checks that the text can be parsed to an equal interaction.
// revision is the number of the rules that made the match key. Errors are those of
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
		plain:  plainChecksum(text),
	}, nil
}

// EncodeRecordedValues encodes the recorded values at the top of a cassette. It checks that the text
// can be parsed to equal values.
func EncodeRecordedValues(values *interaction.RecordedValues) ([]byte, error) {
	return codec.EncodeRecordedValues(values)
}

// Contents are the parts of a cassette that is saved.
type Contents struct {
	Pinned, Partial bool
	New             bool   // if the file exists, saving fails with fs.ErrExist
	RecordedValues  []byte // from EncodeRecordedValues
	Items           []*Encoded
}

// Pieces returns the text of the file in pieces, and its assets by their names.
func (c *Contents) Pieces() (pieces [][]byte, assets map[string][]byte, err error) {
	head := fileHead(c.Pinned, c.Partial, c.RecordedValues, len(c.Items))
	pieces = append(pieces, []byte(head))

	var tail strings.Builder
	if len(c.Items) > 0 {
		tail.WriteString(sealsLine)
	}
	items, texts := c.withoutRepeats()
	for i, item := range items {
		pieces = append(pieces, texts[i])
		seal := item.seal
		seal.text = idOf(texts[i])
		// withoutRepeats may have added anchors, aliases or a number of times to the text.
		isChanged := seal.text != item.seal.text
		if isChanged {
			seal.plain = item.plain
		}
		tail.WriteString(codec.ItemStart + seal.String() + "\n")
	}
	tail.WriteString(codec.EndMark + "\n")
	pieces = append(pieces, []byte(tail.String()))

	assets = map[string][]byte{}
	for _, item := range c.Items {
		for name, content := range item.Assets {
			if err := codec.AddAsset(assets, name, content); err != nil {
				return nil, nil, err
			}
		}
	}
	return pieces, assets, nil
}

// withoutRepeats returns the interactions and the texts to write for them. An interaction that
// repeats the one before it is left out; the text of the first then has the number of times. A
// value that occurs in several texts is written once, with an anchor, and then as an alias.
func (c *Contents) withoutRepeats() (items []*Encoded, texts [][]byte) {
	times := 1
	for i, item := range c.Items {
		if i > 0 && times < codec.MaxTimes && item.repeats(c.Items[i-1]) {
			times++
			repeated := items[len(items)-1]
			texts[len(texts)-1] = codec.WithTimes(repeated.Text, times)
			continue
		}
		times = 1
		items = append(items, item)
		texts = append(texts, item.Text)
	}
	return items, alias.Write(texts)
}

// repeats reports whether an interaction is the same as the one before it, except for the time
// that the answer took.
func (e *Encoded) repeats(before *Encoded) bool {
	return e.seal.key == before.seal.key && codec.EqualExceptLatency(e.Text, before.Text)
}

// fileHead returns the lines of a cassette above its n interactions.
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

// Save writes a cassette to path atomically, and its assets to the folder next to it. It reads the
// file back to check what was written, and removes the assets that the cassette does not name. A
// file that already has the same content is not written.
//
// If path is a symbolic link, its target is written. A target outside the folder of path is an
// error.
//
// On an error the old cassette and its assets are unchanged, except if the error says that the
// cassette was saved or that the file is not what was written.
func (c *Contents) Save(path string) error {
	pieces, assets, err := c.Pieces()
	if err != nil {
		return fmt.Errorf("%s: not saved: %w", path, err)
	}
	if err := writeChecked(path, assets, c.New, pieces); err != nil {
		return err
	}
	if err := RemoveAssets(path, assets); err != nil {
		return fmt.Errorf("%s: saved, but old assets could not be removed: %w", path, err)
	}
	return nil
}

// WritePieces writes the text of a cassette, in pieces, and assets in the way of [Contents.Save],
// but keeps all assets that exist.
func WritePieces(path string, assets map[string][]byte, pieces ...[]byte) error {
	return writeChecked(path, assets, false, pieces)
}

// writeChecked writes the pieces and the assets of the cassette at path, and checks the file. With
// isNew it is an error if the file exists.
func writeChecked(path string, assets map[string][]byte, isNew bool, pieces [][]byte) error {
	file, err := prepareFile(path)
	if err == nil {
		err = writeFile(file, assets, isNew, pieces)
	}
	if err != nil {
		return fmt.Errorf("%s: not saved: %w", path, err)
	}
	return checkWritten(path, pieces)
}

// prepareFile returns the path of the file to write for path, and makes its folder. It is an error
// if there is a folder, a device or the like instead of a file.
func prepareFile(path string) (file string, err error) {
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

// writeFile writes the pieces and the assets of a cassette file. On an error the old file and its
// assets are unchanged. With isNew it is an error if the file exists.
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

// Remove removes the cassette at path and its assets. A file that does not exist is not an error.
func Remove(path string) error {
	// On a read-only file system, os.Remove fails even if the file does not exist.
	if _, err := os.Lstat(path); err == nil {
		if err := atomicfile.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return RemoveAssets(path, nil)
}

// checkWritten returns an error if the file at path does not have the content of the pieces.
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
