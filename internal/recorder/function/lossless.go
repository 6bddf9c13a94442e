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

// lossless returns an error if JSON loses a part of the values of a type. what is "argument" or
// "result". If readBack is set, the type must also be readable from JSON.
func lossless(what string, t reflect.Type, readBack bool) error {
	w := typeWalker{readBack: readBack, seen: map[reflect.Type]bool{}}
	if err := w.walk(t, ""); err != nil {
		return fmt.Errorf("JSON loses part of the %[1]s, %[2]s: %[3]w. Define a type that JSON "+
			"stores completely, wrap a closure that has the new type as its %[1]s, and convert "+
			"between the two types in the closure", what, t, err)
	}
	return nil
}

// A typeWalker looks for parts of a type that JSON loses.
type typeWalker struct {
	readBack bool
	seen     map[reflect.Type]bool // structs, which may be recursive
}

// walk returns an error for the first part of a type that JSON loses. path is the path to the
// type, such as "" or ".Users[].Name".
func (w *typeWalker) walk(t reflect.Type, path string) error {
	writes, reads := customJSON(t)
	if writes || reads && w.readBack {
		return w.custom(path, writes, reads)
	}
	switch t.Kind() {
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		return lost(path, "JSON has no %s", t.Kind())
	case reflect.Interface:
		// An any as a whole, or as an element of a slice or map, can hold plain JSON. The value
		// itself is looked at later, see check.
		isField := strings.Contains(path, ".") && !strings.HasSuffix(path, "]")
		if t.NumMethod() > 0 || isField {
			return lost(path, "JSON does not say which type an interface holds (use a map[string]any "+
				"or a json.RawMessage, which keep what JSON has)")
		}
	case reflect.Pointer:
		return w.walk(t.Elem(), path)
	case reflect.Slice, reflect.Array:
		return w.walk(t.Elem(), path+"[]")
	case reflect.Map:
		keyWrites, keyReads := customJSON(t.Key())
		if keyWrites {
			if err := w.custom(path, keyWrites, keyReads); err != nil {
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

// custom returns an error if a type with its own methods for JSON lacks the one to write or the
// one to read.
func (w *typeWalker) custom(path string, writes, reads bool) error {
	switch {
	case !w.readBack || writes && reads:
		return nil
	case writes:
		return lost(path, "it writes its JSON itself and does not read it: "+
			"UnmarshalJSON or UnmarshalText is missing")
	}
	return lost(path, "it reads its JSON itself and does not write it: "+
		"MarshalJSON or MarshalText is missing")
}

// fields checks the fields of a struct. names has the paths of the fields so far by their JSON
// names. An embedded struct shares them, since JSON has its fields in the outer object.
func (w *typeWalker) fields(t reflect.Type, path string, names map[string]string) error {
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		name, _, _ := strings.Cut(tag, ",")
		at := path + "." + f.Name
		writes, reads := customJSON(f.Type)
		isStruct := f.Type.Kind() == reflect.Struct && !writes && !reads
		isEmbedded := f.Anonymous && name == ""
		switch {
		case f.Name == "_":
			continue
		case tag == "-":
			return lost(at, "the field has the tag json:\"-\"")
		case isEmbedded && isStruct:
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

// lost returns an error for a part of a type or a value that JSON loses.
func lost(path, format string, args ...any) error {
	why := fmt.Sprintf(format, args...)
	path = strings.TrimPrefix(path, ".")
	if path != "" {
		why = path + ": " + why
	}
	return errors.New(why)
}

// customJSON reports whether a type has methods that write and that read its JSON.
func customJSON(t reflect.Type) (writes, reads bool) {
	if t.Kind() == reflect.Interface {
		return false, false
	}
	implements := reflect.PointerTo(t).Implements
	writes = implements(reflect.TypeFor[json.Marshaler]()) ||
		implements(reflect.TypeFor[encoding.TextMarshaler]())
	reads = implements(reflect.TypeFor[json.Unmarshaler]()) ||
		implements(reflect.TypeFor[encoding.TextUnmarshaler]())
	return writes, reads
}

// check returns an error if JSON loses a part of a value for a reason that its type does not
// show: a string is not UTF-8, or an interface holds a type that JSON loses. encoding/json has
// written the value before, so its pointers have no cycle.
func check(v reflect.Value, path string) (err error) {
	if writes, _ := customJSON(v.Type()); writes {
		return nil
	}
	checkPart := func(v reflect.Value, at string) { err = cmp.Or(err, check(v, path+at)) }
	switch v.Kind() {
	case reflect.String:
		if !utf8.ValidString(v.String()) {
			return lost(path, "this text is not UTF-8, which JSON needs: use []byte")
		}
	case reflect.Interface:
		if !v.IsNil() {
			w := typeWalker{seen: map[reflect.Type]bool{}}
			err = w.walk(v.Elem().Type(), path)
			checkPart(v.Elem(), "")
		}
	case reflect.Pointer:
		if !v.IsNil() {
			checkPart(v.Elem(), "")
		}
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return nil
		}
		for i := range v.Len() {
			checkPart(v.Index(i), fmt.Sprintf("[%d]", i))
		}
	case reflect.Map:
		for key, elem := range v.Seq2() {
			at := fmt.Sprintf("[%q]", fmt.Sprint(key))
			checkPart(key, at)
			checkPart(elem, at)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			checkPart(v.Field(i), "."+v.Type().Field(i).Name)
		}
	}
	return err
}
