package redact

import (
	"regexp"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// A finder finds the values of fields of some names, where bodies have fields: their
// first group.
type finder struct {
	json, xml func() *regexp.Regexp
	inForms   []string // the names in forms
}

// newFinder takes the names of fields in JSON and XML, and those in forms, with bars between them.
func newFinder(names, inForms string) *finder {
	return &finder{
		json:    memo.Regexp(jsonField(names)),
		xml:     memo.Regexp(`<(?:[\w-]+:)?(?:` + names + `)` + attributes + `>(?:<!\[CDATA\[)?([^<]*?)(?:\]\]>)?</`),
		inForms: strings.Split(inForms, "|"),
	}
}

func jsonField(names string) string {
	return `"(?:` + names + `)"\s*:` + opening + `*\s*"((?:[^"\\]|\\.)*)"`
}
