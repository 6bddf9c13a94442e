package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// A cassette of 100 MB of which a test uses a hundredth.
const (
	hugeCalls = 1_000
	hugeUsed  = 10
)

// use is what a child reports.
type use struct {
	OpenNS int64
	PeakKB int64
}

// child is the process that resident starts. It checks every answer.
func child() int {
	u, err := measure(os.Getenv("BENCH_CHILD"), os.Getenv("BENCH_FILE"))
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(u)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func measure(name, file string) (u use, err error) {
	for _, contender := range contenders {
		c := contender()
		if c.Name != name {
			continue
		}
		began := time.Now()
		s, err := c.Replay(file, false)
		if err != nil {
			return u, err
		}
		u.OpenNS = time.Since(began).Nanoseconds()
		for i := 0; i < hugeCalls; i += hugeCalls / hugeUsed {
			if err := c.Verify(s, kb100, i); err != nil {
				return u, err
			}
		}
		if err := s.Close(); err != nil {
			return u, err
		}
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return u, err
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kb, _, _ := strings.Cut(rest, "kB")
	u.PeakKB, err = strconv.ParseInt(strings.TrimSpace(kb), 10, 64)
	return u, err
}
