// Package upload decides what of a request is a file that nobody reads: a large part of a form,
// base64 in JSON, a body that is no text. No replay needs its bytes, so a text stands in its
// place that has its length, its SHA-256 and its media type.
package upload

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// standIn matches what stands for an upload. It has nothing that JSON or a form escapes.
var standIn = memo.Regexp(`\(upload of (\d{1,18}) bytes, [^ ,()"]+, sha256 ([0-9a-f]{64})\)`)

// maxStandIn is more than the length of any.
const maxStandIn = 512

// Sum returns how many bytes content has, and its SHA-256, also if it is what stands for it.
func Sum[T string | []byte](content T) (length, sum string) {
	if m := parse(content); m != nil {
		return m[1], m[2]
	}
	digest := sha256.Sum256([]byte(content))
	return strconv.Itoa(len(content)), hex.EncodeToString(digest[:])
}

// Is reports whether a text stands for an upload.
func Is[T string | []byte](text T) bool { return parse(text) != nil }

func parse[T string | []byte](text T) []string {
	if len(text) > maxStandIn || len(text) == 0 || text[0] != '(' {
		return nil
	}
	if m := standIn().FindStringSubmatch(string(text)); m != nil && len(m[0]) == len(text) {
		return m
	}
	return nil
}

// EndsWithOne reports whether a text ends with what stands for an upload.
func EndsWithOne(text string) bool {
	i := strings.LastIndexByte(text, '(')
	return i >= 0 && Is(text[i:])
}

// A Reader reads what of a body is kept, from what is written to it. It needs as much memory as
// that, and little more than [Limit] for an upload.
type Reader struct {
	declared string  // the Content-Type
	how      framing // nil as long as all may be kept
	buf      []byte  // was written, and nobody has looked at it yet
	kept     []byte
	content  bool   // buf is within content
	held     []byte // of that: what is not in hash, or all if there is none

	// Of content that is not kept, as far as it was taken:

	hash  hash.Hash // nil if all may be kept
	size  int64
	start []byte
}

// NewReader returns a reader of a body of this Content-Type, which may be empty.
func NewReader(contentType string) *Reader { return &Reader{declared: contentType} }

// Write reads a piece of the body.
func (r *Reader) Write(p []byte) (int, error) {
	r.buf = append(r.buf, p...)
	if len(r.buf) > Limit || r.how != nil {
		r.read(false)
	}
	return len(p), nil
}

// Kept returns what of the body is kept, once all of it was written.
func (r *Reader) Kept() []byte {
	if r.how == nil && len(r.buf) <= Limit {
		return r.buf
	}
	r.read(true)
	return r.kept
}

// Reduce returns what of a body is kept: the body itself if that is all.
func Reduce(contentType string, body []byte) []byte {
	r := Reader{declared: contentType, buf: body}
	return r.Kept()
}

// read looks at what was written; after last nothing comes.
func (r *Reader) read(last bool) {
	if r.how == nil {
		r.how = framingOf(r.declared, r.buf[:min(len(r.buf), Limit)]) // however much is there already
	}
	b := r.buf
	for more := true; more; {
		var n int
		if r.content {
			n, more = r.how.end(b, last)
			r.take(b[:n], more || last)
		} else {
			n, more = r.how.begin(b, last)
			r.kept = append(r.kept, b[:n]...)
		}
		b = b[n:]
		r.content = r.content != more
	}
	if !last {
		r.buf = r.buf[:copy(r.buf, b)]
	}
}

// take takes content. If it is whole, what is kept of it is known.
func (r *Reader) take(content []byte, whole bool) {
	if r.hash == nil || len(r.held) > 0 {
		r.held = append(r.held, content...)
		content = nil
	}
	if r.hash == nil && len(r.held) > Limit && r.how.tooLong(r.held) {
		r.hash, r.size, r.start = sha256.New(), 0, nil
	}
	if r.hash != nil {
		if content == nil {
			content = r.held
		}
		plain, n := r.how.decode(content)
		r.hash.Write(plain)
		r.size += int64(len(plain))
		r.start = append(r.start, plain[:min(len(plain), maxStart-len(r.start))]...)
		r.held = append(r.held[:0], content[n:]...)
	}
	if !whole {
		return
	}
	if r.hash != nil {
		name, declared := r.how.told(r.kept, r.declared)
		_, media := Format(r.start, name, declared)
		r.kept = fmt.Appendf(r.kept, "(upload of %d bytes, %s, sha256 %x)", r.size, media, r.hash.Sum(nil))
	}
	r.kept, r.held, r.hash = append(r.kept, r.held...), r.held[:0], nil
}
