//go:build !unix

package idle

import "time"

var processStart = time.Now()

// cpuTime returns the time since the process started. The processor time of the
// process is not known precisely on this system.
func cpuTime() time.Duration { return time.Since(processStart) }
