package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

// THIRD_PARTY_NOTICES.md has the licence of each module that the command links on any platform.
func TestNoticesAreOfWhatTheCommandLinks(t *testing.T) {
	t.Parallel()
	repo, err := openRepository(".")
	if err != nil {
		t.Fatal(err)
	}
	problems, err := releaser{repo: repo}.checkNotices()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s\n%s", p.what, p.remedy)
	}
}

// A version is released only if gorelease finds that its number fits what changed.
func TestJudge(t *testing.T) {
	t.Parallel()
	const (
		compatible   = "# m/p\n## compatible changes\nAdded: added\n\n"
		incompatible = "# m/p\n## incompatible changes\nGone: removed\n\n"
	)
	summary := func(version string) string { return "# summary\nSuggested version: " + version + "\n" }
	for _, tt := range []struct {
		name          string
		report        report
		base, version string
		incompatible  bool
		want          string // the beginning of the problem; "" for none
	}{
		{name: "first", report: report{summary("v0.1.0"), true}, base: "none", version: "v0.1.0"},
		{name: "patch", report: report{summary("v0.1.1"), true}, base: "v0.1.0", version: "v0.1.1"},
		{name: "a higher number than needed", report: report{summary("v0.1.1"), true}, base: "v0.1.0", version: "v0.2.0"},
		{name: "added, patch", report: report{compatible + summary("v0.2.0"), true}, base: "v0.1.0", version: "v0.1.1",
			want: "gorelease suggests v0.2.0 after v0.1.0, not v0.1.1:"},
		{name: "added, minor", report: report{compatible + summary("v0.2.0"), true}, base: "v0.1.0", version: "v0.2.0"},
		{name: "removed", report: report{incompatible + summary("v0.2.0"), true}, base: "v0.1.0", version: "v0.2.0",
			want: "There are incompatible changes since v0.1.0:"},
		{name: "removed, allowed", report: report{incompatible + summary("v0.2.0"), true}, base: "v0.1.0", version: "v0.2.0",
			incompatible: true},
		{name: "removed, patch", report: report{incompatible + summary("v0.2.0"), true}, base: "v0.1.0", version: "v0.1.1",
			incompatible: true, want: "gorelease suggests v0.2.0 after v0.1.0, not v0.1.1:"},
		{name: "removed after v1", report: report{incompatible + "# summary\nCannot suggest a release version.\n", false},
			base: "v1.0.0", version: "v1.1.0", incompatible: true, want: "gorelease finds no version that may follow v1.0.0:"},
		{name: "something else", report: report{"# diagnostics\nx\n\n" + summary("v0.1.1"), false}, base: "v0.1.0",
			version: "v0.1.1", want: "gorelease finds no version that may follow v0.1.0:"},
	} {
		problems, verdict := tt.report.judge(tt.base, tt.version, tt.incompatible)
		got := ""
		if len(problems) > 0 {
			got, _, _ = strings.Cut(problems[0].what, "\n")
		}
		if got != tt.want || (verdict == "") != (len(problems) > 0) {
			t.Errorf("%s: %q, %q, want %q", tt.name, got, verdict, tt.want)
		}
	}
}

