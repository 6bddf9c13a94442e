package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/promptecho/promptecho/internal/finding"
)

// verify checks that the cassettes can be committed. What fails is annotated at its line.
func (j *job) verify(ctx context.Context) error {
	text, hasFaults, err := j.promptecho(ctx, append([]string{"verify"}, j.paths()...)...)
	if err != nil {
		return err
	}
	j.print(string(text))
	if !hasFaults {
		return nil
	}

	text, _, err = j.promptecho(ctx, append([]string{"verify", "-json"}, j.paths()...)...)
	if err != nil {
		return err
	}
	var files []struct{ Findings []finding.Finding }
	if err := json.Unmarshal(text, &files); err != nil {
		return fmt.Errorf("promptecho verify -json: %w", err)
	}
	for _, file := range files {
		for _, f := range file.Findings {
			if f.Severity == finding.Failure {
				j.annotate(annotation{level: "error", file: f.File, line: f.Line, text: f.Text})
			}
		}
	}
	return errReported
}
