package mutate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// AcceptedFile is the file in the folder of a package with the findings that are accepted: changes of
// answers that a test need not notice. Each line has a test, a kind of change or "*", and the reason:
//
//	# what nobody need notice
//	TestSummary: other text: it is shown to a person as it is
//	TestPrompt: *: asserts on the request only
const AcceptedFile = "testdata/unnoticed.txt"

// accepted are the lines of an [AcceptedFile].
type accepted struct {
	lines []*acceptedLine
}

type acceptedLine struct {
	number             int
	test, kind, reason string
	isUsed             bool
}

// readAccepted reads the file in the folder of a package. It is empty if there is none.
func readAccepted(dir string) (*accepted, error) {
	path := filepath.Join(dir, filepath.FromSlash(AcceptedFile))
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &accepted{}, nil
	}
	if err != nil {
		return nil, err
	}
	a := &accepted{}
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.SplitN(line, ":", 3)
		if len(parts) < 3 || strings.TrimSpace(parts[2]) == "" {
			return nil, fmt.Errorf(`%s:%d: write TEST: KIND: REASON, such as "TestSummary: other `+
				`text: it is shown to a person as it is"; the kind "*" stands for all changes`, path, number)
		}
		a.lines = append(a.lines, &acceptedLine{
			number: number,
			test:   strings.TrimSpace(parts[0]),
			kind:   strings.TrimSpace(parts[1]),
			reason: strings.TrimSpace(parts[2]),
		})
	}
	return a, nil
}

// apply marks the findings of a test that are accepted.
func (a *accepted) apply(t *Test) {
	for _, answer := range t.Answers {
		for i := range answer.Changes {
			change := &answer.Changes[i]
			isFinding := change.Outcome == Unnoticed || change.Outcome == Held || change.Outcome.IsBug()
			for _, line := range a.lines {
				if isFinding && line.selects(t.Name, change) {
					change.Accepted = line.reason
					line.isUsed = true
				}
			}
		}
	}
}

// selects reports whether a line accepts a finding of a test. The line of a test also accepts those of
// its subtests.
func (l *acceptedLine) selects(test string, change *Change) bool {
	isTest := test == l.test || strings.HasPrefix(test, l.test+"/")
	return isTest && (l.kind == "*" || l.kind == string(change.Kind))
}

// stale returns the lines that accept nothing.
func (a *accepted) stale() (list []string) {
	for _, line := range a.lines {
		if !line.isUsed {
			list = append(list, fmt.Sprintf("%s:%d: %s: %s: no change shows this any more",
				AcceptedFile, line.number, line.test, line.kind))
		}
	}
	return list
}
