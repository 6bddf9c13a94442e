package command

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/store/internal/history"
)

// Collecting garbage keeps what any commit, branch, tag, stash, worktree or clone needs. Whatever a
// ref, a reflog, an index or a file of them names stays, and each ref can be checked out and
// pulled. The test draws histories, in which other clones push, too.
func TestGCKeepsHistory(t *testing.T) {
	t.Parallel()
	for seed := range max(3, moments(0)/10) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			h := newHistory(t, uint64(seed))
			for range 25 {
				h.step()
			}
			h.c.git("fetch", "-q", "--all", "--tags")
			before, _ := objectsIn(t, h.dir)
			h.c.run("gc", "-older", "0s")
			after, _ := objectsIn(t, h.dir)
			t.Logf("%d of %d objects kept", len(after), len(before))
			// git itself says which refs there are, and checks each out.
			refs := strings.Fields(h.c.git("for-each-ref", "--format=%(refname)"))
			refs = append(refs, strings.Fields(h.c.git("rev-list", "--all", "--reflog"))...)
			for _, ref := range refs {
				locks, _ := h.c.tryGit("ls-tree", "-r", "--name-only", ref)
				for _, path := range strings.Fields(locks) {
					if strings.HasSuffix(path, "cassettes.lock") {
						check(t, h.c.git("show", ref+":"+path)+"\n", after)
					}
				}
			}
			for _, file := range []string{h.c.path("testdata/cassettes.lock"), h.c.path("sub/testdata/cassettes.lock")} {
				if lock, err := os.ReadFile(file); err == nil {
					check(t, string(lock), after)
				}
			}
			// What is deleted was named by nothing of this, or gc would delete nothing at all.
			named, err := history.Named(h.c.dir)
			if err != nil {
				t.Fatal(err)
			}
			for sum := range after {
				if !named[sum] {
					t.Errorf("%s is named by nothing and still there", sum)
				}
			}
		})
	}
}

// A drawn is a repository with a remote and a second clone, whose history is drawn.
type drawn struct {
	*testing.T
	r        *rand.Rand
	c, other *clone
	dir      string
	n        int
}

func newHistory(t *testing.T, seed uint64) *drawn {
	c, dir := repository(t, "A", "B", "C")
	h := &drawn{t, rand.New(rand.NewPCG(seed, 1)), c, newClone(t), dir, 0}
	bare := t.TempDir()
	c.git("init", "-q", "--bare", bare)
	c.git("remote", "add", "origin", bare)
	c.git("push", "-q", "origin", "main")
	h.other.git("clone", "-q", "-b", "main", bare, ".")
	return h
}

// change writes some cassettes anew, in one of two packages, and pushes them.
func (h *drawn) change(c *clone) {
	c.try("pull", "-force")
	for range 1 + h.r.IntN(2) {
		h.n++
		pkg := []string{"", "sub/"}[h.r.IntN(2)]
		name := fmt.Sprintf("%stestdata/cassettes/%c.yaml", pkg, 'A'+h.r.IntN(4))
		if h.r.IntN(5) == 0 {
			os.Remove(c.path(name))
			continue
		}
		c.write(name, recording("q", fmt.Sprintf("%p %d", h, h.n)))
	}
	c.run("push", "-drop")
}

func (h *drawn) commit(c *clone, args ...string) {
	c.git("add", "-A")
	c.tryGit(append([]string{"commit", "-q", "-m", fmt.Sprint(h.n)}, args...)...) // there may be nothing to commit
}

// branch returns a local branch.
func (h *drawn) branch() string {
	all := strings.Fields(h.c.git("for-each-ref", "--format=%(refname:short)", "refs/heads"))
	return all[h.r.IntN(len(all))]
}

