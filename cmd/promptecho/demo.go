package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/standin"
)

const (
	demoQuestion = "Plan a rainy day: use get_weather(Paris), then find_museum(Paris)."
	demoChanged  = "Plan a sunny day: use get_weather(Paris), then find_museum(Paris)."
	demoFile     = "TestTrip.yaml"
)

const demoNext = `
In your own tests it is one line; any SDK that takes an *http.Client will do:

  rec := echotest.New(t)                                    // github.com/promptecho/promptecho/echotest
  openai.NewClient(option.WithHTTPClient(rec.Client()))     // github.com/openai/openai-go/v3
  anthropic.NewClient(option.WithHTTPClient(rec.Client()))  // github.com/anthropics/anthropic-sdk-go

The first go test records, every later one replays, CI only replays. Commit the
cassettes; git diff is how you review them.
`

const demoHelp = `demo [-dir DIR]
see it work: record a short agent run, replay it, and miss

The agent asks a stand-in for a provider, which is built in and needs neither a
network nor a key. It is shut down before the replay. Then a word of the prompt
is changed, to show what a test fails with.

  -dir DIR   where the cassette goes; else a new temporary folder
`

// runDemo records, unplugs, replays, and shows a miss.
func runDemo(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	dir := flags.String("dir", "", "where the cassette goes")
	rest, err := parse(flags, args)
	switch {
	case err != nil:
		return err
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q", rest[0])
	}
	if *dir == "" {
		if *dir, err = os.MkdirTemp("", "promptecho-demo-"); err != nil {
			return err
		}
	}
	// The demo chooses its modes; CI would cap them at none, and a mode of the
	// user's would make it a demo of something else.
	for _, name := range []string{"CI", "PROMPTECHO_MODE"} {
		if err := os.Unsetenv(name); err != nil {
			return err
		}
	}
	return (&demo{w: stdout, file: filepath.Join(*dir, demoFile)}).run()
}

type demo struct {
	w        io.Writer
	file     string
	provider *standin.Server
}

func (d *demo) printf(format string, args ...any) { fmt.Fprintf(d.w, format, args...) }

func (d *demo) run() error {
	d.provider = standin.New()
	defer d.provider.Close()
	base := d.provider.URL

	d.printf("1. Record. A stand-in provider runs at %s; it is no real model.\n", base)
	if _, err := os.Stat(d.file); err == nil {
		d.printf("   The cassette is there already and is recorded again (mode all).\n")
	}
	live, took, err := d.play(promptecho.ModeAll, base, demoQuestion)
	if err != nil {
		return err
	}
	d.printf("   %d requests went upstream in %s.\n", d.provider.Requests(), took)

	d.provider.Close()
	before := d.provider.Requests()
	d.printf("\n2. Unplug. The provider is shut down.\n\n3. Replay. The same program, the same prompts:\n")
	again, took, err := d.play(promptecho.ModeNone, base, demoQuestion)
	if err != nil {
		return err
	}
	if !slices.Equal(live, again) {
		return fmt.Errorf("the replay differs from the recording: this is a bug of promptecho\nrecorded: %q\nreplayed: %q", live, again)
	}
	d.printf("   The same answers, chunk by chunk, in %s; %d requests reached the provider.\n", took, d.provider.Requests()-before)

	d.printf("\n4. Change one word of the prompt. Nothing similar is served: the test fails with\n\n")
	if err := d.miss(base); err != nil {
		return err
	}
	return d.show()
}

// play runs the agent through a recorder.
func (d *demo) play(mode promptecho.Mode, base, question string) (seen []string, took time.Duration, err error) {
	rec, err := promptecho.Open(d.file, promptecho.InMode(mode))
	if err != nil {
		return nil, 0, err
	}
	began := time.Now()
	a := &agent{client: rec.Client(), base: base, steps: func(s string) { d.printf("     %s\n", s) }}
	seen, err = a.run(question)
	took = time.Since(began).Round(100 * time.Microsecond)
	return seen, took, errors.Join(err, rec.Close())
}

// miss asks for what was not recorded and prints what a test would fail with.
func (d *demo) miss(base string) error {
	rec, err := promptecho.Open(d.file, promptecho.AllowUnused())
	if err != nil {
		return err
	}
	a := &agent{client: rec.Client(), base: base, steps: func(string) {}}
	if _, err := a.run(demoChanged); err == nil {
		return errors.New("a changed prompt was answered: this is a bug of promptecho")
	}
	report := rec.Close()
	if report == nil {
		return errors.New("a miss was not reported: this is a bug of promptecho")
	}
	d.printf("%s\n", indent(report.Error(), "   | "))
	return nil
}

// show prints the beginning of the cassette and what to do next.
func (d *demo) show() error {
	data, err := os.ReadFile(d.file)
	if err != nil {
		return err
	}
	if strings.Contains(string(data), demoKey) {
		return errors.New("the cassette holds the key: this is a bug of promptecho")
	}
	const shown = 22
	lines := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	d.printf("\n5. Read the cassette. It is YAML, made to be reviewed; the key the demo sent is not\n   in it. It begins:\n\n")
	for _, line := range lines[:min(shown, len(lines))] {
		d.printf("   | %s\n", clip(line, 92))
	}
	d.printf("\n   %s\n%s", d.file, demoNext)
	return nil
}

func indent(text, prefix string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(prefix+line, " ")
	}
	return strings.Join(lines, "\n")
}
