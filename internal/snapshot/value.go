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

// ignored replaces the ignored fields of a value in a file.
const ignored = "[IGNORED]"

// Of returns the section for a value. These are text, in this order:
//   - bytes that are not JSON
//   - the message of an error without MarshalJSON
//   - a string without MarshalJSON and MarshalText
//
// Every other value is JSON.
func Of(value any) (*Section, error) {
	_, marshalsJSON := value.(json.Marshaler)
	_, marshalsText := value.(encoding.TextMarshaler)
	if raw, isBytes := value.([]byte); isBytes {
		if !json.Valid(raw) {
			return textSection(string(raw)), nil
		}
		value = json.RawMessage(raw)
	} else if !marshalsJSON {
		if err, isError := value.(error); isError && !isNilPointer(value) {
			return textSection(err.Error()), nil
		}
		v := reflect.ValueOf(value)
		if v.Kind() == reflect.String && !marshalsText {
			return textSection(v.String()), nil
		}
	}

	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("%T cannot be written as JSON: %w", value, err)
	}
	isEmpty := b.String() == "{}\n"
	if isEmpty && !marshalsJSON && !marshalsText && hasOnlyUnexportedFields(value) {
		return nil, fmt.Errorf("%T has no exported field, so its "+
			"JSON is empty: pass the value to compare, or its text",
			value)
	}
	return &Section{Kind: JSON, Text: strings.TrimSuffix(b.String(), "\n")}, nil
}

func textSection(text string) *Section {
	return &Section{Kind: Text, Text: strings.ReplaceAll(text, "\r\n", "\n")}
}

// isNilPointer reports whether an interface holds a nil pointer.
func isNilPointer(value any) bool {
	v := reflect.ValueOf(value)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// hasOnlyUnexportedFields reports whether a value is a struct, or points to one, that has
// fields, of which encoding/json writes none.
func hasOnlyUnexportedFields(value any) bool {
	v := reflect.ValueOf(value)
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct || v.NumField() == 0 {
		return false
	}
	return !slices.ContainsFunc(reflect.VisibleFields(v.Type()), reflect.StructField.IsExported)
}

// CheckPattern returns an error if a pattern cannot match the path of a field.
func CheckPattern(pattern string) error {
	hasEmptySegment := slices.Contains(strings.Split(pattern, "/"), "")
	if hasEmptySegment {
		return fmt.Errorf("%q is not the path of a field: write created, or items/*/id", pattern)
	}
	return nil
}

// Layout indents the JSON of a section, and replaces every field that matches one of the
// patterns by [ignored]. A section that is not JSON has no fields, so patterns are an error.
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
	replaceMatches(&v, "", patterns, func(field *exactjson.Value) (drop bool) {
		*field = exactjson.Value{Kind: exactjson.String, Name: field.Name, Text: ignored}
		return false
	})
	s.Text = string(v.AppendJSON(nil, exactjson.Layout{Indent: "  "}))
	return nil
}

// replaceMatches calls replace for each field below v that matches one of the patterns. path is
// the path of v. If replace returns true, the member of an object is dropped.
func replaceMatches(
	v *exactjson.Value, path string, patterns []string,
	replace func(*exactjson.Value) (drop bool),
) {
	kept := v.Elems[:0:0] // an empty list with memory of its own
	for i, field := range v.Elems {
		segment := strconv.Itoa(i)
		if v.Kind == exactjson.Object {
			segment = fieldpath.Segment(field.Name)
		}
		fieldPath := strings.TrimPrefix(path+"/"+segment, "/")
		matches := slices.ContainsFunc(patterns, func(pattern string) bool {
			return fieldpath.MatchSegments(pattern, fieldPath)
		})
		if matches {
			drop := replace(&field)
			if drop && v.Kind == exactjson.Object {
				continue
			}
		} else {
			replaceMatches(&field, fieldPath, patterns, replace)
		}
		kept = append(kept, field)
	}
	v.Elems = kept
}

// parseWithout parses the JSON of a section without the fields that match the patterns. Such
// elements of arrays become null, so that the others keep their index.
func (s *Section) parseWithout(patterns []string) (exactjson.Value, error) {
	v, err := exactjson.Parse([]byte(s.Text))
	if err != nil {
		return v, err
	}
	replaceMatches(&v, "", patterns, func(field *exactjson.Value) (drop bool) {
		*field = exactjson.Value{Kind: exactjson.Null, Name: field.Name}
		return true
	})
	return v, nil
}

// Equal reports whether two sections have the same kind and the same value, apart from the
// fields that match the patterns.
func (s *Section) Equal(other *Section, patterns []string) bool {
	if s.Kind != other.Kind {
		return false
	}
	if s.Kind != JSON {
		return s.Text == other.Text
	}
	v, err := s.parseWithout(patterns)
	if err != nil {
		return s.Text == other.Text // an edit has broken the JSON
	}
	otherValue, err := other.parseWithout(patterns)
	if err != nil {
		return s.Text == other.Text
	}
	return equalJSON(&v, &otherValue)
}

// equalJSON compares two values. The order of an object's members does not count.
func equalJSON(a, b *exactjson.Value) bool {
	if a.Kind != b.Kind || len(a.Elems) != len(b.Elems) {
		return false
	}
	switch a.Kind {
	case exactjson.Number:
		return a.Text == b.Text || sameNumber(a.Text, b.Text)
	case exactjson.Array:
		for i := range a.Elems {
			if !equalJSON(&a.Elems[i], &b.Elems[i]) {
				return false
			}
		}
		return true
	case exactjson.Object:
		membersA, membersB := sortedMembers(a), sortedMembers(b)
		for i := range membersA {
			if membersA[i].Name != membersB[i].Name || !equalJSON(&membersA[i], &membersB[i]) {
				return false
			}
		}
		return true
	}
	return a.Text == b.Text
}

// sortedMembers returns the members of an object, sorted by name.
func sortedMembers(object *exactjson.Value) []exactjson.Value {
	members := slices.Clone(object.Elems)
	slices.SortStableFunc(members, func(x, y exactjson.Value) int {
		return strings.Compare(x.Name, y.Name)
	})
	return members
}

// sameNumber reports whether two literals, such as 1 and 1.0, are the same number. It returns
// false if one of them may not be exact as a float64.
func sameNumber(a, b string) bool {
	const (
		maxExact  = 1 << 53 // all integers up to this one are exact as a float64
		maxDigits = 17      // enough digits to tell all values of float64 apart
	)
	if len(a) > maxDigits || len(b) > maxDigits {
		return false
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX != nil || errY != nil {
		return false
	}
	return x == y && -maxExact < x && x < maxExact
}

// Lines returns the fields of a section, for a report of differences. A text, and a JSON value
// without members or elements, is one field with the name of the section.
func (s *Section) Lines(patterns []string) []canon.Line {
	v := exactjson.Value{Kind: exactjson.String, Text: s.Text}
	if s.Kind == JSON {
		parsed, err := s.parseWithout(patterns)
		if err == nil {
			v = parsed
		}
	}
	if len(v.Elems) > 0 {
		return canon.Lines(&v)
	}
	return []canon.Line{{Path: s.Name, Value: string(v.AppendJSON(nil, exactjson.Layout{}))}}
}
