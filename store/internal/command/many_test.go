package command

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"gocloud.dev/blob"

	"github.com/promptecho/promptecho/store/internal/locks"
	"github.com/promptecho/promptecho/store/internal/objects"
)

// many is how many cassettes the tests of size have: in STORE_CASSETTES, as for a release.
func many() int {
	if n, err := strconv.Atoi(os.Getenv("STORE_CASSETTES")); err == nil {
		return n
	}
	return 300
}

const packages = 5

// fill writes cassettes of 20 KB that have nothing in common.
func fill(c *clone, n int) (names []string) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		var b strings.Builder
		for b.Len() < 19_400 {
			fmt.Fprintf(&b, "word%d ", r.IntN(1_000_000))
		}
		name := fmt.Sprintf("pkg%d/testdata/cassettes/Test%d.yaml", i%packages, i)
		c.write(name, recording(fmt.Sprint("question ", i), b.String()))
		names = append(names, name)
	}
	return names
}

// Push and pull take about as long as a loop over the AWS SDK with the same objects. They take
// turns. Other processes are never quiet for long, and on a busy machine the clock tells little: it
// is the CPU time of both sides, the process and the server, that must not be more than 1.3 of the
// loop's. With few cassettes the figures are only logged.
//
// Against a folder, a push has nothing to wait for: it takes as long as reading every cassette and
// searching it for secrets does.
func TestThroughput(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			var push, put, again, pull, plainPull, get took
			// Nothing is removed before the end: with ext4, making a file takes several times as long while
			// others that were removed in the last seconds have left their places.
			for turn := range map[bool]int{true: 3, false: 1}[many() >= 10_000] {
				url, _ := k.make(t)
				a, b, c := newClone(t), newClone(t), newClone(t).set("PROMPTECHO_STORE_CACHE=off")
				var all strings.Builder
				names := fill(a, many())
				for _, name := range names {
					fmt.Fprintln(&all, name, locks.Of("", []byte(a.read(name))).SHA256)
				}
				a.git("init", "-q")
				a.run("init", url)
				a.git("add", "-A")
				loop := func(verb string, dir *clone) *exec.Cmd {
					cmd := dir.set(role+"=loop").command(verb, url)
					cmd.Stdin = strings.NewReader(all.String())
					return cmd
				}
				turns(turn, func() { put.run(t, loop("put", a)) }, func() { push.run(t, a.command("push")) })
				again.run(t, a.command("push"))
				a.git("add", "-A")
				a.git("commit", "-qm", "1")
				b.git("clone", "-q", a.dir, ".")
				c.git("clone", "-q", a.dir, ".")
				turns(turn, func() { get.run(t, loop("get", newClone(t))) }, func() { pull.run(t, b.command("pull")) }, func() { plainPull.run(t, c.command("pull")) })
				for _, name := range names {
					if a.read(name) != b.read(name) || a.read(name) != c.read(name) {
						t.Fatalf("%s is another one", name)
					}
				}
			}
			t.Logf("%d cassettes of 20 KB: push %v, a loop %v: %s; push again %v; pull %v, a loop %v: %s; pull without a cache %v: %s", many(),
				push, put, push.by(put), again, pull, get, pull.by(get), plainPull, plainPull.by(get))
			if many() >= 10_000 && (pull.slower(get) || plainPull.slower(get) || k.name == "S3" && push.slower(put)) {
				t.Error("more than 1.3 of a loop")
			}
		})
	}
}

// turns calls these functions, each time in another order.
func turns(n int, run ...func()) {
	for i := range run {
		run[(n+i)%len(run)]()
	}
}

// took is what a process took in each turn.
type took struct{ wall, cpu []time.Duration }

func (all *took) run(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	began, served := time.Now(), serverTime(t)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	all.wall = append(all.wall, time.Since(began))
	all.cpu = append(all.cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()+serverTime(t)-served)
}

func sumOf(list []time.Duration) (sum time.Duration) {
	for _, d := range list {
		sum += d
	}
	return sum
}

func (all took) String() string {
	return fmt.Sprintf("%.1fs (CPU %.1fs)", sumOf(all.wall).Seconds(), sumOf(all.cpu).Seconds())
}

// slower reports whether in every turn it took more than 1.3 of the other of the processor, or twice as
// long on the clock.
func (all took) slower(other took) bool {
	work, wait := true, true
	for i := range all.wall {
		work = work && all.cpu[i] > other.cpu[i]*13/10
		wait = wait && all.wall[i] > other.wall[i]*2
	}
	return work || wait
}

func (all took) by(other took) string {
	return fmt.Sprintf("%.2f (CPU %.2f)", sumOf(all.wall).Seconds()/sumOf(other.wall).Seconds(), sumOf(all.cpu).Seconds()/sumOf(other.cpu).Seconds())
}

