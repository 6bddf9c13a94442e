package request

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// spool reads a body into a temporary file, and returns a function that opens the file
// at its beginning. Other programs cannot read the body: spool encrypts it with a key that
// is only in memory. The garbage collector closes the file, and it is gone then.
func spool(from *source) (open func() (io.ReadCloser, error), err error) {
	f, err := createSpool()
	if err != nil {
		return nil, noRoom(err)
	}

	key := make([]byte, 16)
	_, _ = rand.Read(key) // it never fails
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	// Each key is used for one file, so the stream needs no nonce.
	crypt := func(r io.Reader) io.Reader {
		return cipher.StreamReader{S: cipher.NewCTR(block, make([]byte, aes.BlockSize)), R: r}
	}

	_, err = io.Copy(f, crypt(from))
	isWriteError := err != nil && err != from.err
	if isWriteError {
		err = noRoom(err)
	}
	return func() (io.ReadCloser, error) {
		return io.NopCloser(crypt(io.NewSectionReader(f, 0, math.MaxInt64))), nil
	}, err
}

// ErrNoRoom is the error of a body that is too large for memory and cannot be written
// to a temporary file.
var ErrNoRoom = errors.New("the body is too large for memory, and could not be put into a temporary file")

func noRoom(err error) error {
	return fmt.Errorf("%w: %w: make room in %s, or set %s to another folder",
		ErrNoRoom, err, os.TempDir(), tempVariable)
}
