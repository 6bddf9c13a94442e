package request

import (
	"bytes"
	"cmp"
	"io"
	"math"
	"net/http"
	"sync"

	"github.com/promptecho/promptecho/internal/nethttp/coding"
	"github.com/promptecho/promptecho/internal/nethttp/upload"
)

// maxMemory is how much of a body is held in memory. A larger body is read piece by
// piece; if it must be sent after that, a temporary file has it.
const maxMemory = 4 << 20

// A Body is the body of a request that was read.
type Body struct {
	contentType string
	small       bytes.Buffer // all of a body up to maxMemory
	large       *source      // a larger body; otherwise nil

	// reopen returns a large body from its beginning; nil if it need not be sent.
	reopen func() (io.ReadCloser, error)
}

// ReadOptions says how a body is read.
type ReadOptions struct {
	// Whole says that all of the body is kept, in memory.
	Whole bool

	// MaySend says that the request may have to be sent after the body was read.
	MaySend bool

	// SendEarly sends a request with a large body while the body is read, and
	// returns with its response. It may be nil.
	SendEarly func(out *http.Request)
}

// Read reads the body of a request and closes it.
//
// A body of no bytes whose request announces a length is read through GetBody:
// cohere-go retries with the body that it has read already.
func (b *Body) Read(req *http.Request, opts ReadOptions) error {
	b.contentType = req.Header.Get("Content-Type")
	isPieceOfFile := req.Header.Get("Content-Range") != "" || req.Header.Get("X-Goog-Upload-Offset") != ""
	if isPieceOfFile {
		b.contentType = "application/octet-stream"
	}
	if req.Body == nil || req.Body == http.NoBody {
		return nil
	}

	limit := int64(maxMemory)
	if opts.Whole {
		limit = math.MaxInt64 - 1
	}
	// A buffer that grows by doubling takes three times as much memory.
	announced := min(max(req.ContentLength, 0), maxMemory)
	b.small = *bytes.NewBuffer(*released.Get().(*[]byte))
	b.small.Grow(int(announced) + bytes.MinRead)
	n, err := b.small.ReadFrom(io.LimitReader(req.Body, limit+1))
	if n > limit {
		err = b.readLarge(req, opts)
	}
	err = cmp.Or(err, req.Body.Close())
	isDrained := n == 0 && req.ContentLength > 0
	if err != nil || !isDrained || req.GetBody == nil {
		return err
	}

	body, err := req.GetBody()
	if err != nil {
		return err
	}
	defer body.Close()
	_, err = b.small.ReadFrom(body)
	return err
}

// released has the memory of bodies that were released, for those that are read next.
var released = sync.Pool{New: func() any { return new([]byte) }}

// Release ends the use of the body, whose memory another body gets: nothing may refer
// to a part of it.
func (b *Body) Release() {
	memory := b.small.Bytes()[:0]
	b.small = bytes.Buffer{}
	isKept := cap(memory) > 0 && cap(memory) <= 2*maxMemory
	if isKept {
		released.Put(&memory)
	}
}

// readLarge reads the rest of a body of which b.small has the beginning. If the body must
// be sent after that, it goes into a temporary file.
func (b *Body) readLarge(req *http.Request, opts ReadOptions) error {
	b.reopen = req.GetBody
	all := io.MultiReader(bytes.NewReader(b.small.Bytes()), req.Body)
	b.small = bytes.Buffer{}
	b.large = b.newSource(io.NopCloser(all))

	sent := &sending{from: b.large}
	mustSpool := opts.MaySend && req.GetBody == nil
	if opts.SendEarly != nil {
		sent = b.sendEarly(req, opts.SendEarly)
		// A server may respond before it has read all of the body, and the transport
		// goes on sending it.
		mustSpool = !sent.closed.Load()
	}

	// From here on, the transport must not read from the source.
	sent.mu.Lock()
	defer sent.mu.Unlock()
	sent.from = http.NoBody
	defer b.large.Close()
	err := b.large.err
	if err == nil && b.reopen == nil {
		err = req.Context().Err() // the code that writes the body may have stopped, too
	}
	switch {
	case err == io.EOF:
		return nil
	case err != nil:
		return err
	case mustSpool:
		b.reopen, err = spool(b.large)
		if err != nil {
			return err
		}
		sent.from, err = b.reopen()
		return err
	}
	discard := struct{ io.Writer }{io.Discard} // hides ReadFrom, which reads in small pieces
	_, err = io.Copy(discard, b.large)
	return err
}

// sendEarly sends a request whose body is b.large, and returns the body that was sent last.
// If the transport sends the request again, b.large begins again, too.
func (b *Body) sendEarly(req *http.Request, send func(out *http.Request)) *sending {
	sent := &sending{from: b.large}
	out := req.Clone(req.Context())
	out.Body = sent
	if req.GetBody != nil {
		out.GetBody = func() (io.ReadCloser, error) {
			body, err := req.GetBody()
			if err != nil {
				return sent, err
			}
			_ = b.large.Close()
			b.large = b.newSource(body)
			sent = &sending{from: b.large}
			return sent, nil
		}
	}
	send(out)
	return sent
}

func (b *Body) newSource(body io.ReadCloser) *source {
	return &source{ReadCloser: body, kept: upload.NewReader(b.contentType)}
}

// Kept returns the body with placeholders for its uploads; see package upload. With
// whole, a body in memory is returned as it is.
func (b *Body) Kept(whole bool) []byte {
	if b.large != nil {
		b.large.give()
		b.large.giving.Lock()
		defer b.large.giving.Unlock()
		return b.large.kept.Kept()
	}
	body := b.small.Bytes()
	if len(body) <= upload.Limit || whole {
		return body
	}
	plain, isCompressed := coding.Decompress(body)
	if isCompressed {
		body = plain
	}
	return upload.Reduce(b.contentType, body)
}

// Clone returns a request like req that sends the body. It shares the memory of a small
// body. A body whose length the client does not know is sent in chunks, as it is without
// a recorder: a server may refuse that (411), or refuse a length.
func (b *Body) Clone(req *http.Request) (out *http.Request, err error) {
	out = req.Clone(req.Context())
	if req.Body == nil || req.Body == http.NoBody {
		return out, nil
	}
	out.GetBody = b.reopen
	if b.large == nil {
		out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.small.Bytes())), nil }
	}
	out.Body, err = out.GetBody()
	return out, err
}
