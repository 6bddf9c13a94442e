package cassette

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/interaction"
)

// An Index is an open cassette. Open finds the offsets of the interactions in the file; each
// interaction is parsed when it is asked for. The methods may be called concurrently. After
// Close, an interaction that is not parsed yet gives the error [fs.ErrClosed].
type Index struct {
	Pinned         bool
	Partial        bool
	RecordedValues interaction.RecordedValues

	path   string
	items  []entry
	edited []int // see Edited

	// anchors returns the values that have anchors, by the names of the anchors. It reads them
	// at the first call, for the first interaction with an alias.
	anchors func() map[string]yaml.Node

	mu     sync.RWMutex
	source *source // guarded by mu; nil after Close, and if all interactions are parsed
}

// A source is the text of a cassette: in memory, or in an open file if the text is long.
type source struct {
	text []byte   // if file is nil
	file *os.File // nil if the text is in memory
}

// part returns n bytes of the text, starting at offset. The part must be inside the text. Bytes of
// a file are read into buf, which grows if it is too short. ok is false if the file cannot be read,
// or has become shorter since it was opened.
func (src *source) part(offset, n int64, buf []byte) (part []byte, ok bool) {
	if src.file == nil {
		return src.text[offset : offset+n], true
	}
	part = slices.Grow(buf[:0], int(n))[:n]
	read, _ := src.file.ReadAt(part, offset) // on an error, read is less than n
	return part, read == len(part)
}

// An entry is an interaction of an open cassette. It is either sealed or parsed:
//
//   - sealed: offset and seal are set, and Interaction parses the text each time.
//   - parsed: it is set. The cassette was edited or has no seals.
type entry struct {
	codec.Outline
	line int // of the file, counted from 1

	offset int64 // of the text in the file
	seal   *seal
	// canMatch says that the match key and the request digest of the seal are valid by the
	// matching rules of this run.
	canMatch bool

	it *interaction.Interaction
}

// Open opens the cassette at path. Errors are those of [Load].
//
// A cassette that was not edited since Save wrote it is not parsed yet. Its seals have the match
// keys of the interactions. They are used if they were made by the matching rules of this
// revision, and if trust, called with the text of the interaction, returns true. trust may be
// nil. Any other cassette is parsed as by Load.
func Open(path string, revision uint32, trust func(text []byte) bool) (*Index, error) {
	f, size, err := openFile(path)
	if err != nil {
		return nil, err
	}
	if size > maxKept && canBeReplacedWhileOpen {
		idx, ok := openSealed(path, &source{file: f}, size, revision, trust)
		if ok {
			return idx, nil // Close closes the file
		}
	}

	data, err := readAll(f, size)
	f.Close()
	if err != nil {
		return nil, err
	}
	// git on Windows may check out text files with CRLF.
	if bytes.Contains(data, []byte("\r\n")) {
		data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	}
	idx, ok := openSealed(path, &source{text: data}, int64(len(data)), revision, trust)
	if ok {
		return idx, nil
	}
	return openParsed(path, data)
}

// maxKept is the length in bytes of the longest cassette whose text is kept in memory: 2 MiB.
const maxKept = 2 << 20

// canBeReplacedWhileOpen says that another process can save a cassette while this one has it open.
// Windows refuses that, so there the text of every cassette is kept in memory.
const canBeReplacedWhileOpen = runtime.GOOS != "windows"

// openParsed opens a cassette by parsing all interactions.
func openParsed(path string, data []byte) (*Index, error) {
	f, edited, err := parse(path, data, assetReader(path))
	if err != nil {
		return nil, err
	}
	idx := &Index{
		Pinned:         f.Pinned,
		Partial:        f.Partial,
		RecordedValues: f.RecordedValues,
		path:           path,
		items:          make([]entry, len(f.Interactions)),
		edited:         edited,
	}
	for i, it := range f.Interactions {
		idx.items[i] = parsedEntry(it)
	}
	return idx, nil
}

// parsedEntry returns the entry of a parsed interaction.
func parsedEntry(it *interaction.Interaction) entry {
	return entry{Outline: codec.OutlineOf(it), line: it.Line, it: it}
}

