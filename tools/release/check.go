package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// A problem is a reason not to release.
type problem struct {
	what   string
	remedy string // what to do about it
}

// check prints whether the version can be released: each problem with what to do about it, or the
// verdict of gorelease.
func (r releaser) check() error {
	var problems []problem
	for _, find := range []func() ([]problem, error){
		r.checkTree, r.checkRemote, r.checkNumber, r.checkChangelog, r.checkAction, r.checkNestedModules,
		r.checkNotices,
	} {
		found, err := find()
		if err != nil {
			return err
		}
		problems = append(problems, found...)
	}
	verdict := ""
	if len(problems) == 0 { // gorelease needs a clean tree
		found, report, err := r.checkChanges()
		if err != nil {
			return err
		}
		problems, verdict = found, report
	}
	if len(problems) > 0 {
		r.printf("%s cannot be released:\n", r.version)
		for _, p := range problems {
			r.printf("\n%s\n  %s\n", p.what, p.remedy)
		}
		return errRefused
	}
	head, err := r.repo.git("rev-parse", "--short=12", "HEAD")
	if err != nil {
		return err
	}
	r.printf("%s can be released: %s at %s. %s\n", r.version, r.branch, head, verdict)
	return nil
}

// checkTree looks for what is not committed, and for another branch.
func (r releaser) checkTree() (problems []problem, err error) {
	changes, err := r.repo.git("status", "--porcelain")
	if err != nil {
		return nil, err
	}
	if changes != "" {
		first, _, _ := strings.Cut(strings.TrimSpace(changes), "\n")
		problems = append(problems, problem{
			what:   fmt.Sprintf("The work tree has changes that are not committed: %s", first),
			remedy: "commit them, or put them aside: git stash -u",
		})
	}
	branch, err := r.repo.git("rev-parse", "--abbrev-ref", "HEAD")
	if err != nil {
		return nil, err
	}
	if branch == "HEAD" {
		branch = "no branch"
	}
	if branch != r.branch {
		problems = append(problems, problem{
			what:   fmt.Sprintf("HEAD is %s, not %s.", branch, r.branch),
			remedy: fmt.Sprintf("git switch %s, or name another branch with -branch", r.branch),
		})
	}
	return problems, nil
}

// checkRemote compares the tags and the branch with those of the remote repository.
func (r releaser) checkRemote() ([]problem, error) {
	listed, err := r.repo.git("ls-remote", remote)
	if err != nil {
		return nil, fmt.Errorf("%w\nThe release is pushed to the remote %q: git remote -v", err, remote)
	}
	local, err := r.repo.git("tag", "--list")
	if err != nil {
		return nil, err
	}
	there := map[string]string{} // the commit or tag of each ref
	for line := range strings.Lines(listed) {
		object, ref, _ := strings.Cut(strings.TrimSpace(line), "\t")
		there[ref] = object
	}
	problems := r.checkTags(strings.Fields(local), there)
	tip := there["refs/heads/"+r.branch]
	if tip == "" {
		return problems, nil
	}
	_, err = r.repo.git("merge-base", "--is-ancestor", tip, "HEAD")
	if err != nil {
		problems = append(problems, problem{
			what:   fmt.Sprintf("%s of %s has commits that are not here.", r.branch, remote),
			remedy: fmt.Sprintf("git pull --rebase --tags %s %s, and check again", remote, r.branch),
		})
	}
	return problems, nil
}

// checkTags looks for tags of the release in both repositories, and for releases that are only
// in the remote one.
func (r releaser) checkTags(local []string, there map[string]string) (problems []problem) {
	for _, tag := range tags(r.version) {
		switch {
		case there["refs/tags/"+tag] != "":
			problems = append(problems, problem{
				what:   fmt.Sprintf("The tag %s exists in %s.", tag, remote),
				remedy: "release the next version: the Go module proxy keeps what it has seen of a tag for ever",
			})
		case slices.Contains(local, tag):
			problems = append(problems, problem{
				what:   fmt.Sprintf("The tag %s exists here, and was not pushed.", tag),
				remedy: "if it never was pushed: git tag -d " + tag,
			})
		}
	}
	for _, ref := range sortedKeys(there) {
		tag := strings.TrimPrefix(ref, "refs/tags/")
		if versionForm.MatchString(tag) && !slices.Contains(local, tag) {
			problems = append(problems, problem{
				what:   fmt.Sprintf("The tag %s of %s is not here.", tag, remote),
				remedy: "git fetch --tags " + remote,
			})
		}
	}
	return problems
}

