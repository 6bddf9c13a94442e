package bench

import (
	"path/filepath"
	"testing"
)

// Every contender that has something on disk records and replays every kind of
// answer exactly.
func TestRecordings(t *testing.T) {
	for _, r := range Recordings(0.02) {
		for _, contender := range contenders {
			c := contender()
			if c.InMemory {
				continue
			}
			t.Run(r.Workload.Name+"/"+c.Name, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "cassette.yaml")
				if err := c.RecordCalls(file, r.Workload, r.Calls); err != nil {
					t.Fatal(err)
				}
				if err := c.VerifyFile(file, r.Workload, r.Calls); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// A recording of size 1 has about a megabyte, whatever the kind of answer.
func TestRecordingsAreOfOneSize(t *testing.T) {
	for _, r := range Recordings(1) {
		if n := r.Bytes(); n < 700_000 || n > 1_500_000 {
			t.Errorf("%s: %d bytes", r.Workload.Name, n)
		}
	}
}