// A tag that exists is not made again, and releases that are not known here are named.
func TestTagsThatExist(t *testing.T) {
	t.Parallel()
	there := map[string]string{"refs/tags/v0.1.0": "a", "refs/tags/v0.1.0^{}": "b", "refs/tags/lint/v0.2.0": "c", "refs/heads/main": "d"}
	var got []string
	for _, p := range (releaser{version: "v0.2.0"}).checkTags([]string{"store/v0.2.0", "v0.0.1"}, there) {
		got = append(got, p.what)
	}
	want := []string{
		"The tag lint/v0.2.0 exists in origin.",
		"The tag store/v0.2.0 exists here, and was not pushed.",
		"The tag v0.1.0 of origin is not here.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The next version has one number more, and zeros after it.
func TestNext(t *testing.T) {
	t.Parallel()
	for version, want := range map[string][]string{
		"v0.1.0":  {"v0.1.1", "v0.2.0", "v1.0.0"},
		"v1.9.19": {"v1.9.20", "v1.10.0", "v2.0.0"},
	} {
		if got := next(version); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", version, got, want)
		}
	}
}

// The notes of a release are what CHANGELOG.md says of its version.
func TestChangelogSection(t *testing.T) {
	t.Parallel()
	const changelog = "# Changelog\n\n## Unreleased\n\n- x\n\n## 0.2.0, 2026-13-01\n\n- y\n\n" +
		"## 0.1.1, 2026-12-01\n\n## 0.1.0, 2026-11-29\n\n### Added\n\n- z\n"
	for version, want := range map[string]string{
		"v0.1.0": "### Added\n\n- z",
		"v0.1.1": "error: the section of 0.1.1 is empty",
		"v0.2.0": "error: \"2026-13-01\" is no date",
		"v0.3.0": "error: there is no line \"## 0.3.0, YYYY-MM-DD\"",
	} {
		s, err := changelogSection(changelog, version)
		got := s.text
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", version, got, want)
		}
	}
}

// A nested module is released with the root module at its version, and without its folder.
func TestNestedModuleRequiresTheRelease(t *testing.T) {
	t.Parallel()
	const before = "module " + rootPath + "/lint\n\ngo 1.25.0\n\nrequire (\n\t" + rootPath + " v0.0.0\n\texample.com/z v1.0.0\n)\n\n" +
		"replace " + rootPath + " => ../\n"
	const after = "module " + rootPath + "/lint\n\ngo 1.25.0\n\nrequire (\n\t" + rootPath + " v0.1.0\n\texample.com/z v1.0.0\n)\n"
	got, err := requireRoot("go.mod", []byte(before), "v0.1.0")
	if err != nil || string(got) != after {
		t.Errorf("%v\n%s\nwant\n%s", err, got, after)
	}
	sums := addSums([]byte("a.com/x v1.0.0 h1:x\nz.com/x v1.0.0 h1:x\n"), []string{"m.com/x v1.0.0 h1:y", "m.com/x v1.0.0/go.mod h1:z"})
	want := "a.com/x v1.0.0 h1:x\nm.com/x v1.0.0 h1:y\nm.com/x v1.0.0/go.mod h1:z\nz.com/x v1.0.0 h1:x\n"
	if string(sums) != want {
		t.Errorf("go.sum is\n%s\nwant\n%s", sums, want)
	}
}

// An archive has one folder, whose binary can be run, and nothing of the machine it was made on.
func TestArchive(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 29, 17, 0, 2, 0, time.UTC)
	content := []file{{"promptecho", []byte("binary")}, {"LICENSE", []byte("text")}}
	want := []string{"-rwxr-xr-x x/promptecho binary", "-rw-r--r-- x/LICENSE text"}

	packed, err := packArchive(platform{"linux", "amd64"}, "x", content, at)
	if err != nil || packed.name != "x.tar.gz" {
		t.Fatal(packed.name, err)
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(packed.data))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for r := tar.NewReader(unzipped); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil || !h.ModTime.Equal(at) || h.Uid != 0 {
			t.Error(h, err)
		}
		got = append(got, h.FileInfo().Mode().String()+" "+h.Name+" "+string(data))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the tar file has %q, want %q", got, want)
	}

	packed, err = packArchive(platform{"windows", "amd64"}, "x", content, at)
	if err != nil || packed.name != "x.zip" {
		t.Fatal(packed.name, err)
	}
	r, err := zip.NewReader(bytes.NewReader(packed.data), int64(len(packed.data)))
	if err != nil {
		t.Fatal(err)
	}
	got = nil
	for _, f := range r.File {
		opened, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(opened)
		if err != nil || !f.Modified.Equal(at) {
			t.Error(f.Name, f.Modified, err)
		}
		got = append(got, f.Mode().String()+" "+f.Name+" "+string(data))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the zip file has %q, want %q", got, want)
	}
}

