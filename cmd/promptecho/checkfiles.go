package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/setup"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/cassette/fit"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/orphans"
	"github.com/promptecho/promptecho/internal/testenv/lock"
	"github.com/promptecho/promptecho/internal/testenv/testname"
)

// newDiagnosis returns a diagnosis of a file.
func newDiagnosis(severity finding.Severity, code finding.Code, file, text string) *diagnosis {
	return &diagnosis{Finding: finding.Finding{Code: code, Severity: severity, File: file, Text: text}}
}

// checkCassette returns what is wrong with the file of a cassette, or of one that a run has left. f and
// err are the results of load.
func checkCassette(file string, f *cassette.File, err error, packages testPackages) (list []*diagnosis) {
	kind := kindOf(file)
	if err != nil {
		return append(list, checkUnreadable(file, kind, err))
	}
	leftBy := map[string]finding.Code{isJournal: finding.JournalLeft, isFailed: finding.FailedLeft}
	if code := leftBy[kind]; code != "" {
		v := newVerdict(file)
		v.checkKind(f)
		return append(list, newDiagnosis(finding.Note, code, file, v.problems[0].Text))
	}
	if kind != isCassette {
		return nil
	}
	for _, problem := range fit.Partial(file, f) {
		list = append(list, &diagnosis{Finding: problem})
	}
	if reason := packages.reason(file); reason != orphans.InUse {
		list = append(list, newDiagnosis(finding.Note, codeOfOrphan(reason), file, "orphan: "+whyOrphan(reason)))
	}
	if hasCarriageReturns(file) {
		list = append(list, newDiagnosis(finding.Note, finding.LineEndsChanged, file,
			"it replays, but has line ends of Windows, from git or an editor"))
	}
	return list
}

// checkUnreadable returns what is wrong with a file that cannot be read. Replay needs cassettes only.
func checkUnreadable(file, kind string, err error) *diagnosis {
	a := newDiagnosis(finding.Failure, finding.CassetteUnreadable, file, err.Error())
	var syntax *cassette.SyntaxError
	if errors.As(err, &syntax) {
		a.Finding = unreadable(syntax)
	}
	isBroken := syntax == nil || !syntax.FileIntact // else the text has the command
	if isBroken {
		a.Command = withFiles("promptecho verify -w", []string{file})
	}
	if kind != isCassette {
		a.Severity = finding.Note
	}
	return a
}

// hasCarriageReturns reports whether the first line of a file ends as on Windows.
func hasCarriageReturns(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	start := make([]byte, 4096)
	n, _ := io.ReadFull(f, start)
	line, _, hasEnd := bytes.Cut(start[:n], []byte("\n"))
	return hasEnd && bytes.HasSuffix(line, []byte("\r"))
}

// checkTests returns the cassettes that the tests of a package open and that do not exist. show
// returns a path as people read it.
func checkTests(p *orphans.Package, show func(string) string) (list []*diagnosis) {
	inStore, list := checkStore(p.Dir, show)
	known := append(inStore, p.Cassettes...)
	for _, function := range p.Tests.Functions {
		file := testname.File(function)
		folder := strings.TrimSuffix(file, ".yaml") + string(filepath.Separator)
		isOfSubtest := func(cassette string) bool { return strings.HasPrefix(cassette, folder) }
		if slices.Contains(known, file) {
			continue
		}
		own, ofSubtests := p.Tests.OpensOwn(function)
		text := ""
		switch {
		case own:
			text = "missing, and its test opens it: not recorded, or not committed"
		case ofSubtests && !slices.ContainsFunc(known, isOfSubtest):
			text = "missing, and its subtests open recorders and have no cassette either: " +
				"not recorded, or not committed"
		default:
			continue
		}
		path := show(filepath.Join(p.Dir, file))
		list = append(list, newDiagnosis(finding.Failure, finding.CassetteAbsent, path, text))
	}
	return list
}

