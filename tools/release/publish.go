package main

import (
	"os"
	"os/exec"
	"path/filepath"
)

// publish makes the release of GitHub for a tag with the files that build has written. The tag
// must be pushed, and gh must be logged in.
func (r releaser) publish(folder string) error {
	names, err := verifyChecksums(folder)
	if err != nil {
		return err
	}
	args := []string{
		"release", "create", r.version,
		"--title", "promptecho " + r.version,
		"--notes-file", filepath.Join(folder, notesFile),
		"--verify-tag",
	}
	for _, name := range append(names, checksumsFile) {
		args = append(args, filepath.Join(folder, name))
	}
	cmd := exec.Command("gh", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = r.repo.dir, r.stdout, os.Stderr
	return cmd.Run()
}
