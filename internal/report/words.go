package report

import (
	"fmt"
	"strings"
)

// andMore ends a list that is too long to be shown.
func andMore(before string, n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf("%sand %d more", before, n)
}

// List names the first few of what there is: "a, b and 3 more".
func List(items []string, most int) string {
	return strings.Join(items[:min(len(items), most)], ", ") + andMore(" ", len(items)-most)
}

// Count returns "1 thing", "2 things".
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// times returns "once", "2 times".
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
