package main

import (
	"math"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/models"
	"github.com/promptecho/promptecho/internal/testenv/attr"
)

// A cost is what some answers have cost by the list prices of package models. It is unknown if
// the price of one of them is. The zero cost is that of no answers.
type cost struct {
	usd       float64
	isUnknown bool
}

// costOf returns the cost of the answers of some interactions. An answer that is fetched again
// costs nothing; the price of a fake's is unknown, since it has no provider.
func costOf(its []*interaction.Interaction) (sum cost) {
	for it := range withUsage(its) {
		model := new(canon.Options).Form(&it.Request).Model
		usd, isKnown := models.Cost(model, *it.Usage)
		sum.add(cost{usd: usd, isUnknown: !isKnown || it.Fake})
	}
	return sum
}

// costOfRun returns the cost of what recorders have recorded. It is unknown if the tests link a
// version of promptecho that does not count by model. prices count before those of the table.
func costOfRun(done attr.Done, prices models.Prices) (sum cost) {
	in, out := int64(0), int64(0)
	for _, m := range done.Models {
		used := interaction.Usage{
			InputTokens:  m.InputTokens,
			OutputTokens: m.OutputTokens,
			CachedTokens: m.CachedTokens,
		}
		usd, isKnown := prices.CostOfAll(m.Model, used, m.LargestInput)
		sum.add(cost{usd: usd, isUnknown: !isKnown})
		in += m.InputTokens
		out += m.OutputTokens
	}
	countsAll := in == done.InputTokens && out == done.OutputTokens
	sum.isUnknown = sum.isUnknown || !countsAll
	return sum
}

func (c *cost) add(o cost) {
	c.usd += o.usd
	c.isUnknown = c.isUnknown || o.isUnknown
}

// json returns the cost in USD for programs, with nine decimals; nil if it is unknown.
func (c cost) json() *float64 {
	if c.isUnknown {
		return nil
	}
	usd := math.Round(c.usd*1e9) / 1e9
	return &usd
}

func (c cost) String() string { return english.Dollars(c.usd) }
