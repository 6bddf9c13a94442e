// Package rewrite puts other requests into a cassette. What else is in the file stays as it is,
// byte for byte.
package rewrite

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testenv/shell"
)

// Rewrite puts other interactions into the cassette at path, by their numbers from 0, with
// seals by the match rules of a revision. Everything else in the file stays byte for byte,
// and so does the text of their answers, which must be the ones that stand there. It returns
// what was in the file before, for [Restore]. Assets that are not named any more stay; see
// [Tidy]. If dry is set, nothing is written, and only the error tells something.
//
// Interactions that share values are all written anew, which changes no others; refresh makes
// for that what is computed for the reader of an interaction.
//
// It is an error, and nothing is written, if the file is not the one of this sum
// ([cassette.SumOf]), is pinned or read-only, or is not as [Save] writes it.
func Rewrite(path, sum string, revision uint32, its map[int]*interaction.Interaction,
	refresh func(*interaction.Interaction), dry bool) (before []byte, err error) {
	before, err = os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.Mode().Perm()&0o222 == 0:
		return nil, fmt.Errorf("%s is read-only: %s", path, shell.MakeWritable(path))
	case cassette.Sum(before) != sum:
		return nil, fmt.Errorf("%s was written by something else in the meantime: run this again", path)
	}
	lines := bytes.ReplaceAll(before, []byte("\r\n"), []byte("\n"))
	ends := func(text []byte) []byte { return text }
	if len(lines) < len(before) {
		ends = func(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")) }
	}
	var text []byte
	var assets map[string][]byte
	switch {
	case !bytes.Equal(ends(lines), before):
		err = errForm
	case isShared(lines):
		text, assets, err = rewrittenShared(path, lines, revision, its, refresh)
	default:
		text, assets, err = rewritten(path, lines, revision, its)
	}
	if err != nil {
		return nil, fmt.Errorf("%s %w", path, err)
	}
	if dry {
		return before, nil
	}
	return before, cassette.WritePieces(path, assets, ends(text))
}

// Restore puts back what was in the cassette at path.
func Restore(path string, before []byte) error {
	if err := cassette.WritePieces(path, nil, before); err != nil {
		return err
	}
	return Tidy(path)
}

var assetName = regexp.MustCompile(`[0-9a-f]{16}\.[a-z0-9]{1,8}`)

// Tidy removes the assets of the cassette at path that it does not name any more.
func Tidy(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	keep := map[string][]byte{}
	for _, name := range assetName.FindAll(text, -1) {
		keep[string(name)] = nil
	}
	return cassette.RemoveAssets(path, keep)
}

// IsAsSaved reports whether the file at path has what [Save] would write, but for the
// ends of its lines.
func IsAsSaved(path string, f *cassette.File) bool {
	data, err := os.ReadFile(path)
	text, _, err2 := textOf(f)
	return err == nil && err2 == nil && codec.Normalize(data) == string(text)
}

// textOf returns the text of a cassette, and its assets.
func textOf(f *cassette.File) ([]byte, map[string][]byte, error) {
	c, err := contentsOf(f)
	if err != nil {
		return nil, nil, err
	}
	pieces, assets, err := c.Pieces()
	return bytes.Join(pieces, nil), assets, err
}

var (
	errForm = errors.New("is not formatted as promptecho writes it, so every line could change: " +
		"run promptecho verify -w, and review the changes first")
	errEdited = errors.New("was edited, and its interactions share values, so all of it would count " +
		"as unedited: run promptecho verify -w, and review the changes first")
	errPinned = errors.New("is pinned: remove \"pinned: true\" from its top first")
)

// rewritten returns a cassette with other interactions, and their assets.
func rewritten(path string, data []byte, revision uint32,
	its map[int]*interaction.Interaction) (text []byte, assets map[string][]byte, err error) {
	f, err := cassette.Load(path)
	switch {
	case err != nil:
		return nil, nil, errForm
	case f.Pinned:
		return nil, nil, errPinned
	}
	d, ok := divide(f, string(data))
	if !ok {
		return nil, nil, errForm
	}
	text, assets = []byte(d.head), map[string][]byte{}
	for number, item := range d.items {
		if it := its[number]; it != nil {
			place := d.sealOf(number, f.Interactions[number])
			item, err = encodeAnswered(it, item, assets)
			if err != nil {
				return nil, nil, fmt.Errorf("cannot hold interaction %d: %w", number+1, err)
			}
			d.seals[place] = codec.ItemStart + cassette.SealOf(it, []byte(item), revision) + "\n"
		}
		text = append(text, item...)
	}
	return append(text, d.sealsLine+strings.Join(d.seals, "")+lastLine...), assets, nil
}

