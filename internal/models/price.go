package models

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A Price is what a million tokens of a model cost in USD.
type Price struct {
	Model  string
	Input  float64
	Output float64
	Cached float64 // input that was read from a cache; Input if the provider gives no discount

	// Longest is the number of input tokens up to which this is the price of a request; 0 if
	// it is the price of any. Longer requests cost more.
	Longest int64
}

// appliesTo reports whether p is the price of a request with this number of input tokens.
func (p Price) appliesTo(input int64) bool { return p.Longest == 0 || input <= p.Longest }

// cost returns what answers cost.
func (p Price) cost(u interaction.Usage) (usd float64) {
	cached := min(u.CachedTokens, u.InputTokens)
	perMillion := float64(u.InputTokens-cached)*p.Input +
		float64(cached)*p.Cached +
		float64(u.OutputTokens)*p.Output
	return perMillion / 1e6
}

// ParsePrice reads MODEL=IN/OUT or MODEL=IN/OUT/CACHED, in USD per million tokens. Without the
// third price, cached input costs what other input costs.
func ParsePrice(text string) (Price, error) {
	bad := fmt.Errorf("price %q: write MODEL=IN/OUT in USD per million tokens,"+
		" such as gpt-4o-mini=0.15/0.60", text)
	at := strings.LastIndex(text, "=")
	if at <= 0 {
		return Price{}, bad
	}
	var numbers []float64
	for field := range strings.SplitSeq(text[at+1:], "/") {
		n, err := strconv.ParseFloat(field, 64)
		if err != nil || n < 0 || math.IsInf(n, 0) || math.IsNaN(n) {
			return Price{}, bad
		}
		numbers = append(numbers, n)
	}
	switch len(numbers) {
	case 2:
		return Price{Model: text[:at], Input: numbers[0], Output: numbers[1], Cached: numbers[0]}, nil
	case 3:
		return Price{Model: text[:at], Input: numbers[0], Output: numbers[1], Cached: numbers[2]}, nil
	}
	return Price{}, bad
}
