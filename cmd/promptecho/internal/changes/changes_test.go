package changes

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

const chat = "https://api.openai.com/v1/chat/completions"

// ask returns a chat with a prompt and its answer.
func ask(text, answer string) *interaction.Interaction {
	return &interaction.Interaction{
		Request:  interaction.Request{Method: "POST", URL: chat, Body: fmt.Appendf(nil, `{"model":"m","messages":[{"role":"user","content":%q}]}`, text)},
		Response: interaction.Response{Status: 200, Body: fmt.Appendf(nil, `{"id":"chatcmpl-%d","created":%d,"choices":[{"message":{"content":%q},"finish_reason":"stop"}]}`, len(answer), len(text), answer)},
	}
}

func get(url, answer string) *interaction.Interaction {
	return &interaction.Interaction{
		Request:  interaction.Request{Method: "GET", URL: url},
		Response: interaction.Response{Status: 200, Body: []byte(answer)},
	}
}

// format returns changes as text: "1>2 request messages/0/content "a" "b"".
func format(list []Change) string {
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, "%d>%d", c.Old, c.New)
		if c.Repeated > 0 {
			fmt.Fprintf(&b, " (%d repeated)", c.Repeated)
		}
		for _, e := range c.Edits {
			fmt.Fprintf(&b, " | %s %s %s %s", e.In, e.Path, e.Old, e.New)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// The list has what changed, and no value that differs by chance.
func TestBetween(t *testing.T) {
	t.Parallel()
	type its = []*interaction.Interaction
	with := func(it *interaction.Interaction, change func(*interaction.Interaction)) *interaction.Interaction {
		change(it)
		return it
	}
	for _, tt := range []struct {
		name       string
		old, fresh its
		want       string
	}{
		{"nothing", its{ask("a", "x"), get("https://h/1", "y")}, its{ask("a", "x"), get("https://h/1", "y")}, ""},
		{"ids, times and latencies", its{ask("a", "x")}, its{with(ask("a", "x"), func(it *interaction.Interaction) {
			it.Response.Body = []byte(strings.NewReplacer("chatcmpl-1", "chatcmpl-99", `"created":1`, `"created":7`).Replace(string(it.Response.Body)))
			it.LatencyMS = 99
			it.Response.Headers = interaction.Headers{{Name: "x-request-id", Values: []string{"req_2"}}}
		})}, ""},
		{"ids in a body that nobody knows", its{get("https://h/1", `{"id":"run_12345678","created_at":1,"n":1}`)}, its{get("https://h/1", `{"id":"run_87654321","created_at":2,"n":1}`)}, ""},
		{"a name in a member id", its{get("https://h/1", `{"id":"gpt"}`)}, its{get("https://h/1", `{"id":"claude"}`)}, "1>1 | answer body/id \"gpt\" \"claude\"\n"},
		{"the port of a local server", its{get("http://127.0.0.1:1234/1", "y")}, its{get("http://127.0.0.1:4321/1", "y")}, ""},
		{"an answer", its{ask("a", "x")}, its{ask("a", "z")}, "1>1 | answer text \"x\" \"z\"\n"},
		{"a prompt", its{ask("What is it?", "x")}, its{ask("What was it?", "x")}, "1>1 | request messages/0/content \"What is it?\" \"What was it?\"\n"},
		{"a setting that does not match", its{ask("a", "x")}, its{with(ask("a", "x"), func(it *interaction.Interaction) {
			it.Request.Body = []byte(strings.Replace(string(it.Request.Body), `{"model"`, `{"temperature":1,"model"`, 1))
		})}, "1>1 | settings temperature  1\n"},
		{"usage", its{with(ask("a", "x"), func(it *interaction.Interaction) { it.Usage = &interaction.Usage{InputTokens: 1, OutputTokens: 2} })},
			its{with(ask("a", "x"), func(it *interaction.Interaction) { it.Usage = &interaction.Usage{InputTokens: 1, OutputTokens: 3} })},
			"1>1 | usage output_tokens 2 3\n"},
		{"one added in front", its{ask("one two three", "x"), ask("four five six", "y")}, its{ask("zero", "w"), ask("one two 3", "x"), ask("four five 6", "y")},
			"0>1\n1>2 | request messages/0/content \"one two three\" \"one two 3\"\n2>3 | request messages/0/content \"four five six\" \"four five 6\"\n"},
		{"one removed", its{ask("a", "x"), get("https://h/1", "y"), ask("b", "z")}, its{ask("a", "x"), ask("b", "z")}, "2>0\n"},
		{"another order", its{ask("a", "x"), ask("b", "z")}, its{ask("b", "z"), ask("a", "x")}, ""},
		{"the same twice, in order", its{ask("a", "1st"), ask("a", "2nd")}, its{ask("a", "1st"), ask("a", "2nd")}, ""},
		{"other endpoints are no pair", its{get("https://h/1", "y")}, its{ask("a", "x")}, "0>1\n1>0\n"},
		{"streamed and whole, saying the same", its{ask("a", "x")}, its{with(ask("a", "x"), func(it *interaction.Interaction) {
			it.Response = interaction.Response{Status: 200, Stream: "sse", Events: []interaction.Event{
				{{Name: "data", Value: `{"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}`}}}}
		})}, ""},
		{"a status", its{ask("a", "x")}, its{with(ask("a", "x"), func(it *interaction.Interaction) {
			it.Response.Status = 429
			it.Response.Body = []byte(`{"error":{"message":"slow"}}`)
		})},
			"1>1 | answer finish \"stop\"  | answer body/error  {\"message\":\"slow\"} | answer status 200 429 | answer text \"x\" \n"},
		{"a function's error", its{{Request: interaction.Request{Function: "tool/f", Body: []byte("1")}, Response: interaction.Response{Body: []byte("2")}}},
			its{{Request: interaction.Request{Function: "tool/f", Body: []byte("1")}, Response: interaction.Response{Error: "no"}}},
			"1>1 | answer body 2  | answer error  \"no\"\n"},
	} {
		if got := format(Between(tt.old, tt.fresh)); got != tt.want {
			t.Errorf("%s:\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}

// An edit in the history that an agent repeats with each turn is listed once.
func TestRepeated(t *testing.T) {
	t.Parallel()
	turn := func(history ...string) *interaction.Interaction {
		var messages []string
		for i, text := range history[:len(history)-1] {
			messages = append(messages, fmt.Sprintf(`{"role":%q,"content":%q}`, []string{"user", "assistant"}[i%2], text))
		}
		it := ask("", history[len(history)-1])
		it.Request.Body = fmt.Appendf(nil, `{"model":"m","messages":[%s]}`, strings.Join(messages, ","))
		return it
	}
	old := []*interaction.Interaction{turn("hi", "hello"), turn("hi", "hello", "and?", "so"), turn("hi", "hello", "and?", "so", "then?", "end")}
	fresh := []*interaction.Interaction{turn("hi", "good day"), turn("hi", "good day", "and?", "so"), turn("hi", "good day", "and?", "so", "then?", "end")}
	const want = "1>1 | answer text \"hello\" \"good day\"\n2>2 (1 repeated)\n3>3 (1 repeated)\n"
	if got := format(Between(old, fresh)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// Pairing is fast enough for a cassette in which every request changed.
func TestMany(t *testing.T) {
	t.Parallel()
	var old, fresh []*interaction.Interaction
	for i := range 100 {
		old = append(old, ask(fmt.Sprintf("question number %d of many", i), "x"))
		fresh = append(fresh, ask(fmt.Sprintf("question number %d of the many", i), "x"))
	}
	list := Between(old, slices.Clone(fresh))
	if len(list) != 100 || !reflect.DeepEqual([]int{list[41].Old, list[41].New}, []int{42, 42}) {
		t.Errorf("%d changes, one is %+v", len(list), list[41])
	}
}

// The environment variables that a cassette records for its test are compared.
func TestEnv(t *testing.T) {
	t.Parallel()
	got := Env(map[string]string{"MODEL": "a", "SAME": "x", "GONE": "1"}, map[string]string{"MODEL": "b", "SAME": "x", "NEW": ""})
	want := []Edit{{"env", "GONE", `"1"`, "", ""}, {"env", "MODEL", `"a"`, `"b"`, ""}, {"env", "NEW", "", `""`, ""}}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
	if got := Env(nil, nil); got != nil {
		t.Errorf("nothing differs: %+v", got)
	}
}

// A cassette does not differ from itself, and no two cassettes make Between panic.
func FuzzBetween(f *testing.F) {
	f.Add(`{"model":"m","messages":[{"role":"user","content":"a"}]}`, `{"choices":[{"message":{"content":"x","tool_calls":[{"function":{"name":"f","arguments":"{"}}]}}]}`, `{}`, `[1,{"id":"run_12345678"}]`)
	f.Fuzz(func(t *testing.T, q1, a1, q2, a2 string) {
		one, two := ask("", ""), ask("", "")
		one.Request.Body, one.Response.Body = []byte(q1), []byte(a1)
		two.Request.Body, two.Response.Body = []byte(q2), []byte(a2)
		if list := Between([]*interaction.Interaction{one, two}, []*interaction.Interaction{one, two}); list != nil {
			t.Errorf("a cassette differs from itself: %s", format(list))
		}
		Between([]*interaction.Interaction{one}, []*interaction.Interaction{two, one})
	})
}

// Of thousands of edited requests each is paired with the one at the same place. To
// compare each with all others would take minutes.
func TestManyEdits(t *testing.T) {
	t.Parallel()
	var old, fresh []*interaction.Interaction
	for i := range 3000 {
		for _, side := range []struct {
			its  *[]*interaction.Interaction
			word string
		}{{&old, "Answer"}, {&fresh, "Answered"}} {
			*side.its = append(*side.its, &interaction.Interaction{
				Request: interaction.Request{Method: "POST", URL: "https://api.openai.com/v1/chat/completions", Body: fmt.Appendf(nil, `{"model":"m","messages":[{"role":"user","content":"%s the question %d, in one sentence"}]}`, side.word, i)},
			})
		}
	}
	for _, c := range Between(old, fresh) {
		if c.Old != c.New || len(c.Edits) != 1 {
			t.Fatalf("%+v", c)
		}
	}
}
