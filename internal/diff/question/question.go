// Package question tells what a request asks from the text around it: a recording may answer
// an edited request only if the edit does not change what is asked.
package question

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// around are the members of a request to a model that stand around what is asked: system
// prompts, tools and settings that choose among answers. Everything else is asked, also what
// nobody knows: a needless refusal is seen, a wrong answer is not.
var around = []string{
	"system", "systemInstruction", "system_instruction", "instructions", "preamble",
	"tools", "tool_choice", "parallel_tool_calls", "max_tool_calls", "functions", "function_call", "toolConfig", "tool_config", "strict_tools",
	"response_format", "output_config", "output_format", "outputConfig", "format",
	"generationConfig", "generation_config", "inferenceConfig", "textGenerationConfig", "options", "completion_args",
	"thinking", "think", "reasoning", "reasoning_effort", "verbosity",
	"temperature", "top_p", "top_k", "p", "k", "min_p", "seed", "random_seed", "presence_penalty", "frequency_penalty", "repetition_penalty", "logit_bias",
	"max_tokens", "max_completion_tokens", "max_output_tokens", "max_tokens_to_sample", "max_gen_len",
	"stop", "stop_sequences", "truncation", "safety_mode", "safetySettings", "safety_settings", "guardrailConfig",
	"metadata", "user", "store", "service_tier", "include", "context_management", "cache_control", "anthropic_beta", "anthropic_version",
}

// systemRoles are the roles of messages that are system prompts.
var systemRoles = []string{"system", "developer", "SYSTEM"}

// Alike is how much two requests have in common at least, of which one is an edit of the other
// (see diff.Likeness). After an edit of a sentence in a prompt of some sentences it is 0.9 or more.
const Alike = 0.6

// Of returns the path of the first edit of what is asked; "" if only what stands
// around it differs. Of an endpoint that nobody knows, everything is asked.
func Of(edits []diff.Edit, form *canon.Form, recorded, asked *interaction.Request) string {
	for _, e := range edits {
		switch {
		case !form.Known,
			e.Incoming != "" && isAsked(e.Path, asked.Body),
			e.Recorded != "" && isAsked(cmp.Or(e.From, e.Path), recorded.Body):
			return e.Path
		}
	}
	return ""
}

// holdsSettings reports whether a value is an object of settings, as text is in Responses.
func holdsSettings(v *exactjson.Value) bool {
	if v == nil || v.Kind != exactjson.Object {
		return false
	}
	isOther := func(m exactjson.Value) bool { return !slices.Contains(around, m.Name) }
	return !slices.ContainsFunc(v.Elems, isOther)
}

// isAsked reports whether the field of a body at a path is part of what is asked.
func isAsked(path string, body []byte) bool {
	path, ok := strings.CutPrefix(path, "body/")
	if !ok {
		return path == "body" // a body that is no JSON
	}
	name, rest, _ := strings.Cut(strings.TrimPrefix(path, "text/"), "/") // Responses have settings below text
	if slices.Contains(around, name) {
		return false
	}
	index, _, _ := strings.Cut(rest, "/")
	v, err := exactjson.Parse(body)
	i, number := strconv.Atoi(index)
	list := v.Member(name)
	if path == "text" && holdsSettings(list) {
		return false
	}
	if err != nil || number != nil || list == nil || list.Kind != exactjson.Array || i < 0 || i >= len(list.Elems) {
		return true
	}
	role := list.Elems[i].Member("role")
	return role == nil || !slices.Contains(systemRoles, exactjson.UnescapeText(role.Text))
}
