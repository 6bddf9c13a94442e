package command

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/store/internal/locks"
	"github.com/promptecho/promptecho/store/internal/objects"
)

// runInit says where the cassettes of a repository are kept, and prepares this clone.
func runInit(c *call) error {
	if err := c.parse(); err != nil {
		return err
	}
	if len(c.rest) > 1 {
		return usageError{errors.New("give one URL, or none in a clone of a repository that has a store")}
	}
	repo, err := locks.Here()
	switch {
	case errors.Is(err, locks.ErrNoStore) && len(c.rest) == 1:
		if repo, err = c.newRepository(c.rest[0]); err != nil {
			return err
		}
	case err != nil:
		return err
	case len(c.rest) == 1 && c.rest[0] != repo.URL:
		return fmt.Errorf("%s already names another store, %s. To move the cassettes: run promptecho-store pull, then change the line of that file that begins with url:, and run promptecho-store push", filepath.Join(repo.Root, objects.Config), repo.URL)
	}
	for file, line := range map[string]string{
		".gitignore":     "**/testdata/cassettes/",
		".gitattributes": "**/testdata/cassettes.lock -text merge=promptecho-store",
	} {
		if err := addLine(filepath.Join(repo.Root, file), line); err != nil {
			return err
		}
	}
	for _, setting := range [][2]string{
		{"merge.promptecho-store.name", "locks of promptecho-store"},
		{"merge.promptecho-store.driver", "promptecho-store merge -driver %O %A %B %P"},
	} {
		if out, err := exec.Command("git", "-C", repo.Root, "config", setting[0], setting[1]).CombinedOutput(); err != nil {
			c.say("This clone merges locks only line by line, because git config failed: %s", bytes.TrimSpace(out))
			break
		}
	}
	return c.result(map[string]string{"url": repo.URL, "id": repo.ID},
		"Cassettes are kept at %s.\nNext: promptecho-store push, then commit %s, .gitignore, .gitattributes and the locks.\nCassettes that git already tracks stay in it until you run git rm -r --cached --quiet -- '*testdata/cassettes/*', which takes them out of the next commit and keeps the files.\nIn each other clone that merges, run promptecho-store init", repo.URL, objects.Config)
}

// newRepository makes a repository whose cassettes are at a URL, and makes that its own.
func (c *call) newRepository(url string) (*locks.Repository, error) {
	store, err := objects.Open(c.ctx, url)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	owner, err := store.Owner(c.ctx)
	if err != nil {
		return nil, err
	}
	if owner != "" {
		return nil, fmt.Errorf("%s has the objects of another repository (id %s), and its gc would delete the objects of this repository: use another place for this repository, such as %s", url, owner, withPrefix(url))
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if out, err := exec.Command("git", "rev-parse", "--show-toplevel").Output(); err == nil {
		here = filepath.FromSlash(strings.TrimSpace(string(out)))
	}
	repo := &locks.Repository{Root: here, URL: url, ID: strings.ToLower(rand.Text())}
	return repo, cmp.Or(store.Own(c.ctx, repo.ID), repo.Write())
}

// withPrefix returns a URL with a prefix for the objects of one repository.
func withPrefix(url string) string {
	return url + map[bool]string{true: "&", false: "?"}[strings.Contains(url, "?")] + "prefix=NAME/"
}

// addLine adds a line to a file that does not have it.
func addLine(file, line string) error {
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if slices.Contains(strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), line) {
		return nil
	}
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	return os.WriteFile(file, append(text, line+"\n"...), 0o666)
}
