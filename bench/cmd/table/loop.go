package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Goals of the loop, against a test without a recorder.
const (
	startGoal = 0.35e6 // nanoseconds more
	sizeGoal  = 4.3e6  // bytes more
	loopGoal  = 1.06   // times as long
)

// testName is the name of the test in each folder of build.
const testName = "TestAsk"

// loop measures what a user waits for after each edit of a test: the same
// small test without a recorder and with one library each, as it stands in a
// folder of build.
func loop(s *settings) (*table, error) {
	names := []string{none}
	for _, peer := range s.peers {
		if _, err := os.Stat(filepath.Join("build", peer)); err == nil {
			names = append(names, peer)
		}
	}
	names = append(names, ours)

	builds := map[string]*build{}
	for _, name := range names {
		b, err := newBuild(s.dir, name)
		if err != nil {
			return nil, err
		}
		builds[name] = b
	}
	edits, err := rounds(pick(s, 20, 2), names, func(name string) (float64, error) {
		return builds[name].edited()
	})
	if err != nil {
		return nil, err
	}
	std, err := standardLibrary(s.dir)
	if err != nil {
		return nil, err
	}
	firsts, err := rounds(pick(s, 3, 1), names, func(name string) (float64, error) {
		return builds[name].first(std)
	})
	if err != nil {
		return nil, err
	}
	starts, err := rounds(pick(s, 300, 20), names, func(name string) (float64, error) {
		return builds[name].start()
	})
	if err != nil {
		return nil, err
	}
	sizes := samples{}
	for name, b := range builds {
		sizes[name] = []float64{b.size}
	}
	return loopTable(names, loopSamples{edits, firsts, starts, sizes}), nil
}

// loopSamples are what loop measures: nanoseconds, and bytes in sizes.
type loopSamples struct {
	edits, firsts, starts, sizes samples
}

// loopTable is the table of contenders, of which the first one is none and the
// last one is ours.
func loopTable(names []string, all loopSamples) *table {
	t := &table{head: append(append([]string{"what"}, names...), "goal")}
	edit := []string{"edit, compile, link, start", all.edits.of(none).cell(duration)}
	start := []string{"start of the test binary", all.starts.of(none).cell(duration)}
	size := []string{"size of the test binary", megabytes(all.sizes.of(none).median)}
	first := []string{"the first build", all.firsts.of(none).cell(duration)}
	for _, name := range names[1:] {
		edit = append(edit, all.edits.ratio(name, none).cell(closeTimes))
		start = append(start, all.starts.difference(name, none).cell(moreMilliseconds))
		size = append(size, moreMegabytes(all.sizes.difference(name, none).median))
		first = append(first, all.firsts.ratio(name, none).cell(times))
	}
	t.add(append(edit, atMost(loopGoal, all.edits.ratio(ours, none).median, closeTimes))...)
	t.add(append(start, atMost(startGoal, all.starts.difference(ours, none).median, moreMilliseconds))...)
	t.add(append(size, atMost(sizeGoal, all.sizes.difference(ours, none).median, moreMegabytes))...)
	t.add(append(first, "")...)
	return t
}

// A build is a test in a folder of build, and its binary.
type build struct {
	folder string // as an argument of the go command
	source string // the absolute path of the test
	text   []byte // what source has
	dir    string // for the binary and for edited tests
	binary string
	size   float64 // bytes of the binary
	edits  int
}

func newBuild(dir, name string) (*build, error) {
	source, err := filepath.Abs(filepath.Join("build", name, "build_test.go"))
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(source)
	if err != nil {
		return nil, err
	}
	b := &build{folder: "./build/" + name, source: source, text: text, dir: filepath.Join(dir, "build", name)}
	if err := os.MkdirAll(b.dir, 0o777); err != nil {
		return nil, err
	}
	b.binary = filepath.Join(b.dir, "build.test")
	if _, err := run("go", "test", "-c", "-o", b.binary, b.folder); err != nil {
		return nil, err
	}
	info, err := os.Stat(b.binary)
	if err != nil {
		return nil, err
	}
	b.size = float64(info.Size())
	return b, nil
}

// start returns the nanoseconds that the binary takes to start and to end
// without running a test.
func (b *build) start() (float64, error) {
	took, err := run(b.binary, "-test.run=^$")
	return float64(took), err
}

// edited returns the nanoseconds of a go test after an edit of the test: it
// vets, compiles, links and starts. No test runs.
func (b *build) edited() (float64, error) {
	overlay, err := b.edit()
	if err != nil {
		return 0, err
	}
	took, err := run("go", "test", "-run", "^$", "-overlay", overlay, b.folder)
	return float64(took), err
}

// edit gives the test a name that it never had, and returns the file for the
// flag -overlay of the go command, so that the source stays as it is.
func (b *build) edit() (overlay string, err error) {
	b.edits++
	name := fmt.Sprintf("%s%d_%d", testName, os.Getpid(), b.edits)
	changed := filepath.Join(b.dir, "build_test.go")
	text := bytes.Replace(b.text, []byte(testName), []byte(name), 1)
	if err := os.WriteFile(changed, text, 0o666); err != nil {
		return "", err
	}
	replaced, err := json.Marshal(map[string]map[string]string{"Replace": {b.source: changed}})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(b.dir, "overlay.json")
	return overlay, os.WriteFile(overlay, replaced, 0o666)
}

// first returns the nanoseconds of the first build on a machine: std is a build
// cache that has the standard library and nothing else.
func (b *build) first(std string) (float64, error) {
	cache, err := os.MkdirTemp(b.dir, "cache")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(cache)
	if err := os.CopyFS(cache, os.DirFS(std)); err != nil {
		return 0, err
	}
	took, err := runIn(cache, "go", "test", "-c", "-o", b.binary, b.folder)
	return float64(took), err
}

// standardLibrary returns a build cache that has all packages of the standard
// library that a test in a folder of build needs, and nothing else.
func standardLibrary(dir string) (cache string, err error) {
	const standard = "{{if .Standard}}{{.ImportPath}}{{end}}"
	list, err := exec.Command("go", "list", "-deps", "-test", "-f", standard, "./build/...").Output()
	if err != nil {
		return "", err
	}
	paths := slices.DeleteFunc(strings.Fields(string(list)), func(path string) bool {
		return strings.HasPrefix(path, "vendor/") // built with the packages that import it
	})
	cache = filepath.Join(dir, "std")
	_, err = runIn(cache, "go", append([]string{"build"}, paths...)...)
	return cache, err
}

// run runs a command and returns how long it takes.
func run(name string, args ...string) (time.Duration, error) {
	return runIn("", name, args...)
}

// runIn is run with a build cache, or with the user's if cache is empty.
func runIn(cache, name string, args ...string) (time.Duration, error) {
	var out bytes.Buffer
	cmd := exec.Command(name, args...)
	if cache != "" {
		cmd.Env = append(os.Environ(), "GOCACHE="+cache)
	}
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	err := cmd.Run()
	took := time.Since(began)
	if err != nil {
		return 0, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out.Bytes())
	}
	return took, nil
}
