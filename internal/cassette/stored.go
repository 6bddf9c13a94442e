package cassette

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A Stored is a cassette whose interactions are read from its file when they are
// asked for. Opening one finds where they are; what a seal vouches for is not read
// before. All methods may be called concurrently; after Close all give errors.
type Stored struct {
	Pinned  bool
	Partial bool

	path   string
	rules  uint32
	trust  func(text []byte) bool
	items  []storedItem
	edited int // see Edited

	mu     sync.RWMutex // held while what follows is used
	kept   *scan        // a file that fits into a window stays there
	file   io.ReaderAt  // of one that does not
	closed bool
}

// A storedItem is where an interaction stands, or what it is.
type storedItem struct {
	at     int64 // offset in the file
	line   int   // in the file, counted from 1
	sealed bool  // the seal holds, by the rules of today
	seal         // also of what is not sealed: its size

	givenUp string                   // see GivenUp
	it      *interaction.Interaction // if it was read already
}

// itemStart is where an interaction starts in what Format writes: nothing in it
// stands as far left.
var itemStart = []byte("\n  - ")

// heads are the beginnings of the files that Format writes; what may stand between
// "version" and "interactions" is pinned, partial, or both.
const (
	headStart = header + "version: 1\n"
	headEnd   = "interactions:\n"
)

// Open opens the cassette NAME.yaml; rules is the number of the rules that match
// keys are made by today. An interaction is taken for sealed only if trust, called
// with its text, agrees; trust may be nil. Errors are those of [Load]: a file that
// Format has not written as it is, or an interaction of it that was edited since
// into something that Format would write otherwise, is read by the full parser, with
// the same meaning.
func Open(path string, rules uint32, trust func(text []byte) bool) (*Stored, error) {
	f, size, err := openFile(path)
	if err != nil {
		return nil, err
	}
	s := &Stored{path: path, rules: rules, trust: trust}
	ok, err := s.scan(f, size)
	if err == nil && ok && s.kept == nil {
		s.file = f
		return s, nil
	}
	f.Close()
	switch {
	case err != nil:
		return nil, err
	case ok:
		return s, nil
	}
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	whole, edited, err := parse(path, data, readFrom(assetDir(target(path))))
	if err != nil {
		return nil, err
	}
	s = storedAs(path, whole)
	s.edited = edited
	return s, nil
}

// storedAs returns f, which was read in full, as a Stored.
func storedAs(path string, f *File) *Stored {
	s := &Stored{path: path, Pinned: f.Pinned, Partial: f.Partial, items: make([]storedItem, len(f.Interactions))}
	for i, it := range f.Interactions {
		s.items[i] = storedItem{it: it, line: it.Line}
	}
	return s
}

// windows are the buffers of scans, which are used again: those of 32, 64, 128 and
// 256 KB. What is larger is not kept.
var windows [4]sync.Pool

const smallest = 32 << 10

// class returns the index of the smallest windows that hold n bytes, and their
// length.
func class(n int) (i, size int) {
	for size = smallest; size < n && i < len(windows)-1; i++ {
		size *= 2
	}
	return i, size
}

// newScan returns a scan with a window for n bytes, or of the largest size.
func newScan(from io.Reader, n int) *scan {
	i, size := class(n)
	s, ok := windows[i].Get().(*scan)
	if !ok {
		s = &scan{buf: make([]byte, size)}
	}
	s.from = from
	return s
}

// A scan reads a file through a window that holds at least one interaction.
type scan struct {
	from io.Reader
	buf  []byte
	at   int64 // offset of buf in the file
	pos  int   // in buf: what is not done yet
	end  int   // in buf: what is read
	eof  bool
}

// free gives the window back.
func (s *scan) free() {
	if i, size := class(len(s.buf)); len(s.buf) == size {
		*s = scan{buf: s.buf}
		windows[i].Put(s)
	}
}

