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
	At   string       `json:"at"`            // the line of the test
	Old  string       `json:"old,omitempty"` // the text in the file; empty for a new snapshot
	New  string       `json:"new"`
	Done string       `json:"done,omitempty"` // accepted, rejected or stale; empty before the decision

	fresh *snapshot.Section
	old   *snapshot.Section // nil for a new snapshot
}

// The values of pending.Done.
const (
	isAccepted = "accepted"
	isRejected = "rejected"
	isStale    = "stale" // a test has changed the snapshot since it was read
)

// The keys that decide about a snapshot.
const (
	keyAccept    = 'a'
	keyReject    = 'r'
	keySkip      = 's'
	keyAcceptAll = 'A'
	keyQuit      = 'q'
)

// runReview reviews snapshots.
func runReview(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("review", flag.ContinueOnError)
	accept := flags.Bool("accept", false, "")
	reject := flags.Bool("reject", false, "")
	list := flags.Bool("list", false, "")
	full := flags.Bool("full", false, "")
	asJSON := flags.Bool("json", false, "")
	paths, err := parse(flags, args)
	if err != nil {
		return err
	}
	decides := *accept || *reject
	if *accept && *reject || *list && decides {
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
	case *accept:
		err = r.decide(all, keyAccept)
	case *reject:
		err = r.decide(all, keyReject)
	case *list, *asJSON:
		r.list()
	case len(all) == 0:
	default:
		err = r.ask(paths)
	}
	if *asJSON {
		printErr := printJSON(stdout, append([]*pending{}, all...))
		if err == nil {
			err = printErr
		}
	}
	if err == nil {
		err = r.printSummary()
	}
	return err
}

// pendingAt returns the snapshots to be reviewed at paths, or below the current folder if there are
// none.
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

// pendingIn returns the snapshots to be reviewed of one file.
func pendingIn(path string) (list []*pending, err error) {
	file, err := snapshot.Read(snapshot.Pending(path))
	if err != nil {
		return nil, err
	}
	if len(file.Sections) == 0 {
		return nil, nil
	}
	current, err := snapshot.Read(path)
	if err != nil {
		return nil, err
	}
	test := ""
	if pkg, cassette, ok := snapshot.Cassette(path); ok {
		test, _ = testOf(filepath.Join(pkg, cassette))
	}
	for _, section := range file.Sections {
		p := &pending{
			Path:  filepath.ToSlash(path),
			Test:  test,
			Name:  section.Name,
			Kind:  section.Kind,
			Code:  finding.SnapshotNew,
			At:    section.At,
			New:   section.Text,
			fresh: section,
			old:   current.Find(section.Name),
		}
		if p.old != nil {
			p.Code = finding.SnapshotDiffers
			p.Old = p.old.Text
		}
		list = append(list, p)
	}
	return list, nil
}

// decide accepts or rejects the snapshot. It reads the files again: a test may have run since they
// were read, and then the snapshot becomes stale and the files stay as they are.
func (p *pending) decide(key byte) error {
	file, err := snapshot.Read(snapshot.Pending(p.Path))
	if err != nil {
		return err
	}
	current, err := snapshot.Read(p.Path)
	if err != nil {
		return err
	}
	section := file.Find(p.Name)
	if section == nil || section.Sum() != p.fresh.Sum() {
		p.markStale()
		return nil
	}

	if key == keyReject {
		p.Done = isRejected
	} else {
		currentSum := ""
		if s := current.Find(p.Name); s != nil {
			currentSum = s.Sum()
		}
		if currentSum != section.Was {
			p.markStale()
			return nil
		}
		p.Done = isAccepted
		current.Put(section)
		if err := snapshot.Write(p.Path, current.Encode(false)); err != nil {
			return err
		}
	}
	file.Drop(p.Name)
	return snapshot.Write(snapshot.Pending(p.Path), file.Encode(true))
}

func (p *pending) markStale() {
	p.Code = finding.SnapshotStale
	p.Done = isStale
}

// A reviewing is a review under way.
type reviewing struct {
	p   *printer
	all []*pending

	shownFile string // the file whose cassette was shown last
}

