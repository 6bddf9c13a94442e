package command

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
	_ "gocloud.dev/blob/fileblob"
	_ "gocloud.dev/blob/s3blob"

	"github.com/promptecho/promptecho/store/internal/whole"
)

// What this test binary is, if it is started by a test: the command, an S3 server, or
// a loop over the SDK of S3.
const role = "PROMPTECHO_STORE_TEST_ROLE"

// named is a variable that is set where the command is to see that files need names.
const named = "PROMPTECHO_STORE_TEST_NAMED"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "command":
		whole.Named = os.Getenv(named) != ""
		os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr))
	case "loop":
		if err := copyByLoop(os.Args[1], os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	case "gateway":
		if err := gateway(os.Args[1], os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	stopGateway()
	os.Exit(code)
}

const accessKey, secretKey = "store-test", "store-test-secret"

// gateway is an S3 server on a folder, which ends with its standard input.
func gateway(dir, address string) error {
	side, err := meta.NewSideCar(filepath.Join(dir, "meta"))
	if err != nil {
		return err
	}
	be, err := posix.New(filepath.Join(dir, "data"), side, posix.PosixOpts{SideCarDir: filepath.Join(dir, "meta")})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		bufio.NewReader(os.Stdin).ReadByte()
		cancel()
	}()
	return embedgw.RunVersityGW(ctx, be, &embedgw.Config{
		RootUserAccess: accessKey, RootUserSecret: secretKey, Ports: []string{address},
		MaxConnections: 1000, MaxRequests: 1000, MultipartMaxParts: 10000, KeepAlive: true, Quiet: true,
	})
}

var server struct {
	once    sync.Once
	dir     string // with a folder data, in which a folder is a bucket
	address string
	pid     int
	stop    func()
}

func stopGateway() {
	if server.stop != nil {
		server.stop()
	}
}

// s3 returns the address of an S3 server on loopback and the folder that has its buckets. It runs
// for all tests: versitygw can run once in a process only, and changes the working directory.
func s3(t testing.TB) (address, buckets string) {
	t.Helper()
	server.once.Do(func() {
		dir, err := os.MkdirTemp("", "store-test")
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []string{"data", "meta"} {
			if err := os.Mkdir(filepath.Join(dir, d), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := l.Addr().String()
		l.Close()
		cmd := exec.Command(os.Args[0], dir, address)
		cmd.Env = append(os.Environ(), role+"=gateway")
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		server.pid = cmd.Process.Pid
		server.stop = func() {
			in.Close()
			cmd.Process.Kill() // it would wait for connections that clients keep
			cmd.Wait()
			os.RemoveAll(dir)
		}
		deadline := time.Now().Add(30 * time.Second)
		for {
			conn, err := net.Dial("tcp", address)
			if err == nil {
				conn.Close()
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("the S3 server does not listen")
			}
			time.Sleep(10 * time.Millisecond)
		}
		server.dir, server.address = dir, address
	})
	if server.address == "" {
		t.Fatal("there is no S3 server")
	}
	return server.address, filepath.Join(server.dir, "data")
}

// serverTime returns the CPU time that the S3 server has taken, 0 where the system does not tell.
func serverTime(t testing.TB) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", server.pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, err1 := strconv.Atoi(fields[11]) // proc_pid_stat(5), in hundredths of a second
	system, err2 := strconv.Atoi(fields[12])
	if err := cmp.Or(err1, err2); err != nil {
		t.Fatal(err)
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}

var buckets = struct {
	sync.Mutex
	n int
}{}

// A kind is a kind of store: what makes a new one and returns its URL and the folder that has
// its objects as files.
type kind struct {
	name string
	make func(t testing.TB) (url, dir string)
}

var kinds = []kind{
	{"folder", func(t testing.TB) (string, string) {
		dir := t.TempDir()
		return "file://" + filepath.ToSlash(dir), dir
	}},
	{"S3", func(t testing.TB) (string, string) {
		address, dir := s3(t)
		buckets.Lock()
		buckets.n++
		name := fmt.Sprintf("bucket-%d", buckets.n)
		buckets.Unlock()
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
		return "s3://" + name + "?endpoint=http://" + address + "&use_path_style=true&region=us-east-1", filepath.Join(dir, name)
	}},
}

// A clone is a clone of a repository with its own cache.
type clone struct {
	t   testing.TB
	dir string
	env []string
}

// newClone returns an empty repository.
func newClone(t testing.TB) *clone {
	c := &clone{t: t, dir: t.TempDir()}
	c.env = append(os.Environ(), role+"=command", "PROMPTECHO_STORE_CACHE="+t.TempDir(),
		"AWS_ACCESS_KEY_ID="+accessKey, "AWS_SECRET_ACCESS_KEY="+secretKey, "AWS_EC2_METADATA_DISABLED=true",
		"AWS_CONFIG_FILE=/dev/null", "AWS_SHARED_CREDENTIALS_FILE=/dev/null", "AWS_MAX_ATTEMPTS=2",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	return c
}

// set returns the clone with other variables.
func (c *clone) set(env ...string) *clone {
	d := *c
	d.env = append(append([]string(nil), c.env...), env...)
	return &d
}

func (c *clone) path(name string) string { return filepath.Join(c.dir, filepath.FromSlash(name)) }

func (c *clone) write(name, text string) {
	c.t.Helper()
	if err := os.MkdirAll(filepath.Dir(c.path(name)), 0o777); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(c.path(name), []byte(text), 0o666); err != nil {
		c.t.Fatal(err)
	}
}

func (c *clone) read(name string) string {
	c.t.Helper()
	data, err := os.ReadFile(c.path(name))
	if err != nil {
		c.t.Fatal(err)
	}
	return string(data)
}

// command returns a call of promptecho-store.
func (c *clone) command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir, cmd.Env = c.dir, c.env
	return cmd
}

// try calls promptecho-store, and returns what it printed and whether it passed.
func (c *clone) try(args ...string) (out string, ok bool) {
	text, err := c.command(args...).CombinedOutput()
	return string(text), err == nil
}

// run is try for what has to pass.
func (c *clone) run(args ...string) string {
	c.t.Helper()
	out, ok := c.try(args...)
	if !ok {
		c.t.Fatalf("promptecho-store %s:\n%s", strings.Join(args, " "), out)
	}
	return out
}

// fails is try for what has to fail, and to say all of these.
func (c *clone) fails(want []string, args ...string) string {
	c.t.Helper()
	out, ok := c.try(args...)
	if ok {
		c.t.Fatalf("promptecho-store %s passed:\n%s", strings.Join(args, " "), out)
	}
	for _, w := range want {
		if !strings.Contains(out, w) {
			c.t.Errorf("promptecho-store %s does not say %q:\n%s", strings.Join(args, " "), w, out)
		}
	}
	return out
}

// git calls git.
func (c *clone) git(args ...string) string {
	c.t.Helper()
	out, err := c.tryGit(args...)
	if err != nil {
		c.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (c *clone) tryGit(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = c.dir, c.env
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// recording returns a cassette with one interaction, whose answer is a text.
func recording(question, answer string) string {
	return fmt.Sprintf(`version: 1
interactions:
  - request:
      method: POST
      url: https://api.openai.com/v1/chat/completions
      headers:
        Content-Type: application/json
      body:
        model: gpt-4o
        messages:
          - role: user
            content: %s
    response:
      status: 200
      headers:
        Content-Type: application/json
      body:
        choices:
          - index: 0
            message:
              role: assistant
              content: %s
            finish_reason: stop
`, question, answer)
}
