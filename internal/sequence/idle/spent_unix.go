//go:build unix

package idle

import (
	"syscall"
	"time"
)

// spent returns how long the processors have worked for this program. A program that gets none,
// on a machine that is busy with others, has not been waited for.
func spent() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // it fails for other processes only
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
