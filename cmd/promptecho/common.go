package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/changes"
)

// A changeKind says what happened to a cassette.
type changeKind uint8

const (
	cassetteChanged changeKind = iota
	cassetteNew
	cassetteDeleted
)

func (k changeKind) String() string { return [...]string{"changed", "new", "deleted"}[k] }

// kind returns what happened to the cassette of a difference.
func (d *difference) kind() changeKind {
	switch {
	case d.Old == "":
		return cassetteNew
	case d.New == "":
		return cassetteDeleted
	}
	return cassetteChanged
}

// countKinds says how many cassettes were changed, are new and were deleted.
func countKinds(list []*difference) (counts []string) {
	number := map[changeKind]int{}
	for _, d := range list {
		number[d.kind()]++
	}
	for _, kind := range []changeKind{cassetteChanged, cassetteNew, cassetteDeleted} {
		if number[kind] > 0 {
			counts = append(counts, fmt.Sprintf("%s %s", count(number[kind], "cassette"), kind))
		}
	}
	return counts
}

// file returns the path of the cassette of a difference, without the revision of a deleted one.
func (d *difference) file() string {
	return cmp.Or(d.New, d.deleted, d.Old)
}

// A sharedEdits has the edits that the same cassettes have.
type sharedEdits struct {
	edits     []changes.Edit
	cassettes []int // indices in the list of differences
}

// differences prints what differs in cassettes: first the edits that several cassettes share,
// then the other edits of each cassette, and the sums at the end.
func (p *printer) differences(list []*difference) {
	isFirst := true
	separate := func() {
		if !isFirst {
			p.write("\n")
		}
		isFirst = false
	}

	shared := findShared(list)
	isPrinted := map[string]bool{} // by editKey
	for _, s := range shared {
		separate()
		p.line(0, bold, "The same in %s:", count(len(s.cassettes), "cassette"))
		for _, e := range s.edits {
			p.field(2, e)
			isPrinted[editKey(e)] = true
		}
		var files []string
		for _, i := range s.cassettes {
			files = append(files, list[i].file())
		}
		p.files(2, files, nil)
	}

	for _, d := range list {
		rest := d.without(isPrinted)
		hasOther := len(rest.Calls)+len(rest.Env) > 0
		hadNone := len(d.Calls)+len(d.Env) == 0
		if hasOther || hadNone {
			separate()
			p.differenceWithSummary(rest, d.summaryLine())
		}
	}
	if len(list) > 1 {
		separate()
		p.line(0, bold, "%s", totalLine(list))
	}
}

// totalLine says how many cassettes differ, and how their tokens and cost have changed.
func totalLine(list []*difference) string {
	var total usageDiff
	for _, d := range list {
		total.add(d.Total)
	}
	parts := countKinds(list)
	if text := total.String(); text != "" {
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// editKey returns a key that is equal for equal edits. It is "" for edits of token counts, which
// are equal only by chance.
func editKey(e changes.Edit) string {
	if e.In == "usage" {
		return ""
	}
	return strings.Join([]string{e.In, e.Path, e.Note, e.Old, e.New}, "\x00")
}

// findShared returns the edits that two or more cassettes have, grouped by the cassettes.
func findShared(list []*difference) (all []*sharedEdits) {
	if len(list) < 2 {
		return nil
	}
	cassettes := map[string][]int{} // the indices of the cassettes that have an edit, by its key
	edits := map[string]changes.Edit{}
	var keys []string
	for i, d := range list {
		for _, c := range d.Calls {
			for _, e := range c.Edits {
				key := editKey(e)
				if key == "" || isLast(cassettes[key], i) {
					continue
				}
				if cassettes[key] == nil {
					edits[key] = e
					keys = append(keys, key)
				}
				cassettes[key] = append(cassettes[key], i)
			}
		}
	}

	bySet := map[string]*sharedEdits{} // by the indices of the cassettes, as text
	for _, key := range keys {
		in := cassettes[key]
		if len(in) < 2 {
			continue
		}
		set := fmt.Sprint(in)
		if bySet[set] == nil {
			bySet[set] = &sharedEdits{cassettes: in}
			all = append(all, bySet[set])
		}
		bySet[set].edits = append(bySet[set].edits, edits[key])
	}
	return all
}

// without returns a difference without the edits that are printed already, by their keys.
func (d *difference) without(isPrinted map[string]bool) *difference {
	rest := *d
	rest.Calls = nil
	for _, c := range d.Calls {
		own := slices.DeleteFunc(slices.Clone(c.Edits), func(e changes.Edit) bool {
			return isPrinted[editKey(e)]
		})
		c.Repeated += len(c.Edits) - len(own)
		c.Edits = own
		if len(own) > 0 || c.Is != "changed" {
			rest.Calls = append(rest.Calls, c)
		}
	}
	return &rest
}

func isLast(list []int, i int) bool { return len(list) > 0 && list[len(list)-1] == i }
