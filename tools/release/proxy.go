package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

// writeProxy adds versions of a module to a folder that is a module proxy
// (https://go.dev/ref/mod#goproxy-protocol), each from its tag.
func writeProxy(folder string, repo repository, modulePath string, versions []string) error {
	escaped, err := module.EscapePath(modulePath)
	if err != nil {
		return err
	}
	dir := filepath.Join(folder, filepath.FromSlash(escaped), "@v")
	err = os.MkdirAll(dir, 0o755)
	if err != nil {
		return err
	}
	nested := strings.TrimPrefix(strings.TrimPrefix(modulePath, rootPath), "/")
	for _, version := range versions {
		err := writeVersion(dir, repo, module.Version{Path: modulePath, Version: version}, nested)
		if err != nil {
			return err
		}
	}
	list := filepath.Join(dir, "list")
	known, err := os.ReadFile(list)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	all := slices.Concat(strings.Fields(string(known)), versions)
	semver.Sort(all)
	return os.WriteFile(list, []byte(strings.Join(slices.Compact(all), "\n")+"\n"), 0o644)
}

// proxy writes the modules of a release that has its tags into the folder of a proxy.
func (r releaser) proxy(folder string) error {
	modules := []string{rootPath}
	for _, dir := range nestedModules {
		modules = append(modules, rootPath+"/"+dir)
	}
	for _, m := range modules {
		err := writeProxy(folder, r.repo, m, []string{r.version})
		if err != nil {
			return err
		}
		r.printf("%s@%s\n", m, r.version)
	}
	r.printf("\nLet the go command read them, with a module cache of its own:\n"+
		"  export GOPROXY=%s,$(go env GOPROXY) GONOSUMDB=%s GOMODCACHE=$(mktemp -d)\n", fileURL(folder), rootPath)
	return nil
}

// writeVersion writes the files of a version: its time, its go.mod and its content.
func writeVersion(dir string, repo repository, m module.Version, nested string) error {
	tag := path.Join(nested, m.Version)
	at, err := repo.commitTime(tag)
	if err != nil {
		return err
	}
	mod, err := repo.file(tag, path.Join(nested, "go.mod"))
	if err != nil {
		return err
	}
	info := fmt.Sprintf("{\"Version\":%q,\"Time\":%q}", m.Version, at.Format(time.RFC3339))
	for suffix, data := range map[string][]byte{".info": []byte(info), ".mod": mod} {
		err := os.WriteFile(filepath.Join(dir, m.Version+suffix), data, 0o644)
		if err != nil {
			return err
		}
	}
	return writeZip(filepath.Join(dir, m.Version+".zip"), repo, m, tag, nested)
}

// writeZip writes the zip file of a version of a module as the Go module proxy does.
func writeZip(name string, repo repository, m module.Version, revision, nested string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	err = zip.CreateFromVCS(f, m, repo.dir, revision, nested)
	if err != nil {
		return err
	}
	return f.Close()
}

// sums returns the lines of go.sum for a version of the root module, from its commit.
func sums(repo repository, version, commit string) ([]string, error) {
	dir, err := os.MkdirTemp("", "promptecho-zip")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "root.zip")
	err = writeZip(name, repo, module.Version{Path: rootPath, Version: version}, commit, "")
	if err != nil {
		return nil, err
	}
	content, err := dirhash.HashZip(name, dirhash.Hash1)
	if err != nil {
		return nil, err
	}
	mod, err := repo.file(commit, "go.mod")
	if err != nil {
		return nil, err
	}
	goMod, err := hashGoMod(mod)
	return []string{
		fmt.Sprintf("%s %s %s", rootPath, version, content),
		fmt.Sprintf("%s %s/go.mod %s", rootPath, version, goMod),
	}, err
}

// proxied returns the variables for a go command that gets modules from the folder of a proxy
// first. It has a module cache of its own in that folder: what is not published yet must not get
// into that of the user, where it would stay. With -trimpath, the go command finds packages that it
// has compiled from another such folder.
func (r repository) proxied(folder string) ([]string, error) {
	values, err := r.command(nil, "go", "env", "GOMODCACHE", "GOPROXY")
	cache, proxies, _ := strings.Cut(values, "\n")
	cache = filepath.Join(strings.TrimSpace(cache), "cache", "download")
	return []string{
		"GOMODCACHE=" + filepath.Join(folder, "cache"),
		"GOFLAGS=-modcacherw -trimpath",
		"GOPROXY=" + fileURL(folder) + "," + fileURL(cache) + "," + proxies,
		"GONOSUMDB=" + rootPath, // the checksum database has no entry of what is not published
	}, err
}

// fileURL returns the URL of a folder.
func fileURL(folder string) string {
	return "file:///" + strings.TrimPrefix(filepath.ToSlash(folder), "/")
}

// hashGoMod returns the hash of a go.mod for a line of go.sum.
func hashGoMod(text []byte) (string, error) {
	return dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(text)), nil
	})
}
