package interop

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	goccy "github.com/goccy/go-yaml"
	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A cassette is YAML for everybody: other readers find in it what we wrote, also
// goccy/go-yaml, which loses text that is written carelessly (a tab in a plain
// scalar, CRLF, "\n", literals that start with white space, 1.50, .inf).
var yamlReaders = map[string]func([]byte, any) error{
	"goccy/go-yaml": func(b []byte, v any) error { return goccy.Unmarshal(b, v) },
	"yaml.v3":       yamlv3.Unmarshal,
}

// nasty are the pieces that random strings are made of.
var nasty = []string{
	"a", "B", "7", " ", "  ", "\t", "\n", "\r\n", "\r", ":", ": ", "#", " #", "-", "- ", "?", "? a", "|", ">", "'", "''", "\"", "\\", "%", "@", "`",
	"&a", "*a", "!", "!!str", "{", "}", "[", "]", ",", "~", "null", "true", "yes", "no", "1.50", "0x1f", ".inf", "1e3", "2024-01-01", "<<", "=",
	"é", "😀", "\u0085", "\u2028", "\u2029", "\ufeff", "\u00a0", "\x00", "\x1b", "\x7f", "---", "...", "text text", "line one\nline two\n",
}

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(6) {
		b.WriteString(nasty[r.IntN(len(nasty))])
	}
	return b.String()
}

func randomValue(r *rand.Rand, depth int) any {
	switch k := r.IntN(8); {
	case k < 4 || depth == 0:
		return randomText(r)
	case k == 4: // no exponents: goccy/go-yaml takes 1e+21 for a text, however it is written
		return []any{nil, true, false, 3.0, -0.5, 120}[r.IntN(6)]
	case k == 5:
		list := []any{}
		for range r.IntN(4) {
			list = append(list, randomValue(r, depth-1))
		}
		return list
	}
	object := map[string]any{}
	for i := range r.IntN(4) {
		object[fmt.Sprint(i, randomText(r))] = randomValue(r, depth-1)
	}
	return object
}

// Every cassette means the same to other YAML readers.
func TestCassettesAreYAMLForEverybody(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		body := map[string]any{"x": randomValue(r, 3)}
		want, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		text := randomText(r)
		item, _, err := codec.Encode(&interaction.Interaction{
			Kind:    "http",
			Request: interaction.Request{Method: "POST", URL: "https://h/", Body: want},
			Response: interaction.Response{Status: 200, Stream: "sse", Events: []interaction.Event{
				{{Name: "data", Value: string(want)}}, {{Name: "data", Value: text}},
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		given := interaction.RecordedValues{
			Time: time.Unix(r.Int64N(4e9), 0).UTC(),
			Seed: fmt.Sprintf("%016x%016x", r.Uint64(), r.Uint64()),
			Env:  map[string]string{"A": randomText(r), "B" + randomText(r): randomText(r)},
		}
		top, err := codec.EncodeRecordedValues(&given)
		if err != nil {
			t.Fatal(err)
		}
		data := slices.Concat([]byte("version: 1\n"), top, []byte(codec.ItemsLine), item)
		for name, unmarshal := range yamlReaders {
			var file struct {
				Time         time.Time
				Seed         string
				Env          map[string]string
				Interactions []struct {
					Request  struct{ Body any }
					Response struct{ Events []map[string]any }
				}
			}
			if err := unmarshal(data, &file); err != nil {
				t.Fatalf("%s cannot read\n%s\n%v", name, data, err)
			}
			if got := (interaction.RecordedValues{Time: file.Time, Seed: file.Seed, Env: file.Env}); !got.Equal(&given) {
				t.Fatalf("%s reads %v, want %v, from\n%s", name, got, given, data)
			}
			it := file.Interactions[0]
			if got := plain(t, it.Request.Body); !reflect.DeepEqual(got, plain(t, body)) {
				t.Fatalf("%s reads %#v, want %#v, from\n%s", name, got, body, data)
			}
			if got := plain(t, it.Response.Events[0]["data"]); !reflect.DeepEqual(got, plain(t, body)) {
				t.Fatalf("%s reads the event %#v, want %#v, from\n%s", name, got, body, data)
			}
			if got := it.Response.Events[1]["data"]; got != any(text) && !isJSON(text) {
				t.Fatalf("%s reads the text %q, want %q, from\n%s", name, got, text, data)
			}
		}
	}
}

func isJSON(s string) bool { return json.Valid([]byte(s)) }

// plain brings what different readers make of numbers to one type.
func plain(t *testing.T, v any) any {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// The committed cassettes mean the same to other YAML readers.
func TestCommittedCassettesAreYAMLForEverybody(t *testing.T) {
	t.Parallel()
	n := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(filepath.ToSlash(path), "testdata/cassettes/") || filepath.Ext(path) != ".yaml" {
			return err
		}
		n++
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for name, unmarshal := range yamlReaders {
			var file map[string]any
			if err := unmarshal(data, &file); err != nil {
				t.Errorf("%s cannot read %s: %v", name, path, err)
			}
		}
		return nil
	})
	if err != nil || n < 5 {
		t.Errorf("%d cassettes, %v", n, err)
	}
}
