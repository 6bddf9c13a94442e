package echofake

import (
	"path/filepath"
	"strconv"
	"strings"
)

// base returns the last element of a path with slashes or backslashes.
func base(file string) string { return filepath.Base(filepath.FromSlash(file)) }

// short returns the beginning of a text.
func short(text string) string {
	const most = 60 // runes, so that a turn takes one line of a report
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most]) + "..."
}

// quoted returns texts in quotes, with a comma between them.
func quoted(texts ...string) string {
	list := make([]string, len(texts))
	for i, s := range texts {
		list[i] = strconv.Quote(short(s))
	}
	return strings.Join(list, ", ")
}
