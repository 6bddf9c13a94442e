// Package question tells the question of a request, such as the messages of the user, from
// its context, such as the system prompt. A recording may answer an edited request only if the
// edit leaves the question as it is.
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

// contextFields are the top-level fields of a request to a model that are not the question:
// system prompts, tools, and settings that shape the answer. All other fields are, also
// unknown ones: refusing a recording without need is noticed, playing a wrong one is not.
var contextFields = []string{
	// System prompts.
	"system", "systemInstruction", "system_instruction", "instructions", "preamble",

	// Tools.
	"tools", "tool_choice", "parallel_tool_calls", "max_tool_calls",
	"functions", "function_call", "toolConfig", "tool_config", "strict_tools",

	// The format of the answer.
	"response_format", "output_config", "output_format", "outputConfig", "format",

	// Groups of settings.
	"generationConfig", "generation_config", "inferenceConfig", "textGenerationConfig",
	"options", "completion_args",

	// Reasoning.
	"thinking", "think", "reasoning", "reasoning_effort", "verbosity",

	// Sampling.
	"temperature", "top_p", "top_k", "p", "k", "min_p", "seed", "random_seed",
	"presence_penalty", "frequency_penalty", "repetition_penalty", "logit_bias",

	// Limits.
	"max_tokens", "max_completion_tokens", "max_output_tokens", "max_tokens_to_sample",
	"max_gen_len", "stop", "stop_sequences", "truncation",

	// Safety.
	"safety_mode", "safetySettings", "safety_settings", "guardrailConfig",

	// How the provider handles the request.
	"metadata", "user", "store", "service_tier", "include", "context_management",
	"cache_control", "anthropic_beta", "anthropic_version",
}

// systemRoles are the roles of messages that are system prompts.
var systemRoles = []string{"system", "developer", "SYSTEM"}

// Alike is the least likeness (see diff.Likeness) of two requests of which one is an edit of
// the other. After an edit of one sentence in a prompt of several, the likeness is 0.9 or more.
const Alike = 0.6

// Of returns the path of the first edit that changes the question, or "" if all edits are in
// the context. If the endpoint is unknown, every field is part of the question.
func Of(edits []diff.Edit, form *canon.Form, recorded, asked *interaction.Request) string {
	for _, e := range edits {
		changesAsked := e.Incoming != "" && inQuestion(e.Path, asked.Body)
		changesRecorded := e.Recorded != "" && inQuestion(cmp.Or(e.From, e.Path), recorded.Body)
		if !form.Known || changesAsked || changesRecorded {
			return e.Path
		}
	}
	return ""
}

// inQuestion reports whether the field at a path of a body is part of the question.
func inQuestion(path string, body []byte) bool {
	path, isField := strings.CutPrefix(path, "body/")
	if !isField {
		return path == "body" // a body that is not JSON
	}

	// In OpenAI's Responses API, "text" is an object of settings.
	name, below, _ := strings.Cut(strings.TrimPrefix(path, "text/"), "/")
	if slices.Contains(contextFields, name) {
		return false
	}
	root, err := exactjson.Parse(body)
	if err != nil {
		return true
	}
	field := root.Member(name)
	if path == "text" && isSettings(field) {
		return false
	}
	return !isSystemMessage(elementAt(field, below))
}

// isSettings reports whether a value is an object that has only fields of the context.
func isSettings(v *exactjson.Value) bool {
	if v == nil || v.Kind != exactjson.Object {
		return false
	}
	return !slices.ContainsFunc(v.Elems, func(member exactjson.Value) bool {
		return !slices.Contains(contextFields, member.Name)
	})
}

// elementAt returns the element of a list that a path, such as "2/content", leads into. It
// returns nil if the list has no such element, or v is not a list.
func elementAt(v *exactjson.Value, path string) *exactjson.Value {
	if v == nil || v.Kind != exactjson.Array {
		return nil
	}
	index, _, _ := strings.Cut(path, "/")
	i, err := strconv.Atoi(index)
	if err != nil || i < 0 || i >= len(v.Elems) {
		return nil
	}
	return &v.Elems[i]
}

// isSystemMessage reports whether a value is a message with the role of a system prompt.
func isSystemMessage(v *exactjson.Value) bool {
	role := v.Member("role")
	return role != nil && slices.Contains(systemRoles, exactjson.UnescapeText(role.Text))
}
