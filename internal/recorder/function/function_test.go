package function

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
)

type (
	plain struct {
		A string
		B *int `json:"b,omitempty"`
		_ int
	}
	hidden struct{ A, b string }
	dashed struct {
		A      string
		Secret string `json:"-"`
	}
	embedded struct {
		plain
		C int
	}
	embeds    struct{ hidden }
	inside    struct{ List []map[string]*hidden }
	withAny   struct{ V any }
	withError struct{ Err error }
	withMap   struct{ Args map[string]any }
	withChan  struct{ Done chan int }
	withFunc  struct{ F func() }
	complex_  struct{ Z complex128 }
	locked    struct {
		mu sync.Mutex
		N  int
	}
	tree struct {
		Name     string
		Children []*tree
	}
	writes struct{ secret int }
	reads  struct{ A int }
	both   struct{ secret int }
	keyed  struct{ M map[both]int }
)

func (writes) MarshalJSON() ([]byte, error)  { return []byte(`{}`), nil }
func (*reads) UnmarshalJSON([]byte) error    { return nil }
func (b both) MarshalText() ([]byte, error)  { return fmt.Append(nil, b.secret), nil }
func (b *both) UnmarshalText(t []byte) error { _, err := fmt.Sscan(string(t), &b.secret); return err }

// TestTypes: a type of which JSON loses a part is refused, and the part is named.
func TestTypes(t *testing.T) {
	t.Parallel()
	_ = hidden{b: ""}.b
	// The tags are ones that go vet would complain of.
	field := func(name, tag string) reflect.StructField {
		return reflect.StructField{Name: name, Type: reflect.TypeFor[int](), Tag: reflect.StructTag(`json:"` + tag + `"`)}
	}
	twice := reflect.StructOf([]reflect.StructField{field("A", "x"), field("B", "x")})
	named := reflect.StructOf([]reflect.StructField{field("A", "-,")}) // the name "-"
	l := new(locked)
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = writes{}.secret
	for _, tt := range []struct {
		typ             reflect.Type
		argument, value string // what is wrong with it; "" if nothing is
	}{
		{reflect.TypeFor[string](), "", ""},
		{reflect.TypeFor[[]byte](), "", ""},
		{reflect.TypeFor[map[int][]float32](), "", ""},
		{reflect.TypeFor[map[string]any](), "", ""},
		{reflect.TypeFor[[]any](), "", ""},
		{reflect.TypeFor[any](), "", ""},
		{reflect.TypeFor[json.RawMessage](), "", ""},
		{reflect.TypeFor[json.Number](), "", ""},
		{reflect.TypeFor[time.Time](), "", ""},
		{reflect.TypeFor[*big.Int](), "", ""},
		{reflect.TypeFor[struct{}](), "", ""},
		{reflect.TypeFor[*plain](), "", ""},
		{named, "", ""},
		{reflect.TypeFor[embedded](), "", ""},
		{reflect.TypeFor[withMap](), "", ""},
		{reflect.TypeFor[tree](), "", ""},
		{reflect.TypeFor[both](), "", ""},
		{reflect.TypeFor[keyed](), "", ""},
		{reflect.TypeFor[hidden](), "b: the field is not exported", "b: the field is not exported"},
		{reflect.TypeFor[embeds](), "hidden.b: the field", "hidden.b: the field"},
		{reflect.TypeFor[[]inside](), "[].List[][].b: the field is not exported", "[].List[][].b: the field"},
		{reflect.TypeFor[dashed](), `Secret: the field has the tag json:"-"`, `Secret: the field has the tag json:"-"`},
		{twice, `B: the field has the JSON name "x", as .A has`, `B: the field`},
		{reflect.TypeFor[withAny](), "V: JSON does not say which type an interface holds", "V: JSON does not say"},
		{reflect.TypeFor[withError](), "Err: JSON does not say which type", "Err: JSON does not say"},
		{reflect.TypeFor[error](), "JSON does not say which type", "JSON does not say"},
		{reflect.TypeFor[[]io.Reader](), "[]: JSON does not say which type", "[]: JSON does not say"},
		{reflect.TypeFor[withChan](), "Done: JSON has no chan", "Done: JSON has no chan"},
		{reflect.TypeFor[withFunc](), "F: JSON has no func", "F: JSON has no func"},
		{reflect.TypeFor[complex_](), "Z: JSON has no complex128", "Z: JSON has no complex128"},
		{reflect.TypeFor[locked](), "mu: the field is not exported", "mu: the field is not exported"},
		{reflect.TypeFor[url.URL](), "User.username: the field is not exported", "User.username: the field"},
		{reflect.TypeFor[writes](), "", "it writes its JSON itself and does not read it"},
		{reflect.TypeFor[reads](), "", "it reads its JSON itself and does not write it"},
	} {
		for i, want := range []string{tt.argument, tt.value} {
			in, out := tt.typ, reflect.TypeFor[string]()
			if i == 1 {
				in, out = out, in
			}
			_, err := New("tool/x", in, out, nil)
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), ": "+want) {
				t.Errorf("%s: error %v, want %q", tt.typ, err, want)
			}
		}
	}
}

