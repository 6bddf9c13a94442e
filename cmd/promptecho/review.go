package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/snapshot"
)

const reviewHelp = `review [-accept|-reject|-list] [-json] [PATH ...]
go through snapshots that differ: accept, reject, or leave them

A test with package echosnap leaves TestX.snap.new next to TestX.snap if a value
differs. review shows each with the words that differ, and what has changed in
the cassette of the same test since git's HEAD: the prompt changed, so the
answer changed, so the snapshot did. A path is such a file, or a folder; the
default is ".". A snapshot that is accepted goes into TestX.snap; one that is
rejected is dropped, and its test fails until it matches again.

  a   accept       s   skip         q   quit
  r   reject       A   accept this one and the rest

  -accept   accept all
  -reject   reject all
  -list     list them
  -full     do not cut long texts
  -json     print a list with an object for each

The exit status is 1 if some are left.
`

// A pending is a snapshot to be reviewed.
type pending struct {
	Path string       `json:"path"` // of the file with snapshots
	Test string       `json:"test,omitempty"`
	Name string       `json:"name"`
	Kind string       `json:"kind"`
	Code finding.Code `json:"code"`
	At   string       `json:"at"`            // where the test asked
	Old  string       `json:"old,omitempty"` // as it is written; empty if there is none
	New  string       `json:"new"`
	Done string       `json:"done,omitempty"` // accepted, rejected or stale

	section, was *snapshot.Section
}

// runReview reviews snapshots.
func runReview(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("review", flag.ContinueOnError)
	accept, reject, list := flags.Bool("accept", false, ""), flags.Bool("reject", false, ""), flags.Bool("list", false, "")
	full, asJSON := flags.Bool("full", false, ""), flags.Bool("json", false, "")
	paths, err := parse(flags, args)
	if err != nil {
		return err
	}
	if *accept && *reject || *list && (*accept || *reject) {
		return errors.New("use only one of -accept, -reject and -list")
	}
	all, err := pendingAt(paths)
	if err != nil {
		return err
	}
	r := &reviewing{p: newPrinter(stdout, *full), all: all}
	if *asJSON {
		r.p = newPrinter(io.Discard, false)
	}
	switch {
	case *accept, *reject:
		err = r.each(all, map[bool]byte{true: 'a', false: 'r'}[*accept])
	case *list, *asJSON:
		r.list()
	case len(all) == 0:
	default:
		err = r.ask(paths)
	}
	if *asJSON {
		if perr := printJSON(stdout, append([]*pending{}, all...)); err == nil {
			err = perr
		}
	}
	if err == nil {
		err = r.sum()
	}
	return err
}

