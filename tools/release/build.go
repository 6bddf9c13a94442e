package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	checksumsFile = "SHA256SUMS"
	notesFile     = "notes.md"
)

// build builds the files of a release from its tag into a folder. It does so twice, in two clones
// in two folders, and fails if a file of one differs from that of the other. The second build of
// all platforms compiles everything again, in a build cache of its own.
func (r releaser) build(folder string) error {
	left, err := os.ReadDir(folder)
	if err == nil && len(left) > 0 {
		return fmt.Errorf("%s is not empty: delete it, or name another folder with -o", folder)
	}
	first, err := r.buildOnce(nil)
	if err != nil {
		return err
	}
	cache, err := os.MkdirTemp("", "promptecho-cache")
	if err != nil {
		return err
	}
	defer os.RemoveAll(cache)
	var env []string
	if len(r.platforms) == len(platforms) {
		env = append(env, "GOCACHE="+cache)
	}
	second, err := r.buildOnce(env)
	if err != nil {
		return err
	}
	err = equalFiles(first, second)
	if err != nil {
		return err
	}
	err = os.MkdirAll(folder, 0o755)
	if err != nil {
		return err
	}
	for _, f := range first {
		err := os.WriteFile(filepath.Join(folder, f.name), f.data, 0o644)
		if err != nil {
			return err
		}
		r.printf("%9d  %s\n", len(f.data), f.name)
	}
	r.printf("Two builds of %s are equal: %d files in %s\n", r.version, len(first), folder)
	return nil
}

// A file is a file of a release, or of one of its archives.
type file struct {
	name string
	data []byte
}

// equalFiles reports the first file that differs.
func equalFiles(a, b []file) error {
	if len(a) != len(b) {
		return fmt.Errorf("one build has %d files, the other one %d", len(a), len(b))
	}
	for i := range a {
		if a[i].name != b[i].name || !bytes.Equal(a[i].data, b[i].data) {
			return fmt.Errorf("two builds differ in %s: nobody could check what is published", a[i].name)
		}
	}
	return nil
}

// buildOnce returns the files of a release, built in a clone of its tag with more variables.
func (r releaser) buildOnce(env []string) ([]file, error) {
	dir, err := os.MkdirTemp("", "promptecho-build")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	clone, err := r.repo.clone(r.version, filepath.Join(dir, "clone"))
	if err != nil {
		return nil, err
	}
	clone.env = append(slices.Clone(clone.env), env...)
	at, err := clone.commitTime("HEAD")
	if err != nil {
		return nil, err
	}
	notes, err := readSection(clone, r.version)
	if err != nil {
		return nil, err
	}
	var files []file
	for _, p := range r.platforms {
		binary := filepath.Join(dir, p.os+"-"+p.arch, "promptecho")
		if p.os == "windows" {
			binary += ".exe"
		}
		built, err := r.buildPlatform(clone, p, binary, at)
		if err != nil {
			return nil, err
		}
		files = append(files, built...)
	}
	files = append(files, file{checksumsFile, checksums(files)})
	return append(files, file{notesFile, []byte(notes.text + "\n")}), nil
}

// buildPlatform returns the archive and the bill of materials of one platform.
func (r releaser) buildPlatform(clone repository, p platform, binary string, at time.Time) ([]file, error) {
	_, err := clone.command(p.env(), "go", "build", "-trimpath", "-buildvcs=true", "-o", binary, commandPackage)
	if err != nil {
		return nil, err
	}
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	if info.Main.Version != r.version {
		return nil, fmt.Errorf("the binary says that it is %s, not %s", info.Main.Version, r.version)
	}
	name := fmt.Sprintf("promptecho_%s_%s_%s", strings.TrimPrefix(r.version, "v"), p.os, p.arch)
	content, err := archived(clone, binary)
	if err != nil {
		return nil, err
	}
	sbom, err := billOfMaterials(info, content[0], at)
	if err != nil {
		return nil, err
	}
	archive, err := packArchive(p, name, content, at)
	return []file{archive, {name + ".cdx.json", sbom}}, err
}

// archived returns the files of an archive, the binary first.
func archived(clone repository, binary string) (content []file, err error) {
	names := []string{binary}
	for _, name := range []string{"LICENSE", "README.md", noticesFile} {
		names = append(names, filepath.Join(clone.dir, name))
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		content = append(content, file{filepath.Base(name), data})
	}
	return content, nil
}

// checksums returns the lines that sha256sum -c reads.
func checksums(files []file) []byte {
	var b bytes.Buffer
	for _, f := range files {
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(f.data), f.name)
	}
	return b.Bytes()
}

// verifyChecksums compares the files of a folder with its checksums, and returns their names.
func verifyChecksums(folder string) (names []string, err error) {
	list, err := os.ReadFile(filepath.Join(folder, checksumsFile))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(list)) {
		sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			return nil, fmt.Errorf("%s has the line %q", checksumsFile, line)
		}
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		if fmt.Sprintf("%x", sha256.Sum256(data)) != sum {
			return nil, fmt.Errorf("%s is not the file that was built: build again", filepath.Join(folder, name))
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return nil, errors.New(checksumsFile + " is empty")
	}
	return names, nil
}
