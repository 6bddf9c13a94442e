package cassette

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"unsafe"

	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/interaction"
)

// An Index is a cassette whose interactions are read from its file when they are
// asked for. Open finds where they are. Its methods may be called concurrently.
// After Close, an interaction that was not read yet is an error, [fs.ErrClosed].
type Index struct {
	Pinned         bool
	Partial        bool
	RecordedValues interaction.RecordedValues

	path   string
	items  []entry
	edited []int // see Edited

	mu   sync.RWMutex // held while what follows is used
	from *source      // nil after Close

	// anchors has the values that aliases stand for, by their names. They are read when the first
	// interaction with an alias is.
	anchors func() map[string]yaml.Node
}

// A source is the text of a file, or the file if the text is too long to be kept.
type source struct {
	text []byte
	file *os.File // nil if the text is there
}

// part returns n bytes of the text from offset at on. Bytes of a file are read into
// buf, which grows if it is too short. ok is false if the text has no such part.
func (src *source) part(at, n int64, buf []byte) (part []byte, ok bool) {
	if src.file == nil {
		isInText := n >= 0 && at+n <= int64(len(src.text)) // unless a seal was forged
		if !isInText {
			return nil, false
		}
		return src.text[at : at+n], true
	}
	part = slices.Grow(buf[:0], int(n))[:n]
	read, _ := src.file.ReadAt(part, at) // less than n only with an error
	return part, read == len(part)
}

// An entry is where an interaction stands, or what it is.
type entry struct {
	at      int64 // offset in the text, unless the interaction was read already
	line    int   // in the file, counted from 1
	seal    *seal // that holds; nil if there is none
	trusted bool  // what the seal says of the request is right by today's rules

	codec.Outline
	it *interaction.Interaction // if it was read already
}

// Open opens the cassette NAME.yaml; revision is that of the rules that match keys
// are made by today. A seal is relied on only if trust, called with the text of the
// interaction, agrees; trust may be nil. Errors are those of [Load]: a file that
// is not as Save has written it is read by the full parser, with the same meaning.
func Open(path string, revision uint32, trust func(text []byte) bool) (*Index, error) {
	f, size, err := openFile(path)
	if err != nil {
		return nil, err
	}
	if size > maxKept {
		if s, ok := openSealed(path, &source{file: f}, size, revision, trust); ok {
			return s, nil
		}
	}

	data, err := readAll(f, size)
	f.Close()
	if err != nil {
		return nil, err
	}
	if bytes.Contains(data, []byte("\r\n")) { // as git on Windows ends lines
		data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	}
	s, ok := openSealed(path, &source{text: data}, int64(len(data)), revision, trust)
	if ok {
		return s, nil
	}
	return openParsed(path, data)
}

// maxKept is the length in bytes of a file that stays in memory while it is open.
const maxKept = 2 << 20

// openParsed is Open for any file: the full parser reads all of its interactions.
func openParsed(path string, data []byte) (*Index, error) {
	f, edited, err := parse(path, data, assetReader(path))
	if err != nil {
		return nil, err
	}
	s := &Index{path: path, Pinned: f.Pinned, Partial: f.Partial, RecordedValues: f.RecordedValues, edited: edited, items: make([]entry, len(f.Interactions))}
	for i, it := range f.Interactions {
		s.items[i] = parsedEntry(it)
	}
	return s, nil
}

// parsedEntry returns the entry of an interaction that was read already.
func parsedEntry(it *interaction.Interaction) entry {
	return entry{line: it.Line, it: it, Outline: codec.OutlineOf(it)}
}

// openSealed is Open for a file that is as Save has written it: the seals tell where its
// interactions are, and none is parsed. It reads the text of one interaction at a time, to compare
// it with its seal. ok is false for any other file.
func openSealed(
	path string, from *source, size int64, revision uint32, trust func(text []byte) bool,
) (s *Index, ok bool) {
	end, seals, isSealed := readSeals(from, size)
	head, isRead := from.part(0, min(size, 1<<16), nil)
	top, _, hasItems := bytes.Cut(head, []byte("\n"+codec.ItemsLine))
	if !isSealed || !isRead || !hasItems {
		return nil, false
	}

	doc := new(codec.Document)
	text := string(top) + "\n"
	hasFields := text != headStart // "pinned", "partial" or recorded values
	if hasFields {
		var broken *SyntaxError
		doc, broken = codec.Parse(path, text+"interactions: []\n", nil)
		if broken != nil {
			return nil, false
		}
	}
	s = &Index{Pinned: doc.Pinned, Partial: doc.Partial, RecordedValues: doc.RecordedValues, path: path, from: from, items: make([]entry, 0, len(seals))}
	s.anchors = sync.OnceValue(s.readAnchors)

	at := int64(len(top) + len("\n"+codec.ItemsLine))
	line := 1 + bytes.Count(head[:at], []byte("\n"))
	var item []byte
	for i := range seals {
		e := entry{at: at, line: line, seal: &seals[i]}
		at += int64(e.seal.text.len)
		if at > end {
			return nil, false
		}
		item, ok = e.sealedText(from, item)
		if !ok || !bytes.HasPrefix(item, []byte(codec.ItemStart)) {
			return nil, false
		}
		line += bytes.Count(item, []byte("\n"))

		hasKey := e.seal.revision == revision && e.seal.key != 0
		e.trusted = hasKey && (trust == nil || trust(item))
		e.Outline = codec.FindOutline(item)
		if e.Newer {
			return nil, false
		}
		s.items = append(s.items, slices.Repeat([]entry{e}, e.Times)...)
	}
	return s, at == end
}

