package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/mutate"
	"github.com/promptecho/promptecho/cmd/promptecho/internal/page"
)

// mutateNotes are what tests do not notice of recorded answers, by the absolute path of a cassette and
// the number of the recording.
type mutateNotes map[string]map[int][]mutateNote

// A mutateNote is a finding at a recording.
type mutateNote struct {
	verdict string // of the test: a state of its cassette on the page
	text    string
}

// readMutateNotes reads the output of promptecho mutate -json.
func readMutateNotes(file string) (mutateNotes, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var result mutate.Result
	if err := json.Unmarshal(data, &result); err != nil {
		return nil, fmt.Errorf("%s: %w: use the output of promptecho mutate -json", file, err)
	}
	notes := mutateNotes{}
	for _, t := range result.Tests {
		for _, a := range t.Answers {
			for _, f := range findingsOf(t, a) {
				text := f.title()
				if !f.outcome.IsBug() {
					text += "; to notice it: " + f.change.Notice
				}
				if notes[a.Cassette] == nil {
					notes[a.Cassette] = map[int][]mutateNote{}
				}
				list := notes[a.Cassette][a.Number]
				notes[a.Cassette][a.Number] = append(list, mutateNote{verdictOf(t), text})
			}
		}
	}
	return notes, nil
}

// add adds the notes to the calls of a cassette on the page.
func (n mutateNotes) add(c *page.Cassette) {
	path, err := filepath.Abs(c.Path)
	if err != nil {
		return
	}
	for _, call := range c.List {
		var parts []page.Part
		for _, note := range n[path][call.Number] {
			parts = append(parts, page.Part{Kind: "note", Text: note.text})
			if !slices.Contains(c.States, note.verdict) {
				c.States = append(c.States, note.verdict)
			}
		}
		if parts != nil {
			call.Messages = append(call.Messages, page.Message{
				Role: "promptecho mutate", Class: "answer", Parts: parts,
			})
		}
	}
}
