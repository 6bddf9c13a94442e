// Package function turns what a Go function takes and returns into what a cassette holds,
// and back. Everything passes through encoding/json, so that the run that records gets the
// same values as those that replay.
package function

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/codec"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A Function is what is known of a wrapped function beside its code.
type Function struct {
	Name string // "tool/get_weather"

	known knownErrors // that its errors can be
}

// New returns the description of a function that takes an in and returns an out. It is an
// error if name is not "KIND/NAME", if JSON would lose a part of one of the types, or if
// two of the sentinels and the well-known errors have the same text.
func New(name string, in, out reflect.Type, sentinels []error) (*Function, error) {
	if !IsName(name) {
		return nil, fmt.Errorf("a name is one of %s, a slash, and letters, digits, \"_\", \"-\", \".\" and \"/\", such as \"tool/get_weather\"",
			strings.Join(interaction.FunctionKinds, ", "))
	}
	known, err := withSentinels(sentinels)
	if err = cmp.Or(lossless("argument", in, false), lossless("result", out, true), err); err != nil {
		return nil, err
	}
	return &Function{name, known}, nil
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*$`)

// IsName reports whether a function can have the name.
func IsName(name string) bool {
	kind, rest, _ := strings.Cut(name, "/")
	return slices.Contains(interaction.FunctionKinds, kind) && plainName.MatchString(rest)
}

// Request returns the call of the function with an argument, which in points to.
func (f *Function) Request(in any) (interaction.Request, error) {
	body, err := marshal(in)
	if err != nil {
		return interaction.Request{}, fmt.Errorf("%s: the argument cannot be recorded: %w", f.Name, err)
	}
	return interaction.Request{Function: f.Name, Body: body}, nil
}

// Response returns what the function returned: a result, which out points to, and an
// error, which may be nil. A zero result beside an error is left out.
func (f *Function) Response(out any, err error) (resp interaction.Response, failed error) {
	if err != nil {
		resp.Error, resp.ErrorIs = f.known.describe(err)
		if reflect.ValueOf(out).Elem().IsZero() {
			return resp, nil
		}
	}
	if resp.Body, failed = marshal(out); failed != nil {
		return resp, fmt.Errorf("%s: the result cannot be recorded: %w", f.Name, failed)
	}
	return resp, nil
}

// Answer reads what the function returned back: the result into what out points to, and
// the error that it returned. failed is not nil if that cannot be read.
func (f *Function) Answer(resp *interaction.Response, out any) (err, failed error) {
	if err, failed = f.known.recorded(resp); failed != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, failed)
	}
	reflect.ValueOf(out).Elem().SetZero()
	if len(resp.Body) == 0 {
		return err, nil
	}
	d := json.NewDecoder(bytes.NewReader(resp.Body))
	d.DisallowUnknownFields() // what the type no longer has would be lost
	if failed = d.Decode(out); failed == nil && d.Decode(new(any)) != io.EOF {
		failed = fmt.Errorf("there is more than one value")
	}
	if failed != nil {
		return nil, fmt.Errorf("the recorded result of %s is no %s: %w", f.Name, reflect.TypeOf(out).Elem(), failed)
	}
	return err, nil
}

// marshal returns the compact JSON of what v points to, as it stands in a cassette.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	if err := check(reflect.ValueOf(v).Elem(), ""); err != nil {
		return nil, err
	}
	value, err := exactjson.Parse(b.Bytes()) // a MarshalJSON may have its own layout
	if err != nil {
		return nil, err
	}
	if why := codec.Unwritable(&value); why != "" {
		return nil, fmt.Errorf("%s. A closure that passes it as a string keeps every byte", why)
	}
	return value.AppendJSON(nil, exactjson.Layout{}), nil
}
