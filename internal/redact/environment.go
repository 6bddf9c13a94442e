package redact

// The judgement of the environment's values, as main has it; it may go once
// drawnAlone does for them too.

func distinct(body []byte) int {
	var seen [256]bool
	n := 0
	for _, c := range body {
		if !seen[c] {
			seen[c] = true
			n++
		}
	}
	return n
}

// random reports whether text looks like drawn and not like written: words and
// names joined by dashes or underscores have long runs of lower-case letters.
func random(body []byte) bool {
	digits, uppers, run, longest := 0, 0, 0, 0
	for i, c := range body {
		switch {
		case '0' <= c && c <= '9':
			digits++
			run = 0
		case 'A' <= c && c <= 'Z':
			uppers++
			run = 0
		case 'a' <= c && c <= 'z':
			if run++; i > 0 {
				longest = max(longest, run)
			}
		default:
			run = 0
		}
	}
	if distinct(body) < 8 {
		return false
	}
	letters := len(body) - digits
	switch {
	case digits == 0:
		return uppers >= 4 && letters-uppers >= 4 && longest < 10 || base32Only(body)
	case uppers == 0:
		return digits >= 4 && longest < 12
	}
	return longest < 16
}

func base32Only(body []byte) bool {
	for _, c := range body {
		if class[c]&upper == 0 && (c < '2' || c > '7') {
			return false
		}
	}
	return true
}
