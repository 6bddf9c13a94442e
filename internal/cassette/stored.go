package cassette

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
)

// A Stored is a cassette whose interactions are read from its file when they are
// asked for. Opening one finds where they are; what a seal vouches for is not read
// before. All methods but Close may be called concurrently.
type Stored struct {
	Pinned  bool
	Partial bool

	path  string
	items []storedItem
	text  string      // of the file, if it is small
	file  io.ReaderAt // if it is not
}

// A storedItem is where an interaction stands, or what it is.
type storedItem struct {
	at     int64 // offset in the file
	size   int
	sealed bool
	key    uint64 // of what is sealed: its match key
	digest uint64 // and its request's digest

	it *Interaction // if it was read already
}

const (
	smallFile = 64 << 10  // is kept in memory
	window    = 256 << 10 // is read at once of what is not
)

// heads are the beginnings of the files that Format writes; what may stand between
// "version" and "interactions" is pinned, partial, or both.
const (
	headStart = header + "version: 1\n"
	headEnd   = "interactions:\n"
)

// Open opens the cassette NAME.yaml; rules is the number of the rules that match
// keys are made by today. Errors are those of [Load]: a file that Format has not
// written as it is, or an interaction of it that was edited since into something
// that Format would write otherwise, is read by the full parser, with the same
// meaning.
func Open(path string, rules uint32) (*Stored, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	s := &Stored{path: path}
	ok, err := s.scan(f, int(info.Size()), rules)
	if err == nil && ok && s.file != nil {
		return s, nil
	}
	f.Close()
	if err != nil || ok {
		return s, err
	}
	whole, err := Load(path)
	if err != nil {
		return nil, err
	}
	return storedAs(path, whole), nil
}

// storedAs returns f, which was read in full, as a Stored.
func storedAs(path string, f *File) *Stored {
	s := &Stored{path: path, Pinned: f.Pinned, Partial: f.Partial, items: make([]storedItem, len(f.Interactions))}
	for i, it := range f.Interactions {
		s.items[i].it = it
	}
	return s
}

// windows are the buffers of scans; they are used again.
var windows = sync.Pool{New: func() any { return &scan{buf: make([]byte, window)} }}

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
	if len(s.buf) <= 16*window {
		*s = scan{buf: s.buf}
		windows.Put(s)
	}
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

// A randomReader is what a cassette is read from.
type randomReader interface {
	io.Reader
	io.ReaderAt
}

// scan finds the interactions; ok is false if they have to be parsed.
func (s *Stored) scan(f randomReader, fileSize int, rules uint32) (ok bool, err error) {
	in := windows.Get().(*scan)
	defer in.free()
	in.from = f
	if err := in.more(); err != nil {
		return false, err
	}
	if in.eof && in.end <= smallFile {
		s.text = string(in.buf[:in.end])
		if strings.Contains(s.text[:min(len(s.text), 100)], "\r\n") { // git, on Windows
			s.text = strings.ReplaceAll(s.text, "\r\n", "\n")
			in.end = copy(in.buf, s.text)
		}
	}
	if !in.line(headStart) {
		return false, nil
	}
	s.Pinned = in.line("pinned: true\n")
	s.Partial = in.line("partial: true\n")
	if !in.line(headEnd) {
		return false, nil
	}
	for in.pos < in.end {
		var it storedItem
		if err := in.sealed(&it, rules); err != nil {
			return false, err
		}
		if !it.sealed {
			if it.size, err = in.item(); err != nil {
				return false, err
			}
			if it.it = readSame(string(in.buf[in.pos : in.pos+it.size])); it.it == nil {
				return false, nil
			}
		}
		it.at = in.at + int64(in.pos)
		in.pos += it.size
		if s.items == nil {
			// The others are about as long.
			n := fileSize/it.size + fileSize/(8*it.size) + 8
			s.items = make([]storedItem, 0, min(n, 1<<20))
		}
		s.items = append(s.items, it)
	}
	if s.text == "" {
		s.file = f
	}
	return len(s.items) > 0, nil
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
			return s.end - s.pos, nil
		}
		from = max(s.pos, s.end-len(itemStart)) - s.pos
		if err := s.more(); err != nil {
			return 0, err
		}
		from += s.pos
	}
}

// sealed looks for a seal of the interaction at pos, and checks it.
func (s *scan) sealed(it *storedItem, rules uint32) error {
	const head = 512 // bytes that hold the lines up to the seal
	if s.end-s.pos < head && !s.eof {
		if err := s.more(); err != nil {
			return err
		}
	}
	h := cursor{b: s.buf[s.pos:min(s.end, s.pos+head)]}
	h.skip("  - kind: ")
	h.find("\n    match_key: ")
	quote := h.at < len(h.b) && h.b[h.at] == '"' // it looks like a number
	if quote {
		h.at++
	}
	key := h.take(digestLen)
	if quote {
		h.skip(`"`)
	}
	h.skip("\n    seal: ")
	digest := h.take(digestLen)
	h.skip("/")
	sumAt := h.at
	sum := h.take(checksumLen)
	h.skip("/")
	start := h.at
	h.find("\n")
	if h.bad {
		return nil
	}
	length, err1 := strconv.Atoi(string(h.b[start : h.at-1]))
	want, err2 := strconv.ParseUint(string(sum), 16, 32)
	var ok1, ok2 bool
	it.key, ok1 = parseHex(key)
	it.digest, ok2 = parseHex(digest)
	if err1 != nil || err2 != nil || !ok1 || !ok2 || length <= 0 || length > maxInteraction {
		return nil
	}
	it.size = h.at + length
	for s.end-s.pos < it.size+len(itemStart) && !s.eof {
		if err := s.more(); err != nil {
			return err
		}
	}
	if s.end-s.pos < it.size {
		return nil
	}
	item, next := s.buf[s.pos:s.pos+it.size], s.buf[s.pos+it.size:s.end]
	it.sealed = (len(next) == 0 || bytes.HasPrefix(next, itemStart[1:])) && uint32(want) == checksum(item, sumAt, rules)
	return nil
}

