//go:build unix

package idle

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time that this process has used.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage) // it fails for other processes only
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
