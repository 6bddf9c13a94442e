// Command report runs the benchmarks of this module and prints their medians as
// markdown, with what each goal of promptecho asks for and whether it was met.
// From the root of the repository:
//
//	go -C bench run ./cmd/report                                 # everything, ten times
//	go -C bench run ./cmd/report -run Typical -quick             # a first impression
//	go -C bench run ./cmd/report -write ../docs/PERFORMANCE.md   # put it into the page
//
// A repetition runs every benchmark once, and of each every contender in turn, so
// that whatever else the machine does hits them alike.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// slowEvery is in how many repetitions what takes seconds a contender runs once: it does not
// scatter like what takes microseconds.
const slowEvery = 8

func main() {
	reps := flag.Int("reps", 10, "how many `times` everything runs")
	pattern := flag.String("run", ".", "run only benchmarks that match the `regexp`, as in go test -bench")
	quick := flag.Bool("quick", false, "one short repetition without what is slow")
	write := flag.String("write", "", "put the report between the marks of this `file`, too")
	raw := flag.String("raw", "", "keep the benchmarks' own output in this `file`, for benchstat")
	flag.Parse()
	if err := run(*reps, *pattern, *quick, *write, *raw); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func run(reps int, pattern string, quick bool, write, raw string) error {
	dir, err := os.MkdirTemp("", "promptecho-report")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bin := filepath.Join(dir, "bench.test")
	if out, err := exec.Command("go", "test", "-c", "-o", bin, ".").CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s(run it in the module bench: go -C bench run ./cmd/report)", err, out)
	}

	benchtime := "50ms"
	if quick {
		reps, benchtime = 1, "10ms"
	}
	if reps < 1 {
		return errors.New("-reps: at least 1")
	}
	r := newResults()
	var kept bytes.Buffer
	began := time.Now()
	for rep := range reps {
		var out bytes.Buffer
		cmd := exec.Command(bin, "-test.run=^$", "-test.bench="+pattern, "-test.benchtime="+benchtime, "-test.timeout=0")
		cmd.Env = append(os.Environ(), "BENCH_FIXTURES="+dir)
		if quick || rep%slowEvery != 0 {
			cmd.Env = append(cmd.Env, "BENCH_SLOW=no")
		}
		cmd.Stdout, cmd.Stderr = &out, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%w\n%s", err, out.Bytes())
		}
		kept.Write(out.Bytes())
		r.parse(out.String())
		fmt.Fprintf(os.Stderr, "report: %d of %d after %s\n", rep+1, reps, time.Since(began).Round(time.Second))
	}
	if raw != "" {
		if err := os.WriteFile(raw, kept.Bytes(), 0o666); err != nil {
			return err
		}
	}
	if len(r.rows) == 0 {
		return errors.New("no benchmark matches " + pattern)
	}

	var report bytes.Buffer
	head(&report, r, reps, quick)
	r.render(&report)
	os.Stdout.Write(report.Bytes())
	if write == "" {
		return nil
	}
	page, err := os.ReadFile(write)
	if err != nil {
		return err
	}
	page, err = insert(page, report.Bytes())
	if err != nil {
		return fmt.Errorf("%s: %w", write, err)
	}
	return os.WriteFile(write, page, 0o666)
}

// head says what ran where.
func head(w io.Writer, r *results, reps int, quick bool) {
	command := "go -C bench run ./cmd/report"
	for _, arg := range os.Args[1:] {
		if strings.ContainsAny(arg, " |*?$^()[]") {
			arg = "'" + arg + "'"
		}
		command += " " + arg
	}
	fmt.Fprintf(w, "`%s`, %s.\n\n", command, time.Now().UTC().Format("2006-01-02"))
	fmt.Fprintf(w, "- %s, %d cores, %s/%s, %s\n", cmp.Or(r.cpu, "unknown CPU"), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	fmt.Fprintf(w, "- promptecho at %s", cmp.Or(output("git", "describe", "--always", "--dirty"), "an unknown commit"))
	peers := output("go", "list", "-m", "-f", "{{.Path}} {{.Version}}", "gopkg.in/dnaeon/go-vcr.v4", "charm.land/x/vcr", "github.com/seborama/govcr/v15", "github.com/google/go-replayers/httpreplay")
	for peer := range strings.Lines(peers) {
		fmt.Fprintf(w, ", %s", strings.TrimSpace(peer))
	}
	fmt.Fprintf(w, "\n- medians; repetitions: %d", reps)
	if !quick {
		fmt.Fprintf(w, ", for slow benchmarks %d", (reps+slowEvery-1)/slowEvery)
	}
	if reps > 3 {
		fmt.Fprintf(w, "; spread: for each table row, the interquartile range of promptecho's times divided by their median; the median of these is %.0f%%", 100*r.spread())
	}
	fmt.Fprintln(w)
	met, missed := r.judge()
	fmt.Fprintf(w, "- goals: %d met, %d missed\n", met, missed)
}

// output returns what a command prints, or nothing.
func output(name string, args ...string) string {
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

const (
	begin = "<!-- report:begin -->\n"
	end   = "<!-- report:end -->\n"
)

// insert replaces what is between the marks of a page.
func insert(page, report []byte) ([]byte, error) {
	before, rest, ok := bytes.Cut(page, []byte(begin))
	_, after, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		return nil, fmt.Errorf("no lines %q and %q", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return bytes.Join([][]byte{before, []byte(begin), report, []byte(end), after}, nil), nil
}
