package main

import (
	"slices"

	"github.com/promptecho/promptecho/internal/canon/conversation"
	"github.com/promptecho/promptecho/internal/snapshot/judge"
)

// verdict prints the verdict of a judge of package echosnap, if an interaction is a request to one.
func (p *printer) verdict(indent int, e *conversation.Exchange) {
	for _, m := range slices.Backward(e.Messages) {
		for _, part := range m.Parts {
			criteria, ok := judge.ReadPrompt(part.Text)
			if !ok {
				continue
			}
			text := ""
			for _, answer := range e.Answer.Parts {
				if answer.Kind == conversation.Text {
					text += answer.Text
				}
			}
			answers, err := judge.ReadAnswer(text, len(criteria))
			if err != nil {
				p.line(indent, bold, "judged: cannot be read: %v", err)
				return
			}
			for i, c := range criteria {
				answer := "no"
				if answers[i] {
					answer = "yes"
				}
				p.line(indent, bold, "judged: %d. %s: %s", i+1, c, answer)
			}
			return
		}
	}
}
