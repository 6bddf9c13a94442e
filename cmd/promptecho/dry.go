package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/limits"
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testenv/suite"
)

// An estimate says what a run would send, as far as cassettes tell.
type estimate struct {
	Package  string `json:"package,omitempty"` // "" for the sum
	Requests int    `json:"requests"`          // recordings that would be made again
	tokens
	USD      float64  `json:"usd"`                // of the models whose price is known
	Unpriced []string `json:"unpriced,omitempty"` // models whose price is unknown

	// Partial is the number of cassettes that a run completes. What they lack is not known.
	Partial int `json:"partial"`
}

// add adds another estimate.
func (e *estimate) add(o *estimate) {
	e.Requests += o.Requests
	e.tokens.add(o.tokens)
	e.USD += o.USD
	e.Unpriced = addNew(e.Unpriced, o.Unpriced...)
	e.Partial += o.Partial
}

// A dryRun estimates what a run would send, and runs nothing.
type dryRun struct {
	mode   string
	verb   string // with the flag that says what to record
	flags  []string
	limits limits.Limits
	asJSON bool

	// rerecords reports whether the run records an interaction again. It is nil if it records
	// none again.
	rerecords func(it *interaction.Interaction) bool
}

// run prints the estimate for packages.
func (r *dryRun) run(packages []suite.Package, stdout io.Writer) error {
	list := []*estimate{}
	var total estimate
	all := testPackages{}
	for _, p := range packages {
		e, err := r.estimatePackage(p, all)
		if err != nil {
			return err
		}
		list = append(list, e)
		total.add(e)
	}
	if r.asJSON {
		return printJSON(stdout, map[string]any{"dry": true, "mode": r.mode, "packages": list, "total": total})
	}
	r.print(stdout, packages, list, &total)
	return nil
}

// estimatePackage returns the estimate of a package.
func (r *dryRun) estimatePackage(p suite.Package, all testPackages) (*estimate, error) {
	e := &estimate{Package: p.Path}
	files, err := cassettesOf(p)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if kindOf(file) != isCassette || all.orphaned(file) || !r.selects(file) {
			continue
		}
		f, err := load(file)
		if err != nil {
			return nil, err
		}
		if !f.Pinned {
			e.addCassette(f, r)
		}
	}
	return e, nil
}

// selects reports whether -run and -skip select the test of a cassette. Of a test with subtests, all count.
func (r *dryRun) selects(file string) bool {
	test, _ := testOf(file)
	if test == "" {
		return true // any test may open it
	}
	name, _, _ := strings.Cut(test, "/")
	for _, f := range r.flags {
		pattern, isRun := strings.CutPrefix(f, "-run=")
		first, _, _ := strings.Cut(pattern, "/")
		if isRun && !regexp.MustCompile(first).MatchString(name) {
			return false
		}
		pattern, isSkip := strings.CutPrefix(f, "-skip=")
		skipsAll := isSkip && !strings.Contains(pattern, "/")
		if skipsAll && regexp.MustCompile(pattern).MatchString(name) {
			return false
		}
	}
	return true
}

// addCassette adds what a run would send for a cassette.
func (e *estimate) addCassette(f *cassette.File, r *dryRun) {
	if f.Partial {
		e.Partial++
	}
	sent := slices.DeleteFunc(slices.Clone(f.Interactions), func(it *interaction.Interaction) bool {
		return !r.sendsAgain(it)
	})
	e.Requests += len(sent)
	e.tokens.add(tokensOf(sent))
	var rules canon.Options
	for it := range withUsage(sent) {
		model := rules.Form(&it.Request).Model
		usd, isKnown := r.limits.Prices.Cost(model, *it.Usage)
		e.USD += usd
		if !isKnown {
			e.Unpriced = addNew(e.Unpriced, model)
		}
	}
}

// sendsAgain reports whether a run sends the request of an interaction again. Calls of functions send
// nothing.
func (r *dryRun) sendsAgain(it *interaction.Interaction) bool {
	isFunction := it.Request.Method == ""
	return !isFunction && r.rerecords != nil && r.rerecords(it)
}

// print prints the estimate of each package with requests, and of all.
func (r *dryRun) print(
	w io.Writer, packages []suite.Package, list []*estimate, total *estimate,
) {
	p := newPrinter(w, false)
	if total.Requests > 0 {
		var rows []row
		for i, e := range list {
			if e.Requests > 0 {
				rows = append(rows, e.row(place(packages[i])))
			}
		}
		rows = append(rows, total.row("in all"))
		p.table([]column{
			{name: "PACKAGE"},
			{name: "REQUESTS", alignRight: true},
			{name: "TOKENS IN", alignRight: true},
			{name: "OUT", alignRight: true},
			{name: "COST", alignRight: true},
		}, rows)
	} else {
		p.line(0, "", "No recording would be made again.")
	}
	p.line(0, "", "Nothing was sent. The numbers are those of the recordings that promptecho %s makes "+
		"again; requests without a recording are sent too, and are not known%s.", r.verb, total.partials())

	if len(total.Unpriced) > 0 {
		p.line(0, "", "These prices are unknown. State them in USD for a million tokens of input and output:")
		for _, model := range total.Unpriced {
			p.command(limits.PriceFlag(model))
		}
	}
	tokens := total.InputTokens + total.OutputTokens
	limited := r.limits
	passesTokens := limited.MaxTokens > 0 && tokens > limited.MaxTokens
	passesCost := limited.MaxCost > 0 && total.USD > limited.MaxCost
	if passesTokens || passesCost {
		p.line(0, bold, "This is more than the budget, %s: the run would end early, and the next one go on.",
			limited.Budget())
	}
}

// partials says how many cassettes are partial, behind the sentence about unknown requests.
func (e *estimate) partials() string {
	if e.Partial == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s to be completed)", count(e.Partial, "partial cassette"))
}

// row returns the row of an estimate in the table.
func (e *estimate) row(name string) row {
	price := english.Dollars(e.USD)
	if len(e.Unpriced) > 0 {
		price = "unknown"
	}
	return row{cells: []string{
		name,
		english.Thousands(e.Requests),
		english.Thousands(e.InputTokens),
		english.Thousands(e.OutputTokens),
		price,
	}}
}
