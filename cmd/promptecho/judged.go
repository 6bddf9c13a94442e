package main

import (
	"slices"

	"github.com/promptecho/promptecho/internal/canon/conversation"
	"github.com/promptecho/promptecho/internal/snapshot/judge"
)

// verdict prints how a judge of package echosnap has judged, if an interaction is one opinion.
func (p *printer) verdict(indent int, e *conversation.Exchange) {
	for _, m := range slices.Backward(e.Messages) {
		for _, part := range m.Parts {
			criteria, ok := judge.ReadPrompt(part.Text)
			if !ok {
				continue
			}
			text := ""
			for _, said := range e.Answer.Parts {
				if said.Kind == conversation.Text {
					text += said.Text
				}
			}
			answers, err := judge.ReadAnswer(text, len(criteria))
			if err != nil {
				p.line(indent, bold, "judged: cannot be read: %v", err)
				return
			}
			for i, c := range criteria {
				p.line(indent, bold, "judged: %d. %s: %s", i+1, c, map[bool]string{true: "yes", false: "no"}[answers[i]])
			}
			return
		}
	}
}
