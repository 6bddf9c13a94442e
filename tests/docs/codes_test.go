package docs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/testenv/attr"
	"github.com/promptecho/promptecho/internal/testing/schema"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// docs/MISSES.md says what to do for each code of a finding. It has a section for each, in the order of the constants,
// and no others.
func TestMissesExplainsEachCode(t *testing.T) {
	t.Parallel()
	fromRoot()
	page := must.Read(t, "docs/MISSES.md")
	_, byCode, isThere := strings.Cut(page, "\n## By code\n")
	if !isThere {
		t.Fatal("docs/MISSES.md has no part \"By code\"")
	}

	var documented []finding.Code
	for _, section := range strings.Split(byCode, "\n### ")[1:] {
		heading, text, _ := strings.Cut(section, "\n")
		code := strings.Trim(heading, "`")
		documented = append(documented, finding.Code(code))
		isCode, saysSomething := heading == "`"+code+"`", len(strings.Fields(text)) >= 4
		if !isCode || !saysSomething {
			t.Errorf("the section of %s: %q", heading, text)
		}
	}
	for _, code := range finding.All() {
		if !slices.Contains(documented, code) {
			t.Errorf("docs/MISSES.md has no section %q", code)
		}
	}
	for _, code := range documented {
		if !slices.Contains(finding.All(), code) {
			t.Errorf("docs/MISSES.md has a section %q, and there is no such code", code)
		}
	}
	if !slices.Equal(documented, finding.All()) {
		t.Errorf("the sections have another order than the constants, or one is there twice: %q", documented)
	}
}

// docs/schema.json has every code of a finding and every attribute that echotest sets, and no others.
func TestSchemaHasEachCodeAndAttribute(t *testing.T) {
	t.Parallel()
	fromRoot()
	file, err := schema.Load("docs/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, code := range finding.All() {
		codes = append(codes, string(code))
	}
	if !slices.Equal(file.Defs["code"].Enum, codes) {
		t.Errorf("the schema has the codes %q, want %q", file.Defs["code"].Enum, codes)
	}

	keys := []string{attr.CassetteKey, attr.SavedKey, attr.CodeKey}
	for key := range new(attr.Counts).All() {
		keys = append(keys, key)
	}
	for _, key := range keys {
		if file.Defs["attributes"].Properties[key] == nil {
			t.Errorf("the schema has no attribute %s", key)
		}
	}
	if n := len(file.Defs["attributes"].Properties); n != len(keys) {
		t.Errorf("the schema has %d attributes, want %d", n, len(keys))
	}
}
