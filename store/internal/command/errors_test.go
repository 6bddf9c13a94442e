package command

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pushedTo returns a clone that has pushed one cassette, another one that has its lock, and the
// file of the object.
func pushedTo(t *testing.T, url, dir string) (a, b *clone, object string) {
	t.Helper()
	a = newClone(t)
	a.git("init", "-q")
	a.write("testdata/cassettes/TestA.yaml", recording("q", "a"))
	a.run("init", url)
	a.run("push")
	b = newClone(t)
	b.git("init", "-q")
	for _, name := range []string{".promptecho-store", "testdata/cassettes.lock"} {
		b.write(name, a.read(name))
	}
	found, err := filepath.Glob(filepath.Join(dir, "sha256", "*", "*"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	return a, b, found[0]
}

// nothing fails if anything stands where the cassettes are.
func nothing(t *testing.T, c *clone) {
	t.Helper()
	if left, _ := filepath.Glob(c.path("testdata/cassettes/*")); len(left) > 0 {
		t.Errorf("there is %q", left)
	}
	if left, _ := filepath.Glob(c.path("testdata/cassettes/.*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// A damaged object of a store replaces nothing, is named with a remedy, and can be repaired.
func TestDamagedStore(t *testing.T) {
	t.Parallel()
	damages := map[string]struct {
		do   func(file string, data []byte) error
		says string
	}{
		"corrupted": {func(file string, data []byte) error {
			data[len(data)/2] ^= 1
			return os.WriteFile(file, data, 0o666)
		}, "is damaged"},
		"truncated": {func(file string, data []byte) error { return os.WriteFile(file, data[:len(data)/2], 0o666) }, "is damaged"},
		"emptied":   {func(file string, data []byte) error { return os.WriteFile(file, nil, 0o666) }, "is damaged"},
		"missing":   {func(file string, data []byte) error { return os.Remove(file) }, "the store has no object"},
	}
	for _, k := range kinds {
		for name, damage := range damages {
			t.Run(k.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				url, dir := k.make(t)
				a, b, object := pushedTo(t, url, dir)
				data, err := os.ReadFile(object)
				if err != nil {
					t.Fatal(err)
				}
				if err := damage.do(object, data); err != nil {
					t.Fatal(err)
				}
				b.fails([]string{"testdata/cassettes/TestA.yaml: ", damage.says, "promptecho-store push"}, "pull")
				nothing(t, b)
				// What stands there and was pushed once is not replaced either.
				old := recording("q", "older")
				b.write("testdata/cassettes/TestA.yaml", old)
				b.fails([]string{damage.says}, "pull", "-force")
				if b.read("testdata/cassettes/TestA.yaml") != old {
					t.Error("it was replaced")
				}
				b.fails([]string{"testdata/cassettes/TestA.yaml: ", "0 of 1 file intact"}, "verify")
				a.run("push", "-all")
				b.run("pull", "-force")
				if b.read("testdata/cassettes/TestA.yaml") != a.read("testdata/cassettes/TestA.yaml") {
					t.Error("it was not repaired")
				}
			})
		}
	}
}

// What a store does not allow is reported with the reason and a remedy, and nothing is written.
func TestRefusedByTheStore(t *testing.T) {
	t.Parallel()
	url, dir := kinds[1].make(t)
	a, b, _ := pushedTo(t, url, dir)
	lock := a.read("testdata/cassettes.lock")
	a.write("testdata/cassettes/TestB.yaml", recording("q", "b"))
	both := func(t *testing.T, change func(*clone) *clone, want ...string) {
		t.Helper()
		change(b).fails(want, "pull")
		nothing(t, b)
		change(a).fails(want, "push")
		if a.read("testdata/cassettes.lock") != lock {
			t.Error("the lock was written")
		}
	}
	toURL := func(from, to string) func(*clone) *clone {
		return func(c *clone) *clone {
			d := newClone(t)
			for _, name := range []string{".promptecho-store", "testdata/cassettes.lock"} {
				d.write(name, strings.ReplaceAll(c.read(name), from, to))
			}
			if c == a {
				d.write("testdata/cassettes/TestB.yaml", a.read("testdata/cassettes/TestB.yaml"))
			}
			return d
		}
	}
	t.Run("wrong key", func(t *testing.T) {
		both(t, func(c *clone) *clone { return c.set("AWS_SECRET_ACCESS_KEY=another") }, "SignatureDoesNotMatch", "the credentials are not those of this store")
	})
	t.Run("unknown user", func(t *testing.T) {
		both(t, func(c *clone) *clone { return c.set("AWS_ACCESS_KEY_ID=nobody") }, "the credentials are not those of this store")
	})
	t.Run("no credentials", func(t *testing.T) {
		both(t, func(c *clone) *clone { return c.set("AWS_ACCESS_KEY_ID=", "AWS_SECRET_ACCESS_KEY=") }, "no credentials were found")
	})
	t.Run("no bucket", func(t *testing.T) {
		both(t, toURL("s3://bucket-", "s3://no-bucket-"), "make the bucket, or correct the URL in .promptecho-store")
	})
	t.Run("no server", func(t *testing.T) {
		address, _ := s3(t)
		both(t, toURL(address, "127.0.0.1:1"), "nothing listens there")
	})
	// What AWS answers to credentials for an hour of which the hour is over, and to a role that
	// may only read: the server that the tests have knows neither.
	for code, want := range map[string]string{"ExpiredToken": "the credentials have expired: log in again", "AccessDenied": "the credentials are not those of this store, or may not do this"} {
		t.Run(code, func(t *testing.T) {
			aws := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/xml")
				w.WriteHeader(map[string]int{"ExpiredToken": 400, "AccessDenied": 403}[code])
				if r.Method != "HEAD" {
					fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?><Error><Code>%s</Code><Message>as AWS says it</Message><RequestId>1</RequestId></Error>`, code)
				}
			}))
			defer aws.Close()
			address, _ := s3(t)
			change := toURL(address, strings.TrimPrefix(aws.URL, "http://"))
			change(b).fails([]string{code, want}, "pull")
			change(a).fails([]string{code, want}, "push")
		})
	}
}

// On a full disk, push and pull leave nothing half-written. A limit of the process stands for the
// full disk, because it fails in the middle of a write.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	url, dir := kinds[0].make(t)
	a, b, _ := pushedTo(t, url, dir)
	a.write("testdata/cassettes/TestA.yaml", recording("q", strings.Repeat("long ", 10000)))
	lock := a.read("testdata/cassettes.lock")
	limited := func(c *clone, verb string) {
		cmd := exec.Command("sh", "-c", `ulimit -f 8; exec "$0" "$@"`, os.Args[0], verb)
		cmd.Dir, cmd.Env = c.dir, c.env
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "file too large") || !strings.Contains(string(out), "TestA.yaml") {
			t.Errorf("%s on a full disk: %v\n%s", verb, err, out)
		}
	}
	limited(a, "push")
	if a.read("testdata/cassettes.lock") != lock {
		t.Error("the lock was written")
	}
	a.run("push")
	b.write("testdata/cassettes.lock", a.read("testdata/cassettes.lock"))
	limited(b, "pull")
	nothing(t, b)
	limited(b.set("PROMPTECHO_STORE_CACHE=off"), "pull")
	nothing(t, b)
	b.run("pull")
}

// Without a folder for the cache, nothing is fetched until the user names another one, or none.
func TestNoCache(t *testing.T) {
	t.Parallel()
	url, dir := kinds[0].make(t)
	_, b, _ := pushedTo(t, url, dir)
	b.set("PROMPTECHO_STORE_CACHE="+b.path(".promptecho-store/cache")).fails([]string{"not a directory", "PROMPTECHO_STORE_CACHE can name another folder for it, or be off"}, "pull")
	b.set("PROMPTECHO_STORE_CACHE=", "HOME=", "XDG_CACHE_HOME=").fails([]string{"PROMPTECHO_STORE_CACHE can name another folder"}, "pull")
	nothing(t, b)
	b.set("PROMPTECHO_STORE_CACHE=off").run("pull")
}

// If the folder of cassettes cannot be written, nothing else is written either.
func TestNoPlace(t *testing.T) {
	t.Parallel()
	url, dir := kinds[0].make(t)
	_, b, _ := pushedTo(t, url, dir)
	b.write("testdata/cassettes", "a file in the place of the folder")
	b.fails([]string{"testdata/cassettes/TestA.yaml", "not a directory"}, "pull")
}

// A pull does not replace a recording that was never pushed, unless the user says so.
func TestUnpushed(t *testing.T) {
	t.Parallel()
	url, dir := kinds[0].make(t)
	a, b, _ := pushedTo(t, url, dir)
	b.write("testdata/cassettes/TestA.yaml", recording("q", "mine"))
	b.fails([]string{"was never pushed, so it was not replaced", "pull -force"}, "pull")
	b.fails([]string{"differs  testdata/cassettes/TestA.yaml"}, "status")
	first := a.read("testdata/cassettes.lock")
	a.write("testdata/cassettes/TestA.yaml", recording("q", "newer"))
	a.run("push")
	a.write("testdata/cassettes.lock", first) // as git checkout of an older commit does
	a.run("pull")
	if a.read("testdata/cassettes/TestA.yaml") != recording("q", "a") {
		t.Error("pull has not put the older one there")
	}
}

// A pull does not replace a recording that can be had from nowhere else. The object in the cache is
// the file of another clone, where it was edited in place.
func TestEditedInTheCache(t *testing.T) {
	t.Parallel()
	url, dir := kinds[0].make(t)
	a, b, object := pushedTo(t, url, dir)
	const name, lock = "testdata/cassettes/TestA.yaml", "testdata/cassettes.lock"
	c := newClone(t)
	c.git("init", "-q")
	for _, file := range []string{".promptecho-store", lock} {
		c.write(file, a.read(file))
	}
	cache := "PROMPTECHO_STORE_CACHE=" + t.TempDir()
	b.set(cache).run("pull")
	c.set(cache).run("pull")
	was := c.read(name)
	if err := os.WriteFile(b.path(name), []byte("edited"), 0o666); err != nil {
		t.Fatal(err)
	}
	if c.read(name) != was {
		t.Error("an edit in one clone is in another one")
	}
	a.write(name, recording("q", "b"))
	a.run("push")
	c.write(lock, a.read(lock))
	if err := os.Remove(object); err != nil {
		t.Fatal(err)
	}
	c.fails([]string{"was never pushed, so it was not replaced"}, "pull")
	if c.read(name) != was {
		t.Error("the last copy was replaced")
	}
}