// A divided is the text of a cassette as [Save] writes it. Its last line is lastLine.
type divided struct {
	head         string
	items, seals []string
	sealsLine    string // between the two
}

const lastLine = cassette.EndMark + "\n"

// divide divides the text of a cassette; ok is false if it is not as [Save] writes it.
func divide(f *cassette.File, text string) (d divided, ok bool) {
	c, err := contentsOf(f)
	if err != nil {
		return d, false
	}
	pieces, _, err := c.Pieces()
	if err != nil || len(f.Interactions) == 0 {
		return d, false
	}
	d.head = string(pieces[0])
	d.sealsLine, _, _ = strings.Cut(string(pieces[len(pieces)-1]), "\n")
	d.sealsLine += "\n"
	text, hasHead := strings.CutPrefix(text, d.head+codec.ItemStart)
	text, hasLastLine := strings.CutSuffix(text, lastLine)
	sealed := cassette.SealsOf(text)
	text, seals, hasSeals := strings.Cut(text, "\n"+d.sealsLine)
	for item := range strings.SplitSeq(text, "\n"+codec.ItemStart) {
		d.items = append(d.items, codec.ItemStart+item+"\n")
	}
	d.seals = slices.Collect(strings.Lines(seals))
	n := len(f.Interactions)
	hasForm := hasHead && hasLastLine && hasSeals
	hasSealForEach := len(d.items) == n && len(d.seals) == n && sealed == n
	return d, hasForm && hasSealForEach
}

// sealOf returns the number of the seal that holds for an interaction, or else of the one in its
// place.
func (d *divided) sealOf(number int, it *interaction.Interaction) int {
	seal := codec.ItemStart + cassette.SealOf(it, []byte(d.items[number]), 0)
	holds := func(line string) bool { return strings.HasPrefix(line, strings.TrimSuffix(seal, "0")) } // of any revision
	if i := slices.IndexFunc(d.seals, holds); i >= 0 && !holds(d.seals[number]) {
		return i
	}
	return number
}

// isShared reports whether an interaction of a cassette may stand for others, or share values
// with them.
func isShared(data []byte) bool {
	return bytes.Contains(data, []byte(" &")) || bytes.Contains(data, []byte(codec.TimesStart))
}

// rewrittenShared is rewritten for a cassette whose interactions may share values.
func rewrittenShared(path string, data []byte, revision uint32, its map[int]*interaction.Interaction,
	refresh func(*interaction.Interaction)) (text []byte, assets map[string][]byte, err error) {
	f, err := cassette.Load(path)
	switch {
	case err != nil:
		return nil, nil, errForm
	case f.Pinned:
		return nil, nil, errPinned
	}
	f.Revision = revision
	for _, it := range f.Interactions {
		refresh(it)
	}
	switch again, _, err := textOf(f); {
	case err == nil && bytes.Equal(again, data):
	case err == nil && bytes.Equal(unsealed(again), unsealed(data)):
		return nil, nil, errEdited
	default:
		return nil, nil, errForm
	}
	for i, it := range its {
		f.Interactions[i] = it
		refresh(it)
	}
	return textOf(f)
}

// unsealed returns the text of a cassette up to its seals, which those of an edited one do not fit.
func unsealed(text []byte) []byte {
	before, _, _ := bytes.Cut(text, []byte("\nseals:"))
	return before
}

// encodeAnswered returns the text of an interaction whose answer is that of the text old,
// byte for byte, and adds its assets.
func encodeAnswered(it *interaction.Interaction, old string, assets map[string][]byte) (text string, err error) {
	encoded, own, err := codec.Encode(it)
	if err != nil {
		return "", err
	}
	request, _, ok1 := strings.Cut(string(encoded), codec.ResponseStart)
	_, answer, ok2 := strings.Cut(old, codec.ResponseStart)
	if ok1 && ok2 {
		encoded = []byte(request + codec.ResponseStart + answer)
	}
	for name, content := range own {
		if err := codec.AddAsset(assets, name, content); err != nil {
			return "", err
		}
	}
	return string(encoded), codec.Check(encoded, own, it)
}
