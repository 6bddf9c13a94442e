package accept

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
)

// The system prompts of the tests: as recorded, with a typo mended, with a sentence more.
const (
	system  = "You are a helpfull assistant of a travel agency. Answer in one sentence."
	mended  = "You are a helpful assistant of a travel agency. Answer in one sentence."
	longer  = "You are a helpful assistant of a travel agency. Answer in one sentence. Be polite."
	another = "Say whether the text below is an insult: answer with yes or no, and with nothing else."
)

// chat returns a recording of a chat: the roles and texts of its messages in turn.
func chat(answer string, messages ...string) *interaction.Interaction {
	return with(answer, "", messages...)
}

// with is chat with other members of the body, which begin with a comma.
func with(answer, members string, messages ...string) *interaction.Interaction {
	var list []map[string]string
	for i := 0; i < len(messages); i += 2 {
		list = append(list, map[string]string{"role": messages[i], "content": messages[i+1]})
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	it := post("https://api.openai.com/v1/chat/completions", fmt.Sprintf(`{"model":"gpt-x","messages":%s%s}`, text, members))
	it.Response.Body = []byte(fmt.Sprintf(`{"choices":[{"message":{"role":"assistant","content":%q}}]}`, answer))
	return it
}

func post(url, body string) *interaction.Interaction {
	return &interaction.Interaction{
		Request:  interaction.Request{Method: "POST", URL: url, Body: []byte(body)},
		Response: interaction.Response{Status: 200, Body: []byte("{}")},
	}
}

// handshake returns a request that opens a WebSocket.
func handshake(url string) *interaction.Interaction {
	return &interaction.Interaction{Request: interaction.Request{Method: "GET", URL: url}}
}

// session returns a recorded session with two messages of its client.
func session() *interaction.Interaction {
	it := handshake("wss://h/v1/live?voice=a")
	it.Response = interaction.Response{Status: 101, Stream: interaction.WebSocket, Events: []interaction.Event{
		{{Name: "sent", Value: `{"type":"hello"}`}},
		{{Name: "sent", Value: `{"type":"ask","text":"Is it cold?"}`}},
		{{Name: "received", Value: `{"type":"text","text":"It snows."}`}},
	}}
	return it
}

// TestRefusedMessageShowsItsEdit: a message of a session that is refused is shown with what differs
// from the recorded message that is most like it.
func TestRefusedMessageShowsItsEdit(t *testing.T) {
	t.Parallel()
	missed := post("wss://h/v1/live?voice=a", `{"type":"ask","text":"Is it warm?"}`)
	calls := []Call{{Played: 0}, {Played: -1, Missed: missed, Session: 1}}
	f := Assign(&Run{Stored: []*interaction.Interaction{session()}, Calls: calls, Options: &canon.Options{}})[0]
	if f.Near != 0 || len(f.Edits) != 1 || f.Edits[0].Path != "body/text" {
		t.Errorf("near %d, edits %+v", f.Near, f.Edits)
	}
}

// tool returns a recorded call of a function.
func tool(argument, result string) *interaction.Interaction {
	return &interaction.Interaction{
		Kind: "tool", Boundary: "get_weather",
		Request:  interaction.Request{Function: "tool/get_weather", Body: []byte(argument)},
		Response: interaction.Response{Body: []byte(result)},
	}
}

// turn returns the n-th turn of an agent, counted from 0, that calls a tool in each.
func turn(system string, n int) *interaction.Interaction {
	messages := []string{"system", system, "user", "Plan a week in Norway."}
	for i := range n {
		messages = append(messages, "assistant", fmt.Sprintf("Day %d: I look up the ferries of fjord number %d.", i, i), "user", fmt.Sprintf("The ferry leaves at %d o'clock.", i))
	}
	return chat(fmt.Sprint("turn ", n), messages...)
}

const schema = `,"tools":[{"type":"function","function":{"name":"get_weather","description":"%s","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}}]`

func failure(it *interaction.Interaction, status int) *interaction.Interaction {
	it.Response.Status = status
	return it
}

// TestAssign: each call is a recording that is played, by its number, or a request that
// missed. Each finding is the places of the recordings that take the request, or words of
// the reason why none does.
func TestAssign(t *testing.T) {
	t.Parallel()
	paris := func(system string) *interaction.Interaction {
		return chat("It rains.", "system", system, "user", "What is the weather in Paris?")
	}
	oslo := func(system string) *interaction.Interaction {
		return chat("It snows.", "system", system, "user", "Which ferries leave from Oslo?")
	}
	var agent []*interaction.Interaction
	for n := range 10 {
		agent = append(agent, turn(system, n))
	}
	seeded := func(system string, seed int) *interaction.Interaction {
		return with(fmt.Sprint("of seed ", seed), fmt.Sprintf(`,"seed":%d`, seed), "system", system, "user", "Draw a card.")
	}
	calls := func(list ...any) (calls []Call) {
		for _, c := range list {
			if number, played := c.(int); played {
				calls = append(calls, Call{Played: number})
			} else {
				calls = append(calls, Call{Played: -1, Missed: c.(*interaction.Interaction)})
			}
		}
		return calls
	}
	type list = []*interaction.Interaction
	tests := []struct {
		name     string
		stored   list
		calls    []Call
		before   Originals
		told     bool // that questions differ
		options  canon.Options
		findings []string
	}{
		{name: "a typo in a system prompt", stored: list{paris(system)}, calls: calls(paris(mended)), findings: []string{"0"}},
		{name: "a sentence more", stored: list{paris(system)}, calls: calls(paris(longer)), findings: []string{"0"}},
		{name: "of several", stored: list{paris(system), oslo(system)}, calls: calls(paris(mended), oslo(mended)), findings: []string{"0", "1"}},
		{name: "swapped", stored: list{paris(system), oslo(system)}, calls: calls(oslo(mended), paris(mended)), findings: []string{"1", "0"}},
		{name: "the description of a tool", stored: list{with("a", fmt.Sprintf(schema, "Gets teh weather."), "user", "Rain?")},
			calls: calls(with("", fmt.Sprintf(schema, "Gets the weather."), "user", "Rain?")), findings: []string{"0"}},
		{name: "the first turn of an agent", stored: agent, calls: calls(turn(mended, 0)), findings: []string{"0"}},
		{name: "the fourth turn", stored: agent, calls: calls(0, 1, 2, turn(mended, 3)), findings: []string{"3"}},
		{name: "the tenth", stored: agent, calls: calls(0, 1, 2, 3, 4, 5, 6, 7, 8, turn(mended, 9)), findings: []string{"9"}},
		{name: "the tenth, from anywhere", stored: agent, calls: calls(turn(mended, 9)), findings: []string{"9"}},
		{name: "an eleventh turn", stored: agent, calls: calls(turn(mended, 10)), findings: []string{"the question differs"}},

		// The same twice, and both are edited: they are equal, so their order says which.
		{name: "equal ones", stored: list{chat("one", "system", system, "user", "Again!"), chat("two", "system", system, "user", "Again!")},
			calls: calls(chat("", "system", mended, "user", "Again!"), chat("", "system", mended, "user", "Again!")), findings: []string{"0 1"}},
		{name: "the second of equal ones", stored: list{chat("one", "system", mended, "user", "Again!"), chat("two", "system", system, "user", "Again!")},
			before: Originals{0: chat("one", "system", system, "user", "Again!")},
			calls:  calls(0, chat("", "system", mended, "user", "Again!")), findings: []string{"1"}},
		{name: "equal ones, more often", stored: list{paris(system)}, calls: calls(paris(mended), paris(mended)), findings: []string{"0"}},
		{name: "more often than recorded", stored: list{paris(system), oslo(system)}, calls: calls(0, paris(system)), findings: []string{"sent more often"}},
		{name: "seeds", stored: list{seeded(system, 1), seeded(system, 2), seeded(system, 3)},
			calls: calls(seeded(mended, 3), seeded(mended, 1), seeded(mended, 2)), findings: []string{"2 0 1"}},
		{name: "another seed", stored: list{seeded(system, 1), seeded(system, 2)}, calls: calls(seeded(mended, 9)), findings: []string{"none of them has the values"}},

		// A call more in front.
		{name: "a call more", stored: list{paris(system), oslo(system)}, calls: calls(chat("", "system", another, "user", "What is the weather in Paris?")),
			findings: []string{"too different"}},
		{name: "a call more, and edits", stored: list{paris(system), oslo(system)},
			calls:    calls(chat("", "system", longer+" Use the metric system.", "user", "What is the weather in Paris?"), paris(mended), oslo(mended)),
			findings: []string{"another request", "0", "1"}},
		{name: "it took a recording, whose own request comes", stored: list{paris(longer), oslo(system)}, before: Originals{0: paris(system)},
			calls: calls(0, paris(system)), findings: []string{"CONTESTED .*already went to another request"}},
		{name: "it took a recording, whose own request comes edited", stored: list{paris(longer), oslo(system)}, before: Originals{0: paris(system)},
			calls: calls(0, paris(mended)), findings: []string{"CONTESTED .*already went to another request"}},
		{name: "the agent goes on", stored: append(list{turn(mended, 0)}, agent[1:]...), before: Originals{0: agent[0]},
			calls: calls(0, turn(mended, 1)), findings: []string{"1"}},

		{name: "the next question, which is alike", stored: list{chat("a", "system", mended, "user", "Name three teas."), chat("b", "system", system, "user", "Yes, about: Name three teas.")},
			before: Originals{0: chat("a", "system", system, "user", "Name three teas.")},
			calls:  calls(0, chat("", "system", mended, "user", "Yes, about: Name three teas.")), findings: []string{"1"}},
		{name: "a question more, which is alike", stored: list{chat("a", "system", mended, "user", "Name three teas."), chat("b", "system", system, "user", "Name three coffees.")},
			before: Originals{0: chat("a", "system", system, "user", "Name three teas.")},
			calls:  calls(0, chat("", "system", mended, "user", "Yes, about: Name three teas.")), findings: []string{"the question differs"}},

		// An edited request beside an unedited one.
		{name: "beside an unedited one", stored: list{paris(system), oslo(system)}, calls: calls(0, paris(mended)), findings: []string{"the question differs"}},
		{name: "beside an unedited one, told", stored: list{paris(system), oslo(system)}, calls: calls(0, paris(mended)), told: true,
			findings: []string{"matched it exactly|too different"}},
		{name: "beside the same, after it", stored: list{chat("one", "system", system, "user", "Again!"), chat("two", "system", system, "user", "Again!")},
			calls: calls(0, chat("", "system", mended, "user", "Again!")), findings: []string{"1"}},
		{name: "beside the same, before it", stored: list{chat("one", "system", system, "user", "Again!"), chat("two", "system", system, "user", "Again!")},
			calls: calls(chat("", "system", mended, "user", "Again!"), 0), findings: []string{"which answer belongs to which"}},

		// Two that are equally near.
		{name: "equally near", stored: list{paris(system + " A."), paris(system + " B.")}, calls: calls(paris(system + " C.")), findings: []string{"equally similar"}},
		{name: "one edit of two, both left", stored: list{paris(system), paris(another)}, calls: calls(paris(mended), paris(another+" Thanks.")), findings: []string{"0", "1"}},

		// What is asked.
		{name: "another question", stored: list{paris(system)}, calls: calls(chat("", "system", system, "user", "What is the weather in London?")), findings: []string{`the question differs \(messages/1/content\)`}},
		{name: "another question, told", stored: list{paris(system)}, calls: calls(chat("", "system", system, "user", "What is the weather in London?")), told: true, findings: []string{"0"}},
		{name: "what a mask hides", stored: list{chat("a", "system", system, "user", "Today is 2026-11-22. Rain?")},
			calls: calls(chat("", "system", mended, "user", "Today is 2027-01-01. Rain?")), options: canon.Options{Masks: []canon.Mask{{Regexp: regexp.MustCompile(`\d{4}-\d\d-\d\d`), Placeholder: "DATE"}}}, findings: []string{"0"}},
		{name: "an unknown endpoint", stored: list{post("https://api.example.com/search", `{"query":"fjords of the north"}`)},
			calls: calls(post("https://api.example.com/search", `{"query":"fjord of the north"}`)), findings: []string{"the question differs"}},
		{name: "a function", stored: list{tool(`{"city":"Paris","unit":"celsius"}`, `"rain"`)}, calls: calls(tool(`{"city":"Paris","unit":"degrees"}`, `""`)), findings: []string{"too different"}},
		{name: "a function, told", stored: list{tool(`{"city":"Paris","unit":"celsius"}`, `"rain"`)}, calls: calls(tool(`{"city":"Paris","unit":"degrees"}`, `""`)), told: true, findings: []string{"0"}},

		// What cannot be.
		{name: "another wire", stored: list{paris(system)}, calls: calls(with("", `,"stream":true`, "system", mended, "user", "What is the weather in Paris?")), findings: []string{"another form of answer: the recording is a plain answer, but the request asks for a stream"}},
		{name: "another model", stored: list{paris(system)},
			calls: calls(post("https://api.openai.com/v1/chat/completions", strings.Replace(string(paris(system).Request.Body), "gpt-x", "gpt-y", 1))), findings: []string{"the model gpt-y"}},
		{name: "another endpoint", stored: list{paris(system)}, calls: calls(post("https://api.openai.com/v1/embeddings", `{"model":"gpt-x","input":"a"}`)), told: true, findings: []string{"it calls llm/openai.embeddings"}},
		{name: "a failure", stored: list{failure(paris(system), 429)}, calls: calls(paris(mended)), findings: []string{"is a failure"}},
		{name: "a failure and its retry", stored: list{failure(paris(system), 429), paris(system)}, calls: calls(paris(mended)), findings: []string{"is a failure"}},
		{name: "a message of a session", stored: list{session()}, calls: []Call{{Played: 0}, {Played: -1, Missed: post("wss://h/v1/live", `{"type":"ask","text":"Is it warm?"}`), Session: 1}},
			told: true, findings: []string{"it is a message of a session .*record the session again"}},
		{name: "the handshake of a session", stored: list{session()}, calls: calls(handshake("wss://h/v1/live?voice=b")), told: true, findings: []string{"the recording is a session .*record the session again"}},
		{name: "nothing is left", stored: list{paris(system)}, calls: calls(0, oslo(mended)), findings: []string{"no unused recording"}},
		{name: "nothing is recorded", calls: calls(oslo(mended)), findings: []string{"no unused recording"}},
		{name: "asked because of a miss", stored: list{paris(system)},
			calls: calls(chat("", "system", system, "user", "What is the weather in Paris?", "assistant", "promptecho: not recorded: openai.chat")), told: true, findings: []string{"LATER"}},
	}
	for _, tt := range tests {
		for i, it := range tt.stored { // several cases share some
			it.Line = 3 + 10*i
		}
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			findings := Assign(&Run{Stored: tt.stored, Calls: tt.calls, Options: &tt.options, Originals: tt.before, AllowNewQuestions: tt.told})
			var got []string
			for _, f := range findings {
				text := strings.Trim(fmt.Sprint(f.Recordings), "[]") + f.Refused.Text
				if f.Contested {
					text = "CONTESTED " + text
				}
				if f.FollowsMiss {
					text += "LATER"
				}
				got = append(got, text)
			}
			if !slices.EqualFunc(got, tt.findings, func(got, want string) bool { return regexp.MustCompile(want).MatchString(got) }) {
				t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(tt.findings, "\n\t"))
			}
		})
	}
}
