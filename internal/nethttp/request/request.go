// Package request reads requests of net/http. It knows no matching, and it leaves a request
// as it is, other than reading and closing its body.
package request

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/nethttp/coding"
	"github.com/promptecho/promptecho/internal/nethttp/upload"
	"github.com/promptecho/promptecho/internal/nethttp/urls"
)

// IsTwoWay reports whether a request sends its body for as long as its answer comes, as its type or
// its signature (AWS) says: nothing else can be known before the first byte of the answer.
func IsTwoWay(req *http.Request) bool {
	return req.Body != nil && req.Body != http.NoBody && req.ContentLength <= 0 &&
		(req.Header.Get("Content-Type") == "application/vnd.amazon.eventstream" || strings.HasSuffix(req.Header.Get("X-Amz-Content-Sha256"), "-EVENTS"))
}

// CloseBody closes the body of a request that is not sent.
func CloseBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}

// Expired waits until the [http.Client] of a request whose deadline has passed knows that its Timeout has, if that is
// the deadline: its error says so only then.
func Expired(req *http.Request) {
	//lint:ignore SA1019 net/http still sets it
	if req.Cancel == nil || req.Context().Err() != context.DeadlineExceeded {
		return
	}
	select {
	case <-req.Cancel: //lint:ignore SA1019 as above
	case <-time.After(10 * time.Millisecond): // the deadline is another one
	}
}

// GaveUp returns the error of the context of a request whose client gave up, nil if it did
// not. An [http.Client] with a Timeout ends its requests in an older way as well, which can be
// the first to be seen.
func GaveUp(req *http.Request) error {
	if err := req.Context().Err(); err != nil {
		return err
	}
	select {
	case <-req.Cancel: //lint:ignore SA1019 net/http still sets it
	default:
		return nil
	}
	if _, ok := req.Context().Deadline(); ok {
		return context.DeadlineExceeded
	}
	return context.Canceled
}

// Stopped reports whether a request was ended because its listener was closed, and not by its
// client.
func Stopped(req *http.Request) bool { return errors.Is(context.Cause(req.Context()), ErrStopped) }

// URL returns the URL that a request asks for. A name in another script is in Punycode
// (RFC 3492). The Host header says who is asked, and can differ from the host of the
// address (RFC 9112, section 3.2). A request line that names a host comes before both.
func URL(req *http.Request) url.URL {
	u := *req.URL
	u.Host = cmp.Or(req.Host, u.Host)
	if u.Opaque != "" { // it is the request line; see url.URL.RequestURI
		path := u.Opaque
		if rest, ok := strings.CutPrefix(path, "//"); ok {
			end := strings.IndexByte(rest+"/", '/')
			u.Host, path = rest[:end], rest[end:]
		}
		u.Opaque, u.Path, u.RawPath = "", path, ""
		if plain, err := url.PathUnescape(path); err == nil {
			u.Path, u.RawPath = plain, path
		}
	}
	u.Host = inASCII(u.Host)
	return u
}

// Passing returns the first of the selectors that names where a request to a URL goes, whatever
// its Host header says, and "" if none does; see [urls.Server].
func Passing(selectors []string, u *url.URL) string {
	if strings.HasPrefix(u.Opaque, "//") {
		return ""
	}
	for _, s := range selectors {
		server, err := urls.ParseServer(s)
		if err != nil {
			continue
		}
		server.Host = inASCII(server.Host)
		asked := URL(&http.Request{URL: u})
		if server.Names(&asked) {
			return s
		}
	}
	return ""
}

// inASCII returns the name of a host in Punycode, if it has letters of another script.
func inASCII(host string) string {
	isOther := func(c rune) bool { return c > unicode.MaxASCII }
	if strings.ContainsFunc(host, isOther) {
		return punycode(host)
	}
	return host
}

func punycode(host string) string {
	var sent bytes.Buffer
	out := http.Request{URL: &url.URL{Host: strings.ToLower(host)}}
	_ = out.Write(&sent) // if it fails, nothing can be read
	in, err := http.ReadRequest(bufio.NewReader(&sent))
	if err != nil {
		return host
	}
	return in.Host
}

// Served is what is known of a request that did not come from the code of this process, but
// over a listener of package serve.
type Served struct {
	By         string // who asked, for messages
	Far        bool   // the client reads the answer behind a socket
	Unsendable string // why the request must not go upstream as it is; empty if it may
}

// ErrStopped is the cause of the end of a request whose listener was closed. Its client has
// not given it up.
var ErrStopped = errors.New("promptecho's server for other processes was closed before the upstream answered")

type servedKey struct{}

// WithServed returns a context for a request that came over a listener.
func WithServed(ctx context.Context, s Served) context.Context {
	return context.WithValue(ctx, servedKey{}, s)
}

// ServedBy returns what is known of a request with this context. It is zero if the request
// came over no listener.
func ServedBy(ctx context.Context) Served {
	s, _ := ctx.Value(servedKey{}).(Served)
	return s
}

// Readdress replaces each address of a server in the values of a header with what the
// function to returns for it, unless that is empty.
func Readdress(values []string, to func(*url.URL) string) {
	for i, v := range values {
		if !strings.Contains(v, "://") {
			continue
		}
		values[i] = address().ReplaceAllStringFunc(v, func(m string) string {
			text := strings.TrimPrefix(m, "<")
			u, err := url.Parse(text)
			if err != nil {
				return m
			}
			return m[:len(m)-len(text)] + cmp.Or(to(u), text)
		})
	}
}

// address matches the address of a server to which a header leads. The values of Location,
// Link (RFC 8288) and the like begin with one.
var address = memo.Regexp(`(?:^|<)https?://[^/?#<>"\s]+`)