// pendingAt returns what is to be reviewed at paths, or anywhere below the current folder.
func pendingAt(paths []string) (all []*pending, err error) {
	files, err := snapshotsAt(paths)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		list, err := pendingIn(file)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// pendingIn returns what is to be reviewed of one file.
func pendingIn(path string) (list []*pending, err error) {
	file, err := snapshot.Read(snapshot.Pending(path))
	if err != nil {
		return nil, err
	}
	if len(file.Sections) == 0 {
		return nil, nil
	}
	now, err := snapshot.Read(path)
	if err != nil {
		return nil, err
	}
	pkg, cassette, ok := snapshot.Cassette(path)
	for _, sec := range file.Sections {
		p := &pending{Path: filepath.ToSlash(path), Name: sec.Name, Kind: sec.Kind, Code: finding.SnapshotNew, At: sec.At, New: sec.Text, section: sec, was: now.Find(sec.Name)}
		if ok {
			p.Test, _ = testOf(filepath.Join(pkg, cassette))
		}
		if p.was != nil {
			p.Code = finding.SnapshotDiffers
			p.Old = p.was.Text
		}
		list = append(list, p)
	}
	return list, nil
}

// decide does what a key says.
func (p *pending) decide(key byte) error {
	left, err := snapshot.Read(snapshot.Pending(p.Path))
	if err != nil {
		return err
	}
	now, err := snapshot.Read(p.Path)
	if err != nil {
		return err
	}
	pending := left.Find(p.Name)
	if pending == nil || pending.Sum() != p.section.Sum() {
		p.Code = finding.SnapshotStale
		p.Done = "stale"
		return nil // a test has run meanwhile
	}
	was := ""
	if s := now.Find(p.Name); s != nil {
		was = s.Sum()
	}
	switch {
	case key == 'r':
		p.Done = "rejected"
	case was != pending.Was:
		p.Code = finding.SnapshotStale
		p.Done = "stale"
		return nil
	default:
		p.Done = "accepted"
		now.Put(pending)
		if err := snapshot.Write(p.Path, now.Encode(false)); err != nil {
			return err
		}
	}
	left.Drop(p.Name)
	return snapshot.Write(snapshot.Pending(p.Path), left.Encode(true))
}

// A reviewing is a review under way.
type reviewing struct {
	p   *printer
	all []*pending

	shown string // the file whose cassette was shown last
}

// each does the same with some snapshots.
func (r *reviewing) each(list []*pending, key byte) error {
	for _, p := range list {
		if err := p.decide(key); err != nil {
			return err
		}
		r.p.line(0, "", "%s: %q: %s", p.Path, p.Name, p.done())
	}
	return nil
}

// done says what became of it.
func (p *pending) done() string {
	if p.Done == "stale" {
		return "still to review: the snapshot has changed since it was compared; run the test again"
	}
	return p.Done
}

// list names all.
func (r *reviewing) list() {
	for _, p := range r.all {
		r.p.line(0, "", "%s: %q %s, at %s", p.Path, p.Name, map[bool]string{true: "is new", false: "differs"}[p.was == nil], p.At)
	}
}

// left returns how many are not decided.
func (r *reviewing) left() (n int) {
	for _, p := range r.all {
		if p.Done == "" || p.Done == "stale" {
			n++
		}
	}
	return n
}

// sum says what came of the review.
func (r *reviewing) sum() error {
	number := map[string]int{}
	for _, p := range r.all {
		number[p.Done]++
	}
	r.p.line(0, "", "%s: %d accepted, %d rejected, %d still to review", count(len(r.all), "snapshot"), number["accepted"], number["rejected"], r.left())
	if r.p.err != nil {
		return r.p.err
	}
	if r.left() > 0 {
		return found("")
	}
	return nil
}

// ask goes through all with the person at the terminal.
func (r *reviewing) ask(paths []string) error {
	if widthOf(os.Stdin) == 0 {
		at := ""
		if len(paths) > 0 {
			at = " " + strings.Join(paths, " ")
		}
		return fmt.Errorf("%s to review, but standard input is not a terminal. Commands that do not "+
			"ask:\n  promptecho review -list%[2]s\n  promptecho review -json%[2]s\n  promptecho "+
			"review -accept%[2]s\n  promptecho review -reject%[2]s", count(len(r.all), "snapshot"), at)
	}
	for i := 0; i < len(r.all); i++ {
		p := r.all[i]
		r.show(p, len(r.all)-i)
		key, err := r.key()
		switch {
		case err != nil:
			return err
		case key == 'q':
			return nil
		case key == 's':
			continue
		}
		chosen := r.all[i : i+1]
		if key == 'A' {
			chosen = r.all[i:]
		}
		if err := r.each(chosen, key); err != nil {
			return err
		}
		if key == 'A' {
			return nil
		}
	}
	return nil
}

// show prints one snapshot, and above it what has changed in the cassette of its test.
func (r *reviewing) show(p *pending, left int) {
	r.p.write("\n")
	r.p.line(0, bold, "%s: %q, %s, %d left", p.Path, p.Name, p.At, left)
	if r.shown != p.Path {
		r.shown = p.Path
		r.cassette(p)
	}
	r.p.line(0, bold, "%s", map[bool]string{true: "new snapshot", false: "snapshot"}[p.was == nil])
	old := ""
	if p.was != nil {
		old = quoteJSON(p.was.Text)
	}
	r.p.edit(2, old, quoteJSON(p.section.Text))
}

// quoteJSON returns a text as JSON has it.
func quoteJSON(text string) string {
	v := exactjson.Value{Kind: exactjson.String, Text: text}
	return string(v.AppendJSON(nil, exactjson.Layout{}))
}

// cassette prints what has changed in the cassette of a snapshot's test since HEAD, if git
// knows it. That is no reason why the snapshot cannot be reviewed.
func (r *reviewing) cassette(p *pending) {
	pkg, cassette, ok := snapshot.Cassette(p.Path)
	file := filepath.Join(pkg, cassette)
	if !ok {
		return
	}
	if _, err := os.Stat(file); err != nil {
		return
	}
	d, err := diffRevision("HEAD", file, false)
	if err != nil || d == nil || d.Old != "" && len(d.Calls)+len(d.Env) == 0 {
		return
	}
	r.p.difference(d)
}

// key asks until one of the keys is typed.
func (r *reviewing) key() (byte, error) {
	r.p.write("a accept, r reject, s skip, A accept all, q quit: ")
	for {
		key, err := readKey(os.Stdin)
		switch {
		case errors.Is(err, io.EOF):
			r.p.write("\n")
			return 'q', nil
		case err != nil:
			return 0, err
		case strings.IndexByte("arsAq", key) >= 0:
			r.p.write(string(key) + "\n")
			return key, r.p.err
		case strings.IndexByte(" \t\r\n", key) < 0:
			r.p.write(redact.OneLine(fmt.Sprintf("%q is not one of a, r, s, A, q: ", key)))
		}
	}
}