// TestSentinels: errors that a cassette could not tell apart are refused.
func TestSentinels(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, err := range wellKnown {
		if seen[err.Error()] {
			t.Errorf("two well-known errors say %q", err)
		}
		seen[err.Error()] = true
	}
	one := errors.New("x")
	for want, sentinels := range map[string][]error{
		`have the text "x"`:          {one, errors.New("x")},
		`have the text "EOF"`:        {errors.New("EOF")},
		"passed to Sentinels is nil": {nil},
		"":                           {one, one, io.EOF, errors.New("y")},
	} {
		_, err := New("tool/x", reflect.TypeFor[int](), reflect.TypeFor[int](), sentinels)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestValues: what is stored is compact JSON, and reads as the value again.
func TestValues(t *testing.T) {
	t.Parallel()
	n := 3
	for want, v := range map[string]any{
		`"a<b>&\n"`:              "a<b>&\n",
		`{"A":"é","b":3}`:        plain{A: "é", B: &n},
		`{"A":""}`:               plain{},
		`null`:                   (*plain)(nil),
		`"AP8="`:                 []byte{0, 255},
		`[]`:                     []int{},
		`{"a":1.50,"b":[1,2]}`:   json.RawMessage("{ \"a\" : 1.50,\n\"b\":[1, 2]}"),
		`12345678901234567890`:   uint64(12345678901234567890),
		`"2026-11-22T15:04:05Z"`: time.Date(2026, 11, 22, 15, 4, 5, 0, time.UTC),
	} {
		p := reflect.New(reflect.TypeOf(v))
		p.Elem().Set(reflect.ValueOf(v))
		f, err := New("tool/x", p.Type().Elem(), p.Type().Elem(), nil)
		if err != nil {
			t.Fatal(err)
		}
		req, err := f.Request(p.Interface())
		if err != nil || string(req.Body) != want {
			t.Errorf("%#v is %s, %v; want %s", v, req.Body, err, want)
		}
		resp, err := f.Response(p.Interface(), nil)
		if err != nil || string(resp.Body) != want {
			t.Errorf("%#v gives %s, %v; want %s", v, resp.Body, err, want)
		}
		back := reflect.New(p.Type().Elem())
		if err, failed := f.Answer(&resp, back.Interface()); err != nil || failed != nil {
			t.Errorf("%#v: %v, %v", v, err, failed)
		}
		if again, err := Marshal(back.Interface()); err != nil || string(again) != want {
			t.Errorf("%#v reads as %s, %v", v, again, err)
		}
	}
}

// TestAnswerRefused: what an edited or outdated cassette has is an error and no value.
func TestAnswerRefused(t *testing.T) {
	t.Parallel()
	f, err := New("tool/x", reflect.TypeFor[int](), reflect.TypeFor[plain](), nil)
	if err != nil {
		t.Fatal(err)
	}
	for want, resp := range map[string]interaction.Response{
		`unknown field "C"`:       {Body: []byte(`{"A":"x","C":1}`)},
		"cannot unmarshal number": {Body: []byte(`{"A":1}`)},
		"more than one value":     {Body: []byte(`{"A":"x"} {}`)},
		"unexpected EOF":          {Body: []byte(`{"A":`)},
		`"gone", and promptecho.Sentinels was passed no error with that text`: {Error: "x: gone", ErrorIs: []string{"gone"}},
		`the recorded result of tool/x cannot be read as func`:                {Body: []byte(`[]`)},
	} {
		var out plain
		if err, failed := f.Answer(&resp, &out); err != nil || failed == nil || !strings.Contains(failed.Error(), want) {
			t.Errorf("%s: %v, %v; want %s", resp.Body, err, failed, want)
		}
	}
	out := plain{A: "before"}
	if err, failed := f.Answer(&interaction.Response{Error: "x"}, &out); err == nil || failed != nil || out.A != "" {
		t.Errorf("an error alone: %v, %v, %v", err, failed, out)
	}
}