// openSealed opens a cassette that has not been edited since Save wrote it, without parsing its
// interactions: their offsets follow from the lengths in the seals. It compares the text of each
// interaction with its seal, one at a time. ok is false for any other cassette, which Open then
// parses. revision and trust are those of Open.
func openSealed(
	path string, src *source, size int64, revision uint32, trust func(text []byte) bool,
) (idx *Index, ok bool) {
	end, seals, ok := readSeals(src, size)
	if !ok {
		return nil, false
	}
	const maxHead = 1 << 16 // a cassette with a longer head is left to the parser
	head, ok := src.part(0, min(size, maxHead), nil)
	if !ok {
		return nil, false
	}
	fields, _, hasItems := bytes.Cut(head, []byte("\n"+codec.ItemsLine))
	if !hasItems {
		return nil, false
	}
	doc, ok := parseFields(path, string(fields)+"\n")
	if !ok {
		return nil, false
	}

	idx = &Index{
		Pinned:         doc.Pinned,
		Partial:        doc.Partial,
		RecordedValues: doc.RecordedValues,
		path:           path,
		items:          make([]entry, 0, len(seals)),
		source:         src,
	}
	idx.anchors = sync.OnceValue(idx.readAnchors)

	offset := int64(len(fields) + len("\n"+codec.ItemsLine))
	line := 1 + bytes.Count(head[:offset], []byte("\n"))
	var text []byte // its memory is used again if the source is a file
	for i := range seals {
		e := entry{offset: offset, line: line, seal: &seals[i]}
		offset += int64(e.seal.text.len)
		if offset > end {
			return nil, false
		}
		text, ok = e.sealedText(src, text)
		if !ok || !bytes.HasPrefix(text, []byte(codec.ItemStart)) {
			return nil, false
		}
		line += bytes.Count(text, []byte("\n"))

		e.Outline = codec.FindOutline(text)
		if e.Newer {
			return nil, false // the parser reports the unknown kind
		}
		hasCurrentKey := e.seal.revision == revision && e.seal.key != 0
		e.canMatch = hasCurrentKey && (trust == nil || trust(text))

		// An interaction with "times: 3" is three entries.
		idx.items = append(idx.items, slices.Repeat([]entry{e}, e.Times)...)
	}
	return idx, offset == end
}

// parseFields parses the text of a cassette above its interactions: pinned, partial and the
// recorded values. ok is false if the text is not valid.
func parseFields(path, text string) (doc *codec.Document, ok bool) {
	hasNone := text == headStart
	if hasNone {
		return new(codec.Document), true // most cassettes: spare the time of the parser
	}
	doc, err := codec.Parse(path, text+"interactions: []\n", nil)
	return doc, err == nil
}

// sealedText returns the text of an interaction. It reads from a file into buf. ok is false if the
// text cannot be read, or has been changed since it was sealed.
func (e *entry) sealedText(src *source, buf []byte) (text []byte, ok bool) {
	text, ok = src.part(e.offset, int64(e.seal.text.len), buf)
	return text, ok && idOf(text) == e.seal.text
}

// readSeals reads the seals at the end of a cassette. end is the offset at which the interactions
// end and the seals begin.
func readSeals(src *source, size int64) (end int64, seals []seal, ok bool) {
	const (
		firstTail = 4 << 10
		maxTail   = 64 << 20 // the seals of a million interactions
	)
	// The length of the seals is not known. Read more from the end until they are found.
	for n := int64(firstTail); ; n *= 4 {
		tail, ok := src.part(max(0, size-n), min(n, size), nil)
		if !ok {
			return 0, nil, false
		}
		items, seals, ok := cutSeals(tail)
		if ok {
			sealsLen := len(tail) - len(items)
			return size - int64(sealsLen), seals, true
		}
		if n >= size || n >= maxTail {
			return 0, nil, false
		}
	}
}

// Len returns the number of interactions.
func (idx *Index) Len() int { return len(idx.items) }

// SealedRequest returns the match key of an interaction and the digest of its request, from the
// seal, without parsing the interaction. ok is false if the interaction was edited, or if the
// match key is not valid in this run (see [Open]).
func (idx *Index) SealedRequest(i int) (key, digest uint64, ok bool) {
	e := &idx.items[i]
	if !e.canMatch {
		return 0, 0, false
	}
	return e.seal.key, e.seal.request, true
}

