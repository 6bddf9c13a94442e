//go:build !unix

package idle

import "time"

var start = time.Now()

// spent returns the time that has gone: how long the processors have worked for this program is
// not told precisely here.
func spent() time.Duration { return time.Since(start) }
