package time_test

import (
	"bytes"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

const testSeed = "5f0c71b2a9e84d36f1d0c3b2a1908f7e"

// drawnFrom returns a source of a recorder whose cassette has this seed.
func drawnFrom(t testing.TB, seed, name string) *promptecho.Rand {
	t.Helper()
	file := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(file, []byte("version: 1\nseed: "+seed+"\ninteractions: []\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return must.Open(t, file, promptecho.InMode(promptecho.ModeNone)).Rand(name)
}

// TestRandIsSpecified: cassettes hold what a source gave, so it never changes. The bytes
// are from another implementation, 30 lines of Python written after the specification
// (c2sp.org/chacha8rand), with the key hashlib.sha256(seed + name).
func TestRandIsSpecified(t *testing.T) {
	t.Parallel()
	want, err := hex.DecodeString("6c5ea25d180707910286ce7196c9c0d0cab18418e695adcca00e806d0797bc1564c4e650f608f7957c2d2d277ade1b53")
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(want))
	if _, err := io.ReadFull(drawnFrom(t, testSeed, "ids"), got); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%x, want %x; %v", got, want, err)
	}
	numbers := drawnFrom(t, testSeed, "ids")
	for _, want := range []uint64{0x910707185da25e6c, 0xd0c0c99671ce8602, 0xccad95e61884b1ca} {
		if got := numbers.Uint64(); got != want {
			t.Errorf("%x, want %x", got, want)
		}
	}
}

// TestRandReads: the bytes do not depend on how many are read at once, and not on what is
// read of the other kind before a new number.
func TestRandReads(t *testing.T) {
	t.Parallel()
	whole := make([]byte, 1000)
	drawnFrom(t, testSeed, "a").Read(whole)
	for name, reader := range map[string]func(io.Reader) io.Reader{"one": iotest.OneByteReader, "half": iotest.HalfReader} {
		got := make([]byte, len(whole))
		if _, err := io.ReadFull(reader(drawnFrom(t, testSeed, "a")), got); err != nil || !bytes.Equal(got, whole) {
			t.Errorf("read by %s: %x, want %x; %v", name, got, whole, err)
		}
	}
	mixed := drawnFrom(t, testSeed, "a")
	head, tail := make([]byte, 3), make([]byte, 5)
	mixed.Read(head)
	second := mixed.Uint64()
	mixed.Read(tail)
	numbers := drawnFrom(t, testSeed, "a")
	numbers.Uint64()
	if got := slices.Concat(head, tail); !bytes.Equal(got, whole[:8]) || second != numbers.Uint64() {
		t.Errorf("%x and %x, of %x", got, second, whole[:16])
	}
}

// TestRandNames: each name has a source of its own, and each seed too. Two names that make
// the same text with parts of a seed are two.
func TestRandNames(t *testing.T) {
	t.Parallel()
	seen := map[uint64]string{}
	for _, seed := range []string{testSeed, strings.Repeat("0", 32)} {
		for _, name := range []string{"", "a", "b", "ab", "A", testSeed, testSeed + "a", "ä", "a\x00"} {
			first := drawnFrom(t, seed, name).Uint64()
			if other, ok := seen[first]; ok {
				t.Errorf("%s of %s begins as %s", name, seed, other)
			}
			seen[first] = name + " of " + seed
		}
	}
}

// TestRandAtOnce: from many goroutines each number is drawn once, and none is torn.
func TestRandAtOnce(t *testing.T) {
	t.Parallel()
	const goroutines, each = 16, 500
	source, drawn := drawnFrom(t, testSeed, "a"), make([][]uint64, goroutines)
	var wg sync.WaitGroup
	for i := range goroutines {
		wg.Go(func() {
			for range each {
				drawn[i] = append(drawn[i], source.Uint64())
			}
		})
	}
	wg.Wait()
	var want []uint64
	alone := drawnFrom(t, testSeed, "a")
	for range goroutines * each {
		want = append(want, alone.Uint64())
	}
	got := slices.Concat(drawn...)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Error("the numbers that were drawn are not the first ones")
	}
	// All methods may be called at the same time.
	for range 4 {
		wg.Go(func() { source.Read(make([]byte, 99)) })
		wg.Go(func() { source.IntN(10) })
		wg.Go(func() { source.Shuffle(9, func(int, int) {}) })
		wg.Go(func() { source.NormFloat64() })
	}
	wg.Wait()
}
