package report

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/promptecho/promptecho/internal/shell"
	"github.com/promptecho/promptecho/internal/testname"
	"github.com/promptecho/promptecho/internal/tests"
)

// elsewhere says which other file has requests that were missed here, and how to use it. It
// returns "" if there is none.
func (l *Log) elsewhere(o *Outcome) string {
	l.mu.Lock()
	asked, misses := maps.Clone(l.asked), len(l.misses)
	l.mu.Unlock()
	path, n := l.Tape.CountInFailed(asked)
	if n == 0 || l.Tape.State.Pinned {
		return l.renamed(asked, misses)
	}
	has, it := "this request", "it"
	if misses > 1 {
		has, it = fmt.Sprintf("%d of these requests", n), "them"
	}
	return fmt.Sprintf("\n\n%s has %s: a run that did not pass recorded %s. To use that file, which a run that passes makes whole:\n  %s\n%s",
		filepath.Join(filepath.Dir(l.File), filepath.Base(path)), has, it, shell.Join([]string{"mv", shell.Place(path), shell.Place(l.Path)}), l.commandIn(o, "once"))
}

// renamed says which cassette of a test that is gone has some of so many misses, and how to
// rename it; asked are their keys. It returns "" if there is a cassette, or none to be renamed.
func (r *Run) renamed(asked map[string]bool, misses int) string {
	dir, own, ok := testname.Split(r.Path)
	if r.Tape.State.Present || !ok {
		return ""
	}
	_, orphans := tests.In(dir).Cassettes()
	found, most := "", 0
	for _, orphan := range orphans {
		if n := r.Tape.CountIn(filepath.Join(dir, orphan), asked); n > most {
			found, most = orphan, n
		}
	}
	if found == "" {
		return ""
	}
	has := "this request"
	if misses > 1 {
		has = fmt.Sprintf("%d of these requests", most)
	}
	return fmt.Sprintf("\n\n%s has %s, and its test is gone. If the test was renamed:\n  %s", filepath.ToSlash(found), has, move(dir, found, own))
}

// move returns the command that renames a cassette, or the folder in which the two names
// differ; both are below the folder of the package.
func move(dir, from, to string) string {
	mkdir := ""
	if _, err := os.Stat(filepath.Join(dir, filepath.Dir(to))); err != nil {
		olds, news := strings.Split(from, string(filepath.Separator)), strings.Split(to, string(filepath.Separator))
		i := 0
		for i < len(olds)-1 && i < len(news)-1 && olds[i] == news[i] {
			i++
		}
		if filepath.Join(olds[i+1:]...) == filepath.Join(news[i+1:]...) && i < len(olds)-1 {
			from, to = filepath.Join(olds[:i+1]...), filepath.Join(news[:i+1]...)
		} else {
			mkdir = shell.Join([]string{"mkdir", "-p", shell.Place(filepath.Join(dir, filepath.Dir(to)))}) + " && "
		}
	}
	return mkdir + shell.Join([]string{"git", "-C", shell.Place(dir), "mv", filepath.ToSlash(from), filepath.ToSlash(to)})
}
