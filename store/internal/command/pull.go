package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/store/internal/cache"
	"github.com/promptecho/promptecho/store/internal/locks"
	"github.com/promptecho/promptecho/store/internal/objects"
)

// places returns the repository and the places that were asked for: those of packages, or at the
// paths that are left.
func (c *call) places(packages string) (*locks.Repository, []*locks.Place, error) {
	repo, err := locks.Here()
	if err != nil {
		return nil, nil, err
	}
	if packages == "" {
		places, err := locks.Find(c.rest)
		return repo, places, err
	}
	if len(c.rest) > 0 {
		return nil, nil, usageError{errors.New("-for names packages and takes no path")}
	}
	places, err := locks.For(strings.Fields(packages))
	return repo, places, err
}

// A source gives objects, from the cache or else from the store, which it does not ask before it
// has to.
type source struct {
	cache *cache.Cache
	open  func() (*objects.Store, error)
}

func (c *call) source(repo *locks.Repository) (*source, error) {
	kept, err := cache.Open()
	return &source{kept, sync.OnceValues(func() (*objects.Store, error) { return objects.Open(context.WithoutCancel(c.ctx), repo.URL) })}, err
}

// get writes an object to w, and reports whether the store was asked for it.
func (s *source) get(ctx context.Context, e locks.Entry, w io.Writer) (fetched bool, err error) {
	if ok, err := s.cache.Get(e.SHA256, w); ok || err != nil {
		return false, err
	}
	return true, s.fetch(ctx, e, w)
}

// fetch writes an object of the store to w, and returns an error unless it is what the lock names.
func (s *source) fetch(ctx context.Context, e locks.Entry, w io.Writer) error {
	store, err := s.open()
	if err != nil {
		return err
	}
	n, err := store.Get(ctx, e.SHA256, w)
	if err == nil && strconv.FormatInt(n, 10) != e.Size {
		err = fmt.Errorf("the lock says %s bytes, but the object in the store has %d", e.Size, n)
	}
	return err
}

// disk is held by who makes files. Many that make them in one folder at once spend most of their
// time waiting for each other.
var disk = make(chan struct{}, 4)

func onDisk(do func() error) error {
	disk <- struct{}{}
	defer func() { <-disk }()
	return do()
}

// small has the memory of files that were read into it.
var small = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// inMemory is the size up to which an object is read into memory, where it is fetched.
const inMemory = 1 << 20

// A pulling is one run of pull.
type pulling struct {
	*call
	*source
	force bool

	mu       sync.Mutex
	fetched  int
	bytes    int64
	problems []string
}

// A wanted is a file that a lock names.
type wanted struct {
	place *locks.Place
	entry locks.Entry
}

// runPull fetches what the locks name and is not here as they name it.
func runPull(c *call) error {
	p := &pulling{call: c}
	packages := c.flags.String("for", "", "only what the tests of these `packages` need, as in './bot/... ./agent'")
	c.flags.BoolVar(&p.force, "force", false, "also replace recordings that were never pushed")
	atOnce := c.flags.Int("at-once", transfers, "how many objects are fetched at once")
	if err := c.parse(); err != nil {
		return err
	}
	repo, places, err := c.places(*packages)
	if err != nil {
		return err
	}
	if p.source, err = c.source(repo); err != nil {
		return err
	}
	// A cassette that is there has its assets.
	var assets, cassettes []wanted
	for _, place := range places {
		for _, e := range place.Selected() {
			if locks.CassetteOf(e.Path) != e.Path {
				assets = append(assets, wanted{place, e})
			} else {
				cassettes = append(cassettes, wanted{place, e})
			}
		}
	}
	told := p.progress("here", len(assets)+len(cassettes))
	err = p.all(assets, *atOnce, told)
	if err == nil && len(p.problems) == 0 {
		err = p.all(cassettes, *atOnce, told)
	}
	told.end()
	for _, problem := range p.problems {
		fmt.Fprintln(c.stderr, problem)
	}
	if err != nil {
		return err
	}
	if err := c.result(map[string]any{"named": len(assets) + len(cassettes), "fetched": p.fetched, "bytes": p.bytes, "problems": append([]string{}, p.problems...)},
		"%s named by the locks, %d fetched (%.1f MB)", english.Count(len(assets)+len(cassettes), "file"), p.fetched, float64(p.bytes)/1e6); err != nil {
		return err
	}
	if len(p.problems) > 0 {
		return errToDo
	}
	return nil
}

