package time_test

import (
	"bytes"
	"encoding/hex"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// A seed and a name always give the same random numbers and bytes, in every version of promptecho.
//
// The bytes are from another implementation, 30 lines of Python written after the specification
// (c2sp.org/chacha8rand), with the key hashlib.sha256(seed + name).
func TestRandomNumbersNeverChange(t *testing.T) {
	t.Parallel()
	want, err := hex.DecodeString("6c5ea25d180707910286ce7196c9c0d0cab18418e695adcc" +
		"a00e806d0797bc1564c4e650f608f7957c2d2d277ade1b53")
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(want))
	if _, err := io.ReadFull(openSource(t, testSeed, "ids"), got); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%x, want %x; %v", got, want, err)
	}
	numbers := openSource(t, testSeed, "ids")
	for _, want := range []uint64{0x910707185da25e6c, 0xd0c0c99671ce8602, 0xccad95e61884b1ca} {
		if got := numbers.Uint64(); got != want {
			t.Errorf("%x, want %x", got, want)
		}
	}
}

const testSeed = "5f0c71b2a9e84d36f1d0c3b2a1908f7e"

// openSource returns a source of a recorder whose cassette has this seed.
func openSource(t testing.TB, seed, name string) *promptecho.Rand {
	t.Helper()
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Write(t, file, "version: 1\nseed: "+seed+"\ninteractions: []\n")
	return must.Open(t, file, promptecho.InMode(promptecho.ModeNone)).Rand(name)
}

// Random bytes are the same however many are read at once.
func TestRandomBytesDoNotDependOnTheSizeOfReads(t *testing.T) {
	t.Parallel()
	want := make([]byte, 1000)
	openSource(t, testSeed, "a").Read(want)
	for _, tt := range []struct {
		name   string
		reader func(io.Reader) io.Reader
	}{
		{name: "one byte at once", reader: iotest.OneByteReader},
		{name: "half of the buffer", reader: iotest.HalfReader},
	} {
		got := make([]byte, len(want))
		_, err := io.ReadFull(tt.reader(openSource(t, testSeed, "a")), got)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %x, want %x; %v", tt.name, got, want, err)
		}
	}
}

// Random numbers and random bytes of one source do not depend on how a program mixes them.
func TestRandomNumbersDoNotDependOnReads(t *testing.T) {
	t.Parallel()
	bytesOnly := make([]byte, 8)
	openSource(t, testSeed, "a").Read(bytesOnly)
	numbersOnly := openSource(t, testSeed, "a")
	numbersOnly.Uint64()
	secondNumber := numbersOnly.Uint64()

	mixed := openSource(t, testSeed, "a")
	head, tail := make([]byte, 3), make([]byte, 5)
	mixed.Read(head)
	number := mixed.Uint64()
	mixed.Read(tail)
	if got := slices.Concat(head, tail); !bytes.Equal(got, bytesOnly) {
		t.Errorf("bytes %x, want %x", got, bytesOnly)
	}
	if number != secondNumber {
		t.Errorf("number %x, want %x", number, secondNumber)
	}
}

// Each seed and each name have a random source of their own.
//
// Names that contain parts of a seed are among them.
func TestEachNameHasItsOwnRandomSource(t *testing.T) {
	t.Parallel()
	seen := map[uint64]string{}
	for _, seed := range []string{testSeed, strings.Repeat("0", interaction.SeedDigits)} {
		for _, name := range []string{"", "a", "b", "ab", "A", testSeed, testSeed + "a", "ä", "a\x00"} {
			first := openSource(t, seed, name).Uint64()
			if other, ok := seen[first]; ok {
				t.Errorf("%s of %s begins as %s", name, seed, other)
			}
			seen[first] = name + " of " + seed
		}
	}
}

// A random source is the same whatever other sources a test adds or removes.
func TestRandomSourcesDoNotInfluenceEachOther(t *testing.T) {
	t.Parallel()
	want := openSource(t, testSeed, "ids").Uint64()
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Write(t, file, "version: 1\nseed: "+testSeed+"\ninteractions: []\n")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	r.Rand("added").Uint64()
	if got := r.Rand("ids").Uint64(); got != want {
		t.Errorf("%x, want %x", got, want)
	}
}

// Many goroutines on one random source draw each number once.
func TestConcurrentDrawsAreAllDifferent(t *testing.T) {
	t.Parallel()
	const goroutines, draws = 16, 500
	source := openSource(t, testSeed, "a")
	drawn := make([][]uint64, goroutines)
	var wg sync.WaitGroup
	for i := range goroutines {
		wg.Go(func() {
			for range draws {
				drawn[i] = append(drawn[i], source.Uint64())
			}
		})
	}
	wg.Wait()
	var want []uint64
	alone := openSource(t, testSeed, "a")
	for range goroutines * draws {
		want = append(want, alone.Uint64())
	}
	got := slices.Concat(drawn...)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Error("the numbers that were drawn are not the first ones")
	}
}

// All methods of a random source may be called at the same time.
func TestRandomSourceMayBeSharedByGoroutines(t *testing.T) {
	t.Parallel()
	source := openSource(t, testSeed, "a")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { source.Read(make([]byte, 99)) })
		wg.Go(func() { source.IntN(10) })
		wg.Go(func() { source.Shuffle(9, func(int, int) {}) })
		wg.Go(func() { source.NormFloat64() })
	}
	wg.Wait()
}
