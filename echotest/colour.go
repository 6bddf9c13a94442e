package echotest

import (
	"os"
	"regexp"

	"github.com/promptecho/promptecho/internal/report"
)

// colours are the parts of a report that are coloured on a terminal: text that is only in the recording
// is red, text that is only in the request is green, and commands to paste are bold.
var colours = [...]struct{ code, part string }{
	{"31", `(?m)^ *(recorded|snapshot): .*$|\[-.*?-\]`},
	{"32", `(?m)^ *(incoming|live|now): .*$|\{\+.*?\+\}`},
	{"1", `(?m)^  (PROMPTECHO_\w+=|promptecho |git |cd ).*$`},
}

// coloured returns a report as the output of the test shows it: with colours if that is a terminal,
// or if FORCE_COLOR asks for them, and never where programs read it or NO_COLOR is set.
func coloured(text string) string {
	info, err := os.Stdout.Stat()
	shows := err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
	if force := os.Getenv("FORCE_COLOR"); force != "" {
		shows = force != "0" && force != "false" && report.Flag("test.v") != "test2json"
	}
	if !shows || os.Getenv("NO_COLOR") != "" {
		return text
	}
	for _, c := range colours {
		text = regexp.MustCompile(c.part).ReplaceAllString(text, "\x1b["+c.code+"m$0\x1b[0m")
	}
	return text
}
