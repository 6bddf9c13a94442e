package diff

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
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
	// Path is the path of the field in the incoming request, or in the recording if only that
	// has it. It is "endpoint" for the endpoint and "stream" for the wire.
	Path string

	From string // the path in the recording, if it differs; else ""

	// Recorded and Incoming are the canonical values as compact JSON. The value of a side
	// without the field is "".
	Recorded, Incoming string

	Note Note   // the kind of difference
	Name string // the name of the file that the incoming request has there; "" if there is none
	Live bool   // Incoming is of a live answer, and not of a request
}

// IsRewording reports whether both values are texts of which most words are the same.
func (e *Edit) IsRewording() bool {
	recorded, wasText := exactjson.Unquote(e.Recorded)
	incoming, isText := exactjson.Unquote(e.Incoming)
	if !wasText || !isText {
		return false
	}
	same, changed := compareTexts(recorded, incoming).wordCounts()
	return same >= 3 && same > changed
}

// IsOrder reports whether only the order of words or list elements differs.
func (e *Edit) IsOrder() bool { return e.Note.Code == OtherOrder || e.Note.Code == Moved }

// IsAbout reports whether exactly one of the values contains a text.
func (e *Edit) IsAbout(text string) bool {
	return strings.Contains(e.Recorded, text) != strings.Contains(e.Incoming, text)
}

// List returns the path of the list in which only the order of the elements differs, or "" for
// any other edit.
func (e *Edit) List() string {
	if e.Note.Code == ElementOrder {
		return e.Path
	}
	to := e.Path[:strings.LastIndexByte(e.Path, '/')+1]
	from := e.From[:strings.LastIndexByte(e.From, '/')+1]
	if e.Note.Code != Moved || to != from {
		return ""
	}
	return strings.TrimSuffix(to, "/")
}

// useSentPaths replaces the paths of an edit, which are those of the forms, by the paths that
// the requests have. Users can find these in the program and in the cassette.
func (e *Edit) useSentPaths(recorded, incoming *canon.Form) {
	from := recorded.Sent(cmp.Or(e.From, e.Path))
	if e.Incoming == "" {
		e.Path = from
		return
	}
	e.Path = incoming.Sent(e.Path)
	e.From = ""
	if e.Recorded != "" && from != e.Path {
		e.From = from
	}
}

// addDefault adds the missing value of an edit if that side has the field with its default
// value, which the form leaves out.
func (e *Edit) addDefault(recorded, incoming *canon.Form) {
	switch {
	case e.Recorded == "":
		e.Recorded = recorded.Default(e.Path)
	case e.Incoming == "":
		e.Incoming = incoming.Default(e.Path)
	}
}

// listOfElement returns the path of a list, if the edit is an element of it that only one side
// has, and that side. For any other edit, the path is "".
func (e *Edit) listOfElement() (path string, in Side) {
	last := strings.LastIndexByte(e.Path, '/') + 1
	in = e.onlyIn()
	if in == BothSides || !fieldpath.IsIndex(e.Path[last:]) {
		return "", BothSides
	}
	return e.Path[:last], in
}

// onlyIn returns the only side that has the field, or BothSides.
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

// isFile reports whether an object is the description of a file, which a form has in the place
// of the content.
func isFile(n *node) bool {
	isName := func(member *node, name string) bool { return member.name == name }
	return slices.EqualFunc(n.children, []string{"bytes", "ext", "sha256"}, isName)
}

// describeFile returns a text in the place of a file: ".wav, 11 bytes, sha256 7f4ed1ab…". The
// members of a file are "bytes", "ext" and "sha256", see isFile.
func describeFile(n *node) *node {
	ext, _ := exactjson.Unquote(n.children[1].value)
	sum, _ := exactjson.Unquote(n.children[2].value)
	if ext == "" {
		ext = "no extension"
	}
	return &node{path: n.path, value: quote(ext + ", " + describeContent(n.children[0].value, sum))}
}

// describeContent describes a file by its content: "11 bytes, sha256 7f4ed1ab…".
func describeContent(length, sum string) string {
	return lengthOf(length) + ", sha256 " + sum[:min(8, len(sum))] + "…"
}

