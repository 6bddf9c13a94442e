package cassette

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"

	"github.com/promptecho/promptecho/internal/codec"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/yaml"
)

// An Index is a cassette whose interactions are read from its file when they are
// asked for. Opening one finds where they are; what a seal vouches for is not read
// before. All methods may be called concurrently; after Close all give errors.
type Index struct {
	Pinned  bool
	Partial bool
	Given   interaction.Given

	path   string
	items  []entry
	edited []int // see Edited

	mu     sync.RWMutex // held while what follows is used
	text   []byte       // of a file that is kept in memory
	file   *os.File     // one that is not
	closed bool

	anchors anchors
}

// An entry is where an interaction stands, or what it is.
type entry struct {
	at      int64 // offset in the file, unless the interaction was read already
	line    int   // in the file, counted from 1
	seal    *seal // that holds; nil if there is none
	trusted bool  // what the seal says of the request is right by today's rules

	codec.Outline
	it *interaction.Interaction // if it was read already
}

// anchors are the values in a cassette that aliases stand for. They are read when the first
// interaction with an alias is.
type anchors struct {
	mu     sync.Mutex
	values map[string]yaml.Node // nil before
}

// Open opens the cassette NAME.yaml; revision is that of the rules that match keys
// are made by today. A seal is relied on only if trust, called with the text of the
// interaction, agrees; trust may be nil. Errors are those of [Load]: a file that
// Save has not written as it is, or an interaction of it that was edited since, is
// read by the full parser, with the same meaning.
func Open(path string, revision uint32, trust func(text []byte) bool) (*Index, error) {
	f, size, err := openFile(path)
	if err != nil {
		return nil, err
	}
	if size > maxKept {
		if s, ok := findSealed(path, f, size, revision, trust); ok {
			s.file = f
			return s, nil
		}
	}
	data, err := readAll(f, size)
	f.Close()
	if err != nil {
		return nil, err
	}
	if s, ok := find(path, data, revision, trust); ok {
		return s, nil
	}
	return openParsed(path, data)
}

// maxKept is the length in bytes of a file that stays in memory while it is open.
const maxKept = 2 << 20

// openParsed is Open with the parser.
func openParsed(path string, data []byte) (*Index, error) {
	f, edited, err := parse(path, data, readFrom(Assets(target(path))))
	if err != nil {
		return nil, err
	}
	s := &Index{path: path, Pinned: f.Pinned, Partial: f.Partial, Given: f.Given, edited: edited, items: make([]entry, len(f.Interactions))}
	for i, it := range f.Interactions {
		s.items[i] = readEntry(it)
	}
	return s, nil
}

// find finds the interactions of a cassette as Save writes it; ok is false if it is
// not as that, or if one that was edited cannot be read by itself. Line ends
// become \n: git, on Windows, makes others.
func find(path string, data []byte, revision uint32, trust func([]byte) bool) (s *Index, ok bool) {
	if bytes.Contains(data[:min(len(data), 200)], []byte("\r\n")) {
		data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	}
	s, at, text, seals, ok := divide(data)
	if !ok {
		return nil, false
	}
	s.path, s.text = path, data
	line := 1 + bytes.Count(data[:at], []byte("\n"))
	s.items = make([]entry, 0, len(seals))
	finder := sealFinder{seals: seals}
	items := 0
	for ; len(text) > 0; items++ {
		item, seal := finder.cut(items, text)
		if e := sealedEntry(item, seal, int64(at), line, revision, trust); e.Newer {
			return nil, false // of a newer version, as the parser says
		} else if seal != nil {
			s.add(e)
		} else if it, _ := codec.ParseItem(path, item, readFrom(Assets(target(path))), nil); it == nil || bytes.Contains(item, []byte(codec.TimesStart)) {
			return nil, false
		} else {
			it.Line = line
			s.edited = append(s.edited, line)
			s.items = append(s.items, readEntry(it))
		}
		at += len(item)
		line += bytes.Count(item, []byte("\n"))
		text = text[len(item):]
	}
	if s.edited == nil && len(seals) != items {
		s.edited = []int{line}
	}
	if (s.edited != nil || finder.edited) && bytes.Contains(data, []byte(" &")) {
		return nil, false // what was edited may be a value that others share
	}
	return s, true
}

// add adds an entry, as often as it says.
func (s *Index) add(e entry) {
	s.items = append(s.items, slices.Repeat([]entry{e}, e.Times)...)
}

