// Package command is the command promptecho-store, a file for each verb.
package command

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

const usage = `promptecho-store keeps cassettes that have outgrown git in an object store. A file
testdata/cassettes.lock in git, called a lock, lists the cassettes of a package with their SHA-256.

  promptecho-store init URL            say where: s3://BUCKET, gs://BUCKET, azblob://CONTAINER, file:///DIR
  promptecho-store push [PATH ...]     store the cassettes that are here, and list them in the locks
  promptecho-store pull [PATH ...]     fetch those that the locks name and that are not here
  promptecho-store status [PATH ...]   show where cassettes and locks differ; uses no network
  promptecho-store verify [PATH ...]   read from the store all that the locks name
  promptecho-store merge [PATH ...]    settle the locks that git left in conflict
  promptecho-store gc                  delete from the store what no commit names

PATH is a folder, a cassette, or a pattern of names such as 'TestAgent*'. A verb with -h prints its
flags. docs/STORE.md has the rest. The exit status is 1 if something remains to be done, and 2 if
the command was wrong.
`

// verbs are the subcommands.
var verbs = map[string]func(*call) error{
	"init": runInit, "push": runPush, "pull": runPull, "status": runStatus, "verify": runVerify, "merge": runMerge, "gc": runGC,
}

// A call is one run of the command.
type call struct {
	ctx            context.Context
	stdout, stderr io.Writer
	flags          *flag.FlagSet
	json           *bool
	rest           []string
}

// errToDo is the error of a run that has already said what is to be done.
var errToDo = errors.New("something remains to be done")

// usageError is that of a call that is wrong in itself.
type usageError struct{ error }

// Main runs the command and returns its exit status.
func Main(args []string, stdout, stderr io.Writer) int {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // what is held is small, and what passes through is much
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		fmt.Fprint(stdout, usage)
		return map[bool]int{true: 2, false: 0}[len(args) == 0]
	}
	run, ok := verbs[args[0]]
	if !ok {
		fmt.Fprintf(stderr, "promptecho-store: there is no verb %q\n\n%s", args[0], usage)
		return 2
	}
	c := &call{ctx: ctx, stdout: stdout, stderr: stderr, flags: flag.NewFlagSet("promptecho-store "+args[0], flag.ContinueOnError), rest: args[1:]}
	c.flags.SetOutput(stderr)
	c.json = c.flags.Bool("json", false, "print one JSON object")
	err := run(c)
	var wrong usageError
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errToDo):
		return 1
	case errors.As(err, &wrong):
		fmt.Fprintf(stderr, "promptecho-store %s: %v\n", args[0], err)
		return 2
	}
	fmt.Fprintf(stderr, "promptecho-store %s: %v\n", args[0], err)
	return 1
}

// parse reads the flags; those of the verb have been added.
func (c *call) parse() error {
	if err := c.flags.Parse(c.rest); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return usageError{err}
	}
	c.rest = c.flags.Args()
	for _, arg := range c.rest {
		if strings.HasPrefix(arg, "-") {
			return usageError{fmt.Errorf("%s is after a path: flags come first", arg)}
		}
	}
	return nil
}

// result prints what was done: as JSON, or in these words.
func (c *call) result(v any, format string, args ...any) error {
	if *c.json {
		e := json.NewEncoder(c.stdout)
		e.SetIndent("", "  ")
		return e.Encode(v)
	}
	_, err := fmt.Fprintf(c.stdout, format+"\n", args...)
	return err
}

// say prints a line, unless the result is JSON.
func (c *call) say(format string, args ...any) {
	if !*c.json {
		fmt.Fprintf(c.stdout, format+"\n", args...)
	}
}

// transfers is how many objects move at once, if the user does not say otherwise: they wait for
// the store most of the time.
const transfers = 32

// readers is how many files are read and checked at once.
func readers() int { return max(2, runtime.GOMAXPROCS(0)) }

// A progress tells on a terminal how far a command is.
type progress struct {
	w     io.Writer // nil if it is no terminal
	what  string
	all   int
	done  chan int64 // the bytes of one that is done
	ended chan struct{}
}

// progress begins to tell. Its end must be called.
func (c *call) progress(what string, all int) *progress {
	p := &progress{what: what, all: all, done: make(chan int64, transfers), ended: make(chan struct{})}
	if f, ok := c.stderr.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			p.w = f
		}
	}
	go p.tell()
	return p
}

func (p *progress) step(bytes int64) { p.done <- bytes }

func (p *progress) end() {
	close(p.done)
	<-p.ended
}

func (p *progress) tell() {
	defer close(p.ended)
	began, shown := time.Now(), time.Time{}
	n, bytes := 0, int64(0)
	for b := range p.done {
		n, bytes = n+1, bytes+b
		if p.w != nil && time.Since(shown) > 100*time.Millisecond && time.Since(began) > 500*time.Millisecond {
			shown = time.Now()
			fmt.Fprintf(p.w, "\r%s %d of %d, %.1f MB\x1b[K", p.what, n, p.all, float64(bytes)/1e6)
		}
	}
	if !shown.IsZero() {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
