package main

import "strings"

// maxBody is the largest size of a comment or an issue. GitHub counts characters, of which a text
// never has more than bytes.
const maxBody = 65_536

// fit returns a marker and a text, as long as a comment may be. A longer text ends after the last
// section that fits, with a note that the summary of the run has all of it.
func fit(marker, text, runURL string) (body string, isCut bool) {
	if len(marker)+len(text) <= maxBody {
		return marker + text, false
	}
	note := "\n**The rest does not fit here:** the summary of [the run](" + runURL + ") has all of it.\n"
	return marker + text[:endOfSection(text, maxBody-len(marker)-len(note))] + note, true
}

// endOfSection returns the end of the last section that ends in the first n bytes of a text: of a
// folded part, or of what stands before a heading. If no section ends there, it is the end of a
// paragraph, or else of a line.
func endOfSection(text string, n int) int {
	head := text[:n]
	end := 0
	for _, mark := range []struct {
		text string
		keep int // how much of it belongs to the section
	}{
		{"</details>\n", len("</details>\n")},
		{"\n## ", 1},
		{"\n### ", 1},
	} {
		if i := strings.LastIndex(head, mark.text); i >= 0 {
			end = max(end, i+mark.keep)
		}
	}
	if end > 0 {
		return end
	}
	if i := strings.LastIndex(head, "\n\n"); i >= 0 {
		return i + 1
	}
	return strings.LastIndexByte(head, '\n') + 1
}
