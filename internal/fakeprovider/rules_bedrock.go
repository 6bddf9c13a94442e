package fakeprovider

import (
	"fmt"
	"regexp"
	"strings"
)

// The rules of Bedrock apply where its servers answer, and on loopback: no other
// server has its paths.

const bedrockDocs = "https://docs.aws.amazon.com/bedrock/latest/APIReference/"

// isBedrock reports whether Bedrock is to answer.
func isBedrock(s *sent) bool { return s.isAt("amazonaws.com") || s.isLoopback() }

var converseRules = []rule{
	{"unknown role", bedrockDocs + "API_runtime_Message.html", converseRoles},
	{"no message of the user", "https://github.com/pydantic/pydantic-ai/issues/4495",
		converseNoUser},
	{"roles do not alternate", "https://github.com/Portkey-AI/gateway/issues/748",
		converseAlternate},
	{"message without content", "https://github.com/archestra-ai/archestra/pull/4220",
		converseContent},
	{"empty text", "https://github.com/Just-Curieous/Curie/issues/14", converseBlank},
	{"tool call without a result", "https://github.com/genkit-ai/aws-bedrock-js-plugin/issues/664",
		converseCallWithoutResult},
	{"tool result without a call", "https://github.com/pydantic/pydantic-ai/issues/2327",
		converseResultWithoutCall},
	{"tool blocks without toolConfig", "https://github.com/vxcontrol/pentagi/issues/160",
		converseToolConfig},
	{"number out of range", "https://github.com/stdapi-ai/stdapi.ai/issues/224", converseRange},
	{"tool name", "https://github.com/openclaw/openclaw/pull/12949", converseToolName},
}

func converseProblem(format string, args ...any) *Problem {
	return problem("ValidationException", format, args...)
}

// converseConstraint is an error of the shape that the API reference has. Lists
// are counted from 1 in it.
func converseConstraint(value, where, constraint string) *Problem {
	return converseProblem("1 validation error detected: Value '%s' at '%s' failed to satisfy "+
		"constraint: %s",
		value, where, constraint)
}

func converseRoles(s *sent) *Problem {
	for i, m := range s.list("messages") {
		role := m.text("role")
		if role != "user" && role != "assistant" {
			return converseConstraint(role, fmt.Sprintf("messages.%d.member.role", i+1),
				"Member must satisfy enum value set: [user, assistant]")
		}
	}
	return nil
}

// converseNoUser refuses a conversation that the user has no part in. Where the
// assistant begins and the user goes on, some models answer.
func converseNoUser(s *sent) *Problem {
	for _, m := range s.list("messages") {
		if m.text("role") == "user" {
			return nil
		}
	}
	return converseProblem("A conversation must start with a user message. Try again with a " +
		"conversation that starts with a user message.")
}

// converseAlternate checks the order of roles. A guardrail may answer before the
// model has read them.
func converseAlternate(s *sent) *Problem {
	if has(s.body, "guardrailConfig") {
		return nil
	}
	messages := s.list("messages")
	for i := 1; i < len(messages); i++ {
		if messages[i].text("role") == messages[i-1].text("role") {
			return converseProblem("A conversation must alternate between user and assistant " +
				"roles. Make sure the conversation alternates between user and assistant roles " +
				"and try again.")
		}
	}
	return nil
}

func converseContent(s *sent) *Problem {
	for i, m := range s.list("messages") {
		if len(m.list("content")) == 0 {
			return converseProblem("The content field in the Message object at messages.%d is "+
				"empty. Add a ContentBlock object to the content field and try again.", i)
		}
	}
	return nil
}

// converseBlank refuses empty texts. White space is taken.
func converseBlank(s *sent) *Problem {
	for i, m := range s.list("messages") {
		for k, b := range elements(m.list("content")) {
			if b.get("text") == "" {
				return converseProblem("The text field in the ContentBlock object at "+
					"messages.%d.content.%d is blank. Add text to the text field, and try "+
					"again.", i, k)
			}
		}
	}
	return nil
}

// converseIDs returns the IDs of the tool calls of a message, and of its results.
func converseIDs(m object) (calls, results []string) {
	for _, b := range elements(m.list("content")) {
		if use := b.sub("toolUse"); use != nil && use.text("type") != "server_tool_use" {
			calls = append(calls, use.text("toolUseId"))
		}
		if result := b.sub("toolResult"); result != nil {
			results = append(results, result.text("toolUseId"))
		}
	}
	return calls, results
}

func converseCallWithoutResult(s *sent) *Problem {
	messages := s.list("messages")
	for i := 1; i < len(messages); i++ {
		calls, _ := converseIDs(messages[i-1])
		_, results := converseIDs(messages[i])
		if left := without(calls, results); left != nil {
			return converseProblem("Expected toolResult blocks at messages.%d.content for the "+
				"following Ids: %s",
				i, strings.Join(left, ", "))
		}
	}
	return nil
}

// converseResultWithoutCall checks the results of the user. An assistant's
// message has those of the tools of the provider.
func converseResultWithoutCall(s *sent) *Problem {
	var calls []string
	for i, m := range s.list("messages") {
		next, results := converseIDs(m)
		if m.text("role") == "user" && len(results) > len(calls) {
			return converseProblem("The number of toolResult blocks at messages.%d.content "+
				"exceeds the number of toolUse blocks of previous turn.", i)
		}
		calls = next
	}
	return nil
}

func converseToolConfig(s *sent) *Problem {
	if has(s.body, "toolConfig") {
		return nil
	}
	for _, m := range s.list("messages") {
		calls, results := converseIDs(m)
		if len(calls)+len(results) > 0 {
			return converseProblem("The toolConfig field must be defined when using toolUse and " +
				"toolResult content blocks.")
		}
	}
	return nil
}

var converseLimits = []limit{
	{"temperature", 0, 1, false},
	{"topP", 0, 1, false},
	{"maxTokens", 1, unbounded, true},
}

func converseRange(s *sent) *Problem {
	l, above, text := exceeded(s.body.sub("inferenceConfig"), converseLimits)
	if l.name == "" {
		return nil
	}
	constraint := fmt.Sprintf("Member must have value greater than or equal to %v", l.min)
	if above {
		constraint = fmt.Sprintf("Member must have value less than or equal to %v", l.max)
	}
	return converseConstraint(text, "inferenceConfig."+l.name, constraint)
}

var converseNames = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

func converseToolName(s *sent) *Problem {
	for i, t := range elements(s.body.sub("toolConfig").list("tools")) {
		name := t.sub("toolSpec").text("name")
		where := fmt.Sprintf("toolConfig.tools.%d.member.toolSpec.name", i+1)
		if len(name) > 64 {
			return converseConstraint(name, where, "Member must have length less than or equal "+
				"to 64")
		}
		if name != "" && !converseNames.MatchString(name) {
			return converseConstraint(name, where,
				"Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+")
		}
	}
	return nil
}
