// Package quiet finds goroutines that tests leave, with the function that
// go.uber.org/goleak has for a TestMain.
package quiet

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// VerifyTestMain runs tests, and ends the process with the status of Run.
func VerifyTestMain(m interface{ Run() int }) { os.Exit(Run(m)) }

// Run runs tests and returns their status, or 1 if they pass and a goroutine is still there
// some seconds later.
func Run(m interface{ Run() int }) int {
	code := m.Run()
	for end := time.Now().Add(3 * time.Second); code == 0 && len(others()) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			fmt.Printf("quiet: goroutines are left:\n\n%s\n", strings.Join(others(), "\n\n"))
			code = 1
		}
	}
	return code
}

// others returns the stacks of all goroutines but this one and the one that waits for signals.
func others() (stacks []string) {
	text := make([]byte, 1<<20)
	all := strings.Split(string(text[:runtime.Stack(text, true)]), "\n\n")
	for _, stack := range all[1:] {
		if !strings.Contains(stack, "os/signal.") {
			stacks = append(stacks, stack)
		}
	}
	return stacks
}
