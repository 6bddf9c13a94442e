package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/atomicfile"
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/chance"
	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/canon/said"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/cassette/fit"
	"github.com/promptecho/promptecho/internal/cassette/rewrite"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/orphans"
	"github.com/promptecho/promptecho/internal/redact"
)

const verifyHelp = `verify [-w] [-max-age AGE] [-json] [PATH ...]
check that cassettes are complete and have no secrets; list edits

A folder stands for all cassettes below it, and for files that recordings left
there; the default is ".". Faults are cassettes that are partial, broken or
contain what looks like a secret, files that killed or failed recordings left,
and names that differ only in case: macOS and Windows hold one of the two. It
also lists interactions that were edited since they were recorded,
those that have a newer request from promptecho accept, requests with a path of
one machine, models that their provider retires, and orphans, which no test
opens; these are not faults.

  -w            rewrite checksums (seals) and comments, as a recording would
  -max-age AGE  also fail for recordings that are older than 90d or 12w, but not
                for those of unknown age, of fakes and in pinned cassettes
  -json         print a list with an object for each file

The exit status is 1 if there is a fault.
`

// A verdict has the findings of verify about one file.
type verdict struct {
	Path     string            `json:"path"`
	Good     bool              `json:"good"`
	Problems []string          `json:"problems"` // the texts of the findings that are errors, with their places
	Findings []finding.Finding `json:"findings"` // in the order of lines
	Edited   []int             `json:"edited"`   // the lines of edited interactions

	// Shared has, by the lines of interactions, the number of interactions further below
	// that refer to a value there.
	Shared   map[int]int `json:"shared,omitempty"`
	Accepted []int       `json:"accepted"`          // the lines of interactions with an accepted request
	Fake     []int       `json:"fake"`              // the lines of interactions that are recorded from a fake
	Old      []int       `json:"old,omitempty"`     // the lines of interactions that are older than -max-age
	Undated  []int       `json:"undated,omitempty"` // with -max-age: the lines of those of unknown age
	Derived  string      `json:"from,omitempty"`    // the original of a derived cassette
	Orphan   bool        `json:"orphan"`            // no test opens the file
	Stale    bool        `json:"stale"`             // its checksums or comments are out of date
	Written  bool        `json:"written"`

	// Retirements are those of the models of the recordings.
	Retirements []retirement `json:"retirements,omitempty"`

	orphanReason orphans.Reason
	problems     []finding.Finding // the findings that are errors
	machine      []finding.Finding // paths of one machine in requests
	age          fileAge
}

// runVerify checks cassettes: that they can be read, are complete, and contain no secret. With -w it
// rewrites them, with new checksums and comments.
func runVerify(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("verify", flag.ContinueOnError)
	write := flags.Bool("w", false, "")
	var oldest maxAge
	flags.Var(&oldest, "max-age", "")
	asJSON := flags.Bool("json", false, "")
	paths, err := parse(flags, args)
	if err != nil {
		return err
	}
	files, err := allCassettes(paths)
	if err != nil {
		return err
	}
	packages := testPackages{}
	verdicts, err := verifyCassettes(files, packages, *write, &oldest, newProgress(stderr))
	if err != nil {
		return err
	}
	ofSnapshots, err := verifySnapshots(paths, packages)
	if err != nil {
		return err
	}
	verdicts = append(verdicts, ofSnapshots...)

	bad := 0
	for _, v := range verdicts {
		if !v.Good {
			bad++
		}
	}
	if *asJSON {
		err = printJSON(stdout, verdicts)
	} else {
		printVerdicts(stdout, verdicts, bad, *write, &oldest)
	}
	if err == nil && bad > 0 {
		err = found(fmt.Sprintf("%s of %s failed", english.Thousands(bad), count(len(verdicts), "file")))
	}
	return err
}

