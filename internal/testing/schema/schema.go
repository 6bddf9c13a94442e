// Package schema checks JSON by the part of JSON Schema that docs/schema.json
// uses. It is stricter than a program should be: a field that the schema does
// not name is an error, so that the documentation lacks none.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// A File is a schema with its definitions.
type File struct {
	Defs map[string]*Node `json:"$defs"`
}

// A Node is the schema of a value. What has no keyword here is not supported, and
// Load fails for it.
type Node struct {
	Description string           `json:"description"`
	Ref         string           `json:"$ref"`
	AnyOf       []*Node          `json:"anyOf"`
	Type        string           `json:"type"`
	Enum        []string         `json:"enum"`
	Items       *Node            `json:"items"`
	Required    []string         `json:"required"`
	Properties  map[string]*Node `json:"properties"`
	Additional  *Node            `json:"additionalProperties"`
}

// Load reads a schema.
func Load(name string) (*File, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var file struct {
		Schema      string `json:"$schema"`
		Title       string `json:"title"`
		Description string `json:"description"`
		File
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &file.File, nil
}

// Check returns why a text is not JSON of a definition, or nil if it is.
func (f *File) Check(def string, text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return fmt.Errorf("%s: %w", def, err)
	}
	if dec.More() {
		return fmt.Errorf("%s: more than one value", def)
	}
	return f.check(&Node{Ref: refs + def}, value, def)
}

const refs = "#/$defs/"

// check compares a value with its schema. at is its place, for the error.
func (f *File) check(n *Node, value any, at string) error {
	if n.Ref != "" {
		def := f.Defs[strings.TrimPrefix(n.Ref, refs)]
		if def == nil {
			return fmt.Errorf("%s: the schema has no %s", at, n.Ref)
		}
		return f.check(def, value, at)
	}
	if n.AnyOf != nil {
		var all []error
		for _, option := range n.AnyOf {
			err := f.check(option, value, at)
			if err == nil {
				return nil
			}
			all = append(all, err)
		}
		return errors.Join(all...)
	}
	if n.Enum != nil {
		text, isText := value.(string)
		if !isText || !slices.Contains(n.Enum, text) {
			return fmt.Errorf("%s: %v is none of %q", at, value, n.Enum)
		}
		return nil
	}
	return f.checkType(n, value, at)
}

// checkType compares a value with the type of its schema, and what is in it with the
// schemas of that.
func (f *File) checkType(n *Node, value any, at string) error {
	isType := false
	switch v := value.(type) {
	case nil:
		isType = n.Type == "null"
	case bool:
		isType = n.Type == "boolean"
	case string:
		isType = n.Type == "string"
	case json.Number:
		_, err := v.Int64()
		isType = n.Type == "number" || n.Type == "integer" && err == nil
	case []any:
		isType = n.Type == "array"
	case map[string]any:
		isType = n.Type == "object"
	}
	if !isType {
		return fmt.Errorf("%s: %v is no %s", at, value, n.Type)
	}

	var all []error
	switch v := value.(type) {
	case []any:
		for i, element := range v {
			all = append(all, f.check(n.Items, element, fmt.Sprintf("%s/%d", at, i)))
		}
	case map[string]any:
		for _, name := range n.Required {
			if _, isThere := v[name]; !isThere {
				all = append(all, fmt.Errorf("%s: %s is missing", at, name))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			member := n.Properties[name]
			if member == nil {
				member = n.Additional
			}
			if member == nil {
				all = append(all, fmt.Errorf("%s: the schema has no field %s", at, name))
				continue
			}
			all = append(all, f.check(member, v[name], path.Join(at, name)))
		}
	}
	return errors.Join(all...)
}
