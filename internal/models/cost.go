package models

import (
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/interaction"
)

// Cost returns what an answer of a model with this usage costs, by the list price of the
// provider for text; ok is false if the table has no price. It is an estimate: fees for tools,
// for writing to a cache and for regions are left out, and so are discounts.
func Cost(model string, u interaction.Usage) (usd float64, ok bool) {
	return Prices(nil).Cost(model, u)
}

// Prices are prices that a user states, which count before those of the table. It is a
// flag.Value that may be set more than once.
type Prices []Price

// Cost is like the function Cost.
func (ps Prices) Cost(model string, u interaction.Usage) (usd float64, ok bool) {
	return ps.CostOfAll(model, u, u.InputTokens)
}

// CostOfAll is like Cost for several answers of a model: sum is their usage together, and
// largest are the input tokens of the request that has most, since long requests cost more.
func (ps Prices) CostOfAll(model string, sum interaction.Usage, largest int64) (usd float64, ok bool) {
	price, ok := ps.Of(model)
	if !ok || !price.appliesTo(largest) {
		return 0, false
	}
	return price.cost(sum), true
}

// Of returns the price of a model.
func (ps Prices) Of(model string) (Price, bool) {
	names := append([]string{model}, priceNames(model)...)
	for _, name := range names {
		for _, p := range ps {
			if p.Model == name {
				return p, true
			}
		}
	}
	for _, name := range names {
		for _, list := range prices {
			at := slices.IndexFunc(list.rows, func(p Price) bool { return p.Model == name })
			if at >= 0 {
				return list.rows[at], true
			}
		}
	}
	return Price{}, false
}

// Set adds a price: see ParsePrice.
func (ps *Prices) Set(text string) error {
	p, err := ParsePrice(text)
	if err != nil {
		return err
	}
	*ps = append(*ps, p)
	return nil
}

// String returns the prices as Set takes them, with commas between them.
func (ps Prices) String() string {
	var texts []string
	for _, p := range ps {
		texts = append(texts, fmt.Sprintf("%s=%v/%v/%v", p.Model, p.Input, p.Output, p.Cached))
	}
	return strings.Join(texts, ",")
}
