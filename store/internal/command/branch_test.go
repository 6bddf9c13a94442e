package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// repository returns a clone with cassettes that are pushed and committed.
func repository(t *testing.T, names ...string) (c *clone, dir string) {
	t.Helper()
	url, dir := kinds[0].make(t)
	c = newClone(t)
	c.git("init", "-q", "-b", "main")
	c.run("init", url)
	c.git("config", "merge.promptecho-store.driver", driver(c))
	for _, name := range names {
		c.write("testdata/cassettes/"+name+".yaml", recording("q", name))
	}
	c.run("push")
	c.git("add", "-A")
	c.git("commit", "-qm", "start")
	return c, dir
}

// driver is the merge driver that init configures, as this test binary.
func driver(c *clone) string { return fmt.Sprintf("'%s' merge -driver %%O %%A %%B %%P", os.Args[0]) }

// on runs do on a branch that begins at main, and pushes and commits what it left.
func on(c *clone, branch string, do func()) {
	c.git("checkout", "-q", "-b", branch, "main")
	c.run("pull")
	do()
	c.run("push")
	c.git("add", "-A")
	c.git("commit", "-qm", branch)
}

// Branches that changed different cassettes of a store merge by git alone.
func TestNeighboursMerge(t *testing.T) {
	t.Parallel()
	c, _ := repository(t, "A", "B", "C", "D")
	c.git("config", "--remove-section", "merge.promptecho-store")
	on(c, "one", func() { c.write("testdata/cassettes/B.yaml", recording("q", "one")) })
	on(c, "two", func() {
		c.write("testdata/cassettes/C.yaml", recording("q", "two"))
		c.write("testdata/cassettes/E.yaml", recording("q", "E"))
	})
	c.git("merge", "-q", "-m", "m", "one")
	c.run("pull")
	c.run("status")
	if c.read("testdata/cassettes/B.yaml") != recording("q", "one") || c.read("testdata/cassettes/C.yaml") != recording("q", "two") {
		t.Error("one of the changes is lost")
	}
}

// Branches that add neighbouring cassettes merge by the driver that init configures, or by
// promptecho-store merge.
func TestAddedAtOnePlace(t *testing.T) {
	t.Parallel()
	for _, driven := range []bool{true, false} {
		c, _ := repository(t, "A", "Z")
		if !driven {
			c.git("config", "--remove-section", "merge.promptecho-store")
		}
		on(c, "one", func() { c.write("testdata/cassettes/M1.yaml", recording("q", "M1")) })
		on(c, "two", func() { c.write("testdata/cassettes/M2.yaml", recording("q", "M2")) })
		if out, err := c.tryGit("merge", "-q", "-m", "m", "one"); driven != (err == nil) {
			t.Fatalf("with a driver %v: %v\n%s", driven, err, out)
		}
		if !driven {
			c.fails([]string{"cassettes.lock:", "the lock is incomplete", "promptecho-store merge"}, "pull")
			c.run("merge")
			c.git("add", "-A")
			c.git("commit", "-qm", "m")
		}
		os.RemoveAll(c.path("testdata/cassettes"))
		c.run("pull")
		for _, name := range []string{"A", "M1", "M2", "Z"} {
			if c.read("testdata/cassettes/"+name+".yaml") != recording("q", name) {
				t.Errorf("%s is another one", name)
			}
		}
	}
}

// two is a cassette with two interactions.
func two(first, second string) string {
	_, more, _ := strings.Cut(recording("second", second), "interactions:\n")
	return recording("first", first) + more
}

// A cassette that both branches changed merges by the rules of promptecho merge; two edits by hand
// are a conflict.
func TestSameCassetteMerges(t *testing.T) {
	t.Parallel()
	c, _ := repository(t)
	c.git("checkout", "-q", "main")
	c.write("testdata/cassettes/A.yaml", recording("first", "base"))
	c.run("push")
	c.git("add", "-A")
	c.git("commit", "-qm", "A")
	on(c, "one", func() { c.write("testdata/cassettes/A.yaml", recording("first", "one")) })
	on(c, "two", func() { c.write("testdata/cassettes/A.yaml", two("base", "two")) })
	out := c.git("merge", "-m", "m", "one")
	if !strings.Contains(out, "promptecho-store push") {
		t.Errorf("git merge does not say that the result is to be pushed:\n%s", out)
	}
	merged := c.read("testdata/cassettes/A.yaml")
	for _, want := range []string{"one", "two"} {
		if !strings.Contains(merged, "content: "+want) {
			t.Errorf("%q is lost:\n%s", want, merged)
		}
	}
	if strings.Contains(merged, "content: base") {
		t.Errorf("the answer of before is still there:\n%s", merged)
	}
	c.run("status")
	c.fails([]string{"the store has no object"}, "verify")
	c.run("push")
	c.run("verify")
	c.git("commit", "-q", "--allow-empty", "-m", "merged")

	c.git("checkout", "-q", "-b", "three", "one")
	c.run("pull")
	c.write("testdata/cassettes/A.yaml", recording("first", "three"))
	c.run("push")
	c.git("commit", "-qam", "three")
	c.git("checkout", "-q", "-b", "four", "one")
	c.run("pull")
	c.write("testdata/cassettes/A.yaml", recording("first", "four"))
	c.run("push")
	c.git("commit", "-qam", "four")
	out, err := c.tryGit("merge", "-m", "m", "three")
	if err == nil || !strings.Contains(out, "both sides changed the same recording") {
		t.Errorf("both edited by hand: %v\n%s", err, out)
	}
	if c.read("testdata/cassettes/A.yaml") != recording("first", "four") {
		t.Error("the conflict changed the cassette")
	}
}

// Two repositories cannot share a place in a store.
func TestForeignStore(t *testing.T) {
	t.Parallel()
	a, dir := repository(t, "A")
	b := newClone(t)
	b.git("init", "-q")
	url := "file://" + filepath.ToSlash(dir)
	b.fails([]string{"has the objects of another repository", url + "?prefix=NAME/"}, "init", url)
	b.run("init", url+"?prefix=b/")
	b.write("testdata/cassettes/B.yaml", recording("q", "b"))
	b.run("push")
	b.run("gc", "-older", "0s")
	a.run("verify")
	b.run("verify")
	b.write(".promptecho-store", strings.ReplaceAll(a.read(".promptecho-store"), "id: ", "id: x"))
	b.fails([]string{"belongs to the repository", "nothing was deleted"}, "gc", "-older", "0s")
	a.run("verify")
	newClone(t).fails([]string{"holds credentials"}, "init", "s3://me:secret@bucket")
}
