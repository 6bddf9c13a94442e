package cassette

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testing/needs"
)

// fileOf returns a file of one interaction with this response body.
func fileOf(body string) *File {
	return &File{Interactions: []*interaction.Interaction{{
		Request:  interaction.Request{Method: "GET", URL: "/"},
		Response: interaction.Response{Status: 200, Body: []byte(body)},
	}}}
}

// fileWith returns a cassette with an interaction for each of these bodies.
func fileWith(bodies ...string) *File {
	f := new(File)
	for _, body := range bodies {
		f.Interactions = append(f.Interactions, fileOf(body).Interactions...)
	}
	return f
}

// big is a body that becomes an asset.
func big(c string) string { return strings.Repeat(c+"\xff", 1024) }

func mustSave(t *testing.T, path string, f *File) {
	t.Helper()
	if err := Save(path, f); err != nil {
		t.Fatal(err)
	}
	if got, err := Load(path); err != nil {
		t.Fatal(err)
	} else if d := difference(f, got); d != "" {
		t.Fatalf("%s differs after Load", d)
	}
}

// tree lists the files below dir.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func wantTree(t *testing.T, dir string, want ...string) {
	t.Helper()
	if got := tree(t, dir); !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
}

func TestSaveLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a", "b", "x.yaml")
	if _, err := Load(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load of no file: %v", err)
	}
	mustSave(t, path, goldenFile())
	wantTree(t, dir, "a/b/x.yaml")
	golden, err := os.ReadFile("testdata/golden.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != string(golden) {
		t.Errorf("the file is not what Format gives")
	}
	mustSave(t, path, fileOf("other"))
}

func TestSaveSame(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.yaml")
	mustSave(t, path, fileOf("a"))
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	mustSave(t, path, fileOf("a"))
	if after, _ := os.Stat(path); !os.SameFile(before, after) {
		t.Error("a file with the same bytes was replaced")
	}
	mustSave(t, path, fileOf("b"))
	if after, _ := os.Stat(path); os.SameFile(before, after) {
		t.Error("a file was written in place")
	}
}

func TestSaveMode(t *testing.T) {
	t.Parallel()
	needs.POSIX(t, "permissions of users and groups")
	path := filepath.Join(t.TempDir(), "x.yaml")
	for _, mode := range []fs.FileMode{0o644, 0o600, 0o664} {
		if mode != 0o644 {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
		mustSave(t, path, fileOf(mode.String()))
		if info, _ := os.Stat(path); info.Mode() != mode {
			t.Errorf("mode %v, want %v", info.Mode(), mode)
		}
	}
}

func TestAssetLifecycle(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "x.yaml")
	a, b := "x.assets/"+codec.NameAsset([]byte(big("a"))), "x.assets/"+codec.NameAsset([]byte(big("b")))
	mustSave(t, path, fileOf(big("a")))
	wantTree(t, dir, a, "x.yaml")
	mustSave(t, path, fileOf(big("b")))
	wantTree(t, dir, b, "x.yaml")

	mine := filepath.Join(dir, "x.assets", "mine.txt")
	if err := os.WriteFile(mine, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	mustSave(t, path, fileOf("small"))
	wantTree(t, dir, "x.assets/mine.txt", "x.yaml")
	if err := os.Remove(mine); err != nil {
		t.Fatal(err)
	}
	mustSave(t, path, fileOf("small"))
	if _, err := os.Stat(filepath.Join(dir, "x.assets")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the empty folder is still there: %v", err)
	}
}

// TestAssetRepair: an asset that was changed on disk fails Load and is written
// again by Save.
func TestAssetRepair(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "x.yaml")
	mustSave(t, path, fileOf(big("a")))
	asset := filepath.Join(dir, "x.assets", codec.NameAsset([]byte(big("a"))))
	if err := os.WriteFile(asset, []byte("other"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "was changed") || !strings.HasPrefix(err.Error(), path+":9:16: response.body_file: ") {
		t.Errorf("Load with a changed asset: %v", err)
	}
	if err := os.Remove(asset); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "cannot be read") || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load without the asset: %v", err)
	}
	mustSave(t, path, fileOf(big("a")))
}

