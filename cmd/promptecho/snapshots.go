package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/orphans"
	"github.com/promptecho/promptecho/internal/snapshot"
)

// isSnapshots is the kind of a file with snapshots, next to the kinds that kindOf returns.
const isSnapshots = "snapshots"

// snapshotsAt returns the files with snapshots at paths, each once. The default path is the current
// folder. It also returns the path of a file that does not exist yet, if there is one next to it with
// snapshots to be reviewed.
func snapshotsAt(paths []string) (files []string, err error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	seen := map[string]bool{}
	add := func(file string) error {
		path, _ := snapshot.Reviewed(filepath.Clean(file))
		if snapshot.IsFile(path) && !seen[path] {
			files = append(files, path)
			seen[path] = true
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
			err = fmt.Errorf("%s is not a file with snapshots: those end in .snap", path)
		}
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// A snapshotFile is a file with snapshots that ls, verify and prune may list.
type snapshotFile struct {
	path     string
	test     string
	number   int // of snapshots
	modified time.Time
	state    []fileState      // orphan, broken, to review
	problem  *finding.Finding // why it cannot be read; nil if it can
}

// snapshotsOf returns the files with snapshots that have a state, below those paths that are folders.
// The default path is the current folder.
func snapshotsOf(paths []string, packages testPackages) (list []snapshotFile, err error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	var folders []string // other paths are cassettes
	for _, path := range paths {
		info, err := os.Stat(path)
		if err == nil && info.IsDir() {
			folders = append(folders, path)
		}
	}
	if len(folders) == 0 {
		return nil, nil
	}
	files, err := snapshotsAt(folders)
	for _, file := range files {
		f := snapshotFileAt(file, packages)
		if len(f.state) > 0 {
			list = append(list, f)
		}
	}
	return list, err
}

// snapshotFileAt reads a file with snapshots.
func snapshotFileAt(path string, packages testPackages) snapshotFile {
	f := snapshotFile{path: path}
	if info, err := os.Stat(path); err == nil {
		f.modified = info.ModTime().Truncate(time.Second)
	}
	stored, err := snapshot.Read(path)
	if err != nil {
		f.state = append(f.state, stateBroken)
		f.problem = unreadableSnapshots(path, err)
	} else {
		f.number = len(stored.Sections)
	}
	if _, err := os.Stat(snapshot.Pending(path)); err == nil {
		f.state = append(f.state, stateToReview)
	}
	if pkg, cassette, ok := snapshot.Cassette(path); ok {
		f.test, _ = testOf(filepath.Join(pkg, cassette))
		if packages.reason(filepath.Join(pkg, cassette)) == orphans.TestGone {
			f.state = append(f.state, stateOrphan)
		}
	}
	return f
}

// unreadableSnapshots returns the finding of a file with snapshots that cannot be read.
func unreadableSnapshots(path string, err error) *finding.Finding {
	f := &finding.Finding{
		Code:     finding.SnapshotUnreadable,
		Severity: finding.Failure,
		File:     path,
		Text:     err.Error(),
	}
	var syntax *snapshot.SyntaxError
	var system *fs.PathError
	switch {
	case errors.As(err, &syntax):
		f.Line = syntax.Line
		f.Text = syntax.Msg
	case errors.As(err, &system):
		f.Text = system.Err.Error()
	}
	return f
}

// removeSnapshots deletes a file with snapshots, and the one next to it with those to be reviewed.
func removeSnapshots(path string) error {
	if err := snapshot.Write(path, nil); err != nil {
		return err
	}
	return snapshot.Write(snapshot.Pending(path), nil)
}
