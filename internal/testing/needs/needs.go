// Package needs says what a test needs of the operating system and of Go, and skips the test on
// Windows, or with an old Go, if that is not there. CI runs on Linux with the newest Go, where no
// test may be skipped.
package needs

import (
	"io/fs"
	"os"
	"runtime"
	"runtime/metrics"
)

// A T is the test, a [testing.TB].
type T interface {
	Helper()
	Fatal(args ...any)
	Skipf(format string, args ...any)
	TempDir() string
}

const isWindows = runtime.GOOS == "windows"

// POSIX skips the test on Windows. what is the thing that only POSIX systems have, such as "a
// umask".
func POSIX(t T, what string) {
	t.Helper()
	if isWindows {
		t.Skipf("Windows does not have %s", what)
	}
}

// Symlink makes path a symbolic link to target. On Windows only developers and administrators
// may make links, and Wine says that it made one and did not.
func Symlink(t T, target, path string) {
	t.Helper()
	err := os.Symlink(target, path)
	info, statErr := os.Lstat(path)
	isLink := statErr == nil && info.Mode()&fs.ModeSymlink != 0
	switch {
	case err == nil && isLink:
	case isWindows:
		t.Skipf("no symbolic links can be made here: %v", err)
	case err != nil:
		t.Fatal(err)
	default:
		t.Fatal(path, "is not a symbolic link")
	}
}

// ReadOnlyFolder returns a folder in which this process can make no files.
func ReadOnlyFolder(t T) string {
	t.Helper()
	POSIX(t, "folders that are read-only")
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	canWriteAll := os.Getuid() == 0
	if !canWriteAll {
		return dir
	}
	if runtime.GOOS != "linux" {
		t.Skipf("the superuser can write all folders of %s", runtime.GOOS)
	}
	return "/sys" // the only file system here that the superuser cannot write
}

// GoroutineStates skips the test before Go 1.26, which does not count goroutines by state. There a
// recorder cannot see that the program works, and waits for it as long each time.
func GoroutineStates(t T) {
	t.Helper()
	runnable := []metrics.Sample{{Name: "/sched/goroutines/runnable:goroutines"}}
	metrics.Read(runnable)
	if runnable[0].Value.Kind() == metrics.KindBad {
		t.Skipf("%s does not count goroutines by state", runtime.Version())
	}
}
