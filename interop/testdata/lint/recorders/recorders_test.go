package recorders

import (
	"net/http"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
)

func use(*http.Client) {}

func TestOuter(t *testing.T) {
	t.Run("a", func(tt *testing.T) {
		rec := echotest.New(t) // want `t is the test around this subtest, so all subtests of t would share one cassette: write echotest.New\(tt, ...\) \(outertest\)`
		use(rec.Client())
	})
	t.Run("b", func(*testing.T) {
		use(echotest.New(t).Client()) // want `t is the test around this subtest: give the \*testing.T of the subtest a name`
	})
	for _, name := range []string{"c", "d"} {
		t.Run(name, func(t *testing.T) {
			use(echotest.New(t).Client())
			t.Run("e", func(t *testing.T) { use(echotest.New(t).Client()) })
		})
	}
	// A recorder for all subtests is no mistake.
	rec := echotest.New(t)
	t.Run("f", func(t *testing.T) { use(rec.Client()) })
	t.Run("g", func(t2 *testing.T) {
		func() { use(echotest.New(t2).Client()) }()
	})
}

func TestDiscarded(t *testing.T) {
	echotest.New(t)           // want `the recorder is discarded, so no request reaches it: write rec := echotest.New\(t\), and pass rec.Client\(\) to the tested code \(discarded\)`
	_ = echotest.New(t)       // want `discarded`
	unused := echotest.New(t) // want `discarded`
	_ = unused
	promptecho.Open("testdata/x.yaml") // want `write rec, err := promptecho.Open`
	if _, err := promptecho.Open("/"); err == nil {
		t.Error("a folder is opened")
	}
	used := echotest.New(t)
	use(used.Client())
}

func BenchmarkDiscarded(b *testing.B) {
	echotest.New(b) // want `write rec := echotest.New\(b\), and pass`
}

func FuzzOuter(f *testing.F) {
	rec := echotest.New(f)
	f.Fuzz(func(t *testing.T, s string) {
		use(rec.Client())
		use(echotest.New(t).Client())
		use(echotest.New(f).Client()) // want `f is the fuzz test, not the test of this input: write echotest.New\(f, ...\) before f.Fuzz \(outertest\)`
	})
}

func make(t testing.TB) *promptecho.Recorder { return echotest.New(t) }
