package accept

import (
	"fmt"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
)

// offering returns a recording of a chat that offers a tool. Its answer calls the tool called, or
// is a text if that is "".
func offering(tool, called, question string) *interaction.Interaction {
	members := fmt.Sprintf(`,"tools":[{"type":"function","function":{"name":%q,"description":"The weather in a city, by its name.","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}}]`, tool)
	it := with("It is sunny.", members, "system", system, "user", question)
	if called != "" {
		it.Response.Body = fmt.Appendf(nil, `{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":%q,"arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`, called)
	}
	return it
}

// After a tool was renamed, answers that call it by its old name are not kept, and then no other
// request of the cassette is accepted either. Without such an answer, all are.
func TestRenamedToolIsAcceptedAsAWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		called   string // by the answer to the first request
		offered  string // by the edited requests
		accepted bool
	}{
		{"the answer calls the old name", "get_weather", "weather", false},
		{"the answer calls no tool", "", "weather", true},
		{"only another tool was renamed", "get_weather", "get_weather", true},
		{"the answer calls a tool that was never offered", "other", "weather", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := &Run{
				Stored: []*interaction.Interaction{
					offering("get_weather", tt.called, "What is the weather in Paris?"),
					offering("get_weather", "", "Tell me a joke about Rome."),
				},
				Options: new(canon.Options),
			}
			for _, question := range []string{"What is the weather in Paris?", "Tell me a joke about Rome."} {
				asked := offering(tt.offered, "", question)
				asked.Request.Body = []byte(strings.Replace(string(asked.Request.Body), "by its name", "by its full name", 1))
				r.Calls = append(r.Calls, Call{Played: -1, Missed: asked})
			}
			findings := Assign(r)
			if len(findings) != 2 {
				t.Fatalf("%d findings", len(findings))
			}
			for i, f := range findings {
				if (f.Recordings != nil) != tt.accepted {
					t.Errorf("request %d: goes into %v, refused: %q; accepted must be %v", i, f.Recordings, f.Refused.Text, tt.accepted)
				}
				if !tt.accepted && (f.Refused.Code != finding.ToolGone || !strings.Contains(f.Refused.Text, `calls the tool "get_weather"`)) {
					t.Errorf("request %d: the reason is %q", i, f.Refused)
				}
			}
		})
	}
}
