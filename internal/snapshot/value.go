package snapshot

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/exactjson"
)

// ignored stands in a file where what does not count was left out.
const ignored = "[IGNORED]"

// Of returns what a value is as a section: a string, an error and bytes that are no JSON are
// text, and every other value is JSON.
func Of(value any) (*Section, error) {
	v := reflect.ValueOf(value)
	_, marshals := value.(json.Marshaler)
	_, asText := value.(encoding.TextMarshaler)
	err, isError := value.(error)
	raw, isBytes := value.([]byte)
	switch {
	case isBytes && !json.Valid(raw):
		return text(string(raw)), nil
	case isBytes:
		value = json.RawMessage(raw)
	case marshals:
	case isError && err != nil && !(v.Kind() == reflect.Pointer && v.IsNil()):
		return text(err.Error()), nil
	case v.Kind() == reflect.String && !asText:
		return text(v.String()), nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, fmt.Errorf("%T cannot be written as JSON: %w", value, err)
	}
	if !marshals && !asText && b.String() == "{}\n" && hidden(v) {
		return nil, fmt.Errorf("%T has no exported field, so its "+
			"JSON is empty: pass the value to compare, or its text",
			value)
	}
	return &Section{Kind: JSON, Text: strings.TrimSuffix(b.String(), "\n")}, nil
}

func text(s string) *Section {
	return &Section{Kind: Text, Text: strings.ReplaceAll(s, "\r\n", "\n")}
}

// hidden reports whether a value is a struct whose fields JSON does not have.
func hidden(v reflect.Value) bool {
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	return v.Kind() == reflect.Struct && v.NumField() > 0 &&
		!slices.ContainsFunc(reflect.VisibleFields(v.Type()), func(f reflect.StructField) bool { return f.IsExported() })
}

// CheckPattern returns why a pattern of fields selects nothing, or nil if it can.
func CheckPattern(pattern string) error {
	if pattern == "" || strings.HasPrefix(pattern, "/") || strings.HasSuffix(pattern, "/") || strings.Contains(pattern, "//") {
		return fmt.Errorf("%q is not the path of a field: write created, or items/*/id", pattern)
	}
	return nil
}

// Layout lays out the JSON of a section, with a mark in the place of every field that one of
// the patterns selects.
func (s *Section) Layout(patterns []string) error {
	if s.Kind != JSON {
		if len(patterns) > 0 {
			return errors.New("the value is text, which has no fields")
		}
		return nil
	}
	v, err := exactjson.Parse([]byte(s.Text))
	if err != nil {
		return err
	}
	leaveOut(&v, "", patterns, func(v *exactjson.Value) bool {
		*v = exactjson.Value{Kind: exactjson.String, Name: v.Name, Text: ignored}
		return false
	})
	s.Text = string(v.AppendJSON(nil, exactjson.Layout{Indent: "  "}))
	return nil
}

// leaveOut calls replace for all fields below a path that a pattern selects, and drops those
// for which it returns true.
func leaveOut(v *exactjson.Value, path string, patterns []string, replace func(*exactjson.Value) bool) {
	kept := v.Elems[:0:0]
	for i := range v.Elems {
		e, segment := v.Elems[i], strconv.Itoa(i)
		if v.Kind == exactjson.Object {
			segment = fieldpath.Segment(e.Name)
		}
		own := strings.TrimPrefix(path+"/"+segment, "/")
		if slices.ContainsFunc(patterns, func(p string) bool { return fieldpath.MatchSegments(p, own) }) {
			if replace(&e) && v.Kind == exactjson.Object {
				continue
			}
		} else {
			leaveOut(&e, own, patterns, replace)
		}
		kept = append(kept, e)
	}
	v.Elems = kept
}

// parsed returns the value of a section of JSON without what does not count.
func (s *Section) parsed(patterns []string) (v exactjson.Value, err error) {
	v, err = exactjson.Parse([]byte(s.Text))
	if err != nil {
		return v, err
	}
	leaveOut(&v, "", patterns, func(v *exactjson.Value) bool {
		*v = exactjson.Value{Kind: exactjson.Null, Name: v.Name}
		return true
	})
	return v, nil
}

// Equal reports whether two sections say the same, but for the fields that the patterns
// select.
func (s *Section) Equal(other *Section, patterns []string) bool {
	if s.Kind != other.Kind {
		return false
	}
	if s.Kind != JSON {
		return s.Text == other.Text
	}
	a, err1 := s.parsed(patterns)
	b, err2 := other.parsed(patterns)
	if err1 != nil || err2 != nil {
		return s.Text == other.Text // somebody has edited it
	}
	return equal(&a, &b)
}

// equal compares values; the order of members does not count.
func equal(a, b *exactjson.Value) bool {
	if a.Kind != b.Kind || len(a.Elems) != len(b.Elems) {
		return false
	}
	switch a.Kind {
	case exactjson.Number:
		return a.Text == b.Text || sameNumber(a.Text, b.Text)
	case exactjson.Array:
		for i := range a.Elems {
			if !equal(&a.Elems[i], &b.Elems[i]) {
				return false
			}
		}
	case exactjson.Object:
		byName := func(x, y exactjson.Value) int { return strings.Compare(x.Name, y.Name) }
		m, n := slices.Clone(a.Elems), slices.Clone(b.Elems)
		slices.SortStableFunc(m, byName)
		slices.SortStableFunc(n, byName)
		for i := range m {
			if m[i].Name != n[i].Name || !equal(&m[i], &n[i]) {
				return false
			}
		}
	}
	return a.Text == b.Text || a.Kind == exactjson.Array || a.Kind == exactjson.Object
}

// sameNumber reports whether two literals are one number, as far as a float64 holds both
// exactly.
func sameNumber(a, b string) bool {
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	const exact = 1 << 53
	return err1 == nil && err2 == nil && x == y && -exact < x && x < exact && len(a) <= 17 && len(b) <= 17
}

// Lines returns the fields of a section, for a comparison; a text is one field, which has the
// name of the section.
func (s *Section) Lines(patterns []string) []canon.Line {
	if s.Kind == JSON {
		if v, err := s.parsed(patterns); err == nil {
			if len(v.Elems) == 0 {
				return []canon.Line{{Path: s.Name, Value: string(v.AppendJSON(nil, exactjson.Layout{}))}}
			}
			return canon.Lines(&v)
		}
	}
	v := exactjson.Value{Kind: exactjson.String, Text: s.Text}
	return []canon.Line{{Path: s.Name, Value: string(v.AppendJSON(nil, exactjson.Layout{}))}}
}
