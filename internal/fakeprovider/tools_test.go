package fakeprovider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/english"
)

// offered is tools of the given names, each with one string and one number.
func offered(names ...string) []tool {
	schema, err := decode([]byte(`{"type":"object","properties":{"what":{"type":"string"},"n":{"type":"integer"}}}`))
	if err != nil {
		panic(err)
	}
	var tools []tool
	for _, name := range names {
		tools = append(tools, tool{name, schema})
	}
	return tools
}

// agent runs a prompt until it is answered, and tells the calls of each turn.
func agent(p prompt) (turns []string, text string) {
	for range 10 {
		r := p.reply(0, nil)
		if r.Finish != FinishCalls {
			return turns, r.Text
		}
		var names []string
		said := turn{role: "assistant"}
		var results []turn
		for i, c := range r.Calls {
			c.ID = fmt.Sprint(len(p.turns), "-", i)
			names = append(names, c.Name)
			said.calls = append(said.calls, c)
			results = append(results, turn{role: "tool", id: c.ID, text: "ok"})
		}
		p.turns = append(append(p.turns, said), results...)
		turns = append(turns, strings.Join(names, "+"))
	}
	return turns, "no end"
}

func TestPlans(t *testing.T) {
	for _, c := range []struct {
		name, text string
		choice     choice
		serial     bool
		want       string
	}{
		{"named in order", "use read_file, then search", choice{}, false, "read_file search"},
		{"five steps", "tools: search, read_file, search; send_mail, then search", choice{}, false, "search read_file search send_mail search"},
		{"parallel", "`search` and `read_file` & send_mail, search", choice{}, false, "search+read_file+send_mail search"},
		{"forbidden to be parallel", "search and read_file", choice{}, true, "search read_file"},
		{"the same twice at once", "search(a) AND search(b)", choice{}, false, "search+search"},
		{"no requests", "hello", choice{}, false, ""},
		{"a word of the name", "Please read this", choice{}, false, "read_file"},
		{"words in the order offered", "mail what you find in a file", choice{}, false, "read_file send_mail"},
		{"part of a longer word", "my_search researches search2 search-engine search.go", choice{}, false, "search"},
		{"names in arguments", "search(read_file) then send_mail", choice{}, false, "search send_mail"},
		{"none", "use search", choice{mode: "none"}, false, ""},
		{"auto", "use search.", choice{mode: "auto"}, false, "search"},
		{"open parenthesis", "use search(, please", choice{}, false, "search"},
	} {
		p := prompt{tools: offered("search", "read_file", "send_mail"), choice: c.choice, serial: c.serial,
			turns: []turn{{role: "user", text: c.text}}}
		turns, text := agent(p)
		if got := strings.Join(turns, " "); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		if calls := strings.Count(strings.Join(turns, "+"), "+") + 1; c.want != "" &&
			!strings.HasPrefix(text, "[stand-in] Done after "+english.Count(calls, "tool call")) {
			t.Errorf("%s: text %s", c.name, text)
		}
	}
}

func TestPlanStartsAnewWithEachUserMessage(t *testing.T) {
	p := prompt{tools: offered("search"), turns: []turn{
		{role: "user", text: "use search"},
		{role: "assistant", calls: []Call{{"1", "search", "{}"}}},
		{role: "tool", id: "1", text: "found"},
		{role: "assistant", text: "done"},
		{role: "user", text: "search again"},
	}}
	if turns, _ := agent(p); strings.Join(turns, " ") != "search" {
		t.Errorf("got %v", turns)
	}
}

func TestForcedCalls(t *testing.T) {
	p := prompt{tools: offered("search", "read_file"), turns: []turn{{role: "user", text: "hello"}}}
	p.choice = choice{mode: "required"}
	if turns, _ := agent(p); strings.Join(turns[:4], " ") != "search read_file search search" {
		t.Errorf("required: %v", turns)
	}
	p.choice = choice{mode: "named", name: "read_file"}
	if turns, _ := agent(p); strings.Join(turns[:2], " ") != "read_file read_file" {
		t.Errorf("named: %v", turns)
	}
	p.choice.name = "unknown"
	if turns, _ := agent(p); turns != nil {
		t.Errorf("unknown: %v", turns)
	}
}

func TestToolChoiceSpellings(t *testing.T) {
	for _, c := range []struct {
		json string
		want choice
	}{
		{`null`, choice{mode: "auto"}},
		{`"none"`, choice{mode: "none"}},
		{`"required"`, choice{mode: "required"}},
		{`"any"`, choice{mode: "required"}},
		{`{"type":"function","function":{"name":"f"}}`, choice{"named", "f"}},
		{`{"type":"function","name":"f"}`, choice{"named", "f"}},
		{`{"type":"allowed_tools","mode":"required"}`, choice{mode: "required"}},
		{`{"type":"allowed_tools","allowed_tools":{"mode":"auto"}}`, choice{mode: "auto"}},
		{`{"type":"web_search"}`, choice{mode: "auto"}},
	} {
		v, _ := decode([]byte(c.json))
		if got := openaiChoice(v); got != c.want {
			t.Errorf("%s: got %v", c.json, got)
		}
	}
	for _, c := range []struct {
		json string
		want choice
	}{
		{`{}`, choice{}},
		{`{"tool_choice":{"type":"auto"}}`, choice{mode: "auto"}},
		{`{"tool_choice":{"type":"any"}}`, choice{mode: "required"}},
		{`{"tool_choice":{"type":"none"}}`, choice{mode: "none"}},
		{`{"tool_choice":{"type":"tool","name":"f"}}`, choice{"named", "f"}},
	} {
		if got := messagesPrompt(parse(t, c.json)).choice; got != c.want {
			t.Errorf("%s: got %v", c.json, got)
		}
	}
	if !messagesPrompt(parse(t, `{"tool_choice":{"type":"auto","disable_parallel_tool_use":true}}`)).serial {
		t.Error("disable_parallel_tool_use is not heeded")
	}
}

