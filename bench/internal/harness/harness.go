// Package harness has what the commands of this module share: CPU time, the
// line that says where a table comes from, and writing a table into a page.
package harness

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// CPU returns the CPU time that this process has used.
func CPU() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Origin returns the line above a table: the command that prints it, the day,
// the machine and the commit.
func Origin(command string) string {
	return fmt.Sprintf("`%s`, %s, %d cores, %s/%s, %s, promptecho at %s.\n\n",
		command, time.Now().UTC().Format("2006-01-02"),
		runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), commit())
}

func commit() string {
	out, err := exec.Command("git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return "an unknown commit"
	}
	return strings.TrimSpace(string(out))
}

// Write replaces what a file has between the marks of a name, which are the
// lines <!-- NAME:begin --> and <!-- NAME:end -->.
func Write(file, name, text string) error {
	page, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	replaced, err := replace(string(page), name, text)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, []byte(replaced), 0o666)
}

func replace(page, name, text string) (string, error) {
	begin := "<!-- " + name + ":begin -->\n"
	end := "<!-- " + name + ":end -->\n"
	before, rest, hasBegin := strings.Cut(page, begin)
	_, after, hasEnd := strings.Cut(rest, end)
	if !hasBegin || !hasEnd {
		return "", fmt.Errorf("no lines %q and %q", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return before + begin + text + end + after, nil
}