// copyByLoop copies files by the SDK alone, to or from the bucket at a URL. Their names and sums are read
// from the standard input.
func copyByLoop(verb, raw string) error {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	put, get, err := sdk(raw)
	if err != nil {
		return err
	}
	list := strings.Split(strings.TrimSpace(string(text)), "\n")
	return objects.Each(context.Background(), transfers, len(list), func(ctx context.Context, i int) error {
		name, sum, _ := strings.Cut(list[i], " ")
		key := "plain/" + name
		if verb == "put" {
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			return put(ctx, key, bytes.NewReader(data))
		}
		body, err := get(ctx, key)
		if err != nil {
			return err
		}
		defer body.Close()
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		f, err := os.Create(name)
		if err != nil {
			return err
		}
		hash := sha256.New()
		_, err = io.Copy(io.MultiWriter(f, hash), body)
		if err = cmp.Or(err, f.Close()); err == nil && hex.EncodeToString(hash.Sum(nil)) != sum {
			err = fmt.Errorf("%s is another one", name)
		}
		return err
	})
}

// sdk returns what the SDK of a store has to write and to read an object.
func sdk(raw string) (put func(ctx context.Context, key string, r io.Reader) error, get func(ctx context.Context, key string) (io.ReadCloser, error), err error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, nil, err
	}
	if u.Scheme == "file" {
		bucket, err := blob.OpenBucket(context.Background(), raw+"?no_tmp_dir=true&metadata=skip")
		return func(ctx context.Context, key string, r io.Reader) error {
				return bucket.Upload(ctx, key, r, &blob.WriterOptions{ContentType: "text/plain"})
			},
			func(ctx context.Context, key string) (io.ReadCloser, error) { return bucket.NewReader(ctx, key, nil) }, err
	}
	client := awss3.New(awss3.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(u.Query().Get("endpoint")), UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(accessKey, secretKey, ""),
	})
	put = func(ctx context.Context, key string, r io.Reader) error {
		_, err := client.PutObject(ctx, &awss3.PutObjectInput{Bucket: &u.Host, Key: &key, Body: r})
		return err
	}
	get = func(ctx context.Context, key string) (io.ReadCloser, error) {
		o, err := client.GetObject(ctx, &awss3.GetObjectInput{Bucket: &u.Host, Key: &key})
		if err != nil {
			return nil, err
		}
		return o.Body, nil
	}
	return put, get, nil
}

// Eight pulls at once into one cache all get what was pushed, and the cache has each object once.
func TestManyPulls(t *testing.T) {
	t.Parallel()
	url, _ := kinds[1].make(t)
	a := newClone(t)
	a.git("init", "-q")
	names := fill(a, many()/3)
	a.run("init", url)
	a.run("push")
	a.git("add", "-A")
	a.git("commit", "-qm", "1")
	cache := t.TempDir()
	var clones []*clone
	var commands []*exec.Cmd
	for range 4 {
		b := newClone(t).set("PROMPTECHO_STORE_CACHE=" + cache)
		b.git("clone", "-q", a.dir, ".")
		clones = append(clones, b)
		commands = append(commands, b.command("pull"), b.command("pull"))
	}
	for _, cmd := range commands {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for _, cmd := range commands {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	for _, b := range clones {
		for _, name := range names {
			if a.read(name) != b.read(name) {
				t.Fatalf("%s is another one", name)
			}
		}
	}
	whole, others := objectsIn(t, cache)
	left, _ := filepath.Glob(filepath.Join(cache, "tmp", "*", "*"))
	if len(whole) != len(names) || len(others)+len(left) > 0 {
		t.Errorf("the cache has %d objects, %d were pulled; and %q %q", len(whole), len(names), others, left)
	}
	// Offline: what is in the cache needs no store.
	c := newClone(t).set("PROMPTECHO_STORE_CACHE="+cache, "AWS_ACCESS_KEY_ID=", "AWS_SECRET_ACCESS_KEY=")
	c.git("clone", "-q", a.dir, ".")
	c.run("pull")
	// Without a cache.
	e := newClone(t).set("PROMPTECHO_STORE_CACHE=off")
	e.git("clone", "-q", a.dir, ".")
	e.run("pull")
	if a.read(names[0]) != e.read(names[0]) {
		t.Error("without a cache, something else was pulled")
	}
	// What is edited in a clone does not come to another one, and what a disk has spoiled in the cache is noticed.
	for sum := range whole {
		if err := os.WriteFile(filepath.Join(cache, "sha256", sum[:2], sum), []byte("spoiled"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	d := newClone(t).set("PROMPTECHO_STORE_CACHE=" + cache)
	d.git("clone", "-q", a.dir, ".")
	d.run("pull")
	for _, name := range names {
		if a.read(name) != d.read(name) {
			t.Fatalf("%s: what was spoiled in the cache was pulled", name)
		}
	}
}
