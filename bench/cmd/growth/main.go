// Command growth measures how what promptecho does grows with the work: each row is done in
// sizes over three powers of ten, and an exponent is fitted. From the root of the repository:
//
//	go -C bench run ./cmd/growth                                 # everything
//	go -C bench run ./cmd/growth -run 'misses|diff' -sizes 3     # some rows, without the largest size
//	go -C bench run ./cmd/growth -write ../docs/PERFORMANCE.md   # put the table into the page
//
// Times are CPU time, of this process or of the command that is run, so what else the machine
// does counts less.
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/promptecho/promptecho/bench/internal/harness"
)

// A row is work in several sizes. do does it in an empty folder and returns what of it is
// measured; vcr is the same with go-vcr.
type row struct {
	name    string
	unit    string
	sizes   []int
	do, vcr func(dir string, n int) (time.Duration, error)
}

// enough is how long go-vcr may take before larger sizes are left out.
var enough = flag.Duration("vcr", 20*time.Second, "leave out larger sizes of go-vcr after one that takes it longer")

func main() {
	pattern := flag.String("run", ".", "only rows whose names match the `regexp`")
	sizes := flag.Int("sizes", 4, "how many of the sizes, from the smallest one on")
	size := flag.Int("size", 0, "this size alone, such as 5000")
	write := flag.String("write", "", "put the table between the marks of this `file`, too")
	flag.Parse()
	for i := range rows {
		if *size > 0 {
			rows[i].sizes = []int{*size}
		}
	}
	if err := run(*pattern, *sizes, *write); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

func run(pattern string, sizes int, write string) error {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "promptecho-growth")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := build(dir); err != nil {
		return err
	}
	var table strings.Builder
	table.WriteString(harness.Origin(fmt.Sprintf("go -C bench run ./cmd/growth -sizes %d -vcr %v", sizes, *enough)))
	table.WriteString("| work | up to | promptecho | exponent | go-vcr |\n|---|---|--:|--:|--:|\n")
	for _, r := range rows {
		if !re.MatchString(r.name) {
			continue
		}
		ours, err := r.series(dir, r.do, sizes, 0)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		theirs, err := r.series(dir, r.vcr, sizes, *enough)
		if err != nil {
			return fmt.Errorf("%s with go-vcr: %w", r.name, err)
		}
		fmt.Fprintf(os.Stderr, "growth: %s, %s %s: promptecho %s; go-vcr %s\n",
			r.name, r.of(sizes), r.unit, list(ours), list(theirs))
		table.WriteString(r.line(ours, theirs))
	}
	fmt.Printf("## growth\n\n%s", table.String())
	if write == "" {
		return nil
	}
	return harness.Write(write, "growth", table.String())
}

// line returns a row of the table: the largest size that was measured, our
// time for it, and the exponents of both.
func (r *row) line(ours, theirs []time.Duration) string {
	last := len(ours) - 1
	return fmt.Sprintf("| %s | %s %s | %s | %s | %s |\n",
		r.name, short(r.sizes[last]), r.unit, rounded(ours[last]), r.exponent(ours), r.exponent(theirs))
}

// work returns how much work a size is: a conversation has in each turn all turns before.
func (r *row) work(size int) float64 {
	if r.unit == "turns" {
		return float64(size) * float64(size+1)
	}
	return float64(size)
}

// series returns what each size took, the best of a few if it is short. It ends where one takes longer than
// limit, if there is one.
func (r *row) series(dir string, do func(string, int) (time.Duration, error), sizes int, limit time.Duration) (all []time.Duration, err error) {
	if do == nil {
		return nil, nil
	}
	for _, n := range r.sizes[:min(sizes, len(r.sizes))] {
		var best time.Duration
		start := harness.CPU()
		for try := range 5 {
			if try > 0 && max(harness.CPU()-start, time.Duration(try)*best) > 2*time.Second { // also for what stands before it
				break
			}
			work, err := os.MkdirTemp(dir, "")
			if err != nil {
				return nil, err
			}
			runtime.GC()
			took, err := do(work, n)
			os.RemoveAll(work)
			if err != nil {
				return nil, fmt.Errorf("%d %s: %w", n, r.unit, err)
			}
			if try == 0 || took < best {
				best = took
			}
		}
		all = append(all, best)
		if limit > 0 && best > limit {
			break
		}
	}
	return all, nil
}

// of returns the sizes that are measured.
func (r *row) of(sizes int) string {
	var names []string
	for _, n := range r.sizes[:min(sizes, len(r.sizes))] {
		names = append(names, short(n))
	}
	return strings.Join(names, ", ")
}

// short prints a size: 1000, 20k, 10M.
func short(n int) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprintf("%dM", n/1_000_000)
	case n >= 10_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}

// list prints what each size took.
func list(all []time.Duration) string {
	var times []string
	for _, took := range all {
		times = append(times, rounded(took))
	}
	return strings.Join(times, ", ")
}

// rounded prints a time with two digits.
func rounded(took time.Duration) string {
	digits := int(math.Log10(float64(max(took, 1))))
	unit := math.Pow10(max(0, digits-1))
	return took.Round(time.Duration(unit)).String()
}

// exponent returns the power of the work by which the time grows: 1 is in proportion. It is
// the slope of a line through the logarithms, without what takes less than a millisecond,
// which is what a run costs in any size.
func (r *row) exponent(all []time.Duration) string {
	var xs, ys []float64
	for i, s := range all {
		if s >= time.Millisecond {
			xs, ys = append(xs, math.Log(r.work(r.sizes[i]))), append(ys, math.Log(float64(s)))
		}
	}
	if len(xs) < 2 {
		return ""
	}
	var sx, sy, sxx, sxy float64
	for i := range xs {
		sx, sy, sxx, sxy = sx+xs[i], sy+ys[i], sxx+xs[i]*xs[i], sxy+xs[i]*ys[i]
	}
	n := float64(len(xs))
	return fmt.Sprintf("%.2f", (n*sxy-sx*sy)/(n*sxx-sx*sx))
}

// measured returns what f takes.
func measured(f func() error) (time.Duration, error) {
	before := harness.CPU()
	err := f()
	return harness.CPU() - before, err
}

// command is the promptecho command, and root is where its source is.
var command, root string

func build(dir string) error {
	command = filepath.Join(dir, "promptecho")
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/promptecho/promptecho").Output()
	if err != nil {
		return fmt.Errorf("%w (run it in the module bench: go -C bench run ./cmd/growth)", err)
	}
	root = strings.TrimSpace(string(out))
	cmd := exec.Command("go", "build", "-o", command, "./cmd/promptecho")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// verb returns what the command takes in a folder. It may fail: diff says so if there is a difference.
func verb(dir string, args ...string) (time.Duration, error) {
	took, _, err := child(dir, command, args...)
	return took, err
}

func child(dir, name string, args ...string) (took time.Duration, out []byte, err error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err = cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() > 1 {
		return 0, nil, fmt.Errorf("%v: %w\n%.2000s", args, err, out)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), out, nil
}

// compile compiles the tests of a folder.
func compile(dir string) (bin string, err error) {
	mod := "module p\n\ngo 1.26.0\n\nrequire github.com/promptecho/promptecho v0.0.0\n\nreplace github.com/promptecho/promptecho => " + root + "\n"
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666); err != nil {
		return "", err
	}
	bin = filepath.Join(dir, "p.test")
	cmd := exec.Command("go", "test", "-mod=mod", "-c", "-o", bin, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%.2000s", err, out)
	}
	return bin, nil
}
