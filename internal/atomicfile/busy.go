package atomicfile

import "os"

// maxPause is the longest pause between two tries, in milliseconds. The pauses are 1, 2, 4 and
// so on, two seconds together: a virus scanner or another test process has a file open for
// less. The go command waits as long (cmd/internal/robustio).
const maxPause = 1024

// Retry calls do again while it fails because another program has the file open, for two
// seconds at most, and returns its last error. On systems other than Windows such calls do
// not fail, so Retry calls do once.
func Retry(do func() error) error {
	err := do()
	for wait := uint32(1); wait <= maxPause && isBusy(err); wait *= 2 {
		pause(wait)
		err = do()
	}
	return err
}

// Rename gives a file another name, as os.Rename, and waits while another program has a file
// of the new name open. See [Retry].
func Rename(from, to string) error {
	if isFolder(to) {
		return os.Rename(from, to) // it fails: do not wait
	}
	makeReplaceable(to)
	return Retry(func() error { return os.Rename(from, to) })
}

// Remove removes a file, as os.Remove, and waits while another program has it open. See
// [Retry].
func Remove(path string) error {
	if isFolder(path) {
		return os.Remove(path)
	}
	return Retry(func() error { return os.Remove(path) })
}

// isFolder reports whether path is a folder, and no link to one.
func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}
