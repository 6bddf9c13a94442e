package function

import (
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// lossless returns an error if values of the type lose something in JSON. what names the
// type's part in the function. A type that is read back must also be readable.
func lossless(what string, t reflect.Type, readBack bool) error {
	w := typeWalker{readBack: readBack, seen: map[reflect.Type]bool{}}
	if err := w.walk(t, ""); err != nil {
		return fmt.Errorf("JSON loses part of the %[1]s, %[2]s: %[3]w. Define a type that JSON "+
			"stores completely, wrap a closure that has the new type as its %[1]s, and convert "+
			"between the two types in the closure", what, t, err)
	}
	return nil
}

type typeWalker struct {
	readBack bool
	seen     map[reflect.Type]bool
}

// walk looks for what JSON loses; path leads to the type: "" or ".Field".
func (w *typeWalker) walk(t reflect.Type, path string) error {
	if writes, reads := customJSON(t); writes || reads && w.readBack {
		return w.custom(path, writes, reads)
	}
	switch t.Kind() {
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		return lost(path, "JSON has no %s", t.Kind())
	case reflect.Interface:
		if t.NumMethod() > 0 || strings.Contains(path, ".") && !strings.HasSuffix(path, "]") {
			return lost(path, "JSON does not say which type an interface holds (use a map[string]any "+
				"or a json.RawMessage, which keep what JSON has)")
		}
	case reflect.Pointer:
		return w.walk(t.Elem(), path)
	case reflect.Slice, reflect.Array:
		return w.walk(t.Elem(), path+"[]")
	case reflect.Map:
		if writes, reads := customJSON(t.Key()); writes {
			if err := w.custom(path, writes, reads); err != nil {
				return err
			}
		}
		return w.walk(t.Elem(), path+"[]")
	case reflect.Struct:
		if w.seen[t] {
			return nil
		}
		w.seen[t] = true
		return w.fields(t, path, map[string]string{})
	}
	return nil
}

// custom checks a type that writes or reads its JSON itself.
func (w *typeWalker) custom(path string, writes, reads bool) error {
	switch {
	case !w.readBack || writes && reads:
		return nil
	case writes:
		return lost(path, "it writes its JSON itself and does not read it: UnmarshalJSON or UnmarshalText is missing")
	}
	return lost(path, "it reads its JSON itself and does not write it: MarshalJSON or MarshalText is missing")
}

// fields walks the fields of a struct; names has those seen so far by their JSON names.
func (w *typeWalker) fields(t reflect.Type, path string, names map[string]string) error {
	for i := range t.NumField() {
		f := t.Field(i)
		writes, reads := customJSON(f.Type)
		tag := f.Tag.Get("json")
		name, _, _ := strings.Cut(tag, ",")
		at := path + "." + f.Name
		switch {
		case f.Name == "_":
			continue
		case tag == "-":
			return lost(at, "the field has the tag json:\"-\"")
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct && !writes && !reads:
			if err := w.fields(f.Type, at, names); err != nil {
				return err
			}
			continue
		case !f.IsExported():
			return lost(at, "the field is not exported")
		case name == "":
			name = f.Name
		}
		if other := names[name]; other != "" {
			return lost(at, "the field has the JSON name %q, as %s has", name, other)
		}
		names[name] = at
		if err := w.walk(f.Type, at); err != nil {
			return err
		}
	}
	return nil
}

func lost(path, format string, args ...any) error {
	why := fmt.Sprintf(format, args...)
	path = strings.TrimPrefix(path, ".")
	if path != "" {
		why = path + ": " + why
	}
	return errors.New(why)
}

// customJSON reports whether a type writes and reads its JSON itself.
func customJSON(t reflect.Type) (writes, reads bool) {
	if t.Kind() == reflect.Interface {
		return false, false
	}
	is := reflect.PointerTo(t).Implements
	return is(reflect.TypeFor[json.Marshaler]()) || is(reflect.TypeFor[encoding.TextMarshaler]()),
		is(reflect.TypeFor[json.Unmarshaler]()) || is(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// check returns an error if a value holds what its type does not tell and JSON loses:
// text that is not UTF-8, and what is in an interface. JSON could write the value, so it
// leads nowhere in a circle.
func check(v reflect.Value, path string) (err error) {
	if writes, _ := customJSON(v.Type()); writes {
		return nil
	}
	part := func(v reflect.Value, at string) { err = cmp.Or(err, check(v, path+at)) }
	switch v.Kind() {
	case reflect.String:
		if !utf8.ValidString(v.String()) {
			return lost(path, "this text is not UTF-8, which JSON needs: use []byte")
		}
	case reflect.Interface:
		if !v.IsNil() {
			w := typeWalker{seen: map[reflect.Type]bool{}}
			err = w.walk(v.Elem().Type(), path)
			part(v.Elem(), "")
		}
	case reflect.Pointer:
		if !v.IsNil() {
			part(v.Elem(), "")
		}
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return nil
		}
		for i := range v.Len() {
			part(v.Index(i), fmt.Sprintf("[%d]", i))
		}
	case reflect.Map:
		for key, elem := range v.Seq2() {
			at := fmt.Sprintf("[%q]", fmt.Sprint(key))
			part(key, at)
			part(elem, at)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			part(v.Field(i), "."+v.Type().Field(i).Name)
		}
	}
	return err
}
