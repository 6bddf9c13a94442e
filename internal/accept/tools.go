package accept

import (
	"slices"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/conversation"
	"github.com/promptecho/promptecho/internal/canon/said"
	"github.com/promptecho/promptecho/internal/interaction"
)

// lostTool returns the name of a tool that a recorded answer calls and that its request
// offers, but that the request asked, whose form is given, does not. It returns "" if there
// is none.
func lostTool(recorded, asked *interaction.Interaction, form *canon.Form) string {
	before, now := toolNames(recorded), toolNames(asked)
	for _, call := range said.Read(form, &recorded.Response).Calls {
		if slices.Contains(before, call.Name) && !slices.Contains(now, call.Name) {
			return call.Name
		}
	}
	return ""
}

// toolNames returns the names of the tools that a request offers.
func toolNames(it *interaction.Interaction) (names []string) {
	for _, tool := range conversation.ReadRequest(it).Tools {
		names = append(names, tool.Name)
	}
	return names
}
