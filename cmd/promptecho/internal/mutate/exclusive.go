package mutate

import (
	"context"
	"errors"
	"time"

	"github.com/promptecho/promptecho/internal/mutant"
)

// isWriting reports whether the tests of the package are known to write files below it.
func (b *binary) isWriting() bool {
	b.lock.RLock()
	defer b.lock.RUnlock()
	return b.writes
}

// hasWritten puts back what the tests have written below the package, and reports whether there was
// anything. If so, they run one at a time from now on.
func (b *binary) hasWritten() bool {
	b.lock.Lock()
	defer b.lock.Unlock()
	wrote, err := b.files.restore()
	b.writes = b.writes || wrote || err != nil
	return wrote
}

// runAlone runs tests. If they are known to write files below the package, no other test of it runs
// meanwhile, and the files are put back.
func (b *binary) runAlone(
	ctx context.Context, plan mutant.Plan, limit time.Duration, args ...string,
) (*process, error) {
	if !b.isWriting() {
		b.lock.RLock()
		defer b.lock.RUnlock()
		return b.run(ctx, plan, limit, args...)
	}
	b.lock.Lock()
	defer b.lock.Unlock()
	p, err := b.run(ctx, plan, limit, args...)
	_, restored := b.files.restore()
	return p, errors.Join(err, restored)
}