// widen goes on with a window for n bytes, if that is larger.
func (s *scan) widen(n int) error {
	larger := newScan(nil, n)
	if len(larger.buf) > len(s.buf) {
		copy(larger.buf, s.buf[:s.end])
		s.buf, larger.buf = larger.buf, s.buf
	}
	larger.free()
	return s.more()
}

// more reads on, and makes room before.
func (s *scan) more() error {
	if s.pos > 0 {
		s.end = copy(s.buf, s.buf[s.pos:s.end])
		s.at += int64(s.pos)
		s.pos = 0
	}
	if s.end == len(s.buf) {
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	n, err := io.ReadFull(s.from, s.buf[s.end:])
	s.end += n
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		s.eof, err = true, nil
	}
	return err
}

// line passes text if it stands at pos.
func (s *scan) line(text string) bool {
	if !strings.HasPrefix(string(s.buf[s.pos:min(s.end, s.pos+len(text))]), text) {
		return false
	}
	s.pos += len(text)
	return true
}

// scan finds the interactions in a file; ok is false if they have to be parsed.
// size is the length of the file.
func (s *Stored) scan(f io.Reader, size int64) (ok bool, err error) {
	in := newScan(f, smallest)
	defer func() {
		if s.kept == nil {
			in.free()
		}
	}()
	if err := in.more(); err != nil {
		return false, err
	}
	if !in.eof {
		if err := in.widen(int(min(size, maxInteraction)) + 1); err != nil {
			return false, err
		}
	}
	if in.eof && bytes.Contains(in.buf[:min(in.end, 100)], []byte("\r\n")) { // git, on Windows
		in.end = copy(in.buf, bytes.ReplaceAll(in.buf[:in.end], []byte("\r\n"), []byte("\n")))
	}
	if !in.line(headStart) {
		return false, nil
	}
	s.Pinned = in.line("pinned: true\n")
	s.Partial = in.line("partial: true\n")
	if !in.line(headEnd) {
		return false, nil
	}
	line := 1 + bytes.Count(in.buf[:in.pos], []byte("\n"))
	sealed := false // anything is
	for in.pos < in.end && !startsWithMark(in.buf[in.pos:in.end]) {
		it := storedItem{line: line}
		whole, err := in.sealed(&it, s)
		if err != nil {
			return false, err
		}
		if !it.sealed {
			if it.size, err = in.item(); err != nil {
				return false, err
			}
			if it.it = readSame(in.buf[in.pos : in.pos+it.size]); it.it == nil {
				return false, nil
			}
			it.it.Line = line
			if !whole && s.edited == 0 {
				s.edited = line
			}
		}
		sealed = sealed || it.sealed || it.it.Seal != ""
		it.at = in.at + int64(in.pos)
		line += bytes.Count(in.buf[in.pos:in.pos+it.size], []byte("\n"))
		in.pos += it.size
		if s.items == nil {
			// The others are about as long.
			n := size/int64(it.size) + size/int64(8*it.size) + 1
			s.items = make([]storedItem, 0, min(n, 1<<20))
		}
		s.items = append(s.items, it)
	}
	switch {
	case !sealed:
		s.edited = 0 // a file that is written by hand
	case in.pos == in.end:
		return false, nil // the parser says what is missing
	}
	if ok, err := in.lastLine(s, line); !ok || err != nil {
		return false, err
	}
	if in.eof && in.at == 0 {
		s.kept = in
	}
	return len(s.items) > 0, nil
}

// lastLine passes the mark, if it is there; ok is false if there is more behind it.
// line is where it stands.
func (s *scan) lastLine(of *Stored, line int) (ok bool, err error) {
	if !s.eof {
		if err := s.more(); err != nil || !s.eof {
			return false, err
		}
	}
	text := s.buf[s.pos:s.end]
	if bytes.IndexByte(text, '\r') >= 0 {
		return false, nil
	}
	if n, ok := recordedIn(string(text)); ok && n != len(of.items) && of.edited == 0 {
		of.edited = line
	}
	end := bytes.IndexByte(text, '\n')
	s.pos = s.end
	return end < 0 || end == len(text)-1, nil
}

