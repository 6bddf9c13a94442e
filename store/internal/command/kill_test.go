package command

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho/store/internal/locks"
)

// moments is how many times a verb is killed: in STORE_KILLS, as for a release.
func moments(few int) int {
	if n, err := strconv.Atoi(os.Getenv("STORE_KILLS")); err == nil {
		return n
	}
	return few
}

// objectsIn returns the objects in a store's folder by name, whole as they are, and what is none.
func objectsIn(t *testing.T, dir string) (whole map[string]bool, others []string) {
	whole = map[string]bool{}
	err := filepath.WalkDir(filepath.Join(dir, "sha256"), func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if os.IsNotExist(err) {
				return nil
			}
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		switch e := locks.Of("", data); {
		case e.SHA256 == d.Name():
			whole[e.SHA256] = true
		case len(d.Name()) == 64:
			t.Errorf("%s is half an object", file)
		default:
			others = append(others, file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return whole, others
}

// If push, pull or gc is killed at any moment, the next run finishes its work. No half file is ever
// at its place, nothing is lost, and the next run completes.
func TestKilled(t *testing.T) {
	t.Parallel()
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			url, dir := k.make(t)
			a := newClone(t)
			a.git("init", "-q")
			a.run("init", url)
			const files = 60
			want := map[string]string{}
			fill := func(round int) {
				for i := range files {
					name := fmt.Sprintf("testdata/cassettes/Test%d.yaml", i)
					want[name] = recording(fmt.Sprint("question ", i), fmt.Sprint("answer ", round, strings.Repeat(" and more", 100)))
					a.write(name, want[name])
				}
			}
			fill(0)
			// What a verb takes when nobody kills it says where the moments are.
			began := time.Now()
			a.run("push")
			took := time.Since(began)
			b := newClone(t).set("PROMPTECHO_STORE_CACHE=" + t.TempDir())
			b.git("init", "-q")
			share := func() {
				for _, name := range []string{".promptecho-store", "testdata/cassettes.lock"} {
					b.write(name, a.read(name))
				}
			}
			kill := func(c *clone, args ...string) {
				cmd := c.command(args...)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				after := time.Duration(rand.Int64N(int64(took)))
				timer := time.AfterFunc(after, func() { cmd.Process.Kill() })
				cmd.Wait()
				timer.Stop()
			}
			for round := range moments(8) {
				fill(round + 1)
				lock := a.read("testdata/cassettes.lock")
				kill(a, "push")
				whole, _ := objectsIn(t, dir)
				if now := a.read("testdata/cassettes.lock"); now != lock {
					check(t, now, whole) // what it names is there
				}
				a.run("push")
				whole, _ = objectsIn(t, dir)
				check(t, a.read("testdata/cassettes.lock"), whole)

				share()
				b := b
				if round%2 == 1 {
					b = b.set(named + "=1")
				}
				kill(b, "pull")
				for name, text := range want {
					if got, err := os.ReadFile(b.path(name)); err == nil && string(got) != text && !strings.Contains(string(got), fmt.Sprint("answer ", round, " ")) {
						t.Fatalf("%s is half a file: %d bytes", name, len(got))
					}
				}
				b.run("pull")
				for name, text := range want {
					if b.read(name) != text {
						t.Fatalf("%s is another one", name)
					}
				}
				if left, _ := filepath.Glob(b.path("testdata/cassettes/.promptecho-*")); len(left) > 0 {
					t.Errorf("left behind: %q", left)
				}

				kill(a, "gc", "-older", "0s")
				whole, _ = objectsIn(t, dir)
				check(t, a.read("testdata/cassettes.lock"), whole)
				a.run("gc", "-older", "0s")
				whole, others := objectsIn(t, dir)
				check(t, a.read("testdata/cassettes.lock"), whole)
				if len(whole) != files || len(others) > 0 && k.name == "folder" {
					t.Fatalf("gc left %d objects and %q, %d are named", len(whole), others, files)
				}
			}
		})
	}
}

// check fails if a lock names what is not in the store.
func check(t *testing.T, lock string, whole map[string]bool) {
	t.Helper()
	entries, err := locks.Parse("cassettes.lock", []byte(lock))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !whole[e.SHA256] {
			t.Fatalf("%s is named and lost", e.Path)
		}
	}
}
