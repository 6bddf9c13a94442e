// Command table prints what a user of promptecho waits for, compared with no
// recorder and with other libraries, as the tables of docs/PERFORMANCE.md.
// From the root of the repository:
//
//	go -C bench run ./cmd/table                                 # everything
//	go -C bench run ./cmd/table -quick                          # a first impression, in two minutes
//	go -C bench run ./cmd/table -run 'loop|replay'              # some parts
//	go -C bench run ./cmd/table -write ../docs/PERFORMANCE.md   # put the tables into the page
//
// The parts are loop, replay, recording, memory and growth. All contenders of
// a row are measured in turn, many times, so that other load on the machine
// hits all of them. A cell has the median and, in parentheses, the minimum.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/promptecho/promptecho/bench/internal/harness"
)

// ours and none are names of contenders: promptecho, and a test without a
// recorder.
const (
	ours = "promptecho"
	none = "none"
)

// defaultPeers are what promptecho is compared with in docs/PERFORMANCE.md.
const defaultPeers = "go-vcr,charm,httprr"

// settings say what to measure, and how often.
type settings struct {
	dir   string   // a folder for files that are measured
	peers []string // what promptecho is compared with
	quick bool
}

// pick returns full, or what -quick takes in its place.
func pick[T any](s *settings, full, quick T) T {
	if s.quick {
		return quick
	}
	return full
}

// A part is one table of the page, between marks of its name.
type part struct {
	name    string
	measure func(*settings) (*table, error)
}

var parts = []part{
	{"loop", loop},
	{"replay", replay},
	{"recording", recording},
	{"memory", memory},
}

func main() {
	run := flag.String("run", ".", "only the parts whose names match the `regexp`")
	quick := flag.Bool("quick", false, "a first impression: few rounds and small sizes")
	write := flag.String("write", "", "put the tables between their marks in this `file`, too")
	peers := flag.String("peers", defaultPeers, "compare with these contenders")
	flag.Parse()
	s := &settings{peers: strings.Split(*peers, ","), quick: *quick}
	if err := tables(s, *run, *write); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

// tables measures the parts that match a pattern, prints them, and writes them
// into a page if it has a name.
func tables(s *settings, pattern, page string) error {
	wanted, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	s.dir, err = os.MkdirTemp("", "promptecho-table")
	if err != nil {
		return err
	}
	defer os.RemoveAll(s.dir)

	// In CI and with PROMPTECHO_MODE, promptecho would be stricter than the
	// contender asks it to be. Some contenders log what they do.
	os.Unsetenv("CI")
	os.Unsetenv("PROMPTECHO_MODE")
	log.SetOutput(io.Discard)

	measured := false
	for _, p := range parts {
		if !wanted.MatchString(p.name) {
			continue
		}
		measured = true
		began := time.Now()
		t, err := p.measure(s)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		fmt.Fprintf(os.Stderr, "table: %s took %s\n", p.name, time.Since(began).Round(time.Second))
		text := harness.Origin(s.command(p.name)) + t.String()
		fmt.Printf("## %s\n\n%s\n", p.name, text)
		if page == "" {
			continue
		}
		if err := harness.Write(page, p.name, text); err != nil {
			return err
		}
	}
	if wanted.MatchString("growth") {
		measured = true
		if err := growth(s, page); err != nil {
			return fmt.Errorf("growth: %w", err)
		}
	}
	if !measured {
		return errors.New("no part matches " + pattern)
	}
	return nil
}

// command returns the command that prints one part with these settings.
func (s *settings) command(part string) string {
	text := "go -C bench run ./cmd/table -run " + part
	if s.quick {
		text += " -quick"
	}
	if peers := strings.Join(s.peers, ","); peers != defaultPeers {
		text += " -peers " + peers
	}
	return text
}

// growth runs the command that measures how times grow with the work. It
// prints and writes its table itself.
func growth(s *settings, page string) error {
	args := []string{"run", "./cmd/growth", "-sizes", pick(s, "4", "2"), "-vcr", pick(s, "500ms", "100ms")}
	if page != "" {
		args = append(args, "-write", page)
	}
	cmd := exec.Command("go", args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}
