package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/cassette/fit"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/store/internal/locks"
	"github.com/promptecho/promptecho/store/internal/objects"
)

// A pushing is one run of push.
type pushing struct {
	*call
	again, drop, dry bool
	store            *objects.Store
	cassettes        []*pushed

	mu       sync.Mutex
	problems []string
}

// A pushed is a cassette that is to be in the store, with its assets.
type pushed struct {
	place   *locks.Place
	name    string
	entries []locks.Entry // of the cassette and what it names
	checked bool
}

// A sent is a file of which the store does not have the object.
type sent struct {
	file  string
	entry locks.Entry
}

// runPush stores what is here and names it in the locks. What promptecho verify refuses is not
// stored, and nothing else either then.
func runPush(c *call) error {
	p := &pushing{call: c}
	c.flags.BoolVar(&p.again, "all", false, "store everything, even objects that the store already has; this repairs objects that verify found damaged")
	c.flags.BoolVar(&p.drop, "drop", false, "remove from the locks the cassettes that no longer exist here")
	c.flags.BoolVar(&p.dry, "n", false, "only say what would be done")
	atOnce := c.flags.Int("at-once", transfers, "how many objects are sent at once")
	if err := c.parse(); err != nil {
		return err
	}
	repo, places, err := c.places("")
	if err != nil {
		return err
	}
	if p.store, err = objects.Open(c.ctx, repo.URL); err != nil {
		return err
	}
	defer p.store.Close()
	dropped, err := p.collect(places)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	have := p.store.Asking(ctx, len(p.cassettes)) // meanwhile, the cassettes are read
	if err := p.each(p.read); err != nil {
		return err
	}
	missing, bytes, err := p.missing(have)
	if err != nil {
		return err
	}
	if !p.dry {
		if err := p.send(missing, *atOnce); err != nil {
			return err
		}
		if err := p.write(places, dropped); err != nil {
			return err
		}
	}
	named := 0
	for _, f := range p.cassettes {
		named += len(f.entries)
	}
	return c.result(map[string]any{"named": named, "stored": len(missing), "bytes": bytes, "dropped": len(dropped), "dry": p.dry},
		"%s%s here, %d of them new to the store (%.1f MB); %d removed from the locks", map[bool]string{true: "Dry run: "}[p.dry], english.Count(named, "file"), len(missing), float64(bytes)/1e6, len(dropped))
}

// collect finds what is to be in the store. dropped is what the locks name and is not here, if
// that is to be taken out.
func (p *pushing) collect(places []*locks.Place) (dropped map[*locks.Place][]locks.Entry, err error) {
	dropped = map[*locks.Place][]locks.Entry{}
	for _, place := range places {
		names, err := place.Cassettes()
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			p.cassettes = append(p.cassettes, &pushed{place: place, name: name})
		}
		for _, e := range place.Selected() {
			if _, err := os.Stat(place.File(e.Path)); p.drop && errors.Is(err, fs.ErrNotExist) {
				dropped[place] = append(dropped[place], locks.Entry{Path: e.Path})
			}
		}
	}
	return dropped, nil
}

// each calls do for each cassette. What is wrong with any of them ends the push.
func (p *pushing) each(do func(*pushed) (problems []string)) error {
	told := p.progress("checked", len(p.cassettes))
	err := objects.Each(p.ctx, readers(), len(p.cassettes), func(_ context.Context, i int) error {
		defer told.step(0)
		if problems := do(p.cassettes[i]); problems != nil {
			p.mu.Lock()
			p.problems = append(p.problems, problems...)
			p.mu.Unlock()
		}
		return nil
	})
	told.end()
	if err != nil || len(p.problems) == 0 {
		return err
	}
	slices.Sort(p.problems)
	for _, problem := range p.problems {
		fmt.Fprintln(p.stderr, problem)
	}
	return fmt.Errorf("nothing was stored: %s", english.Count(len(p.problems), "problem"))
}

// read finds out what the lock is to name of a cassette. One that is as its lock names it was
// checked when it was pushed; it is checked again only if any of it is to be sent.
func (p *pushing) read(f *pushed) (problems []string) {
	if f.entries = asNamed(f.place, f.name); f.entries != nil && !p.again {
		return nil
	}
	return p.check(f)
}