// decide accepts or rejects some snapshots.
func (r *reviewing) decide(list []*pending, key byte) error {
	for _, p := range list {
		if err := p.decide(key); err != nil {
			return err
		}
		result := p.Done
		if p.Done == isStale {
			result = "still to review: the snapshot has changed since it was compared; run the test again"
		}
		r.p.line(0, "", "%s: %q: %s", p.Path, p.Name, result)
	}
	return nil
}

// list lists the snapshots.
func (r *reviewing) list() {
	for _, p := range r.all {
		state := "differs"
		if p.old == nil {
			state = "is new"
		}
		r.p.line(0, "", "%s: %q %s, at %s", p.Path, p.Name, state, p.At)
	}
}

// undecided returns the number of snapshots that are still to be reviewed.
func (r *reviewing) undecided() (n int) {
	for _, p := range r.all {
		if p.Done == "" || p.Done == isStale {
			n++
		}
	}
	return n
}

// printSummary prints the numbers of snapshots, and returns an error if some are still to be reviewed.
func (r *reviewing) printSummary() error {
	counts := map[string]int{} // by pending.Done
	for _, p := range r.all {
		counts[p.Done]++
	}
	r.p.line(0, "", "%s: %d accepted, %d rejected, %d still to review",
		count(len(r.all), "snapshot"), counts[isAccepted], counts[isRejected], r.undecided())
	if r.p.err != nil {
		return r.p.err
	}
	if r.undecided() > 0 {
		return printedFindings
	}
	return nil
}

// ask shows the snapshots at the terminal, and asks the user about each.
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
		key, err := r.askForKey()
		switch {
		case err != nil:
			return err
		case key == keyQuit:
			return nil
		case key == keySkip:
			continue
		}
		chosen := r.all[i : i+1]
		if key == keyAcceptAll {
			chosen = r.all[i:]
		}
		if err := r.decide(chosen, key); err != nil {
			return err
		}
		if key == keyAcceptAll {
			return nil
		}
	}
	return nil
}

// show prints a snapshot and, above the first of a file, what has changed in the cassette of its
// test.
func (r *reviewing) show(p *pending, left int) {
	r.p.write("\n")
	r.p.line(0, bold, "%s: %q, %s, %d left", p.Path, p.Name, p.At, left)
	if r.shownFile != p.Path {
		r.shownFile = p.Path
		r.showCassette(p)
	}
	title := "new snapshot"
	old := ""
	if p.old != nil {
		title = "snapshot"
		old = quoteJSON(p.old.Text)
	}
	r.p.line(0, bold, "%s", title)
	r.p.edit(2, old, quoteJSON(p.fresh.Text))
}

// quoteJSON returns a text as a JSON string.
func quoteJSON(text string) string {
	v := exactjson.Value{Kind: exactjson.String, Text: text}
	return string(v.AppendJSON(nil, exactjson.Layout{}))
}

// showCassette prints what has changed in the cassette of a snapshot's test since HEAD. It prints
// nothing if there is no such cassette, or if git does not know it: the snapshot can be reviewed
// nevertheless.
func (r *reviewing) showCassette(p *pending) {
	pkg, cassette, ok := snapshot.Cassette(p.Path)
	if !ok {
		return
	}
	file := filepath.Join(pkg, cassette)
	if _, err := os.Stat(file); err != nil {
		return
	}
	d, err := diffRevision("HEAD", file, false)
	if err != nil || d == nil {
		return
	}
	isNew := d.Old == ""
	if isNew || len(d.Calls)+len(d.Env) > 0 {
		r.p.difference(d)
	}
}

// askForKey asks the user until one of the keys is typed. It ignores white space. The end of the
// input counts as keyQuit.
func (r *reviewing) askForKey() (byte, error) {
	r.p.write("a accept, r reject, s skip, A accept all, q quit: ")
	for {
		key, err := readKey(os.Stdin)
		isKnown := strings.IndexByte("arsAq", key) >= 0
		isWhiteSpace := strings.IndexByte(" \t\r\n", key) >= 0
		switch {
		case errors.Is(err, io.EOF):
			r.p.write("\n")
			return keyQuit, nil
		case err != nil:
			return 0, err
		case isKnown:
			r.p.write(string(key) + "\n")
			return key, r.p.err
		case !isWhiteSpace:
			r.p.write(redact.OneLine(fmt.Sprintf("%q is not one of a, r, s, A, q: ", key)))
		}
	}
}