// findSealed is find for a file that is too large to be kept in memory: it reads one
// interaction after the other. ok is false if not all of them are as they were written, or
// if the file is not as Save writes it; then the whole text is needed to say more.
func findSealed(path string, file io.ReaderAt, size int64, revision uint32, trust func([]byte) bool) (s *Index, ok bool) {
	const window = 1 << 16
	head := make([]byte, min(size, window))
	if _, err := file.ReadAt(head, 0); err != nil && err != io.EOF || bytes.Contains(head[:min(len(head), 200)], []byte("\r\n")) {
		return nil, false
	}
	s, items, ok := cutTop(head)
	end, seals, sealed := readSeals(file, size)
	if !ok || !sealed {
		return nil, false
	}
	s.path, s.items = path, make([]entry, 0, len(seals))
	at := int64(len(head) - len(items))
	line := 1 + bytes.Count(head[:at], []byte("\n"))
	r := bufio.NewReaderSize(io.NewSectionReader(file, at, end-at), window)
	var item []byte
	for i := range seals {
		if int64(seals[i].text.len) > end-at {
			return nil, false
		}
		item = append(item[:0], make([]byte, seals[i].text.len)...)
		if _, err := io.ReadFull(r, item); err != nil || !bytes.HasPrefix(item, []byte(codec.ItemStart)) || idOf(item) != seals[i].text {
			return nil, false
		}
		e := sealedEntry(item, &seals[i], at, line, revision, trust)
		if e.Newer {
			return nil, false
		}
		s.add(e)
		at += int64(len(item))
		line += bytes.Count(item, []byte("\n"))
	}
	return s, at == end
}

// readSeals reads the seals from the end of a file, and returns where the interactions end.
func readSeals(file io.ReaderAt, size int64) (end int64, seals []seal, ok bool) {
	const most = 64 << 20 // those of a million interactions
	for n := int64(1 << 16); ; n *= 4 {
		tail := make([]byte, min(n, size))
		if _, err := file.ReadAt(tail, size-int64(len(tail))); err != nil && err != io.EOF {
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

// sealedEntry returns the entry of an interaction for which a seal holds; without one, it is not
// trusted.
func sealedEntry(item []byte, seal *seal, at int64, line int, revision uint32, trust func([]byte) bool) entry {
	trusted := seal != nil && seal.revision == revision && seal.key != 0 && (trust == nil || trust(item))
	return entry{at: at, line: line, seal: seal, trusted: trusted, Outline: codec.FindOutline(item)}
}

// readEntry returns the entry of an interaction that was read already.
func readEntry(it *interaction.Interaction) entry {
	return entry{line: it.Line, it: it, Outline: codec.OutlineOf(it)}
}

// divide divides a cassette as Save writes it into its top, the interactions, which start at
// an offset, and the seals; ok is false if it is not as that.
func divide(data []byte) (top *Index, at int, items []byte, seals []seal, ok bool) {
	top, rest, ok1 := cutTop(data)
	items, seals, ok2 := cutSeals(rest)
	return top, len(data) - len(rest), items, seals, ok1 && ok2
}

// Divided is a cassette as Save writes it: its head, its interactions, and the seals as they
// stand behind these.
type Divided struct {
	Pinned     bool
	Head, Tail []byte
	Items      []Part
}

// A Part is the text of an interaction, and the number of its seal: of the one that holds for it,
// or else of the one in its place.
type Part struct {
	Text []byte
	Seal int
}

// Divide divides a cassette; ok is false if it is not as Save writes it.
func Divide(text []byte) (d Divided, ok bool) {
	top, at, items, seals, ok := divide(text)
	if !ok {
		return d, false
	}
	d = Divided{Pinned: top.Pinned, Head: text[:at], Tail: text[at+len(items):]}
	for finder := (sealFinder{seals: seals}); len(items) > 0; {
		item, held := finder.cut(len(d.Items), items)
		part := Part{item, len(d.Items)}
		for i := range seals {
			if held == &seals[i] {
				part.Seal = i
			}
		}
		d.Items, items = append(d.Items, part), items[len(item):]
		ok = ok && bytes.HasPrefix(item, []byte(codec.ItemStart))
	}
	return d, ok
}

// cutTop cuts off what stands above the interactions of a cassette as Save writes it.
func cutTop(data []byte) (top *Index, rest []byte, ok bool) {
	top = new(Index)
	rest, ok1 := bytes.CutPrefix(data, []byte(headStart))
	rest, top.Pinned = bytes.CutPrefix(rest, []byte("pinned: true\n"))
	rest, top.Partial = bytes.CutPrefix(rest, []byte("partial: true\n"))
	top.Given, rest, ok = codec.DecodeGiven(rest)
	return top, rest, ok1 && ok
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

// textOf returns the text of an interaction.
func (s *Index) textOf(i int) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	it := &s.items[i]
	switch {
	case s.closed:
		return nil, fmt.Errorf("%s: %w", s.path, fs.ErrClosed)
	case s.file == nil:
		return s.text[it.at:][:it.seal.text.len], nil
	}
	text := make([]byte, it.seal.text.len)
	if _, err := s.file.ReadAt(text, it.at); err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	if idOf(text) != it.seal.text {
		return nil, s.changed()
	}
	return text, nil
}

func (s *Index) changed() error {
	return fmt.Errorf("%s: the file has changed since it was opened; run the test again", s.path)
}

// Edited returns the lines of the interactions that were edited since they were
// written, as their seals tell, or of the mark at the end if interactions were taken out
// or put in. What has no seal and no mark tells nothing.
func (s *Index) Edited() []int { return s.edited }

// Line returns the line of the file at which an interaction starts, counted from 1.
func (s *Index) Line(i int) int { return s.items[i].line }

// Close closes the file. What was read stays valid.
func (s *Index) Close() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed, s.text = true, nil
	if s.file != nil {
		return s.file.Close()
	}
	return nil
}
