package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/promptecho/promptecho/internal/finding"
)

// verify checks that the cassettes can be committed. What fails is annotated at its line.
// hasSecret reports that a cassette has what looks like a secret.
func (j *job) verify(ctx context.Context) (hasSecret bool, err error) {
	text, hasFaults, err := j.promptecho(ctx, append([]string{"verify"}, j.paths()...)...)
	if err != nil {
		return false, err
	}
	j.print(string(text))
	if !hasFaults {
		return false, nil
	}

	text, _, err = j.promptecho(ctx, append([]string{"verify", "-json"}, j.paths()...)...)
	if err != nil {
		return false, err
	}
	var files []struct{ Findings []finding.Finding }
	if err := json.Unmarshal(text, &files); err != nil {
		return false, fmt.Errorf("promptecho verify -json: %w", err)
	}
	for _, file := range files {
		for _, f := range file.Findings {
			if f.Severity == finding.Failure {
				hasSecret = hasSecret || f.Code == finding.SecretInFile
				j.annotate(annotation{level: "error", file: f.File, line: f.Line, text: f.Text})
			}
		}
	}
	return hasSecret, errReported
}
