package bench

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// BenchmarkResident opens a cassette of 100 MB in a process of its own, makes 10
// calls of 1,000 and reports the time to open and the peak of resident memory.
// The contender "none" opens nothing: its peak is that of the process. With a cold cache the
// files have to be read from the disk, with a warm one the system still has them.
func BenchmarkResident(b *testing.B) {
	for _, cache := range []string{"warm", "cold"} {
		b.Run("cache="+cache, func(b *testing.B) {
			b.Run("contender=none", func(b *testing.B) { resident(b, "none", "", false) })
			eachOnDisk(b, func(b *testing.B, c Contender) {
				resident(b, c.Name, fixture(b, c, kb100, hugeCalls), cache == "cold")
			})
		})
	}
}

func resident(b *testing.B, name, file string, cold bool) {
	var sum use
	for b.Loop() {
		if cold {
			dropFromCache(b, filepath.Dir(file))
		}
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

// dropFromCache makes the system forget what it has in memory of the files in a folder.
func dropFromCache(b *testing.B, dir string) {
	b.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := f.Sync(); err != nil { // what is not on the disk yet is not dropped
			return err
		}
		return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
	})
	if err != nil {
		b.Fatal(err)
	}
}
