package cassette

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/promptecho/promptecho/internal/codec"
	"github.com/promptecho/promptecho/internal/interaction"
)

// SumOf returns what tells whether the file at path is still the one that was read; "" if
// it cannot be read.
func SumOf(path string) string {
	data, err := readFile(path)
	if err != nil {
		return ""
	}
	return sumOf(data)
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Rewrite puts other interactions into the cassette at path, by their numbers from 0, with
// seals by the match rules of a revision. Everything else in the file stays byte for byte,
// and so does the text of their answers, which must be the ones that stand there. It returns
// what was in the file before, for [Restore]. Assets that are not named any more stay; see
// [Tidy]. If dry is set, nothing is written, and only the error tells something.
//
// Interactions that share values are all written anew, which changes no others; refresh makes
// for that what is computed for the reader of an interaction.
//
// It is an error, and nothing is written, if the file is not the one of this sum ([SumOf]),
// is pinned or read-only, or is not as [Save] writes it.
func Rewrite(path, sum string, revision uint32, its map[int]*interaction.Interaction, refresh func(*interaction.Interaction), dry bool) (before []byte, err error) {
	file, err := writable(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	before, err = readFile(file)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, err
	case info.Mode().Perm()&0o222 == 0:
		return nil, fmt.Errorf("%s is read-only: chmod u+w %[1]s", path)
	case sumOf(before) != sum:
		return nil, fmt.Errorf("%s was written by something else in the meantime: run this again", path)
	}
	text, assets, err := rewritten(before, revision, its)
	if isShared(before) {
		text, assets, err = rewrittenShared(path, before, revision, its, refresh)
	}
	if err != nil {
		return nil, fmt.Errorf("%s %w", path, err)
	}
	if dry {
		return before, nil
	}
	if err := write(file, assets, text); err != nil {
		return nil, fmt.Errorf("%s: not written: %w", path, err)
	}
	return before, readBack(path, [][]byte{text})
}

// Restore puts back what was in the cassette at path.
func Restore(path string, before []byte) error {
	file, err := writable(path)
	if err == nil {
		err = replace(file, file, before)
	}
	if err != nil {
		return fmt.Errorf("%s: not put back: %w", path, err)
	}
	return Tidy(path)
}

// Tidy removes the assets of the cassette at path that it does not name any more.
func Tidy(path string) error {
	text, err := readFile(path)
	if err != nil {
		return err
	}
	dir, keep := assetDir(target(path)), map[string][]byte{}
	entries, _ := os.ReadDir(dir) // there may be none
	for _, e := range entries {
		if bytes.Contains(text, []byte(e.Name())) {
			keep[e.Name()] = nil
		}
	}
	return removeAssets(dir, keep)
}

// errForm says that a file is not as promptecho writes it.
var errForm = errors.New("is not as promptecho writes it, so all of it would change: rewrite it with promptecho verify -w, and review the changes")

// rewritten returns a cassette with other interactions, and their assets.
func rewritten(data []byte, revision uint32, its map[int]*interaction.Interaction) (text []byte, assets map[string][]byte, err error) {
	crlf := bytes.Contains(data, []byte("\r\n"))
	lines := bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	if crlf && !bytes.Equal(toCRLF(lines), data) {
		return nil, nil, errForm
	}
	top, at, rest, seals, ok := divide(lines)
	switch {
	case !ok:
		return nil, nil, errForm
	case top.Pinned:
		return nil, nil, errPinned
	}
	if bytes.Count(lines[at-1:], []byte("\n"+codec.ItemStart)) != 2*len(seals) { // each has an item and a line of its own
		return nil, nil, errForm
	}
	text, assets = bytes.Clone(lines[:at]), map[string][]byte{}
	renewed, number := make([]string, len(seals)), 0 // seals by their place, if they are others now
	for finder := (sealFinder{seals: seals}); len(rest) > 0; number++ {
		old, held := finder.cut(number, rest)
		rest = rest[len(old):]
		if !bytes.HasPrefix(old, []byte(codec.ItemStart)) {
			return nil, nil, errForm
		}
		it := its[number]
		if it == nil {
			text = append(text, old...)
			continue
		}
		place := number // of its seal
		for i := range seals {
			if held == &seals[i] {
				place = i
			}
		}
		item, err := encodeAnswered(it, old, assets)
		if err != nil {
			return nil, nil, fmt.Errorf("cannot hold interaction %d: %w", number+1, err)
		}
		s := sealOf(it, item, revision)
		renewed[place] = s.String()
		text = append(text, item...)
	}
	text = append(text, sealsLine...)
	for i, s := range seals {
		text = append(text, codec.ItemStart...)
		if renewed[i] == "" {
			renewed[i] = s.String()
		}
		text = append(append(text, renewed[i]...), '\n')
	}
	text = append(text, codec.EndMark+"\n"...)
	if crlf {
		text = toCRLF(text)
	}
	return text, assets, nil
}

// isShared reports whether an interaction of a cassette may stand for others, or share values
// with them.
func isShared(data []byte) bool {
	return bytes.Contains(data, []byte(" &")) || bytes.Contains(data, []byte(codec.TimesStart))
}

// rewrittenShared is rewritten for a cassette whose interactions may share values.
func rewrittenShared(path string, data []byte, revision uint32, its map[int]*interaction.Interaction, refresh func(*interaction.Interaction)) (text []byte, assets map[string][]byte, err error) {
	f, err := Parse(path, data, readFrom(assetDir(target(path))))
	if err != nil {
		return nil, nil, errForm
	}
	if f.Pinned {
		return nil, nil, errPinned
	}
	f.Revision = revision
	for _, it := range f.Interactions {
		refresh(it)
	}
	again, _, err := f.bytes()
	crlf := bytes.Contains(data, []byte("\r\n"))
	if crlf {
		again = toCRLF(again)
	}
	if err != nil || !bytes.Equal(again, data) {
		return nil, nil, errForm
	}
	for i, it := range its {
		f.Interactions[i] = it
		refresh(it)
	}
	if text, assets, err = f.bytes(); crlf {
		text = toCRLF(text)
	}
	return text, assets, err
}

// IsAsSaved reports whether the file at path has what Save would write, but for the ends of
// its lines.
func IsAsSaved(path string, f *File) bool {
	data, err := readFile(path)
	text, _, err2 := f.bytes()
	return err == nil && err2 == nil && codec.Normalize(data) == string(text)
}

// bytes returns the text of a cassette, and its assets.
func (f *File) bytes() ([]byte, map[string][]byte, error) {
	c, err := encodeAll(f)
	if err != nil {
		return nil, nil, err
	}
	pieces, assets, err := c.pieces()
	return bytes.Join(pieces, nil), assets, err
}

var errPinned = errors.New("is pinned: remove \"pinned: true\" from its top first")

func toCRLF(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")) }

// encodeAnswered returns the text of an interaction whose answer is that of the text old,
// byte for byte, and adds its assets.
func encodeAnswered(it *interaction.Interaction, old []byte, assets map[string][]byte) (text []byte, err error) {
	encoded, own, err := codec.Encode(nil, it)
	if err != nil {
		return nil, err
	}
	request, _, ok1 := strings.Cut(string(encoded), codec.AnswerStart)
	_, answer, ok2 := strings.Cut(string(old), codec.AnswerStart)
	if ok1 && ok2 {
		encoded = []byte(request + codec.AnswerStart + answer)
	}
	for name, content := range own {
		if err := codec.AddAsset(assets, name, content); err != nil {
			return nil, err
		}
	}
	return encoded, codec.Check(encoded, own, it)
}
