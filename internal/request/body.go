package request

import (
	"bytes"
	"cmp"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"sync"
	"sync/atomic"

	"github.com/promptecho/promptecho/internal/coding"
	"github.com/promptecho/promptecho/internal/upload"
)

// A Body is the body of a request that was read, or is read while it is sent.
type Body struct {
	Streams bool // it is large, and is read while it is sent

	small    bytes.Buffer // all of it, unless it is large
	large    *large
	declared string // its Content-Type
}

// Read reads the body of a request and closes it, unless it is large; then [Body.Drain] must follow,
// or Streams be set. A body that is to be kept whole is never large.
func (b *Body) Read(req *http.Request, whole bool) (isLarge bool, err error) {
	isLarge = req.ContentLength > maxMemory
	b.declared = req.Header.Get("Content-Type")
	if req.Header.Get("Content-Range")+req.Header.Get("X-Goog-Upload-Offset") != "" {
		b.declared = "application/octet-stream" // a piece of a file
	}
	switch {
	case whole:
		return false, ReadBody(&b.small, req)
	case !isLarge:
		isLarge, err = readBody(&b.small, req, maxMemory)
	}
	if isLarge {
		b.large = &large{length: req.ContentLength, declared: b.declared}
		b.large.read(struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(b.small.Bytes()), req.Body), req.Body})
		b.small = bytes.Buffer{}
	}
	return isLarge, err
}

// Drain reads a large body. If it may have to be sent, it is put into a file meanwhile, unless
// the client gives it again.
func (b *Body) Drain(req *http.Request, send bool) error {
	l := b.large
	if l.again = req.GetBody; !send || l.again != nil {
		return l.finish()
	}
	file, err := newSpool()
	if err == nil {
		l.read(io.NopCloser(io.TeeReader(*l.from.Load(), file)))
		err = l.finish()
		l.again, l.length = file.open, file.length
	}
	return cmp.Or(err, req.Body.Close())
}

// stream returns a request like req whose large body is read while it is sent.
func (b *Body) stream(req *http.Request) *http.Request {
	out := req.Clone(req.Context())
	out.Body = b.large
	if req.GetBody != nil {
		out.GetBody = func() (io.ReadCloser, error) {
			again, err := req.GetBody()
			if err == nil {
				b.large.read(again)
			}
			return b.large, err
		}
	}
	return out
}

// Finish reads what is left of a body that is read while it is sent, and closes it: a server may
// answer before it has all.
func (b *Body) Finish() error { return b.large.finish() }

// Abandon closes a body that was to be read while it is sent, and will not be. Somebody may still
// wait for a piece of it.
func (b *Body) Abandon() {
	if b.Streams {
		_ = b.large.close()
	}
}

// Kept returns what of the body is kept; see package upload.
func (b *Body) Kept(whole bool) []byte {
	if b.large != nil {
		return b.large.kept.Kept()
	}
	body := b.small.Bytes()
	if len(body) <= upload.Limit || whole {
		return body
	}
	if plain, ok := coding.Decompress(body); ok {
		body = plain
	}
	return upload.Reduce(b.declared, body)
}

// Clone returns a request like req that sends the body. Of a small one it shares the memory.
func (b *Body) Clone(req *http.Request) (*http.Request, error) {
	switch {
	case b.large == nil:
		return Clone(req, b.small.Bytes()), nil
	case b.Streams:
		return b.stream(req), nil
	}
	out := req.Clone(req.Context())
	var err error
	out.GetBody, out.ContentLength, out.TransferEncoding = b.large.again, b.large.length, nil
	out.Body, err = out.GetBody()
	return out, err
}

// Reset makes the memory of the body free for another one, unless it is much.
func (b *Body) Reset() (ok bool) {
	b.small.Reset()
	return b.large == nil && b.small.Cap() <= 1<<20
}

// A large body is read only once, by whoever sends it and in the end by [Body.Finish].
type large struct {
	declared string // its Content-Type
	length   int64
	again    func() (io.ReadCloser, error) // gives it once more

	from atomic.Pointer[io.ReadCloser]

	mu   sync.Mutex // is held during a Read, and guards what follows
	kept *upload.Reader
	err  error // of the last Read
}

func (l *large) close() error { return (*l.from.Load()).Close() }

// read begins to read a body.
func (l *large) read(from io.ReadCloser) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.from.Store(&from)
	l.kept, l.err = upload.NewReader(l.declared), nil
}

// Read reads a piece.
func (l *large) Read(p []byte) (n int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return 0, l.err
	}
	n, l.err = (*l.from.Load()).Read(p)
	_, _ = l.kept.Write(p[:n]) // it takes all
	return n, l.err
}

// Close leaves the body open: finish closes it.
func (l *large) Close() error { return nil }

// finish reads the rest and closes the body.
func (l *large) finish() error {
	_, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{l}, make([]byte, 1<<16))
	return cmp.Or(err, l.close())
}

// A spool is a file for a body that waits to be sent. Nobody else can read it: its name is gone,
// where the system allows that, and it is encrypted with a key that is nowhere else.
type spool struct {
	file   *os.File
	key    cipher.Block
	to     io.Writer
	length int64
}

func newSpool() (*spool, error) {
	f, err := os.CreateTemp("", "promptecho-*.tmp")
	if err != nil {
		return nil, noRoom(err)
	}
	_ = os.Remove(f.Name())
	key := make([]byte, 16)
	_, _ = rand.Read(key) // it never fails
	block, err := aes.NewCipher(key)
	s := &spool{file: f, key: block}
	s.to = cipher.StreamWriter{S: s.stream(), W: f}
	return s, err
}

// stream returns the key stream from its beginning. A key is for one file, so it needs no nonce.
func (s *spool) stream() cipher.Stream { return cipher.NewCTR(s.key, make([]byte, aes.BlockSize)) }

func (s *spool) Write(p []byte) (n int, err error) {
	if n, err = s.to.Write(p); err != nil {
		return n, noRoom(err)
	}
	s.length += int64(n)
	return n, nil
}

// ErrNoRoom is the error of a body that is neither kept in memory nor in a file.
var ErrNoRoom = errors.New("the body is too large for memory, and could not be put into a temporary file")

func noRoom(err error) error {
	return fmt.Errorf("%w: %w: make room in %s, or set TMPDIR to another folder", ErrNoRoom, err, os.TempDir())
}

// open returns the body from its beginning. The file is closed when nobody has it any more.
func (s *spool) open() (io.ReadCloser, error) {
	r := cipher.StreamReader{S: s.stream(), R: io.NewSectionReader(s.file, 0, math.MaxInt64)}
	return io.NopCloser(r), nil
}
