package main

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/models"
)

// A retirement is that of the model of recordings, as verify -json prints it.
type retirement struct {
	Model       string `json:"model"` // as the requests name it
	Line        int    `json:"line"`  // of the first recording of the model
	Provider    string `json:"provider"`
	Date        string `json:"date"` // YYYY-MM-DD
	Over        bool   `json:"over"` // the date is not in the future
	Replacement string `json:"replacement,omitempty"`
	Source      string `json:"source"` // the page of the provider
	Read        string `json:"read"`   // the day on which it was read

	file string
}

// retirementOf returns the retirement of the model of a recording. A recording of a fake has no
// provider.
func retirementOf(it *interaction.Interaction, now time.Time) (_ retirement, isRetired bool) {
	if it.Fake {
		return retirement{}, false
	}
	host := ""
	if u, err := url.Parse(it.Request.URL); err == nil {
		host = u.Hostname()
	}
	model := new(canon.Options).Form(&it.Request).Model
	r, isRetired := models.RetirementAt(host, model)
	if !isRetired {
		return retirement{}, false
	}
	return retirement{
		Model:       model,
		Line:        it.Line,
		Provider:    r.Provider,
		Date:        r.Date.Format(time.DateOnly),
		Over:        !now.Before(r.Date),
		Replacement: r.Replacement,
		Source:      r.Source,
		Read:        r.Read.Format(time.DateOnly),
	}, true
}

// text says in a sentence when the model ends:
//
//	gpt-4o-mini: OpenAI retires it on 2027-01-14 and recommends gpt-6-luna
//	claude-2.1: Anthropic retired it on 2025-07-21 and recommends claude-opus-4-8
func (r retirement) text() string {
	verb := "retires"
	if r.Over {
		verb = "retired"
	}
	text := fmt.Sprintf("%s: %s %s it on %s", r.Model, r.Provider, verb, r.Date)
	if r.Replacement != "" {
		text += " and recommends " + r.Replacement
	}
	return text
}

// retirements prints a line for each model that is retired, with its files, in the order of the
// dates. The retirements of a file are those of its models.
func (p *printer) retirements(all []retirement) {
	var each []retirement
	files := map[string][]string{} // by the text about a model
	for _, r := range all {
		if files[r.text()] == nil {
			each = append(each, r)
		}
		files[r.text()] = append(files[r.text()], r.file)
	}
	if len(each) == 0 {
		return
	}
	slices.SortStableFunc(each, func(a, b retirement) int {
		return strings.Compare(a.Date+a.Model, b.Date+b.Model)
	})

	p.line(0, bold, "Providers retire models. Recordings of them replay; after the date, "+
		"no test can record them again:")
	for _, r := range each {
		const mostFiles = 3
		p.line(2, "", "%s; in %s", r.text(), english.List(files[r.text()], mostFiles))
	}
}