// A save that fails at any step leaves the old cassette as it was, and nothing else.
func TestSaveFails(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		prep func(t *testing.T, dir string) // puts something in the way
		file *File
		want string
	}{
		{"unwritable", nil, &File{Interactions: []*interaction.Interaction{{}}}, "x.yaml: not saved: cassette: interaction 1: response: invalid status 0"},
		{"assets in the way", func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, "x.assets"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}, fileOf(big("a")), "x.yaml: not saved: "},
		{"asset is a folder", func(t *testing.T, dir string) {
			name := filepath.Join(dir, "x.assets", codec.NameAsset([]byte(big("a"))))
			if err := os.MkdirAll(filepath.Join(name, "keep"), 0o755); err != nil {
				t.Fatal(err)
			}
		}, fileOf(big("a")), "x.yaml: not saved: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "x.yaml")
			mustSave(t, path, fileOf("old"))
			if test.prep != nil {
				test.prep(t, dir)
			}
			before := tree(t, dir)
			if err := Save(path, test.file); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			wantTree(t, dir, before...)
			if f, err := Load(path); err != nil || difference(f, fileOf("old")) != "" {
				t.Errorf("the old cassette is gone: %v", err)
			}
		})
	}
}

// TestSaveLongName: a name that the file system refuses leaves nothing behind.
func TestSaveLongName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, strings.Repeat("x", 300)+".yaml") // too long a name
	if err := Save(path, fileOf("a")); err == nil || !strings.Contains(err.Error(), "not saved: ") {
		t.Errorf("got %v", err)
	}
	wantTree(t, dir)
	path = filepath.Join(dir, strings.Repeat("x", 240)+".yaml-with-a-long-extension") // NAME.assets is not
	if err := Save(path, fileOf(big("a"))); err == nil {
		t.Error("saved")
	}
	wantTree(t, dir)
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v %v", entries, err)
	}
}

func TestUndo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	assets := filepath.Join(dir, "x.assets")
	added, err := saveAssets(filepath.Join(dir, "x.yaml"), map[string][]byte{"a.bin": nil, "b.bin": nil})
	if err != nil || len(added) != 2 {
		t.Fatal(added, err)
	}
	if err := os.WriteFile(filepath.Join(assets, "c.bin"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	removeAdded(assets, added)
	wantTree(t, dir, "x.assets/c.bin")
	if err := os.Remove(filepath.Join(assets, "c.bin")); err != nil {
		t.Fatal(err)
	}
	removeAdded(assets, nil)
	if _, err := os.Stat(assets); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the empty folder is still there: %v", err)
	}
}

func TestHeadersGet(t *testing.T) {
	t.Parallel()
	hs := interaction.Headers{{Name: "a", Values: nil}, {Name: "b", Values: []string{"1", "2"}}}
	for name, want := range map[string]string{"a": "", "b": "1", "c": ""} {
		if got := hs.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// A folder in the place of a cassette is an error that says so.
func TestSaveInTheWay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "x.yaml")
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Save(path, fileOf("a")); err == nil || err.Error() != path+": not saved: this is not a file; move it out of the way" {
		t.Errorf("got %v", err)
	}
	if _, err := Load(path); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load of a folder: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Save(filepath.Join(dir, "file", "x.yaml"), fileOf("a")); err == nil || !strings.Contains(err.Error(), "x.yaml: not saved: ") {
		t.Errorf("got %v", err)
	}
}

// A cassette in a folder that cannot be written is an error that names the cassette.
func TestSaveReadOnly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(needs.ReadOnlyFolder(t), "x.yaml")
	err := Save(path, fileOf("a"))
	if !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) || !strings.HasPrefix(err.Error(), path+": not saved: ") {
		t.Errorf("got %v", err)
	}
}

// A saved cassette is read back, and a difference from what was written is an error.
func TestReadBack(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.yaml")
	if err := checkWritten(path, [][]byte{[]byte("a")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if err := os.WriteFile(path, []byte("b"), 0o644); err != nil {
		t.Fatal(err)
	}
	want := path + ": the file is not what was just written; does something else write it? Record again"
	if err := checkWritten(path, [][]byte{[]byte("a")}); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A cassette behind symbolic links is written where they lead, and the links stay.
func TestSymlink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "link", "real"), 0o755); err != nil {
		t.Fatal(err)
	}
	link, hop := filepath.Join(dir, "link", "x.yaml"), filepath.Join(dir, "link", "hop.yaml")
	needs.Symlink(t, "hop.yaml", link)
	needs.Symlink(t, filepath.Join("real", "..", "real", "y.yaml"), hop)
	asset := "link/real/y.assets/" + codec.NameAsset([]byte(big("a")))
	for _, f := range []*File{fileOf("a"), fileOf("b"), fileOf(big("a"))} {
		mustSave(t, link, f)
	}
	wantTree(t, dir, "link/hop.yaml", asset, "link/real/y.yaml", "link/x.yaml")
	for _, l := range []string{link, hop} {
		if info, err := os.Lstat(l); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s is no link any more", l)
		}
	}
	if f, err := Load(filepath.Join(dir, "link", "real", "y.yaml")); err != nil || difference(f, fileOf(big("a"))) != "" {
		t.Errorf("Load of the target: %v", err)
	}
	loop := filepath.Join(dir, "loop.yaml")
	needs.Symlink(t, "loop.yaml", loop)
	if err := Save(loop, fileOf("a")); err == nil {
		t.Error("saved through a loop of links")
	}
}

