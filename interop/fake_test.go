package interop

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echofake"
)

// One script gives each SDK the same answers, plain and streamed, and says the same of what each of them sent.
func TestFakeAnswersEachSDK(t *testing.T) {
	t.Parallel()
	for _, c := range calls {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := echofake.New(t,
				echofake.ToolCall("get_weather", `{"city":"Paris"}`).When(echofake.Offers("get_weather")).Always(),
				echofake.Text("fakeanswer").Always(),
				echofake.Embedding([]float32{0.5, 0.25}).Always(),
			)
			const base = "https://provider.test"
			ask := func(q question) string {
				var events []string
				answer, err := c.ask(t.Context(), p.Client(), base, q, func(event string) bool {
					events = append(events, event)
					return true
				})
				if err != nil {
					t.Fatal(err)
				}
				return strings.Join(append(events, jsonOf(answer)), "\n")
			}

			got := ask(zebra)
			isVector := strings.Contains(c.name, "embed")
			if want := "fakeanswer"; !isVector && !strings.Contains(got, want) {
				t.Errorf("the answer has no %q: %s", want, got)
			}
			if want := "0.25"; isVector && !strings.Contains(got, want) {
				t.Errorf("the vector has no %s: %s", want, got)
			}
			if isVector {
				return
			}
			r := p.Requests()[0]
			checkZebra(t, r)

			tools := zebra
			tools.tools = true
			got = ask(tools)
			hasTools := p.Requests()[1].Offers("get_weather") // some endpoints have none
			if hasTools && (!strings.Contains(got, "get_weather") || !strings.Contains(got, "Paris")) {
				t.Errorf("the answer has no call of get_weather: %s", got)
			}
		})
	}
}

// checkZebra checks that a request asks what [zebra] does.
func checkZebra(t *testing.T, r *promptecho.Request) {
	t.Helper()
	if got := r.Last(); got.Role != "user" || got.Text != zebra.text {
		t.Errorf("the last message is %+v", got)
	}
	if !strings.Contains(r.Model, zebra.model) { // Ollama and Bedrock add to it
		t.Errorf("the model is %q, want %q", r.Model, zebra.model)
	}
}
