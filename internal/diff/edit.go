package diff

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/nethttp/upload"
)

// An Edit is one difference between a recorded and an incoming form, or between a recorded
// and a live answer: a field with two values, or a field, list element or object that only
// one side has.
type Edit struct {
	Path     string // as the incoming request has it, or the recorded one if only that has it; "endpoint", and "stream" for the wire, for those
	Recorded string // canonical value, compact JSON of an object or list; "" if only the incoming request has the field
	Incoming string // the same of the incoming request; "" if only the recording has the field
	From     string // the recorded path, if it is another; else ""
	Note     Note   // what kind of difference it is
	Name     string // of the file that the incoming request has there; "" if it has none
	Live     bool   // Incoming is of a live answer, and not of a request
}

// IsRewording reports whether both values are texts of which most words are the same.
func (e *Edit) IsRewording() bool {
	recorded, wasText := exactjson.Unquote(e.Recorded)
	incoming, isText := exactjson.Unquote(e.Incoming)
	if !wasText || !isText {
		return false
	}
	same, changed := compareTexts(recorded, incoming).words()
	return same >= 3 && same > changed
}

// IsOrder reports whether an edit says that the same is there in another order.
func (e *Edit) IsOrder() bool { return e.Note.Code == OtherOrder || e.Note.Code == Moved }

// IsAbout reports whether only one of the values has a text.
func (e *Edit) IsAbout(text string) bool {
	return strings.Contains(e.Recorded, text) != strings.Contains(e.Incoming, text)
}

// List returns the list of which only the order of the elements differs, if that is what an edit
// says; else "".
func (e *Edit) List() string {
	if e.Note.Code == ElementOrder {
		return e.Path
	}
	to, from := e.Path[:strings.LastIndexByte(e.Path, '/')+1], e.From[:strings.LastIndexByte(e.From, '/')+1]
	if e.Note.Code != Moved || to != from {
		return ""
	}
	return strings.TrimSuffix(to, "/")
}

// spell gives an edit the paths that the requests have, where the forms know
// them: those are what a user can find in the program and in the cassette.
func (e *Edit) spell(recorded, incoming *canon.Form) {
	from := recorded.Sent(cmp.Or(e.From, e.Path))
	if e.Incoming == "" {
		e.Path = from
		return
	}
	e.Path, e.From = incoming.Sent(e.Path), from
	if e.Recorded == "" || e.From == e.Path {
		e.From = ""
	}
}

// addDefault gives an edit the value of the side that has the field with its default value, which
// its form leaves out.
func (e *Edit) addDefault(recorded, incoming *canon.Form) {
	switch {
	case e.Recorded == "":
		e.Recorded = recorded.Default(e.Path)
	case e.Incoming == "":
		e.Incoming = incoming.Default(e.Path)
	}
}

// list returns the list of which one side alone has this element, and that
// side; "" if the edit is of anything else.
func (e *Edit) list() (path string, in Side) {
	i := strings.LastIndexByte(e.Path, '/') + 1
	in = e.onlyIn()
	if in == BothSides || !fieldpath.IsIndex(e.Path[i:]) {
		return "", BothSides
	}
	return e.Path[:i], in
}

// onlyIn returns the side that alone has the field.
func (e *Edit) onlyIn() Side {
	switch {
	case e.Recorded != "" && e.Incoming != "":
		return BothSides
	case e.Recorded != "":
		return RecordedSide
	}
	return IncomingSide
}

// sides returns the words for the values of an edit.
func (e *Edit) sides() *Sides {
	if e.Live {
		return &answerSides
	}
	return &requestSides
}

// NoteText returns the note of an edit in words, "" if there is none.
func (e *Edit) NoteText() string { return e.noteText(e.sides()) }

func (e *Edit) noteText(sides *Sides) string {
	switch e.Note.Code {
	case DifferentKinds:
		recorded, incoming := kindWords[kindOf(e.Recorded)], kindWords[kindOf(e.Incoming)]
		return sides.Recorded + " has " + recorded + ", " + sides.Short + " " + incoming
	case LineEnds:
		recorded, _ := exactjson.Unquote(e.Recorded)
		incoming, _ := exactjson.Unquote(e.Incoming)
		return "differs only in line ends: " + sides.Recorded + " has " + lineEnds(recorded) + ", " +
			sides.Short + " " + lineEnds(incoming)
	case AnotherFile:
		return "another file, now of " + sizeOf(e.Note.Bytes)
	case RecordedNotJSON:
		return sides.Recorded + " is " + e.Note.Problem
	case IncomingNotJSON:
		return sides.Short + " is " + e.Note.Problem
	}
	return noteWords[e.Note.Code]
}

