package main

import (
	"strings"

	"github.com/promptecho/promptecho/internal/canon/conversation"
	"github.com/promptecho/promptecho/internal/redact"
)

// parts prints the parts of a message.
func (p *printer) parts(indent int, parts []conversation.Part) {
	for _, part := range parts {
		switch part.Kind {
		case conversation.Reasoning:
			p.text(indent, "[reasoning] "+part.Text)
		case conversation.Call:
			p.text(indent, "-> "+redact.OneLine(part.Name)+"("+part.Args+")")
		case conversation.Result:
			failed := ""
			if part.Bad {
				failed = "error: "
			}
			p.text(indent, strings.TrimSpace("<- "+redact.OneLine(part.Name))+": "+failed+part.Text)
		case conversation.Media, conversation.Empty:
			p.text(indent, "["+part.Text+"]")
		case conversation.Other:
			p.text(indent, readable(part.Text))
		default:
			p.text(indent, part.Text)
		}
	}
}