// verifyCassettes checks cassettes, and files that recordings left next to them.
func verifyCassettes(
	files []string, packages testPackages, write bool, oldest *maxAge, p *progress,
) (verdicts []*verdict, err error) {
	defer p.end()
	verdicts = []*verdict{}
	others := differInCase(files)
	for i, file := range files {
		p.step(i, len(files))
		v, err := verify(file, write, oldest)
		if err != nil {
			return nil, err
		}
		if other := others[file]; other != "" {
			v.failName(other)
		}
		v.orphanReason = packages.reason(cassetteOfTest(file))
		v.Orphan = v.orphanReason != orphans.InUse
		v.Findings = v.findings()
		verdicts = append(verdicts, v)
	}
	return verdicts, nil
}

// verifySnapshots checks files of snapshots. It returns only the verdicts that have a finding.
func verifySnapshots(paths []string, packages testPackages) (verdicts []*verdict, err error) {
	snapshots, err := snapshotsOf(paths, packages)
	if err != nil {
		return nil, err
	}
	for _, f := range snapshots {
		v := newVerdict(f.path)
		v.Good = f.problem == nil
		v.Orphan = slices.Contains(f.state, stateOrphan)
		v.orphanReason = orphans.TestGone
		if v.Good && !v.Orphan {
			continue
		}
		if !v.Good {
			v.fail(*f.problem)
		}
		v.Findings = v.findings()
		verdicts = append(verdicts, v)
	}
	return verdicts, nil
}

// printVerdicts prints the findings about files, and commands that mend what can be mended.
func printVerdicts(w io.Writer, verdicts []*verdict, bad int, write bool, oldest *maxAge) {
	p := newPrinter(w, true)
	stale := 0
	orphaned := 0
	accepted := 0           // requests
	var acceptedIn []string // files
	fake := 0               // recordings
	var fakeIn []string     // files
	var ages []fileAge
	var retired []retirement
	for _, v := range verdicts {
		v.print(p)
		ages = append(ages, v.age)
		retired = append(retired, v.Retirements...)
		if len(v.Accepted) > 0 {
			accepted += len(v.Accepted)
			acceptedIn = append(acceptedIn, v.Path)
		}
		if len(v.Fake) > 0 {
			fake += len(v.Fake)
			fakeIn = append(fakeIn, v.Path)
		}
		if v.Stale {
			stale++
		}
		if v.Orphan {
			orphaned++
		}
	}

	colour := red
	if bad == 0 {
		colour = green
	}
	result := orNone(goodAndFailed(bad, len(verdicts)), "no problem found")
	p.line(0, colour, "%s checked: %s", count(len(verdicts), "file"), result)
	p.retirements(retired)
	if accepted > 0 {
		p.line(0, bold, "%s accepted. To record %s again:", count(accepted, "recording"), itOrThem(accepted))
		for _, command := range recordAgain(acceptedIn, mendAccepted) {
			p.command(command)
		}
	}
	if fake > 0 {
		p.line(0, bold, "%s %s. Take the fake out of the test. Then, to record from the provider:",
			count(fake, "recording"), agreeing(fake, "is from a fake", "are from a fake"))
		for _, command := range recordAgain(fakeIn, mendFake) {
			p.command(command)
		}
	}
	p.ages(ages, oldest)
	if orphaned > 0 {
		p.line(0, bold, "%s that no test opens. To delete %s:", count(orphaned, "file"), itOrThem(orphaned))
		p.command("promptecho prune -w")
	}
	if stale > 0 && !write {
		p.line(0, bold, "%s edited by hand, or written by another version, so %s checksums (under "+
			"\"seals:\") and comments are out of date. Replay works all the same, but slower. To update them:",
			count(stale, "file"), agreeing(stale, "its", "their"))
		p.command("promptecho verify -w")
	}
}

// print prints the findings about a file. Of paths of one machine it prints the first: the others
// have the same cause. Outdated checksums, unknown ages and retired models are at the end of the
// output instead.
func (v *verdict) print(p *printer) {
	hasMachinePath := false
	for _, f := range v.Findings {
		colour := ""
		switch {
		case f.Severity == finding.Failure:
			colour = red
		case f.Code == finding.Saved:
			colour = dim
		case f.Code == finding.ChecksumsOutdated, f.Code == finding.AgeUnknown, f.Code == finding.ModelRetires:
			continue
		case f.Code == finding.ValueVolatile && hasMachinePath:
			continue
		}
		if f.Code == finding.ValueVolatile {
			hasMachinePath = true
		}
		p.line(0, colour, "%s", f.String())
	}
}

