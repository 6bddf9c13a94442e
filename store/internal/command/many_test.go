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

// fill writes cassettes of 20 KB that have nothing in common.
func fill(c *clone, n int) (names []string) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		var b strings.Builder
		for b.Len() < 19_400 {
			fmt.Fprintf(&b, "word%d ", r.IntN(1_000_000))
		}
		name := fmt.Sprintf("pkg%d/testdata/cassettes/Test%d.yaml", i%20, i)
		c.write(name, recording(fmt.Sprint("question ", i), b.String()))
		names = append(names, name)
	}
	return names
}

// TestThroughput: pushing and pulling takes about as long as a loop over the SDK takes to copy
// the same objects with as many at once. What is asked of a large number is logged for a small one.
func TestThroughput(t *testing.T) {
	url, _ := kinds[1].make(t)
	address, _ := s3(t)
	a := newClone(t)
	a.git("init", "-q")
	names := fill(a, many())
	a.run("init", url)
	plain := awss3.New(awss3.Options{
		Region: "us-east-1", BaseEndpoint: aws.String("http://" + address), UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(accessKey, secretKey, ""),
	})
	ctx := context.Background()
	timed := func(do func()) time.Duration {
		began := time.Now()
		do()
		return time.Since(began)
	}
	name := strings.TrimPrefix(strings.Split(url, "?")[0], "s3://")
	loopPut := timed(func() {
		err := objects.Each(ctx, transfers, len(names), func(ctx context.Context, i int) error {
			data, err := os.ReadFile(a.path(names[i]))
			if err != nil {
				return err
			}
			_, err = plain.PutObject(ctx, &awss3.PutObjectInput{Bucket: &name, Key: aws.String("plain/" + names[i]), Body: bytes.NewReader(data)})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	push := timed(func() { a.run("push") })
	to := t.TempDir()
	loopGet := timed(func() {
		err := objects.Each(ctx, transfers, len(names), func(ctx context.Context, i int) error {
			o, err := plain.GetObject(ctx, &awss3.GetObjectInput{Bucket: &name, Key: aws.String("plain/" + names[i])})
			if err != nil {
				return err
			}
			defer o.Body.Close()
			f, err := os.Create(filepath.Join(to, strconv.Itoa(i)))
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = io.Copy(f, o.Body)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	b := newClone(t)
	a.git("add", "-A")
	a.git("commit", "-qm", "1")
	b.git("clone", "-q", a.dir, ".")
	pull := timed(func() { b.run("pull") })
	again := timed(func() { b.run("pull") })
	t.Logf("%d cassettes of 20 KB: push %v, a loop %v: %.2f; pull %v, a loop %v: %.2f; with nothing to pull %v",
		len(names), push, loopPut, push.Seconds()/loopPut.Seconds(), pull, loopGet, pull.Seconds()/loopGet.Seconds(), again)
	for _, name := range names {
		if a.read(name) != b.read(name) {
			t.Fatalf("%s is another one", name)
		}
	}
	if many() >= 10_000 && (push.Seconds() > 1.3*loopPut.Seconds() || pull.Seconds() > 1.3*loopGet.Seconds()) {
		t.Error("more than 1.3 of a loop")
	}
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
	left, _ := filepath.Glob(filepath.Join(cache, "tmp", "*"))
	if len(whole) != len(names) || len(others)+len(left) > 0 {
		t.Errorf("the cache has %d objects, %d were pulled; and %q %q", len(whole), len(names), others, left)
	}
	// Offline: what is in the cache needs no store.
	c := newClone(t).set("PROMPTECHO_STORE_CACHE="+cache, "AWS_ACCESS_KEY_ID=", "AWS_SECRET_ACCESS_KEY=")
	c.git("clone", "-q", a.dir, ".")
	c.run("pull")
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
