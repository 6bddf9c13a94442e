package docs_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/testenv/attr"
	"github.com/promptecho/promptecho/internal/testing/schema"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// TestCodesAreDocumented: docs/MISSES.md has a section for each code, in the order of the
// constants, which says something, and no other sections of that kind.
func TestCodesAreDocumented(t *testing.T) {
	t.Parallel()
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
		if heading != "`"+code+"`" || len(strings.Fields(text)) < 4 {
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

// TestCodesOfNumberedSections: each of the ten numbered sections names its codes, with a link
// to their sections.
func TestCodesOfNumberedSections(t *testing.T) {
	t.Parallel()
	page := must.Read(t, "docs/MISSES.md")
	sections := regexp.MustCompile(`(?m)^## \d+\. .*\n\nCode: (.*)\n`).FindAllStringSubmatch(page, -1)
	if len(sections) != 10 {
		t.Errorf("%d numbered sections have codes, want 10", len(sections))
	}
	for _, section := range sections {
		for _, name := range strings.Split(section[1], ", ") {
			m := regexp.MustCompile("^\\[`([a-z-]+)`\\]\\(#([a-z-]+)\\)$").FindStringSubmatch(name)
			if m == nil || m[1] != m[2] || !slices.Contains(finding.All(), finding.Code(m[1])) {
				t.Errorf("%q is no link to the section of a code", name)
			}
		}
	}
}

// TestCodesOfSchema: the schema has the same codes, and the attributes that package echotest
// sets.
func TestCodesOfSchema(t *testing.T) {
	t.Parallel()
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
