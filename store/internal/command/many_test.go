package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
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

// TestThroughput: pushing and pulling takes about as long as a loop over the SDK takes to copy
// the same objects with as many at once. The four take turns, package by package, since other
// processes are never quiet for long. With few cassettes the figures are only logged.
func TestThroughput(t *testing.T) {
	url, _ := kinds[1].make(t)
	a, b := newClone(t), newClone(t)
	a.git("init", "-q")
	names := fill(a, many())
	a.run("init", url)
	b.git("init", "-q")
	b.write(".promptecho-store", a.read(".promptecho-store"))
	loop := newLoop(t, url)
	var push, put, pull, get time.Duration
	timed := func(sum *time.Duration, do func()) {
		began := time.Now()
		do()
		*sum += time.Since(began)
	}
	for i := range packages {
		pkg := fmt.Sprintf("pkg%d", i)
		var mine []string
		for _, name := range names {
			if strings.HasPrefix(name, pkg+"/") {
				mine = append(mine, name)
			}
		}
		timed(&put, func() { loop.put(a, mine) })
		timed(&push, func() { a.run("push", pkg) })
		b.write(pkg+"/testdata/cassettes.lock", a.read(pkg+"/testdata/cassettes.lock"))
		timed(&get, func() { loop.get(t.TempDir(), mine) })
		timed(&pull, func() { b.run("pull", pkg) })
	}
	t.Logf("%d cassettes of 20 KB: push %v, a loop %v: %.2f; pull %v, a loop %v: %.2f",
		len(names), push, put, push.Seconds()/put.Seconds(), pull, get, pull.Seconds()/get.Seconds())
	for _, name := range names {
		if a.read(name) != b.read(name) {
			t.Fatalf("%s is another one", name)
		}
	}
	if many() >= 10_000 && (push.Seconds() > 1.3*put.Seconds() || pull.Seconds() > 1.3*get.Seconds()) {
		t.Error("more than 1.3 of a loop")
	}
}

// A plainLoop copies files by the SDK alone.
type plainLoop struct {
	t      *testing.T
	client *awss3.Client
	bucket string
}

func newLoop(t *testing.T, url string) *plainLoop {
	address, _ := s3(t)
	bucket := strings.TrimPrefix(strings.Split(url, "?")[0], "s3://")
	return &plainLoop{t, awss3.New(awss3.Options{
		Region: "us-east-1", BaseEndpoint: aws.String("http://" + address), UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(accessKey, secretKey, ""),
	}), bucket}
}

func (l *plainLoop) each(names []string, do func(ctx context.Context, name, key string) error) {
	l.t.Helper()
	if err := objects.Each(context.Background(), transfers, len(names), func(ctx context.Context, i int) error {
		return do(ctx, names[i], "plain/"+names[i])
	}); err != nil {
		l.t.Fatal(err)
	}
}

func (l *plainLoop) put(c *clone, names []string) {
	l.t.Helper()
	l.each(names, func(ctx context.Context, name, key string) error {
		data, err := os.ReadFile(c.path(name))
		if err != nil {
			return err
		}
		_, err = l.client.PutObject(ctx, &awss3.PutObjectInput{Bucket: &l.bucket, Key: &key, Body: bytes.NewReader(data)})
		return err
	})
}

func (l *plainLoop) get(dir string, names []string) {
	l.t.Helper()
	l.each(names, func(ctx context.Context, name, key string) error {
		o, err := l.client.GetObject(ctx, &awss3.GetObjectInput{Bucket: &l.bucket, Key: &key})
		if err != nil {
			return err
		}
		defer o.Body.Close()
		f, err := os.Create(filepath.Join(dir, filepath.Base(name)))
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(f, o.Body)
		return err
	})
}

// TestManyPulls: eight pulls at once into one cache, each of a clone of its own and two of each, give
// all of them what was pushed, and the cache has each object once and nothing else.
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
	// What a disk has spoiled there is noticed.
	for sum := range whole {
		if err := os.WriteFile(filepath.Join(cache, "sha256", sum[:2], sum), []byte("spoiled"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	d := clones[0]
	os.RemoveAll(d.path("pkg0/testdata/cassettes"))
	d.run("pull")
	if a.read(names[0]) != d.read(names[0]) {
		t.Error("what was spoiled in the cache was pulled")
	}
}
