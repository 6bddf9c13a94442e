package recorder

import (
	"reflect"
	"testing"
)

// TestNothingOfTheEngineIsExported: promptecho.Recorder is a type with the same
// fields, so a field that is exported or embedded would be one of users, too.
func TestNothingOfTheEngineIsExported(t *testing.T) {
	t.Parallel()
	for _, typ := range []reflect.Type{reflect.TypeFor[Recorder](), reflect.TypeFor[Config]()} {
		for i := range typ.NumField() {
			if f := typ.Field(i); f.IsExported() || f.Anonymous {
				t.Errorf("%s.%s is exported or embedded", typ, f.Name)
			}
		}
	}
}