func TestArguments(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"use search", `{"what":"stand-in what","n":1}`},
		{"use search(cats, 7)", `{"what":"cats","n":7}`},
		{`use search("big cats")`, `{"what":"big cats","n":1}`},
		{`use search({"what":"<a>", "x":[1.50]})`, `{"what":"<a>","x":[1.50]}`},
		{`search for "old maps" 3 times`, `{"what":"old maps","n":3}`},
		{"search for Sankt Gallen, then stop", `{"what":"Sankt Gallen","n":1}`},
		{"Tell me. Search in Paris.", `{"what":"Paris","n":1}`},
		{"search (aside)", `{"what":"stand-in what","n":1}`},
	} {
		p := prompt{tools: offered("search"), turns: []turn{{role: "user", text: c.text}}}
		calls := p.nextCalls()
		if len(calls) != 1 || calls[0].Args != c.want {
			t.Errorf("%s: got %v, want %s", c.text, calls, c.want)
		}
	}
	p := prompt{tools: []tool{{name: "ping", schema: nil}}, turns: []turn{{role: "user", text: "use ping"}}}
	if calls := p.nextCalls(); len(calls) != 1 || calls[0].Args != "{}" {
		t.Errorf("without a schema: %v", calls)
	}
}

// Each call takes its values from the text that follows its name.
func TestArgumentsNearby(t *testing.T) {
	p := prompt{tools: offered("search"), turns: []turn{{role: "user", text: "search in Paris, search in Oslo"}}}
	var got []string
	for _, s := range p.steps(p.lastUser()) {
		got = append(got, s.call(p.lastUser()).Args)
	}
	if want := `{"what":"Paris","n":1} {"what":"Oslo","n":1}`; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// TestAgentLoop drives four steps over the wire in every family.
func TestAgentLoop(t *testing.T) {
	h := start(t)
	const ask = `"one, two and three, then four, then one"`
	var chatTools, responsesTools, messagesTools []string
	for _, name := range []string{"one", "two", "three", "four"} {
		s := weatherSchema
		chatTools = append(chatTools, fmt.Sprintf(`{"type":"function","function":{"name":%q,"parameters":%s}}`, name, s))
		responsesTools = append(responsesTools, fmt.Sprintf(`{"type":"function","name":%q,"parameters":%s}`, name, s))
		messagesTools = append(messagesTools, fmt.Sprintf(`{"name":%q,"input_schema":%s}`, name, s))
	}
	const want = "one two+three four one"
	run := func(family string, turn func(history []string) (calls, next []string)) {
		var got, history []string
		for range 9 {
			calls, next := turn(history)
			if calls == nil {
				break
			}
			got, history = append(got, strings.Join(calls, "+")), append(history, next...)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %v", family, got)
		}
	}
	run("chat", func(history []string) (calls, next []string) {
		o := h.ask(chatPath, `{"model":"m","tools":[`+strings.Join(chatTools, ",")+`],"messages":[`+
			strings.Join(append([]string{`{"role":"user","content":` + ask + `}`}, history...), ",")+`]}`)
		m, _ := at(o, "choices", 0, "message").(object)
		next = []string{string(encode(m))}
		for _, c := range objects(m.list("tool_calls")) {
			calls = append(calls, c.sub("function").text("name"))
			next = append(next, `{"role":"tool","tool_call_id":`+quote(c.text("id"))+`,"content":"ok"}`)
		}
		return calls, next
	})
	run("responses", func(history []string) (calls, next []string) {
		o := h.ask(responsesPath, `{"model":"m","tools":[`+strings.Join(responsesTools, ",")+`],"input":[`+
			strings.Join(append([]string{`{"role":"user","content":` + ask + `}`}, history...), ",")+`]}`)
		for _, c := range objects(o.list("output")) {
			if c.text("type") == "function_call" {
				calls = append(calls, c.text("name"))
				next = append(next, string(encode(c)),
					`{"type":"function_call_output","call_id":`+quote(c.text("call_id"))+`,"output":"ok"}`)
			}
		}
		return calls, next
	})
	run("messages", func(history []string) (calls, next []string) {
		o := h.ask(messagesPath, `{"model":"m","max_tokens":99,"tools":[`+strings.Join(messagesTools, ",")+`],"messages":[`+
			strings.Join(append([]string{`{"role":"user","content":` + ask + `}`}, history...), ",")+`]}`)
		var results []string
		for _, c := range objects(o.list("content")) {
			if c.text("type") == "tool_use" {
				calls = append(calls, c.text("name"))
				results = append(results, `{"type":"tool_result","tool_use_id":`+quote(c.text("id"))+`,"content":"ok"}`)
			}
		}
		return calls, []string{`{"role":"assistant","content":` + string(encode(o.get("content"))) + `}`,
			`{"role":"user","content":[` + strings.Join(results, ",") + `]}`}
	})
}