// maxInteraction is a length that no interaction has.
const maxInteraction = 1 << 40

// A cursor walks over bytes; at what it does not find it is bad.
type cursor struct {
	b   []byte
	at  int
	bad bool
}

// take passes n bytes.
func (c *cursor) take(n int) []byte {
	if c.bad = c.bad || c.at+n > len(c.b); c.bad {
		return nil
	}
	c.at += n
	return c.b[c.at-n : c.at]
}

// skip passes text.
func (c *cursor) skip(text string) { c.bad = string(c.take(len(text))) != text || c.bad }

// find passes everything up to text, and text.
func (c *cursor) find(text string) {
	if c.bad {
		return
	}
	i := bytes.Index(c.b[c.at:], []byte(text))
	if i < 0 {
		c.bad = true
		return
	}
	c.at += i + len(text)
}

// readSame reads an interaction that is not sealed, if Format would write it just
// so; else it returns nil.
func readSame(text string) *Interaction {
	r := reader{s: text}
	it := new(Interaction)
	if r.interaction(it); r.failed || r.pos != len(text) {
		return nil
	}
	w := writer{assets: map[string][]byte{}}
	if w.interaction(it); w.err != nil || string(w.buf) != text {
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

// Interaction reads an interaction. What it returns is the caller's, and another
// one every time, unless the interaction was not sealed.
func (s *Stored) Interaction(i int) (*Interaction, error) {
	if it := s.items[i].it; it != nil {
		if it.Line == 0 {
			c := *it
			c.Line = s.Line(i)
			return &c, nil
		}
		return it, nil
	}
	text, err := s.textOf(i)
	if err != nil {
		return nil, err
	}
	r := reader{s: text}
	it := new(Interaction)
	if r.interaction(it); r.failed || r.pos != len(text) {
		if it, err = s.parse(i, text); err != nil {
			return nil, err
		}
	}
	it.Line = s.Line(i)
	return it, nil
}

// Response reads what answered the request of an interaction, and its latency in
// milliseconds, without reading the request.
func (s *Stored) Response(i int) (resp *Response, latencyMS int64, err error) {
	if it := s.items[i].it; it != nil {
		return &it.Response, it.LatencyMS, nil
	}
	text, err := s.textOf(i)
	if err != nil {
		return nil, 0, err
	}
	var it Interaction
	if start := strings.Index(text, "\n    response:\n"); start > 0 {
		r := reader{s: text, pos: start + 1}
		if r.parts(&it); !r.failed && r.pos == len(text) {
			return &it.Response, it.LatencyMS, nil
		}
	}
	whole, err := s.parse(i, text)
	if err != nil {
		return nil, 0, err
	}
	return &whole.Response, whole.LatencyMS, nil
}

// textOf returns the text of an interaction.
func (s *Stored) textOf(i int) (string, error) {
	it := &s.items[i]
	if s.file == nil {
		return s.text[it.at : it.at+int64(it.size)], nil
	}
	var b strings.Builder
	b.Grow(it.size)
	in := windows.Get().(*scan)
	defer in.free()
	for done := 0; done < it.size; {
		n := min(it.size-done, len(in.buf))
		if _, err := s.file.ReadAt(in.buf[:n], it.at+int64(done)); err != nil {
			return "", fmt.Errorf("%s: %w", s.path, err)
		}
		b.Write(in.buf[:n])
		done += n
	}
	return b.String(), nil
}

// parse reads an interaction with the parser.
func (s *Stored) parse(i int, text string) (*Interaction, error) {
	asset := readFrom(assetDir(target(s.path)))
	if f, err := Parse(s.path, []byte(headStart+headEnd+text), asset); err == nil {
		return f.Interactions[0], nil
	}
	// For an error with the right line.
	f, err := Load(s.path)
	if err != nil {
		return nil, err
	}
	if i >= len(f.Interactions) {
		return nil, fmt.Errorf("%s: the file has changed since it was opened", s.path)
	}
	return f.Interactions[i], nil
}

// Line returns the line of the file at which an interaction starts, counted from 1;
// 0 if the file cannot be read any more.
func (s *Stored) Line(i int) int {
	it := &s.items[i]
	switch {
	case it.it != nil && it.it.Line > 0:
		return it.it.Line
	case s.file == nil:
		return 1 + strings.Count(s.text[:it.at], "\n")
	}
	in := windows.Get().(*scan)
	defer in.free()
	line := 1
	for at := int64(0); at < it.at; {
		n := int(min(it.at-at, int64(len(in.buf))))
		if _, err := s.file.ReadAt(in.buf[:n], at); err != nil {
			return 0
		}
		line += bytes.Count(in.buf[:n], []byte("\n"))
		at += int64(n)
	}
	return line
}

// Close closes the file. Nothing can be read of a large one afterwards.
func (s *Stored) Close() error {
	if s == nil {
		return nil
	}
	if c, ok := s.file.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
