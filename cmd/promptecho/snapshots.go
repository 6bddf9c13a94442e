package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/promptecho/promptecho/internal/snapshot"
)

// isSnapshots is the kind of a file with snapshots, as ls and prune have it.
const isSnapshots = "snapshots"

// snapshotsAt returns the files with snapshots at paths, each once; "." if there are none. One
// that has only what is to be reviewed need not exist.
func snapshotsAt(paths []string) (files []string, err error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	seen := map[string]bool{}
	add := func(file string) error {
		path, _ := snapshot.Reviewed(filepath.Clean(file))
		if snapshot.IsFile(path) && !seen[path] {
			files, seen[path] = append(files, path), true
		}
		return nil
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		_, isPending := snapshot.Reviewed(path)
		switch {
		case err == nil && info.IsDir():
			err = eachFile(path, nil, add)
		case isPending, snapshot.IsFile(path):
			err = add(path)
		case err == nil:
			err = fmt.Errorf("%s is no file with snapshots: those end in .snap", path)
		}
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// snapshotsOf returns the files with snapshots at paths about which there is something to say,
// as ls lists them.
func snapshotsOf(paths []string, packages testPackages) (list []listing, err error) {
	var folders []string // other paths are cassettes
	if len(paths) == 0 {
		paths = []string{"."}
	}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			folders = append(folders, path)
		}
	}
	if len(folders) == 0 {
		return nil, nil
	}
	files, err := snapshotsAt(folders)
	for _, file := range files {
		l := listing{Path: file, Kind: isSnapshots, Calls: map[string]int{}, Models: []string{}, State: []string{}}
		if info, err := os.Stat(file); err == nil {
			l.Modified = info.ModTime().Truncate(time.Second)
		}
		f, rerr := snapshot.Read(file)
		if rerr != nil {
			l.State, l.Problem = append(l.State, "broken"), rerr.Error()
		} else {
			l.Calls["snapshot"] = len(f.Sections)
		}
		if _, err := os.Stat(snapshot.Pending(file)); err == nil {
			l.State = append(l.State, "to review")
		}
		if pkg, cassette, ok := snapshot.Cassette(file); ok {
			name, _ := testOf(filepath.Join(pkg, cassette))
			l.Test = name
			if packages.orphaned(filepath.Join(pkg, cassette)) {
				l.State = append(l.State, "orphan")
			}
		}
		if len(l.State) > 0 {
			list = append(list, l)
		}
	}
	return list, err
}

// removeSnapshots deletes a file with snapshots, and what is to be reviewed.
func removeSnapshots(path string) error {
	if err := snapshot.Write(path, nil); err != nil {
		return err
	}
	return snapshot.Write(snapshot.Pending(path), nil)
}
