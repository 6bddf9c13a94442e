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

	"github.com/promptecho/promptecho/internal/fit"
	"github.com/promptecho/promptecho/store/internal/locks"
	"github.com/promptecho/promptecho/store/internal/objects"
)

// A pushing is one run of push.
type pushing struct {
	*call
	again, drop, dry bool
	store            *objects.Store

	mu       sync.Mutex
	files    []*pushed
	problems []string
}

// A pushed is a file that is to be in the store.
type pushed struct {
	place *locks.Place
	entry locks.Entry
}

func (f *pushed) file() string { return f.place.File(f.entry.Path) }

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
	if len(p.problems) > 0 {
		slices.Sort(p.problems)
		for _, problem := range p.problems {
			fmt.Fprintln(c.stderr, problem)
		}
		return fmt.Errorf("nothing was stored: %s", count(len(p.problems), "problem"))
	}
	missing, bytes, err := p.missing()
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
	return c.result(map[string]any{"named": len(p.files), "stored": len(missing), "bytes": bytes, "dropped": len(dropped), "dry": p.dry},
		"%s%s here, %d of them new to the store (%.1f MB); %d taken out of the locks", map[bool]string{true: "Dry run: "}[p.dry], count(len(p.files), "file"), len(missing), float64(bytes)/1e6, len(dropped))
}

// collect finds what is to be in the store and checks it. dropped is what the locks name and
// is not here, if that is to be taken out.
func (p *pushing) collect(places []*locks.Place) (dropped map[*locks.Place][]locks.Entry, err error) {
	type found struct {
		place *locks.Place
		name  string
	}
	var all []found
	dropped = map[*locks.Place][]locks.Entry{}
	for _, place := range places {
		names, err := place.Cassettes()
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			all = append(all, found{place, name})
		}
		for _, e := range place.Selected() {
			if _, err := os.Stat(place.File(e.Path)); p.drop && errors.Is(err, fs.ErrNotExist) {
				dropped[place] = append(dropped[place], locks.Entry{Path: e.Path})
			}
		}
	}
	told := p.progress("checked", len(all))
	defer told.end()
	return dropped, objects.Each(p.ctx, readers(), len(all), func(_ context.Context, i int) error {
		defer told.step(0)
		p.check(all[i].place, all[i].name)
		return nil
	})
}

// check reads a cassette, and adds it and the assets that it names to what is to be in the
// store, or what is wrong with it to the problems.
func (p *pushing) check(place *locks.Place, name string) {
	entries, f, err := entriesOf(place, name)
	var problems []string
	if err != nil {
		problems = []string{err.Error()}
	} else {
		problems = fit.Cassette(place.File(name), f)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.problems = append(p.problems, problems...)
	for _, e := range entries {
		p.files = append(p.files, &pushed{place, e})
	}
}

// missing returns those files of which the store does not have the object, one for each object.
func (p *pushing) missing() (list []*pushed, bytes int64, err error) {
	var sums []string
	for _, f := range p.files {
		sums = append(sums, f.entry.SHA256)
	}
	have, err := p.store.Have(p.ctx, sums)
	if err != nil {
		return nil, 0, err
	}
	seen := map[string]bool{}
	for _, f := range p.files {
		o, there := have[f.entry.SHA256]
		want, _ := strconv.ParseInt(f.entry.Size, 10, 64)
		// What no lock named for long may be what a gc deletes now; stored again, it is young.
		due := time.Since(o.Time) > 24*time.Hour && !f.place.Names(f.entry)
		if !seen[f.entry.SHA256] && (p.again || !there || o.Size != want || due) {
			list, bytes = append(list, f), bytes+want
		}
		seen[f.entry.SHA256] = true
	}
	return list, bytes, nil
}

// send stores these files. Each is read again; one that has changed since it was checked is refused.
func (p *pushing) send(list []*pushed, atOnce int) error {
	told := p.progress("stored", len(list))
	defer told.end()
	return objects.Each(p.ctx, atOnce, len(list), func(ctx context.Context, i int) error {
		f := list[i]
		data, err := os.ReadFile(f.file())
		if err != nil {
			return err
		}
		if locks.Of("", data).SHA256 != f.entry.SHA256 {
			return fmt.Errorf("%s changed while it was being pushed; push again when no test is running", f.file())
		}
		if err := p.store.Put(ctx, f.entry.SHA256, data); err != nil {
			return fmt.Errorf("%s: %w", f.file(), err)
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
		for _, f := range p.files {
			if f.place == place {
				changes, mine[f.entry.Path] = append(changes, f.entry), true
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
