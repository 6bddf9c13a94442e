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
	Limit   = 256 << 10 // an upload beyond this, in bytes, is not kept
	MaxText = 8 << 20   // nor is a body beyond this that is text, but neither JSON nor a form
)

// A framing is how uploads stand in a body.
type framing interface {
	// begin returns where content begins in b. If it does not, ok is false, and what is in front
	// of n is none. After last nothing comes.
	begin(b []byte, last bool) (n int, ok bool)

	// end is begin for where content ends.
	end(b []byte, last bool) (n int, ok bool)

	// tooLong reports whether content, which is longer than [Limit] as it stands there, is not
	// kept.
	tooLong(content []byte) bool

	// decode returns what n bytes of content say; the rest needs what follows, or is kept.
	decode(content []byte) (plain []byte, n int)

	// told returns what the client says of content: a file's name and a Content-Type. Before
	// stands in front of it, and declared is that of the body.
	told(before []byte, declared string) (name, contentType string)
}

// framingOf returns the framing of a body that starts like this.
func framingOf(declared string, start []byte) framing {
	media, params, _ := mime.ParseMediaType(declared)
	trimmed := bytes.TrimLeft(start, " \t\r\n")
	switch {
	case len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') && isText(trimmed) && !isLines(trimmed):
		return inJSON{}
	case strings.HasPrefix(media, "multipart/") && params["boundary"] != "":
		return parts{[]byte("\r\n--" + params["boundary"])}
	}
	return &whole{notText: media == unknown || notText().MatchString(media)}
}

// isText reports whether bytes, which may be cut behind any of them, are text.
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

// isLines reports whether a text that starts like JSON has a value in each line.
func isLines(text []byte) bool {
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	return len(bytes.TrimSpace(rest)) > 0 && json.Valid(line)
}

// parts are the parts of a multipart body, each in front of a delimiter (RFC 2046, section 5.1.1).
type parts struct{ delimiter []byte }

var headEnd = []byte("\r\n\r\n")

func (parts) begin(b []byte, last bool) (int, bool) { return find(b, headEnd, len(headEnd), last) }

func (p parts) end(b []byte, last bool) (int, bool) { return find(b, p.delimiter, 0, last) }

// find returns where a mark stands in b, and skip bytes more. If it does not, n is in front of
// where it may begin.
func find(b, mark []byte, skip int, last bool) (n int, ok bool) {
	if i := bytes.Index(b, mark); i >= 0 {
		return i + skip, true
	}
	if last {
		return len(b), false
	}
	return max(0, len(b)-len(mark)+1), false
}

func (parts) tooLong([]byte) bool { return true }

func (parts) decode(content []byte) ([]byte, int) { return content, len(content) }

var toldOfPart = memo.Regexp(`(?i)\r\ncontent-type:[ \t]*([^\r\n]*)|filename="?([^"\r\n]*)`)

func (p parts) told(before []byte, _ string) (name, contentType string) {
	head := before[max(0, bytes.LastIndex(before, p.delimiter)):]
	for _, m := range toldOfPart().FindAllSubmatch(head, -1) {
		contentType, name = contentType+string(m[1]), name+string(m[2])
	}
	return name, contentType
}

// inJSON is base64 in the strings of JSON, behind a quote or the comma of a data: URL.
type inJSON struct{}

func (inJSON) begin(b []byte, last bool) (int, bool) {
	if i := bytes.IndexAny(b, `",`); i >= 0 {
		return i + 1, true
	}
	return len(b), false
}

func (inJSON) end(b []byte, last bool) (n int, ok bool) {
	n = len(b) - len(bytes.TrimLeft(b, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"))
	padding := len(b[n:]) - len(bytes.TrimLeft(b[n:], "="))
	if n+padding == len(b) && padding <= 2 && !last {
		return n, false
	}
	return n + min(padding, 2), n+padding < len(b)
}

func (inJSON) tooLong(content []byte) bool {
	padding := len(content) - len(bytes.TrimRight(content, "="))
	return len(content)/4*3-padding > Limit
}

func (inJSON) decode(content []byte) ([]byte, int) {
	n := len(content) &^ 3
	plain := make([]byte, n/4*3)
	for ; n > 0; n -= 4 { // what follows the last whole group, or is spelled in another way, is kept
		if k, err := base64.StdEncoding.Strict().Decode(plain, content[:n]); err == nil {
			return plain[:k], n
		}
	}
	return nil, 0
}

var dataURL = memo.Regexp(`data:([\w.+/-]+);base64,$`)

func (inJSON) told(before []byte, _ string) (name, contentType string) {
	if m := dataURL().FindSubmatch(before[max(0, len(before)-100):]); m != nil {
		contentType = string(m[1])
	}
	return "", contentType
}

// A whole body is an upload unless it is text.
type whole struct {
	parts
	notText bool
	checked int
}

var notText = memo.Regexp(`^(image|audio|video|font)/`)

func (*whole) begin([]byte, bool) (int, bool) { return 0, true }

func (*whole) end(b []byte, _ bool) (int, bool) { return len(b), false }

func (w *whole) tooLong(content []byte) bool {
	w.notText = w.notText || len(content) > MaxText || !isText(content[w.checked:])
	for w.checked = max(0, len(content)-utf8.UTFMax); w.checked > 0 && !utf8.RuneStart(content[w.checked]); {
		w.checked--
	}
	return w.notText
}

func (*whole) told(_ []byte, declared string) (name, contentType string) {
	if strings.Contains(declared, "json") {
		declared = "" // it would be kept
	}
	return "", declared
}
