package child

import (
	"io"
	"sync"
)

// A Buffer is a pipe that holds any amount of data, so a Write never waits for a Read. Its methods
// may be called concurrently.
type Buffer struct {
	mu       sync.Mutex // guards what follows
	changed  sync.Cond  // with mu as its lock
	data     []byte
	isEnded  bool // nothing more is written
	isClosed bool // nothing more is read
}

// NewBuffer returns an empty buffer.
func NewBuffer() *Buffer {
	b := &Buffer{}
	b.changed.L = &b.mu
	return b
}

// Write adds data. The error is [io.ErrClosedPipe] after End or Close.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.isEnded || b.isClosed {
		return 0, io.ErrClosedPipe
	}
	b.data = append(b.data, p...)
	b.changed.Broadcast()
	return len(p), nil
}

// Read waits for data. It returns [io.EOF] after End when all data was read.
func (b *Buffer) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(p) == 0 {
		return 0, nil
	}
	for len(b.data) == 0 && !b.isEnded && !b.isClosed {
		b.changed.Wait()
	}
	switch {
	case b.isClosed:
		return 0, io.ErrClosedPipe
	case len(b.data) == 0:
		return 0, io.EOF
	}
	n := copy(p, b.data)
	b.data = b.data[n:]
	if len(b.data) == 0 {
		b.data = nil
		b.changed.Broadcast()
	}
	return n, nil
}

// End says that no data follows. What is in the buffer can still be read.
func (b *Buffer) End() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.isEnded = true
	b.changed.Broadcast()
}

// Close drops the data in the buffer, and all that is written later.
func (b *Buffer) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.isClosed = true
	b.data = nil
	b.changed.Broadcast()
	return nil
}
