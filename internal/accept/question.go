package accept

import (
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// asking are the members of a request to a model that hold what is asked: the conversation,
// the input of an embedding, the query and the documents of a rerank. System prompts, tools
// and settings stand around it.
var asking = []string{
	"messages", "contents", "input", "inputs", "prompt", "message", "chat_history", "content", "parts",
	"query", "documents", "texts", "text", "images", "image", "file", "audio", "video", "suffix", "instances",
	"requests", "tool_results", "previous_response_id", "conversation",
}

// systemRoles are the roles of messages that are system prompts.
var systemRoles = []string{"system", "developer", "SYSTEM"}

// question returns the path of the first edit of what is asked; "" if only what stands
// around it differs. Of an endpoint that nobody knows, everything is asked.
func question(edits []diff.Edit, form *canon.Form, recorded, asked *interaction.Request) string {
	for _, e := range edits {
		old := e.Path
		if e.From != "" {
			old = e.From
		}
		switch {
		case !form.Known,
			e.Incoming != "" && isAsked(e.Path, asked.Body),
			e.Recorded != "" && isAsked(old, recorded.Body):
			return e.Path
		}
	}
	return ""
}

// isAsked reports whether the field of a body at a path is part of what is asked.
func isAsked(path string, body []byte) bool {
	path, ok := strings.CutPrefix(path, "body/")
	if !ok {
		return path == "body" // a body that is no JSON
	}
	name, rest, _ := strings.Cut(path, "/")
	if !slices.Contains(asking, name) {
		return false
	}
	index, _, _ := strings.Cut(rest, "/")
	v, err := exactjson.Parse(body)
	i, number := strconv.Atoi(index)
	list := v.Member(name)
	if err != nil || number != nil || list == nil || list.Kind != exactjson.Array || i < 0 || i >= len(list.Elems) {
		return true
	}
	role := list.Elems[i].Member("role")
	return role == nil || !slices.Contains(systemRoles, exactjson.UnescapeText(role.Text))
}
