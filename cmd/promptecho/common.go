package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/changes"
)

// A common has edits that several cassettes have alike, and which cassettes.
type common struct {
	edits []changes.Edit
	in    []int // the places of the cassettes in the list of differences
}

// differences prints what differs in cassettes: first what several have in common, once, then
// of each what it has besides, and a sum.
func (p *printer) differences(list []*difference) {
	commons := inCommon(list)
	first := true
	space := func() {
		if !first {
			p.write("\n")
		}
		first = false
	}
	for _, c := range commons {
		space()
		p.line(0, bold, "The same in %s:", count(len(c.in), "cassette"))
		for _, e := range c.edits {
			p.field(2, e)
		}
		var files []string
		for _, i := range c.in {
			files = append(files, list[i].file())
		}
		p.files(2, files, nil)
	}
	told := map[string]bool{}
	for _, c := range commons {
		for _, e := range c.edits {
			told[keyOf(e)] = true
		}
	}
	for _, d := range list {
		if rest := d.without(told); len(rest.Calls)+len(rest.Env) > 0 || len(d.Calls)+len(d.Env) == 0 {
			space()
			p.compared(rest, d.sum())
		}
	}
	if len(list) > 1 {
		space()
		p.line(0, bold, "%s", sumOf(list))
	}
}

// sumOf says how many cassettes differ.
func sumOf(list []*difference) string {
	all, total := map[string]int{}, usageDiff{}
	for _, d := range list {
		all[d.is()]++
		total.add(d.Total)
	}
	var parts []string
	for _, is := range []string{"changed", "new", "deleted"} {
		if all[is] > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", count(all[is], "cassette"), is))
		}
	}
	if text := total.String(); text != "" {
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// is says what became of a cassette.
func (d *difference) is() string {
	switch {
	case d.Old == "":
		return "new"
	case d.New == "":
		return "deleted"
	}
	return "changed"
}

// file returns the path of a cassette, without the revision of one that is gone.
func (d *difference) file() string {
	return cmp.Or(d.New, d.deleted, d.Old)
}

// keyOf is equal for equal edits, "" for those that say nothing of the program: tokens.
func keyOf(e changes.Edit) string {
	if e.In == "usage" {
		return ""
	}
	return strings.Join([]string{e.In, e.Path, e.Note, e.Old, e.New}, "\x00")
}

// inCommon returns the edits that several cassettes have, those of the same cassettes together.
func inCommon(list []*difference) (all []*common) {
	if len(list) < 2 {
		return nil
	}
	in, edits, order := map[string][]int{}, map[string]changes.Edit{}, []string{}
	for i, d := range list {
		for _, c := range d.Calls {
			for _, e := range c.Edits {
				key := keyOf(e)
				if key == "" || len(in[key]) > 0 && in[key][len(in[key])-1] == i {
					continue
				}
				if in[key] == nil {
					edits[key], order = e, append(order, key)
				}
				in[key] = append(in[key], i)
			}
		}
	}
	bySet := map[string]*common{}
	for _, key := range order {
		if len(in[key]) < 2 {
			continue
		}
		set := fmt.Sprint(in[key])
		if bySet[set] == nil {
			bySet[set] = &common{in: in[key]}
			all = append(all, bySet[set])
		}
		bySet[set].edits = append(bySet[set].edits, edits[key])
	}
	return all
}

// without returns a difference without the edits that are told of before, by their keys.
func (d *difference) without(told map[string]bool) *difference {
	rest := *d
	rest.Calls = nil
	for _, c := range d.Calls {
		own := slices.DeleteFunc(slices.Clone(c.Edits), func(e changes.Edit) bool { return told[keyOf(e)] })
		c.Repeated += len(c.Edits) - len(own)
		c.Edits = own
		if len(own) > 0 || c.Is != "changed" {
			rest.Calls = append(rest.Calls, c)
		}
	}
	return &rest
}
