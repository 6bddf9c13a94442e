package cassette

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/atomicfile"
	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/testing/needs"
)

// Cassettes, assets and journals have the permissions that the user's umask allows.
func TestUmask(t *testing.T) {
	t.Parallel()
	const child = "PROMPTECHO_TEST_UMASK"
	if dir := os.Getenv(child); dir != "" {
		path := filepath.Join(dir, "x.yaml")
		item, err := Encode(fileOf(big("a")).Interactions[0], 0)
		if err == nil {
			err = Append(path+".partial", nil, item, true)
		}
		if err == nil {
			err = Save(path, fileOf(big("b")))
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	needs.POSIX(t, "a umask")
	for umask, want := range map[string]string{"077": "-rw-------", "022": "-rw-r--r--", "002": "-rw-rw-r--"} {
		dir := t.TempDir()
		cmd := exec.Command("sh", "-c", "umask "+umask+"; exec \"$0\" -test.run '^TestUmask$'", os.Args[0])
		cmd.Env = append(os.Environ(), child+"="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		files := tree(t, dir)
		if len(files) != 4 {
			t.Errorf("files %q", files)
		}
		for _, name := range files {
			if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().String() != want {
				t.Errorf("umask %s: %s is %v, want %s; %v", umask, name, info.Mode(), want, err)
			}
		}
	}
}

// TestPathWithSuffix: what is beside a file has a name that file systems take, and one of its
// own.
func TestPathWithSuffix(t *testing.T) {
	t.Parallel()
	if got := PathWithSuffix("a/b.yaml", ".partial"); got != "a/b.yaml.partial" {
		t.Error(got)
	}
	seen := map[string]bool{}
	for n := 240; n <= 255; n++ {
		for _, letter := range []string{"n", "é", "日"} {
			stem := strings.Repeat(letter, (n-5)/len(letter))
			name := stem + strings.Repeat("x", n-5-len(stem)) + ".yaml"
			for _, suffix := range []string{".partial", ".failed"} {
				got := PathWithSuffix("d/"+name, suffix)
				base := filepath.Base(got)
				if filepath.Dir(got) != "d" || len(base) > 255 || !utf8.ValidString(base) || !strings.HasSuffix(base, ".yaml"+suffix) || seen[base] {
					t.Errorf("%d bytes: %s", n, got)
				}
				seen[base] = true
			}
		}
	}
}

// Cassettes of every length of name that a file system takes are written and read, with assets and
// a journal.
func TestLongNames(t *testing.T) {
	t.Parallel()
	for n := 240; n <= 255; n++ {
		path := filepath.Join(t.TempDir(), strings.Repeat("n", n-5)+".yaml")
		f := fileOf(big("a"))
		mustSave(t, path, f)
		item, err := Encode(f.Interactions[0], 0)
		if err != nil {
			t.Fatal(err)
		}
		journal := PathWithSuffix(path, ".partial")
		if err := Append(journal, nil, item, true); err != nil {
			t.Fatal(err)
		}
		if left, _, err := LoadJournal(journal, ""); err != nil || len(left.Interactions) != 1 {
			t.Errorf("%d bytes: the journal: %v, %v", n, left, err)
		}
	}
}

// TestPrepare: what a killed process has left of a cassette or of its journal is removed when the
// folder is first used, and again when there is a journal.
func TestPrepare(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.yaml")
	journal := path + ".partial"
	for _, tt := range []struct {
		name       string
		owner      string
		hasJournal bool
		stays      bool
	}{
		{"first use of the folder", path, false, false},
		{"second use of the folder", path, false, true},
		{"with a journal", path, true, false},
		{"of the journal", journal, true, false},
	} {
		if tt.hasJournal {
			if err := os.WriteFile(journal, nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		f, err := atomicfile.CreateTemp(tt.owner)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		if err := Prepare(path, journal); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(f.Name()); (err == nil) != tt.stays {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// Nothing is written or deleted through a symbolic link that leads out of the folder.
func TestLinksOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mine := filepath.Join(dir, "mine", strings.Repeat("0", 16)+".bin") // like an asset
	cassettes := filepath.Join(dir, "cassettes")
	for _, d := range []string{filepath.Dir(mine), cassettes} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(mine, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(cassettes, "x.yaml")
	for _, to := range []string{mine, "../mine/" + filepath.Base(mine), "../mine/new.yaml", "/nowhere/x.yaml"} {
		needs.Symlink(t, to, path)
		for what, err := range map[string]error{"Save": Save(path, fileOf(big("a"))), "Prepare": Prepare(path)} {
			if err == nil || !strings.Contains(err.Error(), "leads out of its folder") || !strings.HasPrefix(err.Error(), path+": ") {
				t.Errorf("%s through a link to %s: %v", what, to, err)
			}
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	mustSave(t, path, fileOf("a"))
	assets := filepath.Join(cassettes, "x.assets")
	needs.Symlink(t, "../mine", assets)
	if err := Save(path, fileOf(big("a"))); err == nil || !strings.Contains(err.Error(), assets+" is a symbolic link, which is not followed") {
		t.Errorf("assets behind a link: %v", err)
	}
	if err := Save(path, fileOf("b")); err != nil {
		t.Error(err)
	}
	if err := Remove(path); err != nil {
		t.Error(err)
	}
	if got := tree(t, dir); !slices.Equal(got, []string{"cassettes/x.assets", "mine/" + filepath.Base(mine)}) {
		t.Errorf("files %q", got)
	}
	// An asset that is a link is replaced, and what it leads to is not.
	if err := os.Remove(assets); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(assets, 0o755); err != nil {
		t.Fatal(err)
	}
	needs.Symlink(t, mine, filepath.Join(assets, codec.NameAsset([]byte(big("a")))))
	mustSave(t, path, fileOf(big("a")))
	if text, err := os.ReadFile(mine); string(text) != "mine" {
		t.Errorf("it is %q now, %v", text, err)
	}
}