// anotherFile returns the note for a file that was replaced by another one. length is the number
// of bytes of the new file.
func anotherFile(length string) Note {
	n, _ := strconv.Atoi(length)
	return Note{Code: AnotherFile, Bytes: n}
}

// lengthOf writes the number of bytes that a file has.
func lengthOf(length string) string {
	n, _ := strconv.Atoi(length)
	return sizeOf(n)
}

// A File is a file in a request.
type File struct {
	Name    string
	Content []byte
	Alone   bool // no other file has the same field
}

// IsFile reports whether an edit replaces a file by another one.
func (e *Edit) IsFile() bool { return e.Note.Code == AnotherFile }

// NameFiles adds details to an edit that replaces a file. If both files are texts with the same
// extension, the values become the texts. Otherwise the extensions in the values become names.
func (e *Edit) NameFiles(recorded, incoming File) {
	e.Name = incoming.Name
	sameExt := path.Ext(recorded.Name) == path.Ext(incoming.Name)
	if sameExt && isText(recorded.Content) && isText(incoming.Content) {
		e.Recorded = quote(string(recorded.Content))
		e.Incoming = quote(string(incoming.Content))
	} else {
		e.Recorded = recorded.named(e.Recorded)
		e.Incoming = incoming.named(e.Incoming)
	}
	if recorded.Alone && incoming.Alone && e.From == "" {
		e.Path = strings.TrimSuffix(e.Path, "/0")
	}
}

// named returns the description of a file, with the extension replaced by the name.
func (f File) named(value string) string {
	text, _ := exactjson.Unquote(value)
	if _, rest, ok := strings.Cut(text, ", "); ok && f.Name != "" {
		return quote(f.Name + ", " + rest)
	}
	return value
}

// maxText is the most bytes of a body that is compared as a text.
const maxText = 1 << 20

// isText reports whether content is a text that can be shown.
func isText(content []byte) bool {
	if len(content) == 0 || len(content) > maxText || upload.Is(content) {
		return false
	}
	return utf8.Valid(content) && !bytes.ContainsRune(content, 0)
}

// CompareBodies replaces the digests in an edit of two bodies by the bodies, if they are texts.
// If one of them should be JSON and is not, the note says so.
func (e *Edit) CompareBodies(recorded, incoming []byte) {
	hasDigest := strings.Contains(e.Recorded+e.Incoming, `"sha256:`)
	if e.Path != "body" || !hasDigest {
		return
	}
	if upload.Is(recorded) || upload.Is(incoming) {
		length, _ := upload.Sum(incoming)
		e.Recorded = quote(describeContent(upload.Sum(recorded)))
		e.Incoming = quote(describeContent(upload.Sum(incoming)))
		e.Note = anotherFile(length)
		return
	}
	if !isText(recorded) || !isText(incoming) {
		return
	}
	e.Recorded, e.Incoming = quote(string(recorded)), quote(string(incoming))
	e.Note = textNote(e.Recorded, e.Incoming)

	// If both are broken they may be JSON Lines, which are not JSON as a whole.
	recordedProblem, incomingProblem := Broken(recorded), Broken(incoming)
	switch {
	case recordedProblem != "" && incomingProblem == "":
		e.Note = Note{Code: RecordedNotJSON, Problem: recordedProblem}
	case incomingProblem != "" && recordedProblem == "":
		e.Note = Note{Code: IncomingNotJSON, Problem: incomingProblem}
	}
}

// Broken returns the syntax error of a body that begins like a JSON object or list, or "".
func Broken(body []byte) string {
	trimmed := bytes.TrimSpace(body)
	if len(trimmed) == 0 || trimmed[0] != '{' && trimmed[0] != '[' {
		return ""
	}
	var syntax *json.SyntaxError
	if !errors.As(json.Unmarshal(body, new(any)), &syntax) {
		return ""
	}
	return fmt.Sprintf("not JSON: %v, at byte %d", syntax, syntax.Offset)
}