// checkStore returns the cassettes of a package, by their paths below its folder, that only its store
// has, and what to do about them.
func checkStore(dir string, show func(string) string) (cassettes []string, list []*diagnosis) {
	missing, err := lock.Missing(dir)
	if err != nil {
		path := show(filepath.Join(dir, filepath.FromSlash(lock.File)))
		return nil, []*diagnosis{newDiagnosis(finding.Failure, finding.CassetteAbsent, path, err.Error())}
	}
	for _, e := range missing {
		cassette := filepath.Join("testdata", filepath.FromSlash(e.Path))
		cassettes = append(cassettes, cassette)
		a := newDiagnosis(finding.Failure, finding.CassetteAbsent, show(filepath.Join(dir, cassette)),
			"it is in the store, and was not fetched")
		a.Command = "promptecho-store pull"
		list = append(list, a)
	}
	return cassettes, list
}

// checkGit returns the files of tests that a repository ignores or does not have. A package whose
// cassettes are in a store has them outside of git.
func checkGit(p setup.Place, show func(string) string) (list []*diagnosis) {
	if p.Top == "" {
		return nil
	}
	inTestdata := []string{"--", ":(glob)**/testdata/cassettes/**", ":(glob)**/testdata/snapshots/**"}
	others := append([]string{"ls-files", "-z", "--others", "--exclude-standard"}, inTestdata...)
	for _, file := range filesOfTests(p.Dir, others) {
		list = append(list, newDiagnosis(finding.Failure, finding.FileNotAdded, show(file),
			"git does not have it, so other machines do not either"))
	}
	ignored := append([]string{"ls-files", "-z", "--others", "--ignored", "--exclude-standard"}, inTestdata...)
	files := filesOfTests(p.Dir, ignored)
	rules := setup.Git(git).RulesOf(p.Top, files)
	for i, file := range files {
		text := "git ignores it, so other machines do not have it"
		if rules != nil {
			text += ": " + rules[i].Place + ": " + rules[i].Pattern
		}
		list = append(list, newDiagnosis(finding.Failure, finding.FileIgnored, show(file), text))
	}
	return list
}

// filesOfTests returns the files that a git command lists, without those that runs leave and without
// packages that have a store.
func filesOfTests(dir string, args []string) (files []string) {
	out, err := git(dir, args...)
	if err != nil {
		return nil
	}
	for name := range strings.SplitSeq(string(out), "\x00") {
		file := filepath.Join(dir, filepath.FromSlash(name))
		pkg, _, isBelow := testname.Split(file)
		_, err := os.Stat(filepath.Join(pkg, filepath.FromSlash(lock.File)))
		hasStore := isBelow && err == nil
		if name != "" && !hasStore && isCommitted(file) {
			files = append(files, file)
		}
	}
	return files
}

// isCommitted reports whether a file in a folder of cassettes or snapshots belongs into git.
func isCommitted(file string) bool {
	for _, end := range []string{".partial", ".failed", ".derived.yaml", ".snap.new", ".tmp"} {
		isLeft := strings.HasSuffix(file, end)
		isAssetOfLeft := strings.Contains(file, strings.TrimSuffix(end, ".yaml")+".assets"+string(filepath.Separator))
		if isLeft || isAssetOfLeft {
			return false
		}
	}
	return true
}

// maxWindowsPath is how long a path may be that any program on Windows opens (MAX_PATH,
// https://learn.microsoft.com/windows/win32/fileio/maximum-file-path-limitation), without the
// zero at its end.
const maxWindowsPath = 259

// checkoutLength is the length of the folder of a repository that checkNames assumes: enough for
// C:\Users\NAME\source\repos\PROJECT\.
const checkoutLength = 60

// checkNames returns the cassettes whose paths other systems do not tell apart, or not open. root is
// the folder that a clone has.
func checkNames(root string, files []string) (list []*diagnosis) {
	others := differInCase(files)
	for _, file := range files {
		if other := others[file]; other != "" {
			v := newVerdict(file)
			v.failName(other)
			list = append(list, &diagnosis{Finding: v.problems[0]})
		}
		path, err := filepath.Abs(file)
		if err != nil {
			continue
		}
		rel, err := filepath.Rel(root, path)
		if err == nil && len(utf16.Encode([]rune(rel)))+checkoutLength > maxWindowsPath {
			list = append(list, newDiagnosis(finding.Note, finding.PathTooLong, file,
				"its path may be too long for Windows: shorten the name of the test, or run this there"))
		}
	}
	return list
}
