package echotest

import (
	"flag"
	"testing"
)

// Reports are red, green and bold where colours are asked for, and nowhere else.
func TestColoured(t *testing.T) {
	report := "a.yaml:4: differs\n  messages/0\n    recorded: \"a\"\n    incoming: \"b\"\n    change:   [-a-]{+b+} c\n\nTo record it again:\n  PROMPTECHO_MODE=all go test .\n"
	setVerbose(t, "false")
	t.Setenv("NO_COLOR", "")
	t.Setenv("FORCE_COLOR", "0")
	if got := coloured(report); got != report {
		t.Errorf("colours that nobody asked for: %q", got)
	}
	t.Setenv("FORCE_COLOR", "1")
	want := "a.yaml:4: differs\n  messages/0\n\x1b[31m    recorded: \"a\"\x1b[0m\n\x1b[32m    incoming: \"b\"\x1b[0m\n    change:   \x1b[31m[-a-]\x1b[0m\x1b[32m{+b+}\x1b[0m c\n\nTo record it again:\n\x1b[1m  PROMPTECHO_MODE=all go test .\x1b[0m\n"
	if got := coloured(report); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	setVerbose(t, "test2json")
	if got := coloured(report); got != report {
		t.Errorf("go test -json: %q", got)
	}
	setVerbose(t, "true")
	t.Setenv("NO_COLOR", "1")
	if got := coloured(report); got != report {
		t.Errorf("NO_COLOR is set: %q", got)
	}
}

// setVerbose makes the value of the flag -test.v known, and leaves the run of
// the tests as it is.
func setVerbose(t *testing.T, value string) {
	all := flag.CommandLine
	t.Cleanup(func() { flag.CommandLine = all })
	flag.CommandLine = flag.NewFlagSet(all.Name(), flag.ContinueOnError)
	flag.String("test.v", value, "")
}
