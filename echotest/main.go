package echotest

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/nethttp/guard"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testenv/lock"
)

// The default transport is changed when the program starts, so that clones made before Run
// ask the guard, too. The guard refuses requests only during Run.
func init() { guard.Install() }

// Main runs the tests of a package as [Run] does, and calls os.Exit with the status:
//
//	func TestMain(m *testing.M) { echotest.Main(m) }
//
// Put set-up and tear-down in a [RunFunc]:
//
//	echotest.Main(echotest.RunFunc(func() int {
//		db := up()
//		defer db.Close()
//		return m.Run()
//	}))
func Main(m interface{ Run() int }, opts ...MainOption) { os.Exit(Run(m, opts...)) }

// Run runs the tests of a package and returns the exit status of the process. The
// status is 2 if an option is invalid. It is 1 if m passed and something is wrong
// with the package as a whole. Otherwise it is that of m.
//
// m is a [*testing.M], or a [RunFunc] that runs one. Run calls flag.Parse first
// if needed.
//
// While m runs, a request that would go out of the process without passing
// through a recorder is refused: the error names its host. The test fails if it
// has a recorder, else the package, with the calling line and the code to add.
// These pass: requests to this machine, to hosts of [AllowHosts], and of a
// function that runs under [promptecho.Wrap]. This applies to each record mode,
// even to those that send, because nothing records such a request. Only
// http.DefaultTransport and its clones are seen: docs/SUPPORT.md lists the
// SDKs.
//
// When m has run, Run does this:
//
//   - It ends recorders that were opened with [promptecho.Open] and not in a
//     test. Run knows whether the tests passed and all ran. It saves the
//     cassettes accordingly, and fails the package with their reports.
//     [promptecho.Recorder.Close] leaves that to Run.
//   - It names cassettes in testdata/cassettes whose test is gone. If all tests
//     ran and passed, it also names those that no test has opened. That fails
//     no test and deletes nothing.
//   - If several tests failed on their cassettes, it says which failed for the
//     same reason. It gives one command that records all of them.
//
// To a tool that calls os.Exit itself, pass Run in a RunFunc:
//
//	goleak.VerifyTestMain(echotest.RunFunc(func() int { return echotest.Run(m) }))
func Run(m interface{ Run() int }, opts ...MainOption) int {
	if !flag.Parsed() {
		flag.Parse()
	}
	var c mainConfig
	group.Apply(opts, &c)
	if c.err != nil {
		fmt.Fprintln(os.Stderr, c.err)
		return 2
	}
	s := newSuite()
	if !current.CompareAndSwap(nil, s) {
		return m.Run() // a Run runs already
	}
	defer current.Store(nil)
	if len(c.fetch) > 0 && !runsNoTests() {
		fetchMissing(c.fetch)
	}
	suiteEnds := recorder.SuiteBegins()
	defer suiteEnds()
	guard.Start(c.hosts)
	code := m.Run()
	leaks := guard.Stop()
	if runsNoTests() {
		return code
	}
	return s.conclude(os.Stdout, code, leaks)
}

// fetchMissing runs a command if the lock of the package names cassettes that do not exist,
// or if it cannot be read. If the command fails, the tests run: a test without its cassette
// fails by itself.
func fetchMissing(command []string) {
	missing, err := lock.Missing(".")
	if err == nil && len(missing) == 0 {
		return
	}
	out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	if err != nil {
		fmt.Fprintf(os.Stderr, "echotest.Fetch: %s: %v\n%s", strings.Join(command, " "), err, out)
	}
}

// runsNoTests reports whether this process only lists the tests, or is a fuzz worker, whose tests
// another process reports.
func runsNoTests() bool { return report.Flag("test.list") != "" || report.FuzzWorker() }

// A RunFunc is a function that runs tests and returns the exit status, as
// [testing.M.Run] does.
type RunFunc func() int

// Run calls f.
func (f RunFunc) Run() int { return f() }

// A MainOption changes what [Main] and [Run] do.
type MainOption func(*mainConfig)

type mainConfig struct {
	hosts []guard.Host
	fetch []string
	err   error
}

// AllowHosts lets requests without a recorder pass to these hosts. A host is a name or an
// address, with any port: "db.internal". "db.internal:5432" and "https://db.internal" are this
// port alone. "*.example.com" stands for all names below example.com.
func AllowHosts(hosts ...string) MainOption {
	return func(c *mainConfig) {
		if len(hosts) == 0 {
			c.err = errors.New("echotest.AllowHosts() has no argument: name the hosts")
		}
		for _, host := range hosts {
			server, err := guard.ParseHost(host)
			if err != nil {
				c.err = fmt.Errorf("echotest.AllowHosts(%q): write a name, an address, *.NAME or a URL", host)
			}
			c.hosts = append(c.hosts, server)
		}
	}
}

// Fetch makes [Run] call a command before any test runs, if
// testdata/cassettes.lock names cassettes that are not here:
//
//	echotest.Main(m, echotest.Fetch("promptecho-store", "pull", "-for", "."))
//
// Without it no test fetches anything. A test whose cassette is not here fails,
// and says which command brings it. docs/STORE.md describes the store.
func Fetch(command string, args ...string) MainOption {
	return func(c *mainConfig) {
		if command == "" || c.fetch != nil {
			c.err = errors.New("echotest.Fetch: pass it once, with the command that fetches missing cassettes")
		}
		c.fetch = append([]string{command}, args...)
	}
}