// sealedText reads the text of an interaction, of a file into buf. ok is false if the text is not
// the one that was sealed.
func (e *entry) sealedText(from *source, buf []byte) (text []byte, ok bool) {
	text, ok = from.part(e.at, int64(e.seal.text.len), buf)
	return text, ok && idOf(text) == e.seal.text
}

// readSeals reads the seals from the end of a file, and returns where the interactions end.
func readSeals(from *source, size int64) (end int64, seals []seal, ok bool) {
	const most = 64 << 20 // those of a million interactions
	for n := int64(1 << 12); ; n *= 4 {
		tail, isRead := from.part(max(0, size-n), min(n, size), nil)
		if !isRead {
			return 0, nil, false
		}
		if items, seals, ok := cutSeals(tail); ok {
			return size - int64(len(tail)-len(items)), seals, true
		}
		if n >= min(size, most) {
			return 0, nil, false
		}
	}
}

// Len returns the number of interactions.
func (s *Index) Len() int { return len(s.items) }

// Hint returns the match key and the digest of the request of an interaction that
// is as it was written, without reading it. Of any other ok is false.
func (s *Index) Hint(i int) (key, digest uint64, ok bool) {
	if it := &s.items[i]; it.trusted {
		return it.seal.key, it.seal.request, true
	}
	return 0, 0, false
}

// Outline returns what is known of an interaction without reading it.
func (s *Index) Outline(i int) codec.Outline { return s.items[i].Outline }

// Edited returns the lines of the interactions that were edited since they were
// written, as their seals tell, or of the mark at the end if interactions were taken out
// or put in. What has no seal and no mark tells nothing.
func (s *Index) Edited() []int { return s.edited }

// Line returns the line of the file at which an interaction starts, counted from 1.
func (s *Index) Line(i int) int { return s.items[i].line }

// Interaction reads an interaction. What it returns is the caller's, and another
// one every time, unless the interaction was not sealed.
func (s *Index) Interaction(i int) (*interaction.Interaction, error) {
	return s.read(i, codec.ParseItem)
}

// Answer reads what answered the request of an interaction.
func (s *Index) Answer(i int) (*interaction.Interaction, error) {
	return s.read(i, codec.ParseAnswer)
}

// Close closes the file. What was read stays valid.
func (s *Index) Close() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	from := s.from
	s.from = nil
	if from != nil && from.file != nil {
		return from.file.Close()
	}
	return nil
}

// A parser reads the text of an interaction, or what it needs of it.
type parser func(
	name, text string, asset codec.ReadAsset, beyond codec.Beyond,
) (*interaction.Interaction, error)

// read reads an interaction with a parser, unless Open has read it.
func (s *Index) read(i int, parse parser) (*interaction.Interaction, error) {
	e := &s.items[i]
	if e.it != nil {
		return e.it, nil
	}
	text, err := s.textOf(i)
	if err != nil {
		return nil, err
	}
	// The bytes stay as they are, so they need no copy.
	item := unsafe.String(unsafe.SliceData(text), len(text))
	it, err := parse(s.path, item, assetReader(s.path), s.anchor)
	if err != nil {
		// The lines of this error are those of the interaction. Load counts from the file's start.
		_, err = Load(s.path)
		if err == nil {
			err = s.changed()
		}
		return nil, err
	}
	it.Line = e.line
	if key := e.seal.key; key != 0 {
		it.MatchKey = hexKey(key)
	}
	return it, nil
}

// textOf returns the text of an interaction.
func (s *Index) textOf(i int) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.from == nil {
		return nil, fmt.Errorf("%s: %w", s.path, fs.ErrClosed)
	}
	e := &s.items[i]
	text, ok := s.from.part(e.at, int64(e.seal.text.len), nil)
	// Open has compared the text with its seal. Since then only a file can have changed.
	mayDiffer := s.from.file != nil
	if !ok || mayDiffer && idOf(text) != e.seal.text {
		return nil, s.changed()
	}
	return text, nil
}

func (s *Index) changed() error {
	return fmt.Errorf("%s: the file has changed since it was opened; run the test again", s.path)
}

// anchor returns the value that has an anchor. Those that aliases in it stand for are above it.
func (s *Index) anchor(name string) (n yaml.Node, ok bool) {
	n, ok = s.anchors()[name]
	return n, ok
}

// readAnchors returns the values that have anchors, by their names.
func (s *Index) readAnchors() map[string]yaml.Node {
	values := map[string]yaml.Node{}
	for i := range s.items {
		if i > 0 && s.items[i].at == s.items[i-1].at {
			continue
		}
		if text, err := s.textOf(i); err == nil && bytes.Contains(text, []byte(" &")) {
			codec.Anchors(string(text), values)
		}
	}
	return values
}