// isFile reports whether an object stands for the content of a file.
func isFile(n *node) bool {
	return len(n.kids) == 3 && n.kids[0].name == "bytes" && n.kids[1].name == "ext" && n.kids[2].name == "sha256"
}

// file describes the file that an object stands for: ".wav, 11 bytes, sha256 7f4ed1ab…".
func file(n *node) *node {
	ext, _ := exactjson.Unquote(n.kids[1].value)
	sum, _ := exactjson.Unquote(n.kids[2].value)
	if ext == "" {
		ext = "no extension"
	}
	return &node{path: n.path, value: quote(ext + ", " + fileOf(n.kids[0].value, sum))}
}

func fileOf(length, sum string) string {
	return lengthOf(length) + ", sha256 " + sum[:min(8, len(sum))] + "…"
}

// anotherFile returns the note of a file that was replaced by one of this
// length in bytes.
func anotherFile(length string) Note {
	n, _ := strconv.Atoi(length)
	return Note{Code: AnotherFile, Bytes: n}
}

// lengthOf writes the number of bytes that a file has.
func lengthOf(length string) string {
	n, _ := strconv.Atoi(length)
	return sizeOf(n)
}

// A File is what a form has in the place of a file.
type File struct {
	Name    string
	Content []byte
	Alone   bool // no other has the name of its field
}

// IsFile reports whether an edit replaces a file by another one.
func (e *Edit) IsFile() bool { return e.Note.Code == AnotherFile }

// NameFiles gives an edit that replaces a file the names of both files, where they have
// one, in place of their extensions, or what they say if both are kept and are texts.
func (e *Edit) NameFiles(was, is File) {
	e.Name = is.Name
	if path.Ext(was.Name) == path.Ext(is.Name) && isText(was.Content) && isText(is.Content) {
		e.Recorded, e.Incoming = quote(string(was.Content)), quote(string(is.Content))
	} else {
		e.Recorded, e.Incoming = was.named(e.Recorded), is.named(e.Incoming)
	}
	if was.Alone && is.Alone && e.From == "" {
		e.Path = strings.TrimSuffix(e.Path, "/0")
	}
}

// named returns the description of a file with its name in place of its extension.
func (f File) named(value string) string {
	text, _ := exactjson.Unquote(value)
	if _, rest, ok := strings.Cut(text, ", "); ok && f.Name != "" {
		return quote(f.Name + ", " + rest)
	}
	return value
}

// maxText is the length up to which bodies are compared as texts.
const maxText = 1 << 20

// isText reports whether content is a text that can be shown.
func isText(content []byte) bool {
	return len(content) > 0 && len(content) <= maxText && utf8.Valid(content) && !bytes.ContainsRune(content, 0) && !upload.Is(content)
}

// CompareBodies replaces the digests of an edit of two bodies by the bodies, if they are
// texts. It names what is wrong with one that should be JSON.
func (e *Edit) CompareBodies(recorded, incoming []byte) {
	if e.Path != "body" || !strings.Contains(e.Recorded+e.Incoming, `"sha256:`) {
		return
	}
	if upload.Is(recorded) || upload.Is(incoming) {
		length, _ := upload.Sum(incoming)
		e.Recorded, e.Incoming = quote(fileOf(upload.Sum(recorded))), quote(fileOf(upload.Sum(incoming)))
		e.Note = anotherFile(length)
		return
	}
	if !isText(recorded) || !isText(incoming) {
		return
	}
	e.Recorded, e.Incoming = quote(string(recorded)), quote(string(incoming))
	e.Note = textNote(e.Recorded, e.Incoming)
	was, is := Broken(recorded), Broken(incoming)
	switch {
	case was != "" && is == "":
		e.Note = Note{Code: RecordedNotJSON, Problem: was}
	case is != "" && was == "": // neither is where each line is JSON
		e.Note = Note{Code: IncomingNotJSON, Problem: is}
	}
}

// Broken returns what is wrong with a body that begins as JSON and is none, or "".
func Broken(body []byte) string {
	var syntax *json.SyntaxError
	if start := bytes.TrimSpace(body); len(start) > 0 && strings.IndexByte("{[", start[0]) >= 0 && errors.As(json.Unmarshal(body, new(any)), &syntax) {
		return fmt.Sprintf("not JSON: %v, at byte %d", syntax, syntax.Offset)
	}
	return ""
}
