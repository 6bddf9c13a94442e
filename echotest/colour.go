package echotest

import (
	"flag"
	"os"
	"regexp"
)

// colours are the parts of a report that are coloured on a terminal: what is only in the recording is
// red, what is only in the request is green, and what can be pasted is bold.
var colours = []struct{ part, code string }{
	{`(?m)^ *(recorded|snapshot): .*$|\[-.*?-\]`, "31"},
	{`(?m)^ *(incoming|live|now): .*$|\{\+.*?\+\}`, "32"},
	{`(?m)^  (PROMPTECHO_\w+=|promptecho |git |cd ).*$`, "1"},
}

// coloured returns a report as the output of the test shows it: with colours if that is a terminal,
// or if FORCE_COLOR asks for them, and never where programs read it or NO_COLOR is set.
func coloured(report string) string {
	info, err := os.Stdout.Stat()
	shows := err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
	if force := os.Getenv("FORCE_COLOR"); force != "" {
		v := flag.Lookup("test.v")
		shows = force != "0" && force != "false" && (v == nil || v.Value.String() != "test2json")
	}
	if !shows || os.Getenv("NO_COLOR") != "" {
		return report
	}
	for _, c := range colours {
		report = regexp.MustCompile(c.part).ReplaceAllString(report, "\x1b["+c.code+"m$0\x1b[0m")
	}
	return report
}
