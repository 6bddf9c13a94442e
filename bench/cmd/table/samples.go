package main

import (
	"fmt"
	"slices"
)

// samples are measured values: for each contender, one value of each round.
type samples map[string][]float64

// rounds measures every contender once in each of n rounds. What else the
// machine does meanwhile hits all contenders of a round alike, so values of
// one round can be compared. Every second round goes backwards, so that no
// contender always follows the same one. A first round is not counted: it
// fills caches.
func rounds(n int, contenders []string, measure func(contender string) (float64, error)) (samples, error) {
	all := samples{}
	order := slices.Clone(contenders)
	for round := range n + 1 {
		for _, c := range order {
			value, err := measure(c)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c, err)
			}
			if round > 0 {
				all[c] = append(all[c], value)
			}
		}
		slices.Reverse(order)
	}
	return all, nil
}

// A figure sums up many rounds.
type figure struct {
	median, min float64
}

// of returns the figure of one contender.
func (s samples) of(c string) figure {
	return figure{median(s[c]), slices.Min(s[c])}
}

// ratio compares two contenders: the median of a's value divided by b's in the
// same round, and the smallest value of a divided by the smallest of b.
func (s samples) ratio(a, b string) figure {
	return figure{
		median: median(s.paired(a, b, func(x, y float64) float64 { return x / y })),
		min:    slices.Min(s[a]) / slices.Min(s[b]),
	}
}

// difference compares two contenders as ratio does, by subtraction.
func (s samples) difference(a, b string) figure {
	return figure{
		median: median(s.paired(a, b, func(x, y float64) float64 { return x - y })),
		min:    slices.Min(s[a]) - slices.Min(s[b]),
	}
}

func (s samples) paired(a, b string, compare func(x, y float64) float64) []float64 {
	var all []float64
	for i := range s[a] {
		all = append(all, compare(s[a][i], s[b][i]))
	}
	return all
}

// median returns the middle value, or the mean of the two in the middle.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
