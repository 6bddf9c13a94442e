package exactjson

import (
	"strconv"
	"strings"
)

// OneNumber returns the one spelling of a JSON number: 1.0, 1e0 and 10e-1 are 1.
// It works on the digits, so that nothing is rounded (RFC 8259, section 6,
// leaves precision open; seeds exceed 2^53). "-0" stays apart from "0".
func OneNumber(lit string) string {
	if !strings.ContainsAny(lit, ".eE") {
		return lit
	}
	mant, exps, _ := strings.Cut(strings.ToLower(lit), "e")
	exp := 0
	if exps != "" {
		var err error
		if exp, err = strconv.Atoi(exps); err != nil || exp > 1000 || exp < -1000 {
			return strings.ToLower(lit)
		}
	}
	sign := ""
	if mant[0] == '-' {
		sign, mant = "-", mant[1:]
	}
	whole, frac, _ := strings.Cut(mant, ".")
	exp -= len(frac)
	digits := strings.TrimLeft(whole+frac, "0")
	if digits == "" {
		return sign + "0"
	}
	trimmed := strings.TrimRight(digits, "0")
	exp += len(digits) - len(trimmed)
	digits = trimmed
	switch point := len(digits) + exp; {
	case exp >= 0:
		return sign + digits + strings.Repeat("0", exp)
	case point > 0:
		return sign + digits[:point] + "." + digits[point:]
	default:
		return sign + "0." + strings.Repeat("0", -point) + digits
	}
}