// checkChangelog looks for the section of the version.
func (r releaser) checkChangelog() ([]problem, error) {
	found, err := readSection(r.repo, r.version)
	number := strings.TrimPrefix(r.version, "v")
	today := time.Now().UTC()
	title := fmt.Sprintf("\"## %s, %s\"", number, today.Format(time.DateOnly))
	if err != nil {
		return []problem{{
			what:   fmt.Sprintf("%s: %v.", changelogFile, err),
			remedy: fmt.Sprintf("give the section of what is not released the title %s, and say what changed", title),
		}}, nil
	}
	if found.date.After(today.AddDate(0, 0, 1)) { // a zone east of UTC may have the next day
		return []problem{{
			what:   fmt.Sprintf("%s: the date of %s is in the future.", changelogFile, number),
			remedy: "write the title " + title,
		}}, nil
	}
	return nil, nil
}

// actionPage is the page that shows the action for GitHub with its version. What promptecho init
// writes is compared with it by a test.
const actionPage = "docs/CI.md"

var actionVersion = regexp.MustCompile(`promptecho/action@(v[0-9.]+)`)

// checkAction looks for another version of the action in what users copy.
func (r releaser) checkAction() ([]problem, error) {
	page, err := os.ReadFile(filepath.Join(r.repo.dir, filepath.FromSlash(actionPage)))
	if err != nil {
		return nil, err
	}
	for _, m := range actionVersion.FindAllSubmatch(page, -1) {
		shown := string(m[1])
		if shown != r.version {
			return []problem{{
				what: fmt.Sprintf("%s shows the action of %s.", actionPage, shown),
				remedy: fmt.Sprintf("git grep -l promptecho/action@%s | xargs sed -i s,action@%[1]s,action@%s,",
					shown, r.version),
			}}, nil
		}
	}
	return nil, nil
}

// checkNestedModules looks for directives of go.mod that do not count for users: replace, but for the
// one of the root module that each nested module must have, and exclude.
func (r releaser) checkNestedModules() (problems []problem, err error) {
	const requireOther = "require a version that works without it:"
	for _, dir := range append([]string{"."}, nestedModules...) {
		name := filepath.Join(dir, "go.mod")
		data, err := os.ReadFile(filepath.Join(r.repo.dir, name))
		if err != nil {
			return nil, err
		}
		mod, err := modfile.Parse(name, data, nil)
		if err != nil {
			return nil, err
		}
		ownReplace := func(rep *modfile.Replace) bool {
			return dir != "." && rep.Old.Path == rootPath && rep.New.Path == "../"
		}
		others := slices.DeleteFunc(slices.Clone(mod.Replace), ownReplace)
		if len(others) > 0 {
			problems = append(problems, problem{
				what:   fmt.Sprintf("%s replaces %s, which users of the module do not see.", name, others[0].Old.Path),
				remedy: fmt.Sprintf("%s go -C %s mod edit -dropreplace=%s", requireOther, dir, others[0].Old.Path),
			})
		}
		if len(mod.Exclude) > 0 {
			problems = append(problems, problem{
				what:   fmt.Sprintf("%s excludes %s, which users of the module do not see.", name, mod.Exclude[0].Mod),
				remedy: fmt.Sprintf("%s go -C %s mod edit -dropexclude=%s", requireOther, dir, mod.Exclude[0].Mod),
			})
		}
		if dir != "." && len(mod.Replace) == len(others) {
			problems = append(problems, problem{
				what:   fmt.Sprintf("%s does not replace %s by ../, so other code is tested.", name, rootPath),
				remedy: fmt.Sprintf("go -C %s mod edit -replace=%s=../", dir, rootPath),
			})
		}
	}
	return problems, nil
}

// checkNotices compares the file of licences with the modules that the command links.
func (r releaser) checkNotices() ([]problem, error) {
	want, err := notices(r.repo)
	if err != nil {
		return nil, err
	}
	got, err := os.ReadFile(filepath.Join(r.repo.dir, noticesFile))
	if err == nil && string(got) == want {
		return nil, nil
	}
	return []problem{{
		what:   noticesFile + " has not the licences of what the command links.",
		remedy: "go -C tools run ./release notices, and commit the file",
	}}, nil
}

// next returns the versions that may follow one.
func next(version string) []string {
	m := versionForm.FindStringSubmatch(version)
	var n [3]int
	for i := range n {
		n[i], _ = strconv.Atoi(m[i+1])
	}
	return []string{
		fmt.Sprintf("v%d.%d.%d", n[0], n[1], n[2]+1),
		fmt.Sprintf("v%d.%d.0", n[0], n[1]+1),
		fmt.Sprintf("v%d.0.0", n[0]+1),
	}
}

