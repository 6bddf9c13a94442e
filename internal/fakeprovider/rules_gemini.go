package fakeprovider

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The rules of Gemini apply where Google's servers answer, and on loopback where
// the model is a Gemini. The two services, of the Gemini API and of Vertex AI,
// have the same rules here.

const geminiDocs = "https://ai.google.dev/api/generate-content"

// isGemini reports whether Google is to answer.
func isGemini(s *sent) bool {
	isModel := strings.HasPrefix(s.model, "gemini-")
	return isModel && (s.isAt("googleapis.com") || s.isLoopback())
}

var geminiRules = []rule{
	{"unknown name", "https://github.com/BerriAI/litellm/issues/14330", geminiUnknown},
	{"unknown role", geminiDocs, geminiRoles},
	{"content without parts", "https://github.com/coze-dev/coze-studio/issues/46", geminiNoParts},
	{"part without data", "https://github.com/54xzh/FLIT/issues/69", geminiEmptyPart},
	{"function call at the beginning", "https://github.com/google-gemini/gemini-cli/issues/11814",
		geminiCallFirst},
	{"function response without a call", "https://github.com/langchain-ai/langchain/issues/27799",
		geminiResponseWithoutCall},
	{"function call without a response", "https://github.com/microsoft/vscode/issues/299295",
		geminiCallWithoutResponse},
	{"temperature out of range", geminiDocs, geminiTemperature},
	{"function name", "https://github.com/google-gemini/gemini-cli/issues/7869", geminiNames},
}

func geminiProblem(format string, args ...any) *Problem {
	return problem("INVALID_ARGUMENT", format, args...)
}

// snakeCase returns a name in the other spelling that Google takes:
// function_call for functionCall.
func snakeCase(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}

// googleMember returns a member in either spelling.
func googleMember(o object, name string) any {
	if v := o.get(name); v != nil {
		return v
	}
	return o.get(snakeCase(name))
}

// bothSpellings returns the names of members, each in both spellings.
func bothSpellings(names []string) []string {
	all := slices.Clone(names)
	for _, name := range names {
		all = append(all, snakeCase(name))
	}
	return all
}

func geminiUnknown(s *sent) *Problem {
	var lines []string
	for _, name := range unknown(s.body, bothSpellings(geminiMembers)) {
		lines = append(lines, fmt.Sprintf("Invalid JSON payload received. Unknown name \"%s\": "+
			"Cannot find field.", name))
	}
	config, _ := googleMember(s.body, "generationConfig").(object)
	for _, name := range unknown(config, bothSpellings(geminiConfigMembers)) {
		lines = append(lines, fmt.Sprintf("Invalid JSON payload received. Unknown name \"%s\" at "+
			"'generation_config': Cannot find field.", name))
	}
	for i, content := range s.list("contents") {
		for _, name := range unknown(content, words("role parts")) {
			lines = append(lines, fmt.Sprintf("Invalid JSON payload received. Unknown name "+
				"\"%s\" at 'contents[%d]': Cannot find field.", name, i))
		}
	}
	if lines == nil {
		return nil
	}
	return geminiProblem("%s", strings.Join(lines, "\n"))
}

func geminiRoles(s *sent) *Problem {
	roles := words("user model function")
	for _, content := range s.list("contents") {
		role := content.text("role")
		if role != "" && !slices.Contains(roles, role) {
			return geminiProblem("Please use a valid role: user, model.")
		}
	}
	return nil
}

func geminiNoParts(s *sent) *Problem {
	for i, content := range s.list("contents") {
		if len(content.list("parts")) == 0 {
			return geminiProblem("* GenerateContentRequest.contents[%d].parts: contents.parts "+
				"must not be empty.\n", i)
		}
	}
	return nil
}

func geminiEmptyPart(s *sent) *Problem {
	for i, content := range s.list("contents") {
		for k, part := range content.list("parts") {
			if o, ok := part.(object); ok && len(o) == 0 {
				return geminiProblem("* GenerateContentRequest.contents[%d].parts[%d].data: "+
					"required oneof field 'data' must have one initialized field\n", i, k)
			}
		}
	}
	return nil
}

// A geminiTurn is contents of one role that follow each other.
type geminiTurn struct {
	isModel   bool
	calls     int
	responses int
}

func geminiTurnsOf(s *sent) []geminiTurn {
	var turns []geminiTurn
	for _, content := range s.list("contents") {
		isModel := content.text("role") == "model"
		if len(turns) == 0 || turns[len(turns)-1].isModel != isModel {
			turns = append(turns, geminiTurn{isModel: isModel})
		}
		t := &turns[len(turns)-1]
		for _, part := range elements(content.list("parts")) {
			if googleMember(part, "functionCall") != nil {
				t.calls++
			}
			if googleMember(part, "functionResponse") != nil {
				t.responses++
			}
		}
	}
	return turns
}

func geminiCallFirst(s *sent) *Problem {
	turns := geminiTurnsOf(s)
	if len(turns) == 0 || turns[0].calls == 0 {
		return nil
	}
	return geminiProblem("Please ensure that function call turn comes immediately after a user " +
		"turn or after a function response turn.")
}

func geminiResponseWithoutCall(s *sent) *Problem {
	calls := 0
	for _, t := range geminiTurnsOf(s) {
		if !t.isModel && t.responses > 0 && calls == 0 {
			return geminiProblem("Please ensure that function response turn comes immediately " +
				"after a function call turn.")
		}
		calls = t.calls
	}
	return nil
}

func geminiCallWithoutResponse(s *sent) *Problem {
	turns := geminiTurnsOf(s)
	for i := 1; i < len(turns); i++ {
		asked := turns[i-1].calls
		if turns[i-1].isModel && asked > 0 && turns[i].responses != asked {
			return geminiProblem("Please ensure that the number of function response parts is " +
				"equal to the number of function call parts of the function call turn.")
		}
	}
	return nil
}

// geminiTemperature has the words of Vertex AI.
func geminiTemperature(s *sent) *Problem {
	config, _ := googleMember(s.body, "generationConfig").(object)
	l, _, text := exceeded(config, []limit{{"temperature", 0, 2, false}})
	if l.name == "" {
		return nil
	}
	return geminiProblem("Unable to submit request because it has a temperature value of %s but "+
		"the supported range is from 0 (inclusive) to 2.0001 (exclusive). Update the value and "+
		"try again.",
		strings.TrimSuffix(text, ".0"))
}

// geminiFunctionNames matches the names of functions. Some models take colons,
// too.
var geminiFunctionNames = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$`)

func geminiNames(s *sent) *Problem {
	for i, t := range s.list("tools") {
		list, _ := googleMember(t, "functionDeclarations").([]any)
		for k, f := range elements(list) {
			name := f.text("name")
			if name == "" || geminiFunctionNames.MatchString(name) {
				continue
			}
			return geminiProblem("* GenerateContentRequest.tools[%d]."+
				"function_declarations[%d].name: Invalid function name. Must start with a letter "+
				"or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.) "+
				"or dashes (-), with a maximum length of 64.\n", i, k)
		}
	}
	return nil
}
