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

// maxMemory is how much of a body is held in memory. What is larger passes through, and what
// must be sent after it was read is in a file meanwhile.
const maxMemory = 4 << 20

// A Body is the body of a request that was read.
type Body struct {
	small    bytes.Buffer // all of it, unless it is large
	declared string       // its Content-Type

	large  *upload.Reader                // what is kept of a large one; else nil
	again  func() (io.ReadCloser, error) // gives that once more; nil if it need not be sent
	length int64                         // of that, as it is sent
}

// Read reads the body of a request and closes it. A large one, if it may have to be sent, is put
// into a file meanwhile, unless the client gives it again. A body that is to be kept whole is
// never large. If the body is empty although the request announces a length, it is read through
// GetBody: cohere-go retries with the body it has drained.
func (b *Body) Read(req *http.Request, whole, send bool) error {
	b.declared = req.Header.Get("Content-Type")
	if req.Header.Get("Content-Range")+req.Header.Get("X-Goog-Upload-Offset") != "" {
		b.declared = "application/octet-stream" // a piece of a file
	}
	if req.Body == nil || req.Body == http.NoBody {
		return nil
	}
	most := int64(maxMemory)
	if whole {
		most = math.MaxInt64 - 1
	}
	announced := min(max(req.ContentLength, 0), maxMemory) // growing by doubling takes three times as much
	b.small.Grow(int(announced) + bytes.MinRead)
	n, err := b.small.ReadFrom(io.LimitReader(req.Body, most+1))
	if n > most {
		err = b.readLarge(req, send)
	}
	err = cmp.Or(err, req.Body.Close())
	if err != nil || n > 0 || req.ContentLength <= 0 || req.GetBody == nil {
		return err
	}
	again, err := req.GetBody()
	if err != nil {
		return err
	}
	defer again.Close()
	_, err = b.small.ReadFrom(again)
	return err
}

// readLarge reads the rest of a body that is large.
func (b *Body) readLarge(req *http.Request, send bool) (err error) {
	b.large, b.again, b.length = upload.NewReader(b.declared), req.GetBody, req.ContentLength
	to, spools := io.Writer(b.large), send && req.GetBody == nil
	if spools {
		var file io.Writer
		if file, b.again, err = newSpool(); err != nil {
			return err
		}
		to = io.MultiWriter(to, file)
	}
	n, err := io.Copy(to, io.MultiReader(&b.small, req.Body))
	if spools {
		b.length = n
	}
	b.small = bytes.Buffer{}
	return err
}

// Kept returns what of the body is kept; see package upload.
func (b *Body) Kept(whole bool) []byte {
	if b.large != nil {
		return b.large.Kept()
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
	out.GetBody, out.ContentLength, out.TransferEncoding = b.again, b.length, nil
	out.Body, err = out.GetBody()
	return out, err
}

// Reset makes the memory of the body free for another one, unless it is much.
func (b *Body) Reset() (ok bool) {
	b.small.Reset()
	return b.large == nil && b.small.Cap() <= 1<<20
}

// newSpool returns what writes a body that waits to be sent into a file, and what opens it from its
// beginning. Nobody else can read the file: its name is gone, where the system allows that, and it is
// encrypted with a key that is nowhere else. It is closed when nobody has it any more.
func newSpool() (to io.Writer, open func() (io.ReadCloser, error), err error) {
	f, err := os.CreateTemp("", "promptecho-*.tmp")
	if err != nil {
		return nil, nil, noRoom(err)
	}
	_ = os.Remove(f.Name())
	key := make([]byte, 16)
	_, _ = rand.Read(key) // it never fails
	block, err := aes.NewCipher(key)
	// A key is for one file, so it needs no nonce.
	stream := func() cipher.Stream { return cipher.NewCTR(block, make([]byte, aes.BlockSize)) }
	open = func() (io.ReadCloser, error) {
		r := cipher.StreamReader{S: stream(), R: io.NewSectionReader(f, 0, math.MaxInt64)}
		return io.NopCloser(r), nil
	}
	return roomWriter{cipher.StreamWriter{S: stream(), W: f}}, open, err
}

// A roomWriter writes to a disk that may be full.
type roomWriter struct{ io.Writer }

func (w roomWriter) Write(p []byte) (n int, err error) {
	if n, err = w.Writer.Write(p); err != nil {
		err = noRoom(err)
	}
	return n, err
}

// ErrNoRoom is the error of a body that is neither kept in memory nor in a file.
var ErrNoRoom = errors.New("the body is too large for memory, and could not be put into a temporary file")

func noRoom(err error) error {
	return fmt.Errorf("%w: %w: make room in %s, or set TMPDIR to another folder", ErrNoRoom, err, os.TempDir())
}