// lastRelease returns the version of the last release, or "none", and the versions that may follow.
func (r releaser) lastRelease() (base string, following []string, err error) {
	versions, err := r.repo.releases("HEAD")
	if err != nil {
		return "", nil, err
	}
	if len(versions) == 0 {
		return "none", []string{"v0.1.0"}, nil
	}
	base = versions[len(versions)-1]
	return base, next(base), nil
}

// checkNumber compares the version with the last release.
func (r releaser) checkNumber() ([]problem, error) {
	base, following, err := r.lastRelease()
	if err != nil || slices.Contains(following, r.version) {
		return nil, err
	}
	return []problem{{
		what:   fmt.Sprintf("%s does not follow the last release, which is %s.", r.version, base),
		remedy: "release " + strings.Join(following, " or "),
	}}, nil
}

// checkChanges compares what changed since the last release with the version. It returns the
// verdict in one sentence.
func (r releaser) checkChanges() (problems []problem, verdict string, err error) {
	base, _, err := r.lastRelease()
	if err != nil {
		return nil, "", err
	}
	report, err := r.gorelease(base)
	if err != nil {
		return nil, "", err
	}
	problems, verdict = report.judge(base, r.version, r.incompatible)
	return problems, verdict, nil
}

// suggested matches the version that gorelease suggests.
var suggested = regexp.MustCompile(`(?m)^Suggested version: (v\S+)`)

// A report is what gorelease prints.
type report struct {
	text string
	ok   bool // no problem was found
}

// judge returns what the report says against a version that follows another one, or in favour of
// it.
//
// Before v1, gorelease calls any higher version valid, so the version is compared with the one
// that it suggests: a patch without visible changes, else a minor version.
func (rep report) judge(base, version string, incompatible bool) (problems []problem, verdict string) {
	m := suggested.FindStringSubmatch(rep.text)
	changes, _, _ := strings.Cut(rep.text, "# summary")
	changes = indent(strings.TrimSpace(changes))
	switch {
	case !rep.ok || m == nil:
		all := indent(strings.TrimSpace(rep.text))
		return []problem{{
			what:   fmt.Sprintf("gorelease finds no version that may follow %s:\n\n%s\n", base, all),
			remedy: "mend what it names",
		}}, ""
	case strings.Contains(rep.text, "\n## incompatible changes\n") && !incompatible:
		return []problem{{
			what: fmt.Sprintf("There are incompatible changes since %s:\n\n%s\n", base, changes),
			remedy: "keep what is removed or changed, with \"Deprecated:\" in its comment; " +
				"or, before v1, release a minor version with -incompatible",
		}}, ""
	case semver.Compare(version, m[1]) < 0:
		return []problem{{
			what:   fmt.Sprintf("gorelease suggests %s after %s, not %s:\n\n%s\n", m[1], base, version, changes),
			remedy: "release " + m[1],
		}}, ""
	case base == "none":
		return nil, "It is the first release."
	}
	return nil, fmt.Sprintf("gorelease suggests %s after %s.", m[1], base)
}

func indent(text string) string {
	return "    " + strings.ReplaceAll(text, "\n", "\n    ")
}

// gorelease runs gorelease in the work tree, which is compared with a version that has a tag. It
// gets that one from the tag, so that it need not be published.
func (r releaser) gorelease(base string) (report, error) {
	folder, err := os.MkdirTemp("", "promptecho-proxy")
	if err != nil {
		return report{}, err
	}
	defer os.RemoveAll(folder)
	var versions []string
	if base != "none" {
		versions = append(versions, base)
	}
	err = writeProxy(folder, r.repo, rootPath, versions)
	if err != nil {
		return report{}, err
	}
	tool, err := r.repo.command(nil, "go", "-C", "tools", "tool", "-n", "gorelease")
	if err != nil {
		return report{}, err
	}
	env, err := r.repo.proxied(folder)
	if err != nil {
		return report{}, err
	}
	cmd := exec.Command(tool, "-base="+base)
	cmd.Dir, cmd.Env = r.repo.dir, append(slices.Clone(r.repo.env), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 && len(text) > 0 {
		return report{string(text), false}, nil
	}
	if err != nil {
		return report{}, fmt.Errorf("gorelease -base=%s: %w\n%s", base, err, stderr.String())
	}
	return report{string(text), true}, nil
}
