package main

import (
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/models"
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

func (c *cost) add(o cost) {
	c.usd += o.usd
	c.isUnknown = c.isUnknown || o.isUnknown
}

// json returns the cost in USD for programs; nil if it is unknown.
func (c cost) json() *float64 {
	if c.isUnknown {
		return nil
	}
	return &c.usd
}

func (c cost) String() string { return english.Dollars(c.usd) }