// all fetches files. What is wrong with one object is a problem, and the others go on; anything
// else ends it.
func (p *pulling) all(list []wanted, atOnce int, told *progress) error {
	left := map[string][]string{} // the names of files by their folders
	for _, w := range list {
		file := w.place.File(w.entry.Path)
		left[filepath.Dir(file)] = append(left[filepath.Dir(file)], file)
	}
	for _, files := range left { // what killed pulls have left beside them is removed
		if err := cassette.Prepare(files[0], files[1:]...); err != nil {
			return err
		}
	}
	first := 0
	if len(list) > 0 {
		first = os.Getpid() * 7919 % len(list) // several processes begin at several places and share what they fetch
	}
	return objects.Each(p.ctx, atOnce, len(list), func(ctx context.Context, i int) error {
		w := list[(first+i)%len(list)]
		n, err := p.one(ctx, w)
		var missing *objects.MissingError
		var damaged *objects.DamagedError
		switch file := w.place.File(w.entry.Path); {
		case errors.As(err, &missing):
			err = p.problem("%s: %v: on the machine where it was last recorded or merged, run: promptecho-store push %[1]s", file, err)
		case errors.As(err, &damaged):
			err = p.problem("%s: %v; nothing was replaced. On a machine that has an undamaged copy: promptecho-store push -all %[1]s", file, err)
		case errors.Is(err, errUnpushed):
			err = p.problem("%s: %v. To keep it: promptecho-store push %[1]s. To lose it: promptecho-store pull -force %[1]s", file, err)
		case err != nil:
			return fmt.Errorf("%s: %w", file, err)
		}
		told.step(n)
		return err
	})
}

func (p *pulling) problem(format string, args ...any) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.problems = append(p.problems, fmt.Sprintf(format, args...))
	slices.Sort(p.problems)
	return nil
}

var errUnpushed = errors.New("this file differs from the one that the lock names, and was never pushed, so it was not replaced")

// one fetches a file unless it is here.
func (p *pulling) one(ctx context.Context, w wanted) (int64, error) {
	file := w.place.File(w.entry.Path)
	here, err := locks.Local(file)
	if err != nil || here.SHA256 == w.entry.SHA256 {
		return 0, err
	}
	if here.SHA256 != "" && !p.force {
		if known, err := p.known(ctx, here.SHA256); err != nil || !known {
			return 0, cmp.Or(err, errUnpushed)
		}
	}
	size, _ := strconv.ParseInt(w.entry.Size, 10, 64)
	var fetched bool
	if size > inMemory {
		err = locks.Replace(file, func(to io.Writer) (err error) { fetched, err = p.get(ctx, w.entry, to); return err })
	} else {
		data := small.Get().(*bytes.Buffer)
		defer small.Put(data)
		data.Reset()
		if fetched, err = p.get(ctx, w.entry, data); err != nil {
			return 0, err
		}
		err = onDisk(func() error {
			return locks.Replace(file, func(to io.Writer) error { _, err := to.Write(data.Bytes()); return err })
		})
	}
	if err == nil && fetched {
		err = onDisk(func() error { return p.cache.Keep(w.entry.SHA256, file) })
	}
	if err == nil {
		p.mu.Lock()
		p.fetched, p.bytes = p.fetched+1, p.bytes+size
		p.mu.Unlock()
	}
	return size, err
}

// known reports whether an object can be had again. In the cache it may be a file that was edited
// since.
func (s *source) known(ctx context.Context, sum string) (bool, error) {
	if ok, _ := s.cache.Get(sum, io.Discard); ok {
		return true, nil
	}
	store, err := s.open()
	if err != nil {
		return false, err
	}
	have, err := store.Have(ctx, []string{sum})
	return len(have) > 0, err
}