// newVerdict returns a verdict without findings.
func newVerdict(file string) *verdict {
	return &verdict{Path: file, Problems: []string{}, Edited: []int{}, Accepted: []int{}, Fake: []int{}}
}

// fail adds problems.
func (v *verdict) fail(problems ...finding.Finding) {
	v.problems = append(v.problems, problems...)
	for _, f := range problems {
		v.Problems = append(v.Problems, f.String())
	}
}

// differInCase returns, for each file whose path differs only in case from that of an earlier one, the
// first of these.
func differInCase(files []string) map[string]string {
	others := map[string]string{}
	first := map[string]string{} // by the folded path
	for _, file := range files {
		folded := strings.ToLower(file)
		if other, isThere := first[folded]; isThere {
			others[file] = other
		} else {
			first[folded] = file
		}
	}
	return others
}

// failName adds the problem that the path of the file differs only in case from that of another.
func (v *verdict) failName(other string) {
	v.Good = false
	v.fail(v.failure(finding.NamesDifferInCase, fmt.Sprintf("its name differs only in case from %s: on macOS and "+
		"Windows the two are one file, and git loses one of them. Rename one of the two tests, "+
		"then: promptecho mv OLD NEW", other)))
}

// failure returns a problem of the file as a whole.
func (v *verdict) failure(code finding.Code, text string) finding.Finding {
	return finding.Finding{Code: code, Severity: finding.Failure, File: v.Path, Text: text}
}

// note returns a finding that does not fail the file. It is about a line, or about the whole file if
// line is 0.
func (v *verdict) note(code finding.Code, line int, text string) finding.Finding {
	return finding.Finding{Code: code, Severity: finding.Note, File: v.Path, Line: line, Text: text}
}

// findings returns the findings about a file: those about lines, in their order, and then those
// about the whole file.
func (v *verdict) findings() []finding.Finding {
	list := append([]finding.Finding{}, v.problems...)
	for _, line := range v.Edited {
		text := "edited since it was recorded"
		if n := v.Shared[line]; n > 0 {
			text += fmt.Sprintf("; %s below %s to values in it, so the edit may change %s, too",
				count(n, "interaction"), agreeing(n, "refers", "refer"), itOrThem(n))
		}
		list = append(list, v.note(finding.Edited, line, text))
	}
	for _, line := range v.Accepted {
		list = append(list, v.note(finding.RequestAccepted, line, "accepted: its request is newer than its answer"))
	}
	for _, line := range v.Fake {
		list = append(list, v.note(finding.RecordedFromFake, line, fromFake))
	}
	for _, line := range v.Undated {
		list = append(list, v.note(finding.AgeUnknown, line, "the day on which the answer was recorded is unknown"))
	}
	for _, r := range v.Retirements {
		list = append(list, v.note(finding.ModelRetires, r.Line, r.text()))
	}
	list = append(list, v.machine...)
	slices.SortStableFunc(list, func(a, b finding.Finding) int { return a.Line - b.Line })

	if v.Orphan {
		list = append(list, v.note(codeOfOrphan(v.orphanReason), 0, "orphan: "+whyOrphan(v.orphanReason)))
	}
	if v.Derived != "" {
		text := fmt.Sprintf("recorded by a fork, or by a run with live functions or models; compare it with "+
			"promptecho diff %s %s, then delete it", v.Derived, v.Path)
		list = append(list, v.note(finding.DerivedLeft, 0, text))
	}
	if v.Stale && !v.Written {
		list = append(list, v.note(finding.ChecksumsOutdated, 0, "checksums and comments are out of date"))
	}
	if v.Written {
		list = append(list, v.note(finding.Saved, 0, "rewritten"))
	}
	return list
}

