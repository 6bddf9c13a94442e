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

	"github.com/promptecho/promptecho/internal/coding"
	"github.com/promptecho/promptecho/internal/upload"
)

// A Body is the body of a request that was read.
type Body struct {
	small    bytes.Buffer // all of it, unless it is large
	large    *large
	declared string // its Content-Type
}

// A large body is not held in memory.
type large struct {
	kept   *upload.Reader
	length int64                         // as the request says it
	again  func() (io.ReadCloser, error) // gives it once more; nil if it need not be sent
}

// Read reads the body of a request and closes it. A large one, if it may have to be sent, is put
// into a file meanwhile, unless the client gives it again. A body that is to be kept whole is
// never large.
func (b *Body) Read(req *http.Request, whole, send bool) error {
	b.declared = req.Header.Get("Content-Type")
	if req.Header.Get("Content-Range")+req.Header.Get("X-Goog-Upload-Offset") != "" {
		b.declared = "application/octet-stream" // a piece of a file
	}
	if whole {
		return ReadBody(&b.small, req)
	}
	more, err := readBody(&b.small, req, maxMemory)
	if !more {
		return err
	}
	b.large = &large{upload.NewReader(b.declared), req.ContentLength, req.GetBody}
	var to io.Writer = b.large.kept
	var file *spool
	if send && req.GetBody == nil {
		if file, err = newSpool(); err == nil {
			to, b.large.again = io.MultiWriter(to, file), file.open
		}
	}
	if err == nil {
		var n int64
		n, err = io.Copy(to, io.MultiReader(&b.small, req.Body))
		if file != nil {
			b.large.length = n
		}
	}
	b.small = bytes.Buffer{}
	return cmp.Or(err, req.Body.Close())
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
	if b.large == nil {
		return Clone(req, b.small.Bytes()), nil
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

// A spool is a file for a body that waits to be sent. Nobody else can read it: its name is gone,
// where the system allows that, and it is encrypted with a key that is nowhere else.
type spool struct {
	file *os.File
	key  cipher.Block
	to   io.Writer
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
		err = noRoom(err)
	}
	return n, err
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
