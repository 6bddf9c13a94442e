package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What docs/STORE.md shows, as it is there.
const (
	docsStart = `promptecho-store init 's3://my-cassettes?region=eu-central-1'
promptecho-store push
git rm -r --cached --quiet --ignore-unmatch -- '*testdata/cassettes/*'
git add .promptecho-store .gitignore .gitattributes '*cassettes.lock'
git commit -m "cassettes are kept in the store"
`
	docsClone = `promptecho-store pull
go test ./...
`
	docsLock = `# Kept by promptecho-store: path, bytes, SHA-256

cassettes/TestAnswer.yaml 587 6cbce3d88a21e04f0a9e0c3b6ec6fc71a5b6ea6aa4aa8ea5ffd8bb6f5d5b1d2e

# end of the lock
`
	docsActions = `name: test
on: [push, pull_request]
permissions: {contents: read, id-token: write}
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-go@v6
        with: {go-version-file: go.mod}
      - uses: aws-actions/configure-aws-credentials@v5
        with:
          role-to-assume: arn:aws:iam::123456789012:role/read-cassettes
          aws-region: eu-central-1
      - run: go install github.com/promptecho/promptecho/store/cmd/promptecho-store@latest
      - run: promptecho-store pull
        env: {PROMPTECHO_STORE_CACHE: "off"}
      - run: go test ./...
`
	docsRole = `{
  "Version": "2012-10-17",
  "Statement": [
    {"Effect": "Allow", "Action": "s3:ListBucket", "Resource": "arn:aws:s3:::my-cassettes"},
    {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::my-cassettes/*"}
  ]
}
`
)

// The commands of docs/STORE.md do what the page says.
func TestDocs(t *testing.T) {
	t.Parallel()
	url, _ := kinds[1].make(t)
	bin := t.TempDir()
	if err := os.Symlink(os.Args[0], filepath.Join(bin, "promptecho-store")); err != nil {
		t.Fatal(err)
	}
	sh := func(c *clone, script string) {
		t.Helper()
		cmd := exec.Command("sh", "-ec", strings.ReplaceAll(script, "s3://my-cassettes?region=eu-central-1", url))
		cmd.Dir, cmd.Env = c.dir, append(c.env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
	}
	a := newClone(t)
	a.git("init", "-q")
	a.write("go.mod", "module example.com/m\n\ngo 1.24\n")
	a.write("p.go", "package p\n")
	text := recording("q", "a")
	a.write("testdata/cassettes/TestAnswer.yaml", text)
	a.git("add", "-A")
	a.git("commit", "-qm", "in git")
	sh(a, docsStart)
	if files := a.git("ls-files"); strings.Contains(files, "testdata/cassettes/") || !strings.Contains(files, "testdata/cassettes.lock") {
		t.Errorf("git has\n%s", files)
	}
	if dirty := a.git("status", "--porcelain"); dirty != "" {
		t.Errorf("left: %s", dirty)
	}
	first, _, _ := strings.Cut(docsLock, " 587 ")
	if lock := a.read("testdata/cassettes.lock"); !strings.HasPrefix(lock, first) || !strings.HasSuffix(lock, docsLock[len(docsLock)-20:]) {
		t.Errorf("a lock is\n%s", lock)
	}
	b := newClone(t)
	b.git("clone", "-q", a.dir, ".")
	sh(b, docsClone)
	if b.read("testdata/cassettes/TestAnswer.yaml") != text {
		t.Error("another cassette was pulled")
	}
	_, step, _ := strings.Cut(docsActions, "- run: promptecho-store")
	step, _, _ = strings.Cut(step, "\n")
	sh(b.set("PROMPTECHO_STORE_CACHE=off"), "promptecho-store"+step)
	for _, action := range []string{"s3:ListBucket", "s3:GetObject"} {
		if !strings.Contains(docsRole, action) {
			t.Errorf("the role lacks %s", action)
		}
	}
}