// maxMemory is how much of a body is held in memory. What is larger passes through, and what
// must be sent after it was read is in a file meanwhile.
const maxMemory = 4 << 20

// A Body is the body of a request that was read.
type Body struct {
	small    bytes.Buffer // all of it, unless it is large
	declared string       // its Content-Type

	large *source                       // a large one; else nil
	again func() (io.ReadCloser, error) // gives that once more; nil if it need not be sent
}

// Read reads the body of a request and closes it. A large one, if it may have to be sent, is put
// into a file meanwhile, unless the client gives it again; if early is not nil, that sends it while
// it is read. A body that is to be kept whole is never large. If the body is empty although the
// request announces a length, it is read through GetBody: cohere-go retries with the body it has
// drained.
func (b *Body) Read(req *http.Request, whole, send bool, early func(out *http.Request)) error {
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
		err = b.readLarge(req, send, early)
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
func (b *Body) readLarge(req *http.Request, send bool, early func(out *http.Request)) (err error) {
	b.again = req.GetBody
	first := io.NopCloser(io.MultiReader(bytes.NewReader(b.small.Bytes()), req.Body))
	b.large, b.small = &source{ReadCloser: first, kept: upload.NewReader(b.declared)}, bytes.Buffer{}
	sent := &sending{from: b.large}
	send = send && req.GetBody == nil
	if early != nil {
		out := req.Clone(req.Context())
		out.Body = sent
		if req.GetBody != nil {
			out.GetBody = func() (io.ReadCloser, error) {
				again, err := req.GetBody()
				if err == nil {
					_ = b.large.Close()
					b.large = &source{ReadCloser: again, kept: upload.NewReader(b.declared)}
					sent = &sending{from: b.large}
				}
				return sent, err
			}
		}
		early(out)
		send = !sent.closed.Load() // a server may answer before it has all
	}
	sent.mu.Lock()
	defer sent.mu.Unlock()
	defer b.large.Close()
	sent.from = http.NoBody
	if err = b.large.err; err == nil && b.again == nil {
		err = req.Context().Err() // whoever writes the rest may have given up, too
	}
	switch {
	case err == io.EOF:
		err = nil
	case err == nil && send:
		if b.again, err = spool(b.large); err == nil {
			sent.from, err = b.again()
		}
	case err == nil:
		_, err = io.Copy(struct{ io.Writer }{io.Discard}, b.large) // in pieces of the usual size
	}
	return err
}

// A source is a large body that is read once.
type source struct {
	io.ReadCloser
	kept   *upload.Reader // gets what is read, a piece at a time, while the next one is read and sent
	piece  []byte         // was read, and is not given to it yet
	given  []byte         // the one before
	giving sync.Mutex     // is held until kept has taken that; a bubble of testing/synctest may be around it or not
	err    error          // of the last Read
}

// pieceSize is so large that it does not matter what it takes to hand a piece to another goroutine.
const pieceSize = 256 << 10

func (s *source) Read(p []byte) (n int, err error) {
	n, s.err = s.ReadCloser.Read(p)
	if s.piece = append(s.piece, p[:n]...); len(s.piece) >= pieceSize {
		s.give()
	}
	return n, s.err
}

// give gives kept what was read.
func (s *source) give() {
	s.giving.Lock()
	s.piece, s.given = s.given[:0], s.piece
	go func() {
		defer s.giving.Unlock()
		_, _ = s.kept.Write(s.given) // it takes all
	}()
}

// A sending is a source that is being sent. It stays open, since all of it is needed.
type sending struct {
	closed atomic.Bool // by who sends it
	mu     sync.Mutex  // is held while from is read
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

// Kept returns what of the body is kept; see package upload.
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
	if plain, ok := coding.Decompress(body); ok {
		body = plain
	}
	return upload.Reduce(b.declared, body)
}

// Clone returns a request like req that sends the body. Of a small one it shares the memory. A body
// whose length the client does not know goes out in chunks, as it does without a recorder: a server
// may refuse that (411), or refuse a length.
func (b *Body) Clone(req *http.Request) (out *http.Request, err error) {
	out = req.Clone(req.Context())
	if req.Body == nil || req.Body == http.NoBody {
		return out, nil
	}
	out.GetBody = b.again
	if b.large == nil {
		out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.small.Bytes())), nil }
	}
	out.Body, err = out.GetBody()
	return out, err
}

// spool reads a body that waits to be sent into a file, and returns what opens that from its
// beginning. Nobody else can read it: its name is gone, where the system allows that, and it is
// encrypted with a key that is nowhere else. It is closed when nobody has it any more.
func spool(from *source) (open func() (io.ReadCloser, error), err error) {
	f, err := os.CreateTemp("", "promptecho-*.tmp")
	if err != nil {
		return nil, noRoom(err)
	}
	_ = os.Remove(f.Name())
	key := make([]byte, 16)
	_, _ = rand.Read(key) // it never fails
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	coded := func(r io.Reader) io.Reader { // a key is for one file, so it needs no nonce
		return cipher.StreamReader{S: cipher.NewCTR(block, make([]byte, aes.BlockSize)), R: r}
	}
	if _, err = io.Copy(f, coded(from)); err != nil && err != from.err {
		err = noRoom(err)
	}
	return func() (io.ReadCloser, error) {
		return io.NopCloser(coded(io.NewSectionReader(f, 0, math.MaxInt64))), nil
	}, err
}

// ErrNoRoom is the error of a body that is neither kept in memory nor in a file.
var ErrNoRoom = errors.New("the body is too large for memory, and could not be put into a temporary file")

func noRoom(err error) error {
	return fmt.Errorf("%w: %w: make room in %s, or set TMPDIR to another folder", ErrNoRoom, err, os.TempDir())
}
