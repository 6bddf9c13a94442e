package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
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

// BenchmarkResident opens a cassette of 100 MB in a process of its own, makes 10
// calls of 1,000 and reports the time to open and the peak of resident memory.
// The contender "none" opens nothing: its peak is that of the process.
func BenchmarkResident(b *testing.B) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		b.Skip("the peak of resident memory is read from /proc")
	}
	b.Run("contender=none", func(b *testing.B) { resident(b, "none", "") })
	eachOnDisk(b, func(b *testing.B, c Contender) {
		resident(b, c.Name, fixture(b, c, kb100, hugeCalls))
	})
}

func resident(b *testing.B, name, file string) {
	var sum use
	for b.Loop() {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "BENCH_CHILD="+name, "BENCH_FILE="+file)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			b.Fatalf("%s: %v\n%s", name, err, out)
		}
		var u use
		if err := json.Unmarshal(out, &u); err != nil {
			b.Fatalf("%s: %v\n%s", name, err, out)
		}
		sum.OpenNS += u.OpenNS
		sum.PeakKB += u.PeakKB
	}
	b.ReportMetric(float64(sum.OpenNS)/float64(b.N), "ns/op")
	b.ReportMetric(float64(sum.PeakKB)/1024/float64(b.N), "MB-peak")
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
			if err := verify(c, s, kb100, i); err != nil {
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
