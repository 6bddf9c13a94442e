// What a report says when a test fails on its cassette, and that its advice helps.
//
// The file of each situation in testdata has the whole report, and the flag -update writes it. The other tests have
// what one situation cannot show: what the program itself reads, many misses at once, notes of runs that pass, and
// options that change nothing.
package reports_test

import (
	"testing"

	"github.com/promptecho/promptecho/tests/internal/must"
)

func TestMain(m *testing.M) { must.Main(m) }
