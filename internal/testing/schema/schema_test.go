package schema

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const example = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$defs": {
    "code": {"enum": ["a", "b"]},
    "list": {"type": "array", "items": {
      "type": "object",
      "required": ["code"],
      "properties": {
        "code": {"$ref": "#/$defs/code"},
        "line": {"type": "integer"},
        "seconds": {"type": "number"},
        "calls": {"type": "object", "additionalProperties": {"type": "integer"}},
        "proof": {"anyOf": [{"type": "boolean"}, {"type": "null"}]}
      }
    }}
  }
}`

func load(t *testing.T, text string) (*File, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return Load(name)
}

func TestCheck(t *testing.T) {
	t.Parallel()
	file, err := load(t, example)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ text, want string }{
		{`[]`, ""},
		{`[{"code": "a"}]`, ""},
		{`[{"code": "b", "line": 4, "seconds": 1.5, "calls": {"llm": 2}, "proof": null}]`, ""},
		{`[{"code": "c"}]`, `list/0/code: c is none of ["a" "b"]`},
		{`[{"line": 4}]`, "list/0: code is missing"},
		{`[{"code": "a", "line": 1.5}]`, "list/0/line: 1.5 is no integer"},
		{`[{"code": "a", "line": "4"}]`, "list/0/line: 4 is no integer"},
		{`[{"code": "a", "file": "x"}]`, "list/0: the schema has no field file"},
		{`[{"code": "a", "calls": {"llm": "2"}}]`, "list/0/calls/llm: 2 is no integer"},
		{`[{"code": "a", "proof": 1}]`, "list/0/proof: 1 is no boolean"},
		{`{}`, "list: map[] is no array"},
		{`null`, "list: <nil> is no array"},
		{`[] []`, "list: more than one value"},
		{`[`, "list: unexpected EOF"},
	} {
		err := file.Check("list", []byte(tt.text))
		if tt.want == "" && err != nil {
			t.Errorf("%s: %v", tt.text, err)
		}
		if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %s", tt.text, err, tt.want)
		}
	}
}

// A keyword that Check would not look at is an error, and so is a definition that is
// not there.
func TestUnsupportedSchemas(t *testing.T) {
	t.Parallel()
	if _, err := load(t, `{"$defs": {"a": {"type": "string", "pattern": "^a"}}}`); err == nil {
		t.Error("pattern is read")
	}
	file, err := load(t, `{"$defs": {"a": {"$ref": "#/$defs/b"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Check("a", []byte("1")); err == nil {
		t.Error("a definition is missing")
	}
}