// The bill of materials names the modules of the binary with the hashes of go.sum.
func TestBillOfMaterials(t *testing.T) {
	t.Parallel()
	info := &debug.BuildInfo{
		GoVersion: "go1.26.8",
		Path:      rootPath + "/cmd/promptecho",
		Main:      debug.Module{Path: rootPath, Version: "v0.1.0"},
		Deps: []*debug.Module{{
			Path:    "golang.org/x/tools",
			Version: "v0.49.0",
			Sum:     "h1:3NI7VXzL9+1WZD52Dx2ttoPwD5DWrFGpl9mFZDlmisI=",
		}},
		Settings: []debug.BuildSetting{{Key: "GOOS", Value: "linux"}},
	}
	at := time.Date(2026, 11, 29, 17, 0, 2, 0, time.UTC)
	text, err := billOfMaterials(info, file{"promptecho", []byte("binary")}, at)
	if err != nil {
		t.Fatal(err)
	}
	var got bom
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range got.Components {
		names = append(names, c.PURL)
	}
	want := []string{"pkg:golang/std@1.26.8", "pkg:golang/golang.org/x/tools@v0.49.0"}
	if !slices.Equal(names, want) || !slices.Equal(got.Dependencies[0].DependsOn, want) {
		t.Errorf("components are %q, dependencies %q, want %q", names, got.Dependencies, want)
	}
	const hash = "dcd23b557ccbf7ed56643e760f1dadb683f00f90d6ac51a997d9856439668ac2"
	if h := got.Components[1].Hashes; len(h) != 1 || h[0] != (bomHash{"SHA-256", hash}) {
		t.Errorf("the hash of x/tools is %v, want %s", h, hash)
	}
	if got.Metadata.Timestamp != "2026-11-29T17:00:02Z" || got.Metadata.Component.Version != "v0.1.0" {
		t.Errorf("metadata are %+v", got.Metadata)
	}

	info.Deps[0].Sum = ""
	if _, err := billOfMaterials(info, file{}, at); err == nil {
		t.Error("a module without a hash is accepted")
	}
}

// A file that has changed since it was built is not published.
func TestChecksums(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("a", "1")
	write("b", "2")
	write(checksumsFile, string(checksums([]file{{"a", []byte("1")}, {"b", []byte("2")}})))
	names, err := verifyChecksums(dir)
	if err != nil || !slices.Equal(names, []string{"a", "b"}) {
		t.Error(names, err)
	}
	write("b", "3")
	if _, err := verifyChecksums(dir); err == nil || !strings.Contains(err.Error(), "build again") {
		t.Error(err)
	}
}

// Flags stand before the version or after it, and a version has the form vX.Y.Z.
func TestParse(t *testing.T) {
	t.Parallel()
	for args, want := range map[string][]string{
		"tag v0.1.0":             {"tag", "v0.1.0", "dist"},
		"build v0.1.0 -o d":      {"build", "v0.1.0", "d"},
		"build -o d v0.1.0":      {"build", "v0.1.0", "d"},
		"notices":                {"notices", "", "dist"},
		"notices v0.1.0":         nil,
		"tag":                    nil,
		"tag 0.1.0":              nil,
		"tag v0.1":               nil,
		"tag v0.1.0-rc.1":        nil,
		"tag v01.1.0":            nil,
		"tag v0.1.0 v0.2.0":      nil,
		"build v0.1.0 -platform": nil,
	} {
		flags := flag.NewFlagSet("", flag.ContinueOnError)
		flags.SetOutput(io.Discard)
		o := flags.String("o", "dist", "")
		verb, version, err := parse(flags, strings.Fields(args))
		got := []string{verb, version, *o}
		if err != nil {
			got = nil
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}
