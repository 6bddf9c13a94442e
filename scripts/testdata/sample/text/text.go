// Package text knows nothing of models.
package text

import "strings"

// First returns the first sentence of a text.
func First(text string) string {
	first, _, more := strings.Cut(text, ". ")
	if more {
		first += "."
	}
	return first
}
