package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/orphans"
	"github.com/promptecho/promptecho/internal/testenv/keys"
	"github.com/promptecho/promptecho/internal/testenv/lock"
)

// A command that is older than the library in go.mod is named, and no version that is not known.
func TestOlderCommand(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		command, library string
		want             bool
	}{
		{"v0.1.0", "v0.2.0", true},
		{"v0.9.0", "v0.10.0", true},
		{"v0.1.9", "v1.0.0", true},
		{"v0.2.0", "v0.2.0", false},
		{"v0.2.1", "v0.2.0", false},
		{"v0.1.1-0.20261129080000-0123456789ab", "v0.1.1", false},
		{"v0.1.1-0.20261129080000-0123456789ab+dirty", "v0.1.2", true},
		{"(devel)", "v0.2.0", false},
		{"v0.2.0", "", false},
	} {
		if got := isOlder(tt.command, tt.library); got != tt.want {
			t.Errorf("%s and %s: %v, want %v", tt.command, tt.library, got, tt.want)
		}
	}
}

// A path that other systems do not tell apart from another one, or do not open, is named.
func TestNamesOnOtherSystems(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	long := strings.Repeat("a", 79)
	files := []string{
		"bot/testdata/cassettes/TestA.yaml",
		"bot/testdata/cassettes/TestA/a.yaml",
		"bot/testdata/cassettes/testa.yaml",
		"bot/testdata/cassettes/TestÄ.yaml",
		"bot/testdata/cassettes/" + long + "/" + long + "/b.yaml",
		"bot/testdata/cassettes/" + long + "/" + long + "/" + long + ".yaml",
	}
	var got []string
	for _, a := range checkNames(dir, files) {
		got = append(got, string(a.Code)+" "+filepath.Base(a.File))
	}
	want := "names-differ-in-case testa.yaml, path-too-long " + long + ".yaml"
	if strings.Join(got, ", ") != want {
		t.Errorf("got %s\nwant %s", strings.Join(got, ", "), want)
	}
}

// The commands of doctor work in the folder in which it runs, also for tests of another module.
func TestDoctorsCommands(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "m", "go.mod"), "module m\n")
	write(t, filepath.Join(dir, "m", "my tool", "go.mod"), "module tool\n")
	write(t, filepath.Join(dir, "m", "bot", "bot.go"), "package bot\n")
	t.Chdir(filepath.Join(dir, "m"))
	cassette := func(pkg, name string) string { return filepath.Join(pkg, "testdata", "cassettes", name) }
	for _, tt := range []struct {
		code  finding.Code
		files []string
		want  string
	}{
		{finding.CassetteAbsent, []string{cassette("bot", "TestA.yaml")}, "promptecho record -run '^TestA$' ./bot"},
		{finding.CassetteAbsent, []string{cassette(".", "TestA.yaml"), cassette("bot", filepath.Join("TestB", "x.yaml"))}, "promptecho record -run '^(TestA|TestB)$' . ./bot"},
		{finding.JournalLeft, []string{cassette("bot", "TestA.yaml.partial")}, "promptecho record -run '^TestA$' ./bot"},
		{finding.RecordingPartial, []string{cassette("my tool", "TestA.yaml")}, "cd '" + filepath.Join(dir, "m", "my tool") + "' && promptecho record -run '^TestA$' ."},
		{finding.RecordingPartial, []string{"other.yaml"}, ""},
		{finding.FileNotAdded, []string{cassette("bot", "TestA.yaml"), cassette("bot", "TestB.yaml")}, "git add -- bot/testdata/cassettes/TestA.yaml bot/testdata/cassettes/TestB.yaml"},
		{finding.FileNotAdded, []string{cassette("bot", "A.yaml"), cassette("bot", "B.yaml"), cassette("bot", "C.yaml"), cassette("bot", "D.yaml"), cassette("bot", "E.yaml")}, "git add -- bot/testdata/cassettes"},
		{finding.TestGone, []string{cassette("bot", "TestA.yaml")}, "promptecho prune"},
		{finding.TestGone, []string{cassette(filepath.Join("..", "x"), "TestA.yaml")}, "promptecho prune ../x/testdata/cassettes"},
	} {
		var list []*diagnosis
		for _, file := range tt.files {
			list = append(list, newDiagnosis(finding.Failure, tt.code, file, "text"))
		}
		setCommands(list)
		got := list[0].Command
		if os.PathSeparator == '\\' {
			got = strings.ReplaceAll(got, `"`, "'")
		}
		if got != tt.want {
			t.Errorf("%s of %q:\n got %s\nwant %s", tt.code, tt.files, got, tt.want)
		}
	}
}

// What doctor prints for a project without faults fits a third of a screen of 24 lines.
func TestDoctorIsQuiet(t *testing.T) {
	i := slices.IndexFunc(scenes, func(s scene) bool { return s.verb == "doctor" })
	text := scenes[i].on(t, suites[0].tests(), 80, false)
	if lines := strings.Count(text, "\n"); lines > 12 || len(suites[0].tests()) != 1 {
		t.Errorf("%d lines:\n%s", lines, text)
	}
}

// doctor looks for the name of a key in tests, and prints no value of a variable.
func TestDoctorNamesKeys(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	const secret = "value-of-a-key"
	for _, name := range []string{"ACME_API_KEY", "GEMINI_API_KEY", "SSH_AUTH_TOKEN"} {
		t.Setenv(name, secret)
	}
	for _, name := range keys.Names() {
		if name != "GEMINI_API_KEY" {
			t.Setenv(name, "")
		}
	}
	write(t, filepath.Join("bot", "bot_test.go"), `package bot

func TestA(t *testing.T) { rec.Secret("ACME_API_KEY"); os.Getenv("ACME_API_KEY"); rec.Secret("OPENAI_API_KEY") }
func TestB(t *testing.T) { rec.Secret("ACME_API_KEY"); t.Log("TOKEN_", "KEY", "some_KEY") }
`)
	c := &checkup{}
	c.checkKeys([]string{"bot"}, testPackages{})
	const want = "set: ACME_API_KEY (2 tests), GEMINI_API_KEY (generativelanguage.googleapis.com); " +
		"not set: OPENAI_API_KEY (api.openai.com, 1 test); a replay needs none"
	if got := c.keysText(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// A cassette that only the store has is not recorded again: doctor names the command that fetches it.
func TestDoctorKnowsTheStore(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, filepath.Join("bot", "bot_test.go"), "package bot\n\nfunc TestA(t *testing.T) { echotest.New(t) }\n")
	const sum = "6cbce3d88a21e04f0a9e0c3b6ec6fc71a5b6ea6aa4aa8ea5ffd8bb6f5d5b1d2e"
	write(t, filepath.Join("bot", filepath.FromSlash(lock.File)), lock.Head+"cassettes/TestA.yaml 587 "+sum+"\n"+lock.End)
	list := checkTests(orphans.In("bot"), func(path string) string { return path })
	if len(list) != 1 || list[0].Command != "promptecho-store pull" || list[0].Code != finding.CassetteAbsent {
		t.Errorf("got %+v, want one cassette that is to be fetched", list)
	}

	write(t, filepath.Join("bot", filepath.FromSlash(lock.File)), lock.Head+"cassettes/TestA.yaml 587\n")
	list = checkTests(orphans.In("bot"), func(path string) string { return path })
	if len(list) != 2 || !strings.Contains(list[0].Text, "the lock is incomplete") {
		t.Errorf("got %+v, want a broken lock and a cassette", list)
	}
}