// goodAndFailed returns "3 good, 1 failed"; "" if no file failed.
func goodAndFailed(bad, all int) string {
	if bad == 0 {
		return ""
	}
	return fmt.Sprintf("%s good, %s failed", english.Thousands(all-bad), english.Thousands(bad))
}

// cassetteOfTest returns the cassette that a test opens, for the cassette itself and for the files
// that runs have left next to it.
func cassetteOfTest(file string) string {
	if kindOf(file) == isDerived {
		return original(file)
	}
	return strings.TrimSuffix(strings.TrimSuffix(file, ".partial"), ".failed")
}

// checkSeals compares each interaction of a cassette with its seal, the checksum under "seals:" at
// the end of the file. validSeals[i] says that the seal of interaction i is valid: the interaction
// was not edited, and this version of promptecho can use its match key. editedLines has the lines of
// the interactions that were edited. Both are nil if the file cannot be opened.
func checkSeals(file string) (validSeals []bool, editedLines []int) {
	stored, err := cassette.Open(file, canon.Revision, nil)
	if err != nil {
		return nil, nil
	}
	defer stored.Close()
	validSeals = make([]bool, stored.Len())
	for i := range validSeals {
		_, _, isValid := stored.SealedRequest(i)
		validSeals[i] = isValid
	}
	return validSeals, stored.Edited()
}

// refresh computes the parts of an interaction that are computed when it is saved.
func refresh(it *interaction.Interaction) {
	form := new(canon.Options).Form(&it.Request)
	it.MatchKey = form.Key()
	it.Response.Text = said.Read(form, &it.Response).Transcript
	if it.Kind == "" { // written by hand
		it.Kind, it.Boundary = form.Kind()
	}
}

// restoreEndMark appends the mark at the end of a cassette that a formatter has removed, and reports
// whether the cassette can be read then. If not, the file stays as it is.
func restoreEndMark(file string) bool {
	text, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	seals := cassette.SealsOf(string(text))
	if seals == 0 {
		return false
	}

	mark := []byte(cassette.EndMark + "\n")
	if atomicfile.Write(file, atomicfile.Options{}, atomicfile.Pieces(text, mark)) != nil {
		return false
	}
	f, err := load(file)
	isWhole := err == nil && len(f.Interactions) == seals
	if !isWhole {
		_ = atomicfile.Write(file, atomicfile.Options{}, atomicfile.Pieces(text))
	}
	return isWhole
}

// verify checks one cassette and returns its findings. With write, it then saves the cassette with new
// checksums and comments, as the next recording would: after an edit by hand, for example, a checksum
// is wrong and replay is slower. It does not write a journal, a cassette that has problems, or one
// in which nothing would change. If a formatter has removed the mark at the end of the file, so
// that it cannot be read, verify with write restores the mark first.
func verify(file string, write bool, oldest *maxAge) (*verdict, error) {
	v := newVerdict(file)
	f, err := load(file)
	var syntax *cassette.SyntaxError
	switch {
	case errors.As(err, &syntax):
		mayLackOnlyEndMark := syntax.Incomplete
		if write && mayLackOnlyEndMark && restoreEndMark(file) {
			return verify(file, write, oldest)
		}
		v.fail(unreadable(syntax))
		return v, nil
	case err != nil:
		return nil, err
	}

	v.checkKind(f)
	v.fail(fit.RecordedValues(file, f)...)
	validSeals, editedLines := checkSeals(file)
	v.Edited = append(v.Edited, editedLines...)
	if len(editedLines) > 0 {
		v.Shared = f.Shared
	}
	v.checkInteractions(f, validSeals)
	isWritable := len(v.Problems) == 0 // an old recording is no reason not to write seals
	v.setAge(checkAge(file, f, oldest))
	v.Good = len(v.Problems) == 0

	f.Revision = canon.Revision
	mayWrite := write && isWritable && kindOf(file) != isJournal
	if !mayWrite {
		return v, nil
	}
	isUpToDate := !v.Stale && rewrite.IsAsSaved(file, f)
	if isUpToDate {
		return v, nil
	}
	if err := rewrite.Save(file, f); err != nil {
		return nil, err
	}
	v.Written = true
	return v, nil
}