// item returns the length of the interaction at pos, which is all in the window
// then.
func (s *scan) item() (int, error) {
	from := s.pos
	for {
		if i := bytes.Index(s.buf[from:s.end], itemStart); i >= 0 {
			return from + i + 1 - s.pos, nil
		}
		if s.eof {
			break
		}
		from = max(s.pos, s.end-len(itemStart)) - s.pos
		if err := s.more(); err != nil {
			return 0, err
		}
		from += s.pos
	}
	if i := bytes.LastIndex(s.buf[s.pos:s.end], []byte("\n"+endMark)); i >= 0 {
		return i + 1, nil
	}
	return s.end - s.pos, nil
}

// sealed looks for a seal of the interaction at pos, and reports whether it holds.
func (s *scan) sealed(it *storedItem, of *Stored) (whole bool, err error) {
	if s.end-s.pos < sealHead && !s.eof {
		if err := s.more(); err != nil {
			return false, err
		}
	}
	seal, ok := sealOf(s.buf[s.pos:min(s.end, s.pos+sealHead)])
	if !ok {
		return false, nil
	}
	for s.end-s.pos < seal.size+len(itemStart) && !s.eof {
		if err := s.more(); err != nil {
			return false, err
		}
	}
	if s.end-s.pos < seal.size {
		return false, nil
	}
	item, rest := s.buf[s.pos:s.pos+seal.size], s.buf[s.pos+seal.size:s.end]
	if !endsItem(rest) || !seal.holds(item) {
		return false, nil
	}
	it.seal = seal
	it.givenUp = givenUp(item)
	it.sealed = seal.rules == of.rules && (of.trust == nil || of.trust(item))
	return true, nil
}

