// Package function converts the argument and the result of a Go function to an interaction of a
// cassette, and back. All values pass through encoding/json, so that the recording run gets the
// same values as a replay.
package function

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
)

// A Function describes a wrapped function.
type Function struct {
	Name string // "tool/get_weather"

	known knownErrors // the errors that its errors can wrap
}

// New returns the description of a function from in to out. It fails if name is not
// "KIND/NAME", if JSON would lose a part of one of the types, or if two of the sentinels and
// the well-known errors have the same text.
func New(name string, in, out reflect.Type, sentinels []error) (*Function, error) {
	if !IsName(name) {
		return nil, fmt.Errorf("a name is a kind (%s), a slash, and a text of letters, digits, "+
			"\"_\", \"-\", \".\" and \"/\", such as \"tool/get_weather\"",
			strings.Join(interaction.FunctionKinds, ", "))
	}
	known, err := withSentinels(sentinels)
	err = cmp.Or(lossless("argument", in, false), lossless("result", out, true), err)
	if err != nil {
		return nil, err
	}
	return &Function{name, known}, nil
}

var plainName = memo.Regexp(`^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*$`)

// IsName reports whether a function can have the name.
func IsName(name string) bool {
	kind, rest, _ := strings.Cut(name, "/")
	return slices.Contains(interaction.FunctionKinds, kind) && plainName().MatchString(rest)
}

// Request returns the request for a call of the function. in points to the argument.
func (f *Function) Request(in any) (interaction.Request, error) {
	body, err := Marshal(in)
	if err != nil {
		return interaction.Request{}, fmt.Errorf("%s: the argument cannot be recorded: %w", f.Name, err)
	}
	return interaction.Request{Function: f.Name, Body: body}, nil
}

// Describe returns the text of an error, and the texts of the known errors that it wraps.
func (f *Function) Describe(err error) (text string, is []string) { return f.known.describe(err) }

// Response returns the response for the result and the error of the function. out points to the
// result, and err may be nil. If there is an error, a zero result is left out.
func (f *Function) Response(out any, err error) (resp interaction.Response, failed error) {
	if err != nil {
		resp.Error, resp.ErrorIs = f.Describe(err)
		if reflect.ValueOf(out).Elem().IsZero() {
			return resp, nil
		}
	}
	resp.Body, failed = Marshal(out)
	if failed != nil {
		return resp, fmt.Errorf("%s: the result cannot be recorded: %w", f.Name, failed)
	}
	return resp, nil
}

// Answer is the reverse of [Function.Response]. It stores the result in the value to which out
// points, and returns the error of the function. failed is not nil if the response cannot be
// read.
func (f *Function) Answer(resp *interaction.Response, out any) (err, failed error) {
	err, failed = f.known.recorded(resp)
	if failed != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, failed)
	}
	reflect.ValueOf(out).Elem().SetZero()
	if len(resp.Body) == 0 {
		return err, nil
	}
	d := json.NewDecoder(bytes.NewReader(resp.Body))
	d.DisallowUnknownFields() // the values of fields that the type lacks would be lost
	failed = d.Decode(out)
	if failed == nil && d.Decode(new(any)) != io.EOF {
		failed = fmt.Errorf("there is more than one value")
	}
	if failed != nil {
		return nil, fmt.Errorf("the recorded result of %s cannot be read as %s: %w",
			f.Name, reflect.TypeOf(out).Elem(), failed)
	}
	return err, nil
}

// Marshal returns the compact JSON for a cassette of the value to which v points.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	if err := check(reflect.ValueOf(v).Elem(), ""); err != nil {
		return nil, err
	}
	value, err := exactjson.Parse(b.Bytes()) // a MarshalJSON may not write compact JSON
	if err != nil {
		return nil, err
	}
	if why := codec.Unwritable(&value); why != "" {
		return nil, fmt.Errorf("%s. To keep every byte, wrap a "+
			"closure that takes or returns this JSON as a string",
			why)
	}
	return value.AppendJSON(nil, exactjson.Layout{}), nil
}

// wellKnown are the errors of the standard library for which [errors.Is] has the same result
// in a replay.
var wellKnown = []error{
	context.Canceled, context.DeadlineExceeded, errors.ErrUnsupported,
	fs.ErrClosed, fs.ErrExist, fs.ErrInvalid, fs.ErrNotExist, fs.ErrPermission,
	io.EOF, io.ErrClosedPipe, io.ErrNoProgress, io.ErrShortBuffer, io.ErrShortWrite,
	io.ErrUnexpectedEOF,
	os.ErrDeadlineExceeded, os.ErrNoDeadline, os.ErrProcessDone,
}

// knownErrors are errors with different texts. A cassette has the texts of those that a
// recorded error wraps.
type knownErrors []error

// withSentinels returns the well-known errors and the sentinels of a user.
func withSentinels(sentinels []error) (knownErrors, error) {
	known := slices.Clone(knownErrors(wellKnown))
	for _, s := range sentinels {
		if s == nil {
			return nil, errors.New("an error passed to Sentinels is nil")
		}
		sameText := slices.IndexFunc(known, func(k error) bool { return k.Error() == s.Error() })
		if sameText < 0 {
			known = append(known, s)
		} else if !errors.Is(s, known[sameText]) {
			return nil, fmt.Errorf("two errors have the text %q (you passed both to Sentinels, or "+
				"one of them is of the standard library), but a cassette tells errors apart by "+
				"their texts: change the text of your error", s)
		}
	}
	return known, nil
}

// describe returns the text of an error, and the texts of the known errors that it wraps.
func (known knownErrors) describe(err error) (text string, is []string) {
	for _, k := range known {
		if errors.Is(err, k) {
			is = append(is, k.Error())
		}
	}
	text = err.Error()
	if text == "" {
		text = fmt.Sprintf("%T", err) // in a cassette, an empty text is no error
	}
	return text, is
}

// recorded returns the error of a response, or nil if it has none.
func (known knownErrors) recorded(resp *interaction.Response) (err, failed error) {
	if resp.Error == "" {
		return nil, nil
	}
	e := &recordedError{text: resp.Error}
	for _, text := range resp.ErrorIs {
		i := slices.IndexFunc(known, func(k error) bool { return k.Error() == text })
		if i < 0 {
			return nil, fmt.Errorf("the recorded error is %q, and "+
				"promptecho.Sentinels was passed no error with that text: pass it",
				text)
		}
		e.wraps = append(e.wraps, known[i])
		if text == e.text {
			return known[i], nil // the program may compare the error with ==
		}
	}
	return e, nil
}

// A recordedError has the text of a recorded error, and wraps the known errors that the
// recorded error wrapped.
type recordedError struct {
	text  string
	wraps []error
}

func (e *recordedError) Error() string { return e.text }

// Unwrap returns the known errors, for [errors.Is] and [errors.As].
func (e *recordedError) Unwrap() []error { return e.wraps }
