package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/store/internal/history"
	"github.com/promptecho/promptecho/store/internal/locks"
	"github.com/promptecho/promptecho/store/internal/objects"
)

// runGC deletes from the store what nothing names: no lock in any commit of the history, in the
// index or in the files.
func runGC(c *call) error {
	dry := c.flags.Bool("n", false, "only say what would be deleted")
	older := c.flags.Duration("older", 14*24*time.Hour, "delete only objects that were stored longer ago than this `duration`: the lock of a newer one may not be committed yet")
	if err := c.parse(); err != nil {
		return err
	}
	if len(c.rest) > 0 {
		return usageError{errors.New("gc takes no path, because an object that one part of the repository does not need may be needed by another")}
	}
	repo, err := locks.Here()
	if err != nil {
		return err
	}
	store, err := objects.Open(c.ctx, repo.URL)
	if err != nil {
		return err
	}
	defer store.Close()
	if owner, err := store.Owner(c.ctx); err != nil {
		return err
	} else if owner != repo.ID {
		return fmt.Errorf("%s belongs to the repository %q, and this one is %q: nothing was deleted. If the store is to belong to this repository, write %[3]s into its object promptecho-store, in place of the content that is there, with a tool of the provider (such as aws s3 cp)", repo.URL, owner, repo.ID)
	}
	// The objects are listed first: what is pushed from now on is not among them.
	var old []objects.Object
	kept := 0
	limit := time.Now().Add(-*older)
	if err := store.List(c.ctx, func(o objects.Object) {
		if kept++; !o.Time.After(limit) {
			old = append(old, o)
		}
	}); err != nil {
		return err
	}
	named, err := history.Named(repo.Root)
	if err != nil {
		return fmt.Errorf("nothing was deleted: %w", err)
	}
	var unnamed []objects.Object
	bytes := int64(0)
	for _, o := range old {
		if !named[o.SHA256] {
			unnamed, bytes = append(unnamed, o), bytes+o.Size
		}
	}
	if !*dry {
		if err := c.delete(store, unnamed, limit); err != nil {
			return err
		}
	}
	keys := []string{}
	for _, o := range unnamed {
		keys = append(keys, o.Key)
		if *dry {
			c.say("%s %d", o.Key, o.Size)
		}
	}
	return c.result(map[string]any{"deleted": keys, "bytes": bytes, "kept": kept - len(keys), "dry": *dry},
		"%s%s deleted (%.1f MB), %d kept", map[bool]string{true: "dry run: "}[*dry], english.Count(len(keys), "object"), float64(bytes)/1e6, kept-len(keys))
}

// delete deletes objects, but those that were stored again since they were listed: a push needs them.
func (c *call) delete(store *objects.Store, list []objects.Object, limit time.Time) error {
	told := c.progress("deleted", len(list))
	defer told.end()
	return objects.Each(c.ctx, 16, len(list), func(ctx context.Context, i int) error {
		stored, err := store.Stored(ctx, list[i].Key)
		if err != nil || stored.IsZero() || stored.After(limit) {
			return err
		}
		told.step(list[i].Size)
		return store.Delete(ctx, list[i].Key)
	})
}
