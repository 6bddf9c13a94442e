package carrier

import (
	"slices"
	"strings"
)

// valueNames are the names of members, elements and attributes that mean no more than
// "value": another member has the name of the value. They are in lower case and without
// an "s" at the end.
var valueNames = []string{
	"v", "", "data", "content", "raw", "plain", "_", "$t", "#t",
	"value", "stringvalue", "string_value", "secretvalue", "secret_value", "plainvalue",
	"val", "stringval", "text", "string", "secretstring", "plaintext", "secrettext",
}

// IsValueName reports whether a name means no more than "value".
func IsValueName(name string) bool {
	if name == "" || len(name) > len("secret_values") {
		return false
	}
	last := name[len(name)-1]
	isLikely := strings.IndexByte("vVsSaAtTwWnN_eElLgG", last) >= 0
	if !isLikely {
		return false
	}
	low := strings.ToLower(name)
	return low == "ss" || slices.Contains(valueNames, strings.TrimSuffix(low, "s"))
}

// labelsOf returns labels together with the members that may be labels.
func labelsOf(labels []string, members []Member) []string {
	labels = labels[:len(labels):len(labels)]
	for _, m := range members {
		mayBeLabel := len(m.Value) >= 3 && strings.IndexByte(m.Value, ' ') < 0 && !IsValueName(m.Name)
		if mayBeLabel {
			labels = append(labels, m.Value)
		}
	}
	return labels
}
