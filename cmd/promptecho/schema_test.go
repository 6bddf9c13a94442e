package main

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/promptecho/promptecho/internal/lint"
	"github.com/promptecho/promptecho/internal/testing/schema"
)

// TestSchemaHasEveryRule: the rules of lint are the codes of what lint finds.
func TestSchemaHasEveryRule(t *testing.T) {
	t.Parallel()
	file, err := schema.Load(filepath.FromSlash("../../docs/schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rules []string
	for _, a := range lint.Analyzers {
		rules = append(rules, a.Name)
	}
	slices.Sort(rules)
	if !slices.Equal(file.Defs["rule"].Enum, rules) {
		t.Errorf("the schema has the rules %q, want %q", file.Defs["rule"].Enum, rules)
	}
}
