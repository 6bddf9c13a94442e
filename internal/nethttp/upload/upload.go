// Package upload finds the files in the body of a request that a cassette does not keep:
// a large part of a form, large base64 in JSON, a large body that is not text. No replay
// needs their bytes. A placeholder replaces an upload; it has the length of the upload,
// its SHA-256 and its media type.
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

// placeholder matches the placeholder of an upload. It has no character that JSON or a
// form escapes.
var placeholder = memo.Regexp(`\(upload of (\d{1,18}) bytes, [^ ,()"]+, sha256 ([0-9a-f]{64})\)`)

// maxPlaceholder is more than the length of any placeholder.
const maxPlaceholder = 512

// Sum returns the length of content in bytes, and its SHA-256. Content may be an upload
// or its placeholder.
func Sum[T string | []byte](content T) (length, sum string) {
	if m := parse(content); m != nil {
		return m[1], m[2]
	}
	digest := sha256.Sum256([]byte(content))
	return strconv.Itoa(len(content)), hex.EncodeToString(digest[:])
}

// Is reports whether a text is the placeholder of an upload.
func Is[T string | []byte](text T) bool { return parse(text) != nil }

// parse returns the length and the SHA-256 of a placeholder as submatches, and nil for
// another text.
func parse[T string | []byte](text T) []string {
	if len(text) > maxPlaceholder || len(text) == 0 || text[0] != '(' {
		return nil
	}
	m := placeholder().FindStringSubmatch(string(text))
	if m == nil || len(m[0]) != len(text) {
		return nil
	}
	return m
}

// EndsWithOne reports whether a text ends with the placeholder of an upload.
func EndsWithOne(text string) bool {
	i := strings.LastIndexByte(text, '(')
	return i >= 0 && Is(text[i:])
}

// A Reader replaces the uploads in a body that is written to it. It needs memory for the
// bytes that are kept, and little more than [Limit] for an upload.
type Reader struct {
	contentType string
	framing     framing // nil while the body is short enough to be kept
	buf         []byte  // written, and not read yet
	kept        []byte  // the result

	inContent bool   // buf begins inside of content
	content   []byte // bytes of that content which are not in upload

	upload *digest // the upload that content is; nil while content may be kept
}

// A digest has the properties of an upload that its placeholder needs.
type digest struct {
	hash  hash.Hash
	size  int64
	start []byte // at most maxStart bytes
}

func (d *digest) write(plain []byte) {
	d.hash.Write(plain)
	d.size += int64(len(plain))
	missing := maxStart - len(d.start)
	d.start = append(d.start, plain[:min(len(plain), missing)]...)
}

// NewReader returns a reader of a body with this Content-Type, which may be empty.
func NewReader(contentType string) *Reader { return &Reader{contentType: contentType} }

// Write reads a piece of the body.
func (r *Reader) Write(p []byte) (int, error) {
	r.buf = append(r.buf, p...)
	if len(r.buf) > Limit || r.framing != nil {
		r.read(false)
	}
	return len(p), nil
}

// Kept returns the body with its uploads replaced, when all of it was written.
func (r *Reader) Kept() []byte {
	if r.framing == nil && len(r.buf) <= Limit {
		return r.buf
	}
	r.read(true)
	return r.kept
}

// Reduce returns a body with its uploads replaced, or the body itself if it has none.
func Reduce(contentType string, body []byte) []byte {
	r := Reader{contentType: contentType, buf: body}
	return r.Kept()
}

// read reads what is in buf. last says that nothing more is written.
func (r *Reader) read(last bool) {
	if r.framing == nil {
		// As much as Write has at the first call, however much is in buf.
		start := r.buf[:min(len(r.buf), Limit)]
		r.framing = framingOf(r.contentType, start)
	}
	rest := r.buf
	for found := true; found; {
		var n int
		if r.inContent {
			n, found = r.framing.end(rest, last)
			r.addContent(rest[:n])
			if found || last {
				r.endContent()
			}
		} else {
			n, found = r.framing.begin(rest, last)
			r.kept = append(r.kept, rest[:n]...)
		}
		rest = rest[n:]
		if found {
			r.inContent = !r.inContent
		}
	}
	if !last {
		r.buf = r.buf[:copy(r.buf, rest)]
	}
}

// addContent adds bytes to the content, which becomes an upload if it is too long.
func (r *Reader) addContent(b []byte) {
	if r.upload != nil && len(r.content) == 0 {
		r.digest(b) // without a copy
		return
	}
	r.content = append(r.content, b...)
	isTooLong := r.upload == nil && len(r.content) > Limit
	if isTooLong && r.framing.isUpload(r.content) {
		r.upload = &digest{hash: sha256.New()}
	}
	if r.upload != nil {
		r.digest(r.content)
	}
}

// digest adds bytes to the upload. Bytes that cannot be decoded yet are left in content.
func (r *Reader) digest(b []byte) {
	plain, n := r.framing.decode(b)
	r.upload.write(plain)
	r.content = append(r.content[:0], b[n:]...)
}

// endContent keeps content, or the placeholder of an upload and the bytes that could
// not be decoded.
func (r *Reader) endContent() {
	if r.upload != nil {
		name, contentType := r.framing.describe(r.kept, r.contentType)
		_, media := Format(r.upload.start, name, contentType)
		r.kept = fmt.Appendf(r.kept, "(upload of %d bytes, %s, sha256 %x)", r.upload.size, media, r.upload.hash.Sum(nil))
	}
	r.kept = append(r.kept, r.content...)
	r.content = r.content[:0]
	r.upload = nil
}
