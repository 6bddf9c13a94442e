package tape

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/redact"
)

// claimed returns a tape that has the cassette at a path.
func claimed(path string) (*Tape, error) {
	run := New(configOf(path), new(redact.Policy))
	return run, run.Claim()
}

// A cassette has one recorder at a time.
func TestCassetteHasOneRecorder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	first, err := claimed(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := claimed(path); err == nil || !strings.Contains(err.Error(), "already open") {
		t.Errorf("the error is %v", err)
	}
	if other, err := claimed(filepath.Join(t.TempDir(), "c.yaml")); err != nil {
		t.Errorf("another folder: %v", err)
	} else {
		other.Free()
	}
	first.Free()
	again, err := claimed(path)
	if err != nil {
		t.Errorf("after Free: %v", err)
	}
	again.Free()
}

// Two names that differ only in case are one file on macOS and Windows.
func TestNamesThatDifferInCase(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	first, err := claimed(filepath.Join(folder, "Chat.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	first.Free() // closed, but still on the disk
	tests := []struct {
		name    string
		refused bool
	}{
		{"chat.yaml", true},
		{"Chat.yaml", false},
		{"chats.yaml", false},
		{"sub/Chat.yaml", false},
		{"Sub/chat.yaml", true}, // another folder of the same name
		{"other/Chat.yaml", false},
	}
	for _, tt := range tests {
		run, err := claimed(filepath.Join(folder, tt.name))
		isRefused := err != nil && strings.Contains(err.Error(), "differs only in case")
		if isRefused != tt.refused {
			t.Errorf("%s: the error is %v", tt.name, err)
		}
		if err == nil {
			run.Free()
		}
	}
}

// A cassette that two tests use, one after the other, is known as shared.
func TestSharedCassette(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	if IsUsed(path) {
		t.Error("it is used before the first test")
	}
	for i, test := range []struct {
		name     string
		isShared bool
	}{{"", false}, {"TestA", false}, {"TestA", false}, {"", true}, {"TestB", true}, {"TestB", false}} {
		run, err := claimed(path)
		if err != nil {
			t.Fatal(err)
		}
		if !IsUsed(path) {
			t.Errorf("use %d: it is open, and not used", i)
		}
		if got := run.UsedBy(test.name); got != test.isShared {
			t.Errorf("use %d by %q: shared %v", i, test.name, got)
		}
		run.Free()
		if hasTest := i > 0; IsUsed(path) != hasTest {
			t.Errorf("use %d: used %v after it", i, IsUsed(path))
		}
	}
	if IsUsed(strings.ToUpper(path)) {
		t.Error("a name in other case is used")
	}
}