// check reads a cassette and its assets, and returns what is wrong with it.
func (p *pushing) check(f *pushed) (problems []string) {
	entries, cassette, err := entriesOf(f.place, f.name)
	if err != nil {
		return []string{err.Error()}
	}
	f.entries, f.checked = entries, true
	for _, problem := range fit.Cassette(f.place.File(f.name), cassette) {
		problems = append(problems, problem.String())
	}
	return problems
}

// asNamed returns what the lock names of a cassette, if all of that is here and just so.
func asNamed(place *locks.Place, name string) []locks.Entry {
	entries := place.Named(name)
	for _, e := range entries {
		if here, err := locks.Local(place.File(e.Path)); err != nil || here.SHA256 != e.SHA256 || here.Size != e.Size {
			return nil
		}
	}
	return entries
}

// missing returns those files of which the store does not have the object, one for each object,
// all of them of cassettes that were checked.
func (p *pushing) missing(have func(sums []string) (map[string]objects.Object, error)) (list []sent, bytes int64, err error) {
	var sums []string
	for _, f := range p.cassettes {
		for _, e := range f.entries {
			sums = append(sums, e.SHA256)
		}
	}
	stored, err := have(sums)
	if err != nil {
		return nil, 0, err
	}
	due := func(f *pushed, e locks.Entry) bool {
		o, there := stored[e.SHA256]
		// What no lock named for long may be what a gc deletes now; stored again, it is young.
		unnamed := time.Since(o.Time) > 24*time.Hour && !f.place.Names(e)
		return p.again || !there || strconv.FormatInt(o.Size, 10) != e.Size || unnamed
	}
	if err := p.each(func(f *pushed) []string {
		if f.checked || !slices.ContainsFunc(f.entries, func(e locks.Entry) bool { return due(f, e) }) {
			return nil
		}
		return p.check(f)
	}); err != nil {
		return nil, 0, err
	}
	seen := map[string]bool{}
	for _, f := range p.cassettes {
		for _, e := range f.entries {
			if !seen[e.SHA256] && due(f, e) {
				size, _ := strconv.ParseInt(e.Size, 10, 64)
				list, bytes = append(list, sent{f.place.File(e.Path), e}), bytes+size
			}
			seen[e.SHA256] = true
		}
	}
	return list, bytes, nil
}

// send stores these files. Each is read again; one that has changed since it was checked is refused.
func (p *pushing) send(list []sent, atOnce int) error {
	told := p.progress("stored", len(list))
	defer told.end()
	return objects.Each(p.ctx, atOnce, len(list), func(ctx context.Context, i int) error {
		f := list[i]
		data, err := os.ReadFile(f.file)
		if err != nil {
			return err
		}
		if locks.Of("", data).SHA256 != f.entry.SHA256 {
			return fmt.Errorf("%s changed while it was being pushed; push again when no test is running", f.file)
		}
		if err := p.store.Put(ctx, f.entry.SHA256, data); err != nil {
			return fmt.Errorf("%s: %w", f.file, err)
		}
		told.step(int64(len(data)))
		return nil
	})
}

// write names in the locks what is in the store now.
func (p *pushing) write(places []*locks.Place, dropped map[*locks.Place][]locks.Entry) error {
	for _, place := range places {
		changes := dropped[place]
		mine := map[string]bool{}
		for _, f := range p.cassettes {
			if f.place != place {
				continue
			}
			changes = append(changes, f.entries...)
			for _, e := range f.entries {
				mine[e.Path] = true
			}
		}
		for _, e := range place.Selected() { // assets that their cassette does not name any more
			if cassette := locks.CassetteOf(e.Path); mine[cassette] && !mine[e.Path] {
				changes = append(changes, locks.Entry{Path: e.Path})
			}
		}
		if len(changes) == 0 {
			continue
		}
		changed, err := place.Update(changes)
		if err != nil {
			return err
		}
		if changed {
			p.say("%s: written; commit it", place.Lock())
		}
	}
	return nil
}
