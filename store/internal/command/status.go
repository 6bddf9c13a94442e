package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/store/internal/locks"
	"github.com/promptecho/promptecho/store/internal/objects"
)

// What status says of a file.
const (
	stateMissing = "missing" // the lock names it, and it is not here
	stateDiffers = "differs" // it is here, and not what the lock names
	stateNew     = "new"     // it is here, and the lock does not name it
)

// A state is that of one file.
type state struct {
	Path  string `json:"path"`
	State string `json:"state"`
}

// runStatus tells where the cassettes that are here differ from the locks.
func runStatus(c *call) error {
	packages := c.flags.String("for", "", "only what the tests of these `packages` need")
	if err := c.parse(); err != nil {
		return err
	}
	_, places, err := c.places(*packages)
	if err != nil {
		return err
	}
	states, all := []state{}, 0
	for _, place := range places {
		named := place.Selected()
		all += len(named)
		found := make([]state, len(named))
		err := objects.Each(c.ctx, readers(), len(named), func(_ context.Context, i int) error {
			file := place.File(named[i].Path)
			here, err := locks.Local(file)
			switch {
			case here.SHA256 == "":
				found[i] = state{file, stateMissing}
			case here.SHA256 != named[i].SHA256:
				found[i] = state{file, stateDiffers}
			}
			return err
		})
		if err != nil {
			return err
		}
		states = append(states, slices.DeleteFunc(found, func(s state) bool { return s.State == "" })...)
		names, err := place.Cassettes()
		if err != nil {
			return err
		}
		for _, name := range names {
			if place.Named(name) == nil {
				states = append(states, state{place.File(name), stateNew})
			}
		}
	}
	for _, s := range states {
		c.say("%-8s %s", s.State, s.Path)
	}
	of := func(what string) (n int) {
		for _, s := range states {
			if s.State == what {
				n++
			}
		}
		return n
	}
	advice := ""
	if of(stateMissing) > 0 {
		advice += "\npromptecho-store pull fetches what is missing."
	}
	if of(stateDiffers)+of(stateNew) > 0 {
		advice += "\npromptecho-store push stores new and changed cassettes; pull replaces changed cassettes, if they were pushed before, with the versions that the locks name."
	}
	if err := c.result(map[string]any{"named": all, "files": states}, "%s named by the locks: %d missing, %d differ; %d new%s", english.Count(all, "file"), of(stateMissing), of(stateDiffers), of(stateNew), advice); err != nil {
		return err
	}
	if len(states) > 0 {
		return errToDo
	}
	return nil
}

// runVerify reads all that the locks name from the store.
func runVerify(c *call) error {
	packages := c.flags.String("for", "", "only what the tests of these `packages` need")
	atOnce := c.flags.Int("at-once", transfers, "how many objects are read at once")
	if err := c.parse(); err != nil {
		return err
	}
	repo, places, err := c.places(*packages)
	if err != nil {
		return err
	}
	store, err := objects.Open(c.ctx, repo.URL)
	if err != nil {
		return err
	}
	defer store.Close()
	var list []wanted
	for _, place := range places {
		for _, e := range place.Selected() {
			list = append(list, wanted{place, e})
		}
	}
	var mu sync.Mutex
	problems := []string{}
	told := c.progress("read", len(list))
	err = objects.Each(c.ctx, *atOnce, len(list), func(ctx context.Context, i int) error {
		n, err := store.Get(ctx, list[i].entry.SHA256, io.Discard)
		told.step(n)
		if err == nil && fmt.Sprint(n) == list[i].entry.Size {
			return nil
		}
		file := list[i].place.File(list[i].entry.Path)
		if err == nil {
			err = fmt.Errorf("the lock says %s bytes, but the object in the store has %d", list[i].entry.Size, n)
		}
		var missing *objects.MissingError
		var damaged *objects.DamagedError
		if !errors.As(err, &missing) && !errors.As(err, &damaged) {
			return err
		}
		mu.Lock()
		problems = append(problems, fmt.Sprintf("%s: %v", filepath.ToSlash(file), err))
		mu.Unlock()
		return nil
	})
	told.end()
	if err != nil {
		return err
	}
	slices.Sort(problems)
	c.say("%s", strings.Join(append(problems, fmt.Sprintf("%d of %s intact in the store", len(list)-len(problems), english.Count(len(list), "file"))), "\n"))
	if *c.json {
		if err := c.result(map[string]any{"named": len(list), "problems": problems}, ""); err != nil {
			return err
		}
	}
	if len(problems) > 0 {
		c.say("On a machine that has undamaged copies: promptecho-store push -all PATH")
		return errToDo
	}
	return nil
}