func (h *drawn) step() {
	c := h.c
	switch h.r.IntN(14) {
	case 0, 1, 2:
		h.change(c)
		h.commit(c)
	case 3:
		c.tryGit("checkout", "-q", "-f", "-b", fmt.Sprint("b", h.n), h.branch())
		h.change(c)
		h.commit(c)
	case 4:
		c.tryGit("checkout", "-q", "-f", h.branch())
	case 5: // a merge that may take what neither side has, as an octopus may not
		c.tryGit("merge", "-q", "-m", "m", "-X", "ours", h.branch())
		c.tryGit("merge", "--abort")
	case 6:
		h.change(c)
		h.commit(c, "--amend")
	case 7:
		h.change(c)
		c.tryGit("stash")
	case 8:
		h.change(c)
		h.commit(c)
		c.git("tag", "-f", fmt.Sprint("t", h.r.IntN(3)))
		c.tryGit("reset", "-q", "--hard", "HEAD~1")
	case 9: // what is lost for good: nothing needs it
		h.change(c)
		h.commit(c)
		c.tryGit("reset", "-q", "--hard", "HEAD~1")
		c.git("reflog", "expire", "--expire=now", "--all")
	case 10:
		if b := h.branch(); b != "main" {
			c.tryGit("checkout", "-q", "-f", "main")
			c.tryGit("branch", "-q", "-D", b)
		}
	case 11: // what is only in the index, or only in a file
		h.change(c)
		c.git("add", "-A")
		h.change(c)
	case 12:
		h.change(h.other)
		h.commit(h.other)
		h.other.git("push", "-q", "origin", fmt.Sprint("HEAD:refs/heads/o", h.r.IntN(3)), "--force")
	case 13:
		dir := h.TempDir()
		if _, err := c.tryGit("worktree", "add", "-q", "--detach", dir+"/w", h.branch()); err == nil {
			w := *c
			w.dir = dir + "/w"
			h.change(&w)
			if h.r.IntN(2) == 0 {
				h.commit(&w)
			}
		}
	}
}

// A clone without all commits deletes nothing from the store.
func TestGCNeedsAllCommits(t *testing.T) {
	t.Parallel()
	h := newHistory(t, 1)
	h.change(h.other)
	h.commit(h.other, "--allow-empty")
	h.other.git("push", "-q", "origin", "HEAD:refs/heads/new")
	before, _ := objectsIn(t, h.dir)
	h.c.fails([]string{"nothing was deleted", "origin has refs/heads/new", "git fetch --all"}, "gc", "-older", "0s")
	shallow := newClone(t)
	shallow.git("clone", "-q", "--depth", "1", "-b", "main", "file://"+strings.TrimSpace(h.c.git("remote", "get-url", "origin")), ".")
	shallow.fails([]string{"nothing was deleted", "git fetch --unshallow"}, "gc", "-older", "0s")
	h.c.git("remote", "set-url", "origin", h.c.path("nowhere"))
	h.c.fails([]string{"nothing was deleted", "git ls-remote"}, "gc", "-older", "0s")
	if after, _ := objectsIn(t, h.dir); len(after) != len(before) {
		t.Errorf("%d of %d objects are left", len(after), len(before))
	}
}

// Collecting garbage keeps what was pushed lately, and with -n deletes nothing.
func TestGCKeepsTheYoung(t *testing.T) {
	t.Parallel()
	c, dir := repository(t, "A")
	lock := c.read("testdata/cassettes.lock")
	c.write("testdata/cassettes/A.yaml", recording("q", "newer"))
	c.run("push")
	c.write("testdata/cassettes.lock", lock)
	for _, args := range [][]string{{"gc"}, {"gc", "-n", "-older", "0s"}} {
		c.run(args...)
		if whole, _ := objectsIn(t, dir); len(whole) != 2 {
			t.Errorf("%v has deleted %d objects", args, 2-len(whole))
		}
	}
	c.run("gc", "-older", "0s")
	if whole, _ := objectsIn(t, dir); len(whole) != 1 {
		t.Errorf("%d objects are left", len(whole))
	}
}
