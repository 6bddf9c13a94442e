// Package limits keeps the requests of a run of promptecho record within one rate and one budget, over
// all processes of its tests. Package quota asks it from the tests.
package limits

import (
	"fmt"
	"slices"

	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/models"
	"github.com/promptecho/promptecho/internal/testenv/shell"
)

// Limits are those of a run. Zero is no limit.
type Limits struct {
	PerSecond float64 // requests
	MaxTokens int64
	MaxCost   float64 // in USD
	Prices    models.Prices
}

// A Report says what the requests of a run were and cost. Numbers are of requests, as sent: an SDK that
// tries again sends another one.
type Report struct {
	Sent      int         `json:"sent"`
	Whole     int         `json:"whole"`              // answered completely, and not with a failure
	BrokenOff int         `json:"broken_off"`         // the answer had begun, and has no end
	Failures  map[int]int `json:"failures,omitempty"` // by status
	Pauses    int         `json:"pauses"`             // how often a server asked for a pause
	Estimated int         `json:"estimated"`          // answers without a usage, whose tokens are estimated

	Tokens int64   `json:"tokens"` // input and output
	USD    float64 `json:"usd"`    // of the answers whose models have a known price

	Refused   map[finding.Code]int `json:"refused,omitempty"` // not sent
	Exhausted []string             `json:"exhausted,omitempty"`
	Unpriced  []string             `json:"unpriced,omitempty"` // models without a known price
}

// addUnpriced adds a model without a known price.
func (r *Report) addUnpriced(model string) {
	if model != "" && !slices.Contains(r.Unpriced, model) {
		r.Unpriced = append(r.Unpriced, model)
	}
}

// An amount is what one answer or many cost.
type amount struct {
	tokens int64
	usd    float64
}

func (a amount) plus(b amount) amount { return amount{a.tokens + b.tokens, a.usd + b.usd} }

// A refusal says why a request may not be sent.
type refusal struct {
	code   finding.Code
	reason string
}

// usedUp returns the refusal of a request that is expected to pass the budget.
func (l *Limits) usedUp(spent, expects amount) *refusal {
	text := fmt.Sprintf("the budget of this run (%s) does not allow another request: %s used",
		l.flags(), l.Used(spent.tokens, spent.usd))
	switch {
	case expects.tokens > 0 && l.MaxTokens > 0:
		text += fmt.Sprintf(", and it may need %s more", english.Thousands(expects.tokens))
	case expects.usd > 0:
		text += fmt.Sprintf(", and it may need %s more", english.Dollars(expects.usd))
	}
	return &refusal{finding.BudgetUsed, text + ". What is recorded is kept: the next run sends only the rest"}
}

// flags returns the flags that set the budget.
func (l *Limits) flags() string {
	switch {
	case l.MaxCost == 0:
		return "-max-tokens"
	case l.MaxTokens == 0:
		return "-max-cost"
	}
	return "-max-tokens and -max-cost"
}

// Budget returns the budget: "800 tokens".
func (l *Limits) Budget() string {
	tokens := english.Thousands(l.MaxTokens) + " tokens"
	switch {
	case l.MaxCost == 0:
		return tokens
	case l.MaxTokens == 0:
		return english.Dollars(l.MaxCost)
	}
	return tokens + " and " + english.Dollars(l.MaxCost)
}

// Used returns how much of the budget is used: "780 of 800 tokens".
func (l *Limits) Used(tokens int64, usd float64) string {
	byTokens := fmt.Sprintf("%s of %s tokens",
		english.Thousands(tokens), english.Thousands(l.MaxTokens))
	byCost := fmt.Sprintf("%s of %s", english.Dollars(usd), english.Dollars(l.MaxCost))
	switch {
	case l.MaxCost == 0:
		return byTokens
	case l.MaxTokens == 0:
		return byCost
	}
	return byTokens + " and " + byCost
}

// noPrice returns the refusal of a request to a model without a known price.
func noPrice(model string) *refusal {
	return &refusal{finding.PriceUnknown, fmt.Sprintf("-max-cost needs the price of the model %s. "+
		"State it in USD for a million tokens of input and output: promptecho record %s",
		model, PriceFlag(model))}
}

// PriceFlag returns the flag that states the price of a model. IN and OUT are to be replaced.
func PriceFlag(model string) string { return "-price " + shell.Quote(model+"=IN/OUT") }

// noQuota returns the refusal of a request to a host that has said that the account has no quota left.
func noQuota(host string) *refusal {
	return &refusal{finding.QuotaExhausted, fmt.Sprintf("%s has answered an earlier request of this run with: no "+
		"quota left. What is recorded is kept: add quota, and run the tests again", host)}
}
