package wrap_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// A function whose types JSON loses is refused, is not called, and fails the run.
func TestFunctionWhoseTypesJSONLosesIsRefused(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	rec := must.Open(t, file)
	search := promptecho.Wrap(rec, "tool/search", func(context.Context, hidden) (string, error) {
		t.Error("it was called")
		return "", nil
	})
	_, err := search(t.Context(), hidden{})
	want := file + `: Wrap("tool/search"): JSON loses part of the argument, wrap_test.hidden: ` +
		"secret: the field is not exported. Define a type that JSON stores completely, " +
		"wrap a closure that has the new type as its argument, and convert between the two types in the closure"
	if err == nil || err.Error() != "promptecho: "+want {
		t.Errorf("error %v\nwant %s", err, want)
	}
	if errs := must.Finish(rec, report.Outcome{}).Errors; len(errs) != 1 || errs[0] != want {
		t.Errorf("errors %q", errs)
	}
}

// hidden is a type of which JSON loses a field.
type hidden struct{ Query, secret string }

var _ = hidden{secret: ""}.secret // else the field is unused

// A value that JSON loses is refused where the function is called, and the error names the place.
func TestValueThatJSONLosesIsRefused(t *testing.T) {
	t.Parallel()
	rec := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"))
	pick := promptecho.Wrap(rec, "tool/any", func(_ context.Context, in map[string]any) (any, error) {
		return in["x"], nil
	})
	for _, tt := range []struct {
		name  string
		value any
		want  string
	}{
		{
			name:  "a field that is not exported",
			value: hidden{},
			want:  `["x"].secret: the field is not exported`,
		},
		{
			name:  "a text that is not UTF-8",
			value: "\xff",
			want:  `["x"]: this text is not UTF-8`,
		},
		{
			name:  "a channel in a list",
			value: []any{1, map[string]any{"y": make(chan int)}},
			want:  "the argument cannot be recorded: json: unsupported type: chan int",
		},
		{
			name:  "a function",
			value: func() {},
			want:  "the argument cannot be recorded: json: unsupported type: func()",
		},
	} {
		_, err := pick(t.Context(), map[string]any{"x": tt.value})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %s", tt.name, err, tt.want)
		}
	}
}

// The name of a function begins with one of four kinds, and the error for another one lists them.
func TestNameWithoutAKindIsRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"", "get_weather", "tools/x", "llm/openai.chat", "tool/", "tool//x", "tool/a b", "tool/../x/",
	} {
		rec := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"))
		f := promptecho.Wrap(rec, name, func(context.Context, string) (string, error) { return "", nil })
		_, err := f(t.Context(), "")
		if err == nil || !strings.Contains(err.Error(), "tool, retrieval, memory_read, memory_write") {
			t.Errorf("%q: error %v", name, err)
		}
	}
}

// JSON that no cassette holds as structure fails the call that has it, and nothing else.
func TestJSONThatNoCassetteHoldsIsRefused(t *testing.T) {
	t.Parallel()
	const tooDeep = "it is more than 64 levels deep"
	deep := strings.Repeat("[", 66) + strings.Repeat("]", 66)
	k40 := strings.Repeat("k", 40)
	for _, tt := range []struct{ name, json, want string }{
		{
			name: "a member twice",
			json: `{"x":[1,{"a":1,"b":2,"a":3}]}`,
			want: `x/1: there are two members "a"`,
		},
		{
			name: "a long name",
			json: `{"x":{"` + strings.Repeat("k", 257) + `":1}}`,
			want: `x: the name "` + k40 + `..." has more than 256 bytes`,
		},
		{
			name: "many levels",
			json: `{"x":` + deep + `}`,
			want: "x/0/0/0/0/0/0/0/...: " + tooDeep,
		},
		{
			name: "many levels below a name of 256 bytes",
			json: `{"` + strings.Repeat("k", 256) + `":` + deep + `}`,
			want: k40 + ".../0/0/0/0/0/0/0/...: " + tooDeep,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			rec := must.Open(t, file)
			takes := promptecho.Wrap(rec, "tool/takes", func(context.Context, json.RawMessage) (int, error) {
				t.Error("called")
				return 1, nil
			})
			gives := promptecho.Wrap(rec, "tool/gives", func(context.Context, int) (json.RawMessage, error) {
				return json.RawMessage(tt.json), nil
			})
			wantRefused := func(what string, err error) {
				t.Helper()
				want := "promptecho: " + file + ": " + what + " cannot be recorded: " + tt.want +
					". To keep every byte, wrap a closure that takes or returns this JSON as a string"
				if err == nil || err.Error() != want {
					t.Errorf("error %v\nwant %s", err, want)
				}
			}
			_, err := takes(t.Context(), json.RawMessage(tt.json))
			wantRefused("tool/takes: the argument", err)
			_, err = gives(t.Context(), 1)
			wantRefused("tool/gives: the result", err)

			text := promptecho.Wrap(rec, "tool/text", func(_ context.Context, s string) (string, error) {
				return s, nil
			})
			if _, err := text(t.Context(), tt.json); err != nil {
				t.Errorf("as a string: %v", err)
			}
			if err := rec.Close(); err == nil || strings.Contains(err.Error(), "not saved") {
				t.Errorf("Close: %v", err)
			}
			if its := must.Load(t, file).Interactions; len(its) != 1 || its[0].Boundary != "text" {
				t.Errorf("%d interactions are saved, want the one with the string", len(its))
			}
		})
	}
}
