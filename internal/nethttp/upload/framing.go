package upload

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/memo"
)

const (
	Limit   = 256 << 10 // a longer upload, in bytes, is replaced by a placeholder
	MaxText = 8 << 20   // a longer body is, too, if it is text other than JSON and forms
)

// A framing knows where a body has content that may be an upload. The body comes in
// pieces; last says that b is the last one.
type framing interface {
	// begin returns where content begins in b. If ok is false, no content begins in
	// the first n bytes, and the rest has to be looked at again with the next piece.
	begin(b []byte, last bool) (n int, ok bool)

	// end returns where content ends in b. If ok is false, the first n bytes are
	// content, and the rest has to be looked at again with the next piece.
	end(b []byte, last bool) (n int, ok bool)

	// isUpload reports whether content that is longer than [Limit] as it is in the
	// body is an upload that is not kept.
	isUpload(content []byte) bool

	// decode decodes the first n bytes of content. The bytes after them need the
	// bytes that follow or, at the end of content, are kept as they are.
	decode(content []byte) (plain []byte, n int)

	// describe returns the filename and the Content-Type that the client gives
	// content, or "". before has the bytes in front of content, and bodyType is the
	// Content-Type of the body.
	describe(before []byte, bodyType string) (name, contentType string)
}

// framingOf returns the framing of a body with this Content-Type and beginning.
func framingOf(contentType string, start []byte) framing {
	media, params, _ := mime.ParseMediaType(contentType)
	boundary := params["boundary"]
	switch {
	case isJSON(start):
		return inJSON{}
	case strings.HasPrefix(media, "multipart/") && boundary != "":
		return inParts{[]byte("\r\n--" + boundary)}
	}
	return &wholeBody{isBinary: media == unknown || binaryMedia().MatchString(media)}
}

// isJSON reports whether a body with this beginning is a JSON object or array.
func isJSON(start []byte) bool {
	start = bytes.TrimLeft(start, " \t\r\n")
	isValue := bytes.HasPrefix(start, []byte("{")) || bytes.HasPrefix(start, []byte("["))
	return isValue && isText(start) && !isLines(start)
}

// isText reports whether bytes are text in UTF-8. The last rune may be incomplete.
func isText(b []byte) bool {
	last := max(0, len(b)-1) // where the last rune begins
	for last > max(0, len(b)-utf8.UTFMax) && !utf8.RuneStart(b[last]) {
		last--
	}
	if !utf8.FullRune(b[last:]) {
		b = b[:last]
	}
	return utf8.Valid(b) && bytes.IndexByte(b, 0) < 0
}

// isLines reports whether a text that begins as JSON has a value in each line, as JSON
// Lines does.
func isLines(text []byte) bool {
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	return len(bytes.TrimSpace(rest)) > 0 && json.Valid(line)
}

// inParts is the framing of a multipart body. The content of each part is in front of a
// delimiter (RFC 2046, section 5.1.1).
type inParts struct{ delimiter []byte }

// headEnd is the end of the headers of a part.
var headEnd = []byte("\r\n\r\n")

func (inParts) begin(b []byte, last bool) (int, bool) {
	n, ok := find(b, headEnd, last)
	if ok {
		n += len(headEnd)
	}
	return n, ok
}

func (p inParts) end(b []byte, last bool) (int, bool) { return find(b, p.delimiter, last) }

// find returns where a mark begins in b. If b does not have it, n is where it may begin
// if it is complete with the next piece.
func find(b, mark []byte, last bool) (n int, ok bool) {
	i := bytes.Index(b, mark)
	if i >= 0 {
		return i, true
	}
	if last {
		return len(b), false
	}
	return max(0, len(b)-len(mark)+1), false
}

func (inParts) isUpload([]byte) bool { return true }

func (inParts) decode(content []byte) ([]byte, int) { return content, len(content) }

// partHeaders matches the headers of a part that describe its content.
var partHeaders = memo.Regexp(`(?i)\r\ncontent-type:[ \t]*([^\r\n]*)|filename="?([^"\r\n]*)`)

func (p inParts) describe(before []byte, _ string) (name, contentType string) {
	head := before[max(0, bytes.LastIndex(before, p.delimiter)):]
	for _, m := range partHeaders().FindAllSubmatch(head, -1) {
		contentType += string(m[1])
		name += string(m[2])
	}
	return name, contentType
}

// inJSON is the framing of base64 in the strings of JSON. Content begins after a quote or
// the comma of a data: URL.
type inJSON struct{}

func (inJSON) begin(b []byte, last bool) (int, bool) {
	i := bytes.IndexAny(b, `",`)
	if i < 0 {
		return len(b), false
	}
	return i + 1, true
}

const (
	base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	maxPadding   = 2 // of base64, in bytes
)

func (inJSON) end(b []byte, last bool) (n int, ok bool) {
	afterDigits := bytes.TrimLeft(b, base64Digits)
	afterPadding := bytes.TrimLeft(afterDigits, "=")
	n = len(b) - len(afterDigits)
	padding := len(afterDigits) - len(afterPadding)

	mayContinue := len(afterPadding) == 0 && padding <= maxPadding && !last
	if mayContinue {
		return n, false
	}
	return n + min(padding, maxPadding), len(afterPadding) > 0
}

func (inJSON) isUpload(content []byte) bool {
	padding := len(content) - len(bytes.TrimRight(content, "="))
	return len(content)/4*3-padding > Limit
}

func (inJSON) decode(content []byte) ([]byte, int) {
	const group = 4 // base64 encodes three bytes in each group of four
	n := len(content) / group * group
	plain := make([]byte, n/group*3)
	for ; n > 0; n -= group {
		size, err := base64.StdEncoding.Strict().Decode(plain, content[:n])
		if err == nil {
			return plain[:size], n
		}
	}
	return nil, 0
}

// dataURL matches the part of a data: URL in front of its base64.
var dataURL = memo.Regexp(`data:([\w.+/-]+);base64,$`)

// maxDataURL is the length of that part at most.
const maxDataURL = 100

func (inJSON) describe(before []byte, _ string) (name, contentType string) {
	m := dataURL().FindSubmatch(before[max(0, len(before)-maxDataURL):])
	if m == nil {
		return "", ""
	}
	return "", string(m[1])
}

// wholeBody is the framing of a body that is one upload, unless it is text.
type wholeBody struct {
	isBinary bool
	checked  int // the bytes before it are text
}

// binaryMedia matches media types whose content is not text.
var binaryMedia = memo.Regexp(`^(image|audio|video|font)/`)

func (*wholeBody) begin([]byte, bool) (int, bool) { return 0, true }

func (*wholeBody) end(b []byte, _ bool) (int, bool) { return len(b), false }

func (w *wholeBody) isUpload(content []byte) bool {
	w.isBinary = w.isBinary || len(content) > MaxText || !isText(content[w.checked:])

	// The last rune may be incomplete: it is checked again with the next piece.
	w.checked = max(0, len(content)-utf8.UTFMax)
	for w.checked > 0 && !utf8.RuneStart(content[w.checked]) {
		w.checked--
	}
	return w.isBinary
}

func (*wholeBody) decode(content []byte) ([]byte, int) { return content, len(content) }

func (*wholeBody) describe(_ []byte, bodyType string) (name, contentType string) {
	if strings.Contains(bodyType, "json") {
		return "", "" // the content is not JSON
	}
	return "", bodyType
}