// checkKind reports a file that a recording left, and a cassette that is partial.
func (v *verdict) checkKind(f *cassette.File) {
	switch kindOf(v.Path) {
	case isJournal:
		v.fail(v.failure(finding.JournalLeft, "left by a recording "+
			"that was not saved; record again to go on from it, or delete it"))
	case isFailed:
		v.fail(v.failure(finding.FailedLeft, "recorded by a run that failed, and not used; to use "+
			"it, rename it, and the folder of its assets if there "+
			"is one, without .failed and run its test; otherwise delete it"))
	case isDerived:
		v.Derived = original(v.Path)
	default:
		v.fail(fit.Partial(v.Path, f)...)
	}
}

// unreadable returns the finding of a cassette that cannot be read.
func unreadable(err *cassette.SyntaxError) finding.Finding {
	_, reason := err.At()
	return finding.Finding{
		Code:     finding.CassetteUnreadable,
		Severity: finding.Failure,
		File:     err.File,
		Line:     err.Line,
		Column:   err.Column,
		Text:     reason,
	}
}

// checkInteractions adds the findings about each interaction of f, and computes its match key and its
// comment anew, for a file that is rewritten. validSeals is that of [checkSeals]. The verdict becomes
// stale if a seal is not up to date, for one of two reasons:
//
//   - The seal is not valid, for example because the interaction was edited by hand.
//   - The seal is valid, but has another match key than the one computed here, for example because
//     the seal itself was edited.
func (v *verdict) checkInteractions(f *cassette.File, validSeals []bool) {
	file := v.Path
	for i, it := range f.Interactions {
		v.fail(fit.Interaction(file, it)...)
		if it.Accepted {
			v.Accepted = append(v.Accepted, it.Line)
		}
		if it.Fake {
			v.Fake = append(v.Fake, it.Line)
		}
		v.checkMachine(it)
		v.checkModel(it, time.Now())

		keyInSeal := it.MatchKey
		refresh(it) // computes it.MatchKey
		hasValidSeal := i < len(validSeals) && validSeals[i]
		isUpToDate := hasValidSeal && it.MatchKey == keyInSeal
		mustHaveSeal := kindOf(file) != isJournal // a journal has no seals
		if mustHaveSeal && !isUpToDate {
			v.Stale = true
		}
	}
}

// setAge sets what the check of the ages has found.
func (v *verdict) setAge(age fileAge) {
	v.age = age
	v.Old = age.old
	v.Undated = age.undated
	if age.problem != "" {
		problem := v.failure(finding.RecordingOld, age.problem)
		problem.Line = age.line
		v.fail(problem)
	}
}

// checkMachine looks for a path of one machine in the fields of a request that matching compares.
// It is no error, since the options of the test, which are not known here, may mask the path.
func (v *verdict) checkMachine(it *interaction.Interaction) {
	form := new(canon.Options).Form(&it.Request)
	for _, line := range form.Lines() {
		text, isText := exactjson.Unquote(line.Value)
		if !isText {
			continue
		}
		if path := chance.MachinePath(text); path != "" {
			text := fmt.Sprintf("%s has a path of one machine, %q: on another one the test misses, "+
				"unless it has promptecho.MaskTempDirs()",
				fieldpath.Selector(line.Path), clip(redact.OneLine(path), 80))
			v.machine = append(v.machine, v.note(finding.ValueVolatile, it.Line, text))
			return
		}
	}
}

// checkModel adds the retirement of the model of a recording, once for each model.
func (v *verdict) checkModel(it *interaction.Interaction, now time.Time) {
	r, isRetired := retirementOf(it, now)
	isListed := func(o retirement) bool { return o.Model == r.Model }
	if isRetired && !slices.ContainsFunc(v.Retirements, isListed) {
		r.file = v.Path
		v.Retirements = append(v.Retirements, r)
	}
}