// Outline returns the facts about an interaction that are known without parsing it.
func (idx *Index) Outline(i int) codec.Outline { return idx.items[i].Outline }

// Edited returns the lines at which the interactions start that were edited since they were
// written, as their seals show. If none was edited, but interactions were added or removed, it
// returns the line of the seals. A cassette that promptecho did not write gives nil.
func (idx *Index) Edited() []int { return idx.edited }

// Line returns the line of the file at which an interaction starts, counted from 1.
func (idx *Index) Line(i int) int { return idx.items[i].line }

// Interaction returns an interaction. A sealed one is parsed at each call, and the caller may
// change the result. One that Open has parsed is the same each time and must not be changed.
func (idx *Index) Interaction(i int) (*interaction.Interaction, error) {
	return idx.read(i, codec.ParseItem)
}

// Answer returns an interaction of which only the answer is valid: parsing it is faster than
// parsing the whole interaction.
func (idx *Index) Answer(i int) (*interaction.Interaction, error) {
	return idx.read(i, codec.ParseResponse)
}

// Close closes the file. Interactions that were returned stay valid.
func (idx *Index) Close() error {
	if idx == nil {
		return nil
	}
	idx.mu.Lock()
	defer idx.mu.Unlock()
	src := idx.source
	idx.source = nil
	if src == nil || src.file == nil {
		return nil
	}
	return src.file.Close()
}

// A parser parses the text of an interaction, or only a part such as the answer.
type parser func(
	name, text string, asset codec.ReadAsset, lookUp codec.LookUpAnchor,
) (*interaction.Interaction, error)

// read returns an interaction. If Open has not parsed it, read does, with this parser.
func (idx *Index) read(i int, parse parser) (*interaction.Interaction, error) {
	e := &idx.items[i]
	if e.it != nil {
		return e.it, nil
	}
	text, err := idx.sealedText(i)
	if err != nil {
		return nil, err
	}
	// A string without a copy: the bytes are never written.
	item := unsafe.String(unsafe.SliceData(text), len(text))
	it, err := parse(idx.path, item, assetReader(idx.path), idx.anchor)
	if err != nil {
		// The line numbers in err count from the start of the interaction. The error of Load has
		// those of the file.
		_, err = Load(idx.path)
		if err == nil {
			err = idx.changedError()
		}
		return nil, err
	}
	it.Line = e.line
	if key := e.seal.key; key != 0 {
		it.MatchKey = hexKey(key)
	}
	return it, nil
}

// sealedText returns the text of an interaction that Open has not parsed.
func (idx *Index) sealedText(i int) ([]byte, error) {
	idx.mu.RLock()
	defer idx.mu.RUnlock()
	if idx.source == nil {
		return nil, fmt.Errorf("%s: %w", idx.path, fs.ErrClosed)
	}
	e := &idx.items[i]
	text, ok := idx.source.part(e.offset, int64(e.seal.text.len), nil)
	// Open has compared the text with its seal. Text in memory has not changed since then.
	mayHaveChanged := idx.source.file != nil
	if !ok || mayHaveChanged && idOf(text) != e.seal.text {
		return nil, idx.changedError()
	}
	return text, nil
}

func (idx *Index) changedError() error {
	return fmt.Errorf("%s: the file has changed since it was opened; run the test again", idx.path)
}

// anchor returns the value that has the anchor of this name.
func (idx *Index) anchor(name string) (n yaml.Node, ok bool) {
	n, ok = idx.anchors()[name]
	return n, ok
}

// readAnchors returns the values that have anchors, by the names of the anchors. Texts that
// cannot be read have none: reading the interaction itself reports the error.
func (idx *Index) readAnchors() map[string]yaml.Node {
	values := map[string]yaml.Node{}
	for i := range idx.items {
		isRepeated := i > 0 && idx.items[i].offset == idx.items[i-1].offset
		if isRepeated {
			continue // the same text as the one before
		}
		text, err := idx.sealedText(i)
		mayHaveAnchors := err == nil && bytes.Contains(text, []byte(" &"))
		if mayHaveAnchors {
			codec.CollectAnchors(string(text), values)
		}
	}
	return values
}
