package main

import (
	"os"
	"path/filepath"
	"testing"
)

// Import writes the cassette for a fixture to where echotest looks for the test that names the
// fixture.
func TestPlace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const code = `package p
func TestOne(t *testing.T)  { use("testdata/fixtures/one.yaml") }
func TestPath(t *testing.T) { use("./testdata/fixtures/deep/path"); use("x") }
func TestBoth(t *testing.T) { use("both") }
func BenchmarkBoth(b *testing.B) { use("fixtures/both") }
func TestModel(t *testing.T)          { t.Run("ok", func(t *testing.T) { echotest.New(t) }) }
func TestModel_Generate(t *testing.T) { t.Run("ok", func(t *testing.T) { echotest.New(t) }) }
func TestAlone(t *testing.T)          { echotest.New(t) }
func helper() { use("testdata/fixtures/none") }
`
	if err := os.WriteFile(filepath.Join(dir, "p_test.go"), []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "testdata", "module"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "testdata", "module", "go.mod"), []byte("module m\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	const own = "testdata/cassettes/"
	for _, tt := range []struct {
		fixture, file, byTest string
		hint                  bool
	}{
		{"testdata/fixtures/one", own + "one.yaml", own + "TestOne.yaml", true}, // the hint is for when TestOne names others
		{"testdata/fixtures/deep/path", own + "deep/path.yaml", own + "TestPath.yaml", true},
		{"testdata/fixtures/both", own + "both.yaml", "", true},
		{"testdata/fixtures/none", own + "none.yaml", "", true},
		{"testdata/fixtures/TestA", own + "TestA.yaml", "", false},
		{"testdata/TestA/sub case", own + "TestA/sub%20case.yaml", "", false},
		{"testdata/TestA", own + "TestA.yaml", "", false},
		{"testdata/sub/testdata/vcr/TestA", "testdata/sub/" + own + "TestA.yaml", "", false},
		{"testdata/cassettes/TestA", own + "TestA.yaml", "", false},
		{"testdata/TestModel-ok", own + "TestModel/ok.yaml", "", false}, // as langchaingo writes it
		{"testdata/TestModel_Generate_ok", own + "TestModel_Generate/ok.yaml", "", false},
		{"testdata/TestModel_Generate", own + "TestModel_Generate.yaml", "", false},
		{"testdata/TestModel_", own + "TestModel_.yaml", "", false},
		{"testdata/TestAlone_ok", own + "TestAlone_ok.yaml", "", false}, // it has no subtests
		{"testdata/TestGone_ok", own + "TestGone_ok.yaml", "", false},
		{"fixtures/one", "", "", false},
		{"testdata", "", "", false},
		{"testdata/module/fixtures/one", "", "", false},
	} {
		got, ok := placeOf(testPackages{}, filepath.Join(dir, filepath.FromSlash(tt.fixture)))
		full := func(name string) string {
			if name == "" {
				return ""
			}
			return filepath.Join(dir, filepath.FromSlash(name))
		}
		if got.file != full(tt.file) || got.byTest != full(tt.byTest) || (got.hint != "") != tt.hint || ok != (tt.file != "") {
			t.Errorf("%s: %+v, %v", tt.fixture, got, ok)
		}
	}
}
