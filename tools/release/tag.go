package main

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// tag makes the tags of a release if it can be made: that of the root module at HEAD, those of the
// nested modules at a commit after it that no branch has. There they require the root module at
// the version, as a user gets them. The work tree and the index stay as they are.
func (r releaser) tag() error {
	err := r.check()
	if err != nil {
		return err
	}
	head, err := r.repo.git("rev-parse", "HEAD")
	if err != nil {
		return err
	}
	nested, err := r.commitNested(head)
	if err != nil {
		return err
	}
	all := tags(r.version)
	for _, tag := range all {
		commit := nested
		if tag == r.version {
			commit = head
		}
		_, err := r.repo.git("tag", "-a", "-m", "promptecho "+tag, tag, commit)
		if err != nil {
			return fmt.Errorf("%w\nDelete the tags that were made: git tag -d %s", err, strings.Join(all, " "))
		}
		r.printf("%s is at %s\n", tag, commit[:12])
	}
	r.printf("\nPush the branch and the tags at once:\n  git push --atomic %s %s %s\n"+
		"or delete the tags:\n  git tag -d %s\n", remote, r.branch, strings.Join(all, " "), strings.Join(all, " "))
	return nil
}

// commitNested makes a commit after another one in which the nested modules require the root module
// at the version, and returns it. It has an index of its own.
func (r releaser) commitNested(head string) (string, error) {
	dir, err := os.MkdirTemp("", "promptecho-index")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	index := []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}
	_, err = r.repo.gitWith(index, nil, "read-tree", head)
	if err != nil {
		return "", err
	}
	files, err := r.nestedFiles(head)
	if err != nil {
		return "", err
	}
	for name, data := range files {
		blob, err := r.repo.gitWith(nil, data, "hash-object", "-w", "--stdin")
		if err != nil {
			return "", err
		}
		_, err = r.repo.gitWith(index, nil, "update-index", "--cacheinfo", "100644,"+blob+","+name)
		if err != nil {
			return "", err
		}
	}
	tree, err := r.repo.gitWith(index, nil, "write-tree")
	if err != nil {
		return "", err
	}
	message := fmt.Sprintf("%s: require %s\n\nThe tags of the nested modules are at this commit.\n",
		strings.Join(nestedModules, ", "), r.version)
	return r.repo.git("commit-tree", "-p", head, "-m", message, tree)
}

// nestedFiles returns go.mod and go.sum of the nested modules as they are released.
func (r releaser) nestedFiles(head string) (map[string][]byte, error) {
	lines, err := sums(r.repo, r.version, head)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, dir := range nestedModules {
		mod, sum := path.Join(dir, "go.mod"), path.Join(dir, "go.sum")
		data, err := r.repo.file(head, mod)
		if err != nil {
			return nil, err
		}
		files[mod], err = requireRoot(mod, data, r.version)
		if err != nil {
			return nil, err
		}
		data, err = r.repo.file(head, sum)
		if err != nil {
			return nil, err
		}
		files[sum] = addSums(data, lines)
	}
	return files, nil
}

// requireRoot returns a go.mod that requires a version of the root module in place of its folder.
func requireRoot(name string, data []byte, version string) ([]byte, error) {
	mod, err := modfile.Parse(name, data, nil)
	if err != nil {
		return nil, err
	}
	err = mod.DropReplace(rootPath, "")
	if err != nil {
		return nil, err
	}
	err = mod.AddRequire(rootPath, version)
	if err != nil {
		return nil, err
	}
	mod.Cleanup()
	return mod.Format()
}

// addSums returns a go.sum with more lines, in the order of the go command.
func addSums(data []byte, lines []string) []byte {
	all := strings.Split(strings.TrimSpace(string(data)), "\n")
	all = append(all, lines...)
	// The go command orders by module, then by version, the content before the go.mod.
	slices.SortStableFunc(all, func(a, b string) int {
		pathA, _, _ := strings.Cut(a, " ")
		pathB, _, _ := strings.Cut(b, " ")
		return strings.Compare(pathA, pathB)
	})
	return bytes.TrimPrefix([]byte(strings.Join(all, "\n")+"\n"), []byte("\n"))
}
