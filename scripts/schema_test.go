package scripts

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/promptecho/promptecho/internal/testing/schema"
)

const schemaFile = "../docs/schema.json"

// schemaCommand returns the command "schema NAME", which compares the last output
// with a definition of docs/schema.json. The output of "schema attributes" is
// that of go test -json, which has to have some.
func schemaCommand(t *testing.T) func(*testscript.TestScript, bool, []string) {
	t.Helper()
	file, err := schema.Load(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 1 {
			ts.Fatalf("usage: schema NAME")
		}
		values := []string{ts.ReadFile("stdout")}
		if args[0] == "attributes" {
			values = attributes(ts, values[0])
		}
		for _, value := range values {
			if err := file.Check(args[0], []byte(value)); err != nil {
				ts.Fatalf("%v in\n%s", err, value)
			}
		}
	}
}

// attributes returns the attributes of each test in the output of go test -json, as an
// object with a list for each key.
func attributes(ts *testscript.TestScript, output string) (objects []string) {
	byTest := map[string]map[string][]string{}
	for line := range strings.Lines(output) {
		var event struct{ Action, Package, Test, Key, Value string }
		ts.Check(json.Unmarshal([]byte(line), &event))
		if event.Action != "attr" {
			continue
		}
		test := event.Package + " " + event.Test
		if byTest[test] == nil {
			byTest[test] = map[string][]string{}
		}
		byTest[test][event.Key] = append(byTest[test][event.Key], event.Value)
	}
	if len(byTest) == 0 {
		ts.Fatalf("no test has attributes:\n%s", output)
	}
	for _, keys := range byTest {
		text, err := json.Marshal(keys)
		ts.Check(err)
		objects = append(objects, string(text))
	}
	return objects
}

// TestEverySchemaIsChecked: each command with -json is in the schema, and some script
// compares its output with it.
func TestEverySchemaIsChecked(t *testing.T) {
	t.Parallel()
	var scripts strings.Builder
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		scripts.Write(text)
	}
	file, err := schema.Load(schemaFile)
	if err != nil {
		t.Fatal(err)
	}

	checked := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^schema (\w+)$`).FindAllStringSubmatch(scripts.String(), -1) {
		checked[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`(?m)^!? ?exec promptecho (\w+) .*-json\b`).FindAllStringSubmatch(scripts.String(), -1) {
		command := m[1]
		if command == "compare" {
			command = "record" // they print the same
		}
		if file.Defs[command] == nil || !checked[command] {
			t.Errorf("no script compares what promptecho %s -json prints with the schema", m[1])
		}
	}
	if !checked["attributes"] {
		t.Error("no script compares the attributes of a test with the schema")
	}
}
