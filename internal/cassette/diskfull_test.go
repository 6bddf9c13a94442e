package cassette

import (
	"os"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/needs"
)

// On a full disk neither a journal nor a cassette is written, and the error says why.
//
// /dev/full is a file on such a disk. Systems without it have TestSaveInTheWay.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	const device = "/dev/full"
	needs.POSIX(t, device)
	if _, err := os.Stat(device); err != nil {
		t.Skipf("no %s here", device)
	}
	item, err := Encode(fileOf("x").Interactions[0], 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := Append(device, nil, item, false); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("the journal: %v", err)
	}
	if err := Save(device, fileOf("x")); err == nil {
		t.Error("the cassette was saved")
	}
}
