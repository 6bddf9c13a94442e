package request

import (
	"io"
	"sync"
	"sync/atomic"

	"github.com/promptecho/promptecho/internal/nethttp/upload"
)

// A source is a large body that is read once. While it is read and sent, another
// goroutine finds the uploads in it.
type source struct {
	io.ReadCloser
	kept  *upload.Reader // gets the body in pieces
	piece []byte         // bytes that kept has not got yet
	spare []byte         // the piece before, whose memory is used again
	err   error          // of the last Read

	// giving is locked while kept takes a piece. It is a mutex, since a channel must
	// not be used both inside and outside of a testing/synctest bubble.
	giving sync.Mutex
}

// pieceSize is large, so that the cost of starting a goroutine for each piece does not
// matter.
const pieceSize = 256 << 10

func (s *source) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	s.err = err
	s.piece = append(s.piece, p[:n]...)
	if len(s.piece) >= pieceSize {
		s.give()
	}
	return n, err
}

// give gives kept the bytes that were read.
func (s *source) give() {
	s.giving.Lock()
	piece := s.piece
	s.piece = s.spare[:0]
	s.spare = piece
	go func() {
		defer s.giving.Unlock()
		_, _ = s.kept.Write(piece) // it returns no error
	}()
}

// A sending is a source that is being sent. Close does not close the source, since all
// of it has to be read.
type sending struct {
	closed atomic.Bool // the transport has closed it
	mu     sync.Mutex  // is locked while from is read
	from   io.Reader
}

func (s *sending) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.from.Read(p)
}

func (s *sending) Close() error {
	s.closed.Store(true)
	return nil
}
