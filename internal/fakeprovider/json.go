package fakeprovider

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
)

// object is a JSON object that keeps its order, which providers do.
type object []field

type field struct {
	name  string
	value any
}

// raw is JSON text that is written as it is.
type raw = json.RawMessage

// decode reads one JSON value into object, []any, string, json.Number, bool or nil.
func decode(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	v, err := decodeValue(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("text after the JSON value")
	}
	return v, nil
}

func decodeValue(dec *json.Decoder) (any, error) {
	tok, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch tok {
	case json.Delim('{'):
		o := object{}
		for dec.More() {
			name, err := dec.Token()
			if err != nil {
				return nil, err
			}
			v, err := decodeValue(dec)
			if err != nil {
				return nil, err
			}
			o = append(o, field{name.(string), v})
		}
		_, err = dec.Token()
		return o, err
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			v, err := decodeValue(dec)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = dec.Token()
		return list, err
	}
	return tok, nil
}

// encode writes a value as compact JSON, without escaping HTML.
func encode(v any) []byte { return appendJSON(nil, v) }

// pretty writes a value as JSON with this indentation.
func pretty(v any, indent string) []byte {
	var buf bytes.Buffer
	if err := json.Indent(&buf, encode(v), "", indent); err != nil {
		panic("fakeprovider: internal error: " + err.Error())
	}
	return buf.Bytes()
}

func appendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case object:
		b = append(b, '{')
		for i, f := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendJSON(b, f.name), ':')
			b = appendJSON(b, f.value)
		}
		return append(b, '}')
	case []object:
		return appendList(b, v)
	case []any:
		return appendList(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case raw:
		return append(b, v...)
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("fakeprovider: internal error: " + err.Error())
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}

func appendList[T any](b []byte, list []T) []byte {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(b, v)
	}
	return append(b, ']')
}

// get returns a member's value, nil if there is none.
func (o object) get(name string) any {
	for _, f := range o {
		if f.name == name {
			return f.value
		}
	}
	return nil
}

// has reports whether there is a member of this name.
func (o object) has(name string) bool {
	for _, f := range o {
		if f.name == name {
			return true
		}
	}
	return false
}

// or returns a member's value, or def where it is missing or null.
func (o object) or(name string, def any) any {
	if v := o.get(name); v != nil {
		return v
	}
	return def
}

// The following read a member as one type; anything else reads as the zero value.

func (o object) text(name string) string { s, _ := o.get(name).(string); return s }
func (o object) list(name string) []any  { l, _ := o.get(name).([]any); return l }
func (o object) sub(name string) object  { s, _ := o.get(name).(object); return s }
func (o object) flag(name string) bool   { f, _ := o.get(name).(bool); return f }

func (o object) number(name string) int {
	n, _ := o.get(name).(json.Number)
	i, err := n.Int64()
	if err != nil {
		f, _ := n.Float64()
		return int(f)
	}
	return int(i)
}

// objects returns the objects among the values.
func objects(list []any) []object {
	var out []object
	for _, v := range list {
		if o, ok := v.(object); ok {
			out = append(out, o)
		}
	}
	return out
}