func TestDifference(t *testing.T) {
	t.Parallel()
	for want, edit := range map[string]func(f *File){
		"pinned":                               func(f *File) { f.Pinned = true },
		"partial":                              func(f *File) { f.Partial = false },
		"the number of interactions (8 and 9)": func(f *File) { f.Interactions = f.Interactions[1:] },
		"kind of interaction 2":                func(f *File) { f.Interactions[1].Kind = "" },
		"boundary of interaction 2":            func(f *File) { f.Interactions[1].Boundary = "" },
		"usage of interaction 1":               func(f *File) { f.Interactions[0].Usage = nil },
		"latency_ms of interaction 1":          func(f *File) { f.Interactions[0].LatencyMS++ },
		"concurrent of interaction 1":          func(f *File) { f.Interactions[0].Concurrent = &interaction.Moments{Asked: 1, Answered: 2, Ended: 2} },
		"again of interaction 1":               func(f *File) { f.Interactions[0].Again = true },
		"accepted of interaction 1":            func(f *File) { f.Interactions[0].Accepted = true },
		"request.method of interaction 2":      func(f *File) { f.Interactions[1].Request.Method = "" },
		"request.url of interaction 2":         func(f *File) { f.Interactions[1].Request.URL = "" },
		"request.headers of interaction 1":     func(f *File) { f.Interactions[0].Request.Headers[0].Values = nil },
		"request.body of interaction 2":        func(f *File) { f.Interactions[1].Request.Body[0]++ },
		"response.status of interaction 2":     func(f *File) { f.Interactions[1].Response.Status = 1 },
		"response.proto of interaction 2":      func(f *File) { f.Interactions[1].Response.Proto = "" },
		"response.headers of interaction 2":    func(f *File) { f.Interactions[1].Response.Headers[0].Name = "" },
		"response.trailers of interaction 2":   func(f *File) { f.Interactions[1].Response.Trailers = nil },
		"response.body of interaction 1":       func(f *File) { f.Interactions[0].Response.Body = nil },
		"response.stream of interaction 2":     func(f *File) { f.Interactions[1].Response.Stream = "" },
		"response.events of interaction 2":     func(f *File) { f.Interactions[1].Response.Events[1][0].Value = "" },
		"response.chunks of interaction 2":     func(f *File) { f.Interactions[1].Response.Chunks = []int{1} },
		"response.delays_ms of interaction 2":  func(f *File) { f.Interactions[1].Response.Delays[2].Together = false },
		"response.end of interaction 2":        func(f *File) { f.Interactions[1].Response.End = "" },
		"response.error of interaction 2":      func(f *File) { f.Interactions[1].Response.Error = "" },
	} {
		f := goldenFile()
		edit(f)
		if got := difference(f, goldenFile()); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f := goldenFile()
	f.Interactions[0].Line = 7
	f.Interactions[0].Request.Body = append([]byte{}, f.Interactions[0].Request.Body...)
	f.Interactions[0].Response.Events = []interaction.Event{}
	f.Interactions[1].Response.Delays = append(f.Interactions[1].Response.Delays, interaction.Delay{})
	if got := difference(f, goldenFile()); got != "" {
		t.Errorf("got %q, want no difference", got)
	}
}

// A cassette that is new does not overwrite one that another process has made, and leaves nothing behind.
func TestSaveNew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "c.yaml")
	mine := Contents{New: true}
	if err := mine.Save(file); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	theirs := Contents{New: true, Partial: true}
	if err := theirs.Save(file); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
	after, err := os.ReadFile(file)
	if entries, _ := os.ReadDir(dir); err != nil || !bytes.Equal(before, after) || len(entries) != 1 {
		t.Errorf("%v, %d files:\n%s", err, len(entries), after)
	}
}