// givenUp finds in the text of an interaction why its request was given up, "" if it was
// not. Nothing long stands behind it.
func givenUp(item []byte) (cause string) {
	const tail = 300
	_, rest, ok := bytes.Cut(item[max(0, len(item)-tail):], []byte("\n      end: "+interaction.EndCanceled+"\n      error: "))
	if !ok {
		return ""
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return string(line)
}

// maxInteraction is the length in bytes of what can be sealed; more is parsed.
const maxInteraction = 1 << 30

// readItem reads the text of an interaction; nil if the reader cannot.
func readItem(text []byte) *interaction.Interaction {
	r, it := reader{s: text}, new(interaction.Interaction)
	if r.interaction(it); r.failed || r.pos != len(text) {
		return nil
	}
	return it
}

// parseItem reads it with the parser; name and asset are as of [Parse]. Lines in
// errors are not those of a file.
func parseItem(name string, text []byte, asset func(name string) ([]byte, error)) (*interaction.Interaction, error) {
	f, err := Parse(name, slices.Concat([]byte(headStart+headEnd), text, []byte(endMark)), asset)
	if err != nil {
		return nil, err
	}
	return f.Interactions[0], nil
}

// readSame reads an interaction that is not sealed, if Format would write it just
// so; else it returns nil.
func readSame(text []byte) *interaction.Interaction {
	it := readItem(text)
	if it == nil {
		return nil
	}
	w := writer{assets: map[string][]byte{}}
	if w.interaction(it); w.err != nil || !bytes.Equal(w.buf, text) {
		return nil
	}
	return it
}

// Len returns the number of interactions.
func (s *Stored) Len() int { return len(s.items) }

// Hint returns the match key and the digest of the request of an interaction that
// is as it was written, without reading it. Of any other ok is false.
func (s *Stored) Hint(i int) (key, digest uint64, ok bool) {
	it := &s.items[i]
	return it.key, it.digest, it.sealed
}

// GivenUp returns why the request of an interaction was given up before there was an
// answer, as the error of its context says it; "" if it was not.
func (s *Stored) GivenUp(i int) (cause string) {
	if it := s.items[i].it; it != nil && it.Response.End == interaction.EndCanceled {
		return it.Response.Error
	}
	return s.items[i].givenUp
}

// Interaction reads an interaction. What it returns is the caller's, and another
// one every time, unless the interaction was not sealed.
func (s *Stored) Interaction(i int) (it *interaction.Interaction, err error) {
	if it := s.items[i].it; it != nil {
		return it, nil
	}
	err = s.text(i, func(text []byte) error {
		if it = readItem(text); it == nil {
			it, err = s.parse(text)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	it.Line = s.items[i].line
	return it, nil
}

// A Scratch is memory that answers are read into; it can be used again and again.
// Its zero value is ready to use.
type Scratch struct {
	Framer Framer // puts streams together, if it can; may be nil

	// Ends is where the events of the last answer end in its Body, if Framer has
	// put it together; then it has no Events.
	Ends []int

	body   []byte
	ends   []int
	delays []interaction.Delay
	like   likeness
}

// Response reads what answered the request of an interaction into resp, without
// what only its readers need (Text), and returns its latency in milliseconds. What
// resp has is valid until in is used again.
func (s *Stored) Response(i int, resp *interaction.Response, in *Scratch) (latencyMS int64, err error) {
	in.Ends = nil
	if it := s.items[i].it; it != nil {
		*resp = it.Response
		return it.LatencyMS, nil
	}
	err = s.text(i, func(text []byte) error {
		if start := bytes.Index(text, []byte("\n    response:\n")); start > 0 {
			for _, framer := range [...]Framer{in.Framer, nil} {
				r := reader{s: text, pos: start + 1, scratch: in, framer: framer}
				if latencyMS = r.answered(resp); !r.failed && r.pos == len(text) {
					return nil
				}
				*resp, in.Ends = interaction.Response{}, nil
			}
		}
		whole, err := s.parse(text)
		if err == nil {
			*resp, latencyMS = whole.Response, whole.LatencyMS
		}
		return err
	})
	return latencyMS, err
}

// text calls f with the text of an interaction, which is valid until f returns.
func (s *Stored) text(i int, f func(text []byte) error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	it := &s.items[i]
	if s.closed {
		return fmt.Errorf("%s: %w", s.path, fs.ErrClosed)
	}
	if s.kept != nil {
		return f(s.kept.buf[it.at : it.at+int64(it.size)])
	}
	in := newScan(nil, it.size)
	defer in.free()
	if len(in.buf) < it.size {
		in.buf = make([]byte, it.size)
	}
	if _, err := s.file.ReadAt(in.buf[:it.size], it.at); err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	text := in.buf[:it.size]
	if !it.holds(text) {
		return s.changed()
	}
	return f(text)
}

func (s *Stored) changed() error {
	return fmt.Errorf("%s: the file has changed since it was opened; run the test again", s.path)
}

// parse reads an interaction with the parser.
func (s *Stored) parse(text []byte) (*interaction.Interaction, error) {
	if it, err := parseItem(s.path, text, readFrom(assetDir(target(s.path)))); err == nil {
		return it, nil
	}
	// For an error with the right line.
	if _, err := Load(s.path); err != nil {
		return nil, err
	}
	return nil, s.changed()
}

// Edited returns the line of the first interaction that was edited since it was
// written, as its seal tells, or of the mark at the end if interactions were taken out
// or put in; 0 if there is none. What has no seal and no mark tells nothing.
func (s *Stored) Edited() int { return s.edited }

// Line returns the line of the file at which an interaction starts, counted from 1.
func (s *Stored) Line(i int) int { return s.items[i].line }

// Close closes the file. What was read stays valid.
func (s *Stored) Close() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	if s.kept != nil {
		s.kept.free()
		s.kept = nil
	}
	if c, ok := s.file.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
