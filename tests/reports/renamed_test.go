package reports_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testenv/shell"
	"github.com/promptecho/promptecho/internal/testenv/testname"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A renamed test or subtest is told the command that moves its own cassette, and no other one.
//
// All tests ask for the same first, and then each for something of its own. One of them, or one
// subtest, is renamed, and a new test is added that asks for the same first. The new test is told
// of no cassette, since the others are not renamed.
func TestRenamedTestIsToldItsCassette(t *testing.T) {
	t.Parallel()
	for seed := range uint64(full.Cases(20, 300)) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(seed, 45))
			suite := recordSuite(t, rnd)
			renamed := suite.renameOne(rnd)
			suite.add("TestNew", "the set-up", "what nobody has asked")
			suite.writeSource(t)

			for _, mode := range []promptecho.Mode{promptecho.ModeNone, promptecho.ModeOnce} {
				for name, oldName := range renamed.oldNames {
					text := suite.run(t, name, mode)
					from, to := testname.File(oldName), testname.File(name)
					if renamed.wholeFolder {
						from, to = filepath.Dir(from), filepath.Dir(to)
					}
					quote := func(path string) string { return shell.Quote(filepath.Join(suite.dir, path)) }
					if command := "promptecho mv " + quote(from) + " " + quote(to); !strings.Contains(text, command) {
						t.Errorf("mode %s: %s was %s, but %s is not advised:\n%s", mode, name, oldName, command, text)
					}
					if n := strings.Count(text, "promptecho mv "); n != 1 {
						t.Errorf("mode %s: %s was %s, but there are %d commands:\n%s", mode, name, oldName, n, text)
					}
				}
			}
			if text := suite.run(t, "TestNew", promptecho.ModeNone); strings.Contains(text, "was renamed") {
				t.Errorf("the new test is told that it was renamed:\n%s", text)
			}
			for _, name := range suite.names {
				isUnchanged := renamed.oldNames[name] == "" && name != "TestNew"
				if !isUnchanged {
					continue
				}
				if text := suite.run(t, name, promptecho.ModeNone); text != "" {
					t.Errorf("%s, which is unchanged, reports:\n%s", name, text)
				}
			}
		})
	}
}

// A testSuite is the tests of one package, each with a cassette of its own.
type testSuite struct {
	dir     string
	names   []string            // such as TestA or TestB/one
	prompts map[string][]string // by name
}

// recordSuite records three to five tests, some of which have two subtests.
func recordSuite(t *testing.T, rnd *rand.Rand) *testSuite {
	t.Helper()
	s := &testSuite{dir: t.TempDir(), prompts: map[string][]string{}}
	tops := []string{"TestRiver", "TestMountain", "TestBridge", "TestLantern", "TestCopper"}
	for _, top := range tops[:3+rnd.IntN(3)] {
		names := []string{top}
		if rnd.IntN(2) == 0 {
			names = []string{top + "/one", top + "/two"}
		}
		for _, name := range names {
			prompts := []string{"the set-up"}
			for range 1 + rnd.IntN(2) {
				prompts = append(prompts, randomWords(rnd, 3))
			}
			s.add(name, prompts...)
		}
	}
	for _, name := range s.names {
		if text := s.run(t, name, promptecho.ModeAll); text != "" {
			t.Fatal(text)
		}
	}
	return s
}

func (s *testSuite) add(name string, prompts ...string) {
	s.names = append(s.names, name)
	s.prompts[name] = prompts
}

// run runs a test, and returns what it reports.
func (s *testSuite) run(t *testing.T, name string, mode promptecho.Mode) string {
	t.Helper()
	answer := promptecho.Upstream(provider.Says(`{"choices":[{"message":{"role":"assistant","content":"yes"}}]}`))
	r := must.Open(t, filepath.Join(s.dir, testname.File(name)), promptecho.InMode(mode), answer)
	if mode != promptecho.ModeAll {
		must.Engine(r).Begin(true)
	}
	for _, prompt := range s.prompts[name] {
		must.Ask(t, r, "https://api.openai.com", prompt)
	}
	outcome := report.Outcome{Command: func(string) string { return "go test" }}
	return strings.Join(must.Finish(r, outcome).Errors, "\n")
}

// A renaming is what renameOne has done.
type renaming struct {
	oldNames    map[string]string // by new name
	wholeFolder bool              // a test with subtests, and with them the folder of their cassettes
}

// renameOne renames a test with its subtests, or one subtest.
func (s *testSuite) renameOne(rnd *rand.Rand) renaming {
	chosen := s.names[rnd.IntN(len(s.names))]
	top, sub, isSubtest := strings.Cut(chosen, "/")
	onlySubtest := isSubtest && rnd.IntN(2) == 0
	renamed := renaming{oldNames: map[string]string{}, wholeFolder: isSubtest && !onlySubtest}
	for i, name := range s.names {
		newName := name
		isOfTop := name == top || strings.HasPrefix(name, top+"/")
		switch {
		case onlySubtest && name == chosen:
			newName = top + "/" + sub + "_again"
		case !onlySubtest && isOfTop:
			newName = "TestOther" + strings.TrimPrefix(name, top)
		}
		if newName != name {
			s.names[i] = newName
			s.prompts[newName] = s.prompts[name]
			renamed.oldNames[newName] = name
		}
	}
	return renamed
}

// writeSource writes the source file that has the tests, in which a report looks for their names.
func (s *testSuite) writeSource(t *testing.T) {
	t.Helper()
	subtests := map[string][]string{}
	for _, name := range s.names {
		top, sub, isSubtest := strings.Cut(name, "/")
		if isSubtest {
			subtests[top] = append(subtests[top], sub)
		} else {
			subtests[top] = nil
		}
	}
	source := "package x\n\nimport \"testing\"\n"
	for _, top := range slices.Sorted(maps.Keys(subtests)) {
		source += fmt.Sprintf("\nfunc %s(t *testing.T) {\n", top)
		for _, sub := range subtests[top] {
			source += fmt.Sprintf("\tt.Run(%q, nil)\n", sub)
		}
		source += "}\n"
	}
	if err := os.WriteFile(filepath.Join(s.dir, "x_test.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
}
