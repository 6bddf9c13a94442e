package corpus

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.invalid/corpus"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/said"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/snapshot/route"
)

// inFamilies are the requests to five model APIs, and their answers that call tools or end.
var inFamilies = []struct {
	name, url, body string
	answer          func(calls []said.Call) string
}{
	{"openai.chat", "https://api.openai.com/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"x"}]}`, func(calls []said.Call) string {
		return fmt.Sprintf(`{"choices":[{"finish_reason":%q,"message":{"role":"assistant","tool_calls":[%s]}}]}`, ended(calls, "tool_calls", "stop"), each(calls, `{"id":"1","type":"function","function":{"name":%[1]q,"arguments":%[2]q}}`))
	}},
	{"openai.responses", "https://api.openai.com/v1/responses", `{"model":"m","input":"x"}`, func(calls []said.Call) string {
		return fmt.Sprintf(`{"status":"completed","output":[%s]}`, each(calls, `{"type":"function_call","call_id":"1","name":%[1]q,"arguments":%[2]q}`))
	}},
	{"anthropic", "https://api.anthropic.com/v1/messages", `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}]}`, func(calls []said.Call) string {
		return fmt.Sprintf(`{"type":"message","role":"assistant","stop_reason":%q,"content":[%s]}`, ended(calls, "tool_use", "end_turn"), each(calls, `{"type":"tool_use","id":"1","name":%[1]q,"input":%[2]s}`))
	}},
	{"gemini", "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent", `{"contents":[{"role":"user","parts":[{"text":"x"}]}]}`, func(calls []said.Call) string {
		return fmt.Sprintf(`{"candidates":[{"finishReason":"STOP","content":{"role":"model","parts":[%s]}}]}`, each(calls, `{"functionCall":{"name":%[1]q,"args":%[2]s}}`))
	}},
	{"bedrock", "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse", `{"messages":[{"role":"user","content":[{"text":"x"}]}]}`, func(calls []said.Call) string {
		return fmt.Sprintf(`{"stopReason":%q,"output":{"message":{"role":"assistant","content":[%s]}}}`, ended(calls, "tool_use", "end_turn"), each(calls, `{"toolUse":{"toolUseId":"1","name":%[1]q,"input":%[2]s}}`))
	}},
}

func ended(calls []said.Call, called, stop string) string {
	if len(calls) > 0 {
		return called
	}
	return stop
}

func each(calls []said.Call, format string) string {
	var list []string
	for _, c := range calls {
		list = append(list, fmt.Sprintf(format, c.Name, c.Args))
	}
	return strings.Join(list, ",")
}

// ofModel is what of a line says which model was asked.
var ofModel = regexp.MustCompile(`(?m)^ask [^\n]*?(: (?:tool calls|stop))$`)

// TestRoutes: the conversations of the corpus have a route, and the same one if they are held
// with another provider.
func TestRoutes(t *testing.T) {
	recs := load(t)
	dir := t.TempDir()
	open := openIn(dir, promptecho.ModeAll)
	if _, _, _, err := corpus.RecordReplay(context.Background(), recs, corpus.Options{Mode: "event", Seed: 1}, corpus.DriveOptions{Workers: 2, MaxFails: len(recs)}, open, openIn(dir, promptecho.ModeNone)); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || len(files) < 100 {
		t.Fatal(len(files), err)
	}
	agents, turns, ends := 0, 0, map[string]int{}
	for _, file := range files {
		f, err := cassette.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		var was []route.Call
		others := make([][]route.Call, len(inFamilies))
		calls := 0
		for _, it := range f.Interactions {
			var rules canon.Options
			form := rules.Form(&it.Request)
			says := said.Read(form, &it.Response)
			text := route.Of([]route.Call{{Interaction: it, FromTest: true}}).String()
			if end := regexp.MustCompile(`^ask [^\n]*: ([^\n]*)`).FindStringSubmatch(text); end != nil {
				ends[end[1]]++
			}
			// What every one of the families can say, in one way only.
			if !ofModel.MatchString(text) || slices.ContainsFunc(says.Calls, func(c said.Call) bool {
				return !json.Valid([]byte(c.Args)) || !strings.HasPrefix(c.Args, "{") || c.Name == "" || strings.HasSuffix(c.Name, "_call")
			}) || strings.Contains(text, "tool calls") != (len(says.Calls) > 0) {
				continue
			}
			calls += len(says.Calls)
			turns++
			was = append(was, route.Call{Interaction: it, FromTest: true})
			for i, family := range inFamilies {
				body := family.answer(says.Calls)
				if !json.Valid([]byte(body)) {
					t.Fatalf("%s", body)
				}
				others[i] = append(others[i], route.Call{FromTest: true, Interaction: &interaction.Interaction{
					Request:  interaction.Request{Method: "POST", URL: family.url, Body: []byte(family.body)},
					Response: interaction.Response{Status: 200, Headers: interaction.Headers{{Name: "content-type", Values: []string{"application/json"}}}, Body: []byte(body)},
				}})
			}
		}
		if calls == 0 {
			continue
		}
		agents++
		want := ofModel.ReplaceAllString(route.Of(was).String(), "ask$1")
		for i, family := range inFamilies {
			if got := ofModel.ReplaceAllString(route.Of(others[i]).String(), "ask$1"); got != want {
				t.Errorf("%s in %s:\n%s\nwant\n%s", file, family.name, got, want)
			}
		}
	}
	t.Logf("%d conversations with tools, %d turns; how answers ended: %v", agents, turns, ends)
	if agents < 20 {
		t.Error("these are too few")
	}
}
