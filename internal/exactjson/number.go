package exactjson

import (
	"cmp"
	"strconv"
	"strings"
)

// PlainNumber returns the one spelling of a JSON number: 1.0, 1e0 and 10e-1 are 1.
// It works on the digits, so that nothing is rounded (RFC 8259, section 6,
// leaves precision open; seeds exceed 2^53). "-0" stays apart from "0".
func PlainNumber(lit string) string {
	if !strings.ContainsAny(lit, ".eE") {
		return lit
	}
	if unsigned, negative := strings.CutPrefix(lit, "-"); negative {
		return "-" + PlainNumber(unsigned)
	}
	mant, exps, _ := strings.Cut(strings.ToLower(lit), "e")
	exp, err := strconv.Atoi(cmp.Or(exps, "0"))
	if err != nil || exp > 1000 || exp < -1000 {
		return strings.ToLower(lit)
	}
	whole, frac, _ := strings.Cut(mant, ".")
	padded := strings.TrimLeft(whole+frac, "0")
	digits := strings.TrimRight(padded, "0")
	exp += len(padded) - len(digits) - len(frac)
	switch point := len(digits) + exp; {
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
