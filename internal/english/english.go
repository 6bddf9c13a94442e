// Package english writes numbers and lists in English.
package english

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Count returns "1 thing" or "2 things".
func Count(n int, thing string) string { return strconv.Itoa(n) + " " + Plural(n, thing) }

// Plural returns thing if n is 1, and else thing with an "s".
func Plural(n int, thing string) string {
	if n == 1 {
		return thing
	}
	return thing + "s"
}

// Thousands writes n, which is not negative, with commas: 12,345.
func Thousands[Int ~int | ~int64](n Int) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// List joins the first most items with commas, and counts the others: "a, b and 3
// more".
func List(items []string, most int) string {
	shown := items[:min(len(items), most)]
	return strings.Join(shown, ", ") + AndMore(" ", len(items)-most)
}

// AndMore returns the end of a list that leaves out n items: "and 3 more", with
// the text before in front of it. It returns "" if n is not positive.
func AndMore(before string, n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf("%sand %d more", before, n)
}

// Sentence returns a text whose first letter is a capital.
func Sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// Dollars writes an amount of money that is not negative: cents, and for less than ten
// cents two digits that are not zero: $12.30, $0.25, $0.0034.
func Dollars(usd float64) string {
	const cents = 2
	digits := cents
	if usd > 0 {
		first := -int(math.Floor(math.Log10(usd))) // the place of the first digit that is not zero
		digits = max(cents, first+1)
	}
	text := strconv.FormatFloat(usd, 'f', digits, 64)
	for digits > cents && strings.HasSuffix(text, "0") {
		digits--
		text = strings.TrimSuffix(text, "0")
	}
	return "$" + text
}
