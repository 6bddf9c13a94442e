package exactjson

import (
	"cmp"
	"strconv"
	"strings"
)

// PlainNumber returns the canonical spelling of a JSON number: 1.0, 1e0 and 10e-1 are 1.
// It works on the digits, so that nothing is rounded: RFC 8259, section 6, does not limit
// the precision, and seeds exceed 2^53. "-0" is not the same as "0". A number with an
// exponent above 1000 keeps its spelling in lower case.
func PlainNumber(literal string) string {
	const maxExponent = 1000
	if !strings.ContainsAny(literal, ".eE") {
		return literal
	}
	if unsigned, negative := strings.CutPrefix(literal, "-"); negative {
		return "-" + PlainNumber(unsigned)
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(literal), "e")
	exp, err := strconv.Atoi(cmp.Or(exponent, "0"))
	if err != nil || exp > maxExponent || exp < -maxExponent {
		return strings.ToLower(literal)
	}

	// The number is digits * 10^exp, where digits has no zeros at its ends.
	whole, fraction, _ := strings.Cut(mantissa, ".")
	padded := strings.TrimLeft(whole+fraction, "0")
	digits := strings.TrimRight(padded, "0")
	exp += len(padded) - len(digits) - len(fraction)
	point := len(digits) + exp // the index of the decimal point in digits
	switch {
	case digits == "":
		return "0"
	case exp >= 0:
		return digits + strings.Repeat("0", exp)
	case point > 0:
		return digits[:point] + "." + digits[point:]
	default:
		return "0." + strings.Repeat("0", -point) + digits
	}
}
