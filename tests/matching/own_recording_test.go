package matching_test

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// Requests that differ only in ignored fields get their own answers, in whatever order they are asked.
func TestIgnoredFieldsChooseTheOwnRecording(t *testing.T) {
	t.Parallel()
	const azure = "https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version="
	body := must.Chat("").Body
	spaced := strings.ReplaceAll(strings.ReplaceAll(body, ":", ": "), ",", ", ")
	listToolsOf := func(host string) must.Request { return listTools("https://" + host) }
	tests := []struct {
		name string
		a, b must.Request
	}{
		{"hosts", must.Chat(""), chatAt("https://gateway.example/v1/chat/completions")},
		{
			"local ports",
			chatAt("http://localhost:8001/v1/chat/completions"),
			chatAt("http://localhost:8002/v1/chat/completions"),
		},
		{
			"prefixes",
			chatAt("https://g.example/one/v1/chat/completions"),
			chatAt("https://g.example/two/v1/chat/completions"),
		},
		{"API versions", chatAt(azure + "2024-06-01"), chatAt(azure + "2025-01-01")},
		{
			"headers",
			chatWith("Anthropic-Version", "2023-01-01"),
			chatWith("Anthropic-Version", "2023-06-01"),
		},
		{"temperatures", must.Chat(`,"temperature":0`), must.Chat(`,"temperature":1`)},
		{"seeds", must.Chat(`,"seed":1`), must.Chat(`,"seed":1000`)},
		{"seeds next to an equal limit", must.Chat(`,"seed":1,"max_tokens":5`), must.Chat(`,"seed":2,"max_tokens":5`)},
		{"a limit and none", must.Chat(`,"max_tokens":5`), must.Chat(``)},
		{"users", must.Chat(`,"user":"a"`), must.Chat(`,"user":"b"`)},
		{"users with a number", must.Chat(`,"user":"u1"`), must.Chat(`,"user":"u2"`)},
		{"tenants in metadata", must.Chat(`,"metadata":{"tenant":"red"}`), must.Chat(`,"metadata":{"tenant":"blue"}`)},
		{
			"accounts in metadata, which are no counts",
			must.Chat(`,"metadata":{"account":"red"}`),
			must.Chat(`,"metadata":{"account":"blue"}`),
		},
		{"blanks in JSON", must.Chat(""), must.Request{URL: must.ChatURL, Body: spaced}},
		{"a text and a list with it", must.Chat(""), chatContent(`[{"type":"text","text":"hi"}]`)},
		{"orders of tools", chatTools("a", "b"), chatTools("b", "a")},
		{"names of files", uploadOf("jan.pdf"), uploadOf("feb.pdf")},
		{"MCP servers", listToolsOf("github.example"), listToolsOf("jira.example")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := must.RecordAnswers(t, []string{`{"is":"a"}`, `{"is":"b"}`}, []must.Request{tt.a, tt.b})
			askA := func(r *promptecho.Recorder) {
				t.Helper()
				if got := tt.a.Ask(t, r); got != `{"is":"a"}` {
					t.Errorf("a got %s", got)
				}
			}
			askB := func(r *promptecho.Recorder) {
				t.Helper()
				if got := tt.b.Ask(t, r); got != `{"is":"b"}` {
					t.Errorf("b got %s", got)
				}
			}
			r := replay(t, file)
			askA(r)
			askB(r)
			must.Close(t, r)
			r = replay(t, file)
			askB(r)
			askA(r)
			must.Close(t, r)
		})
	}
}

// chatTools returns a request for a chat completion with two tools.
func chatTools(first, second string) must.Request {
	return must.Chat(`,"tools":[{"type":"function","function":{"name":"` + first + `"}},` +
		`{"type":"function","function":{"name":"` + second + `"}}]`)
}

// uploadOf returns a request for an edit of an image with this file name.
func uploadOf(name string) must.Request {
	return must.Request{
		URL: "https://api.openai.com/v1/images/edits",
		Body: "--b\r\nContent-Disposition: form-data; name=\"image\"; filename=\"" + name + "\"\r\n\r\n" +
			"the same\r\n--b--\r\n",
		Headers: []string{"Content-Type", "multipart/form-data; boundary=b"},
	}
}

// A change in all requests alike, such as another host, does not keep them from their recordings.
func TestChangeOfAllRequestsDoesNotChoose(t *testing.T) {
	t.Parallel()
	chat := func(host, members string) must.Request {
		return must.Request{URL: "https://" + host + "/v1/chat/completions", Body: must.Chat(members).Body}
	}
	recorded := func(seed string) must.Request {
		return chat("api.openai.com", `,"seed":`+seed+`,"max_tokens":5`)
	}
	tests := []struct {
		name  string
		asked func(seed string) must.Request
	}{
		{"no change", recorded},
		{"another limit", func(seed string) must.Request {
			return chat("api.openai.com", `,"seed":`+seed+`,"max_tokens":6`)
		}},
		{"another host", func(seed string) must.Request {
			return chat("gateway.example", `,"seed":`+seed+`,"max_tokens":5`)
		}},
		{"more blanks", func(seed string) must.Request {
			req := recorded(seed)
			req.Body = strings.ReplaceAll(req.Body, ":", ": ")
			return req
		}},
		{"a random ID", func(seed string) must.Request {
			return chat("api.openai.com", `,"seed":`+seed+`,"max_tokens":5,"metadata":{"conversation":"x9Kq"}`)
		}},
		{"another host, another limit and a user", func(seed string) must.Request {
			return chat("gateway.example", `,"seed":`+seed+`,"max_tokens":7,"user":"u"`)
		}},
	}
	file := must.RecordAnswers(t,
		[]string{`"one"`, `"two"`, `"three"`},
		[]must.Request{recorded("1"), recorded("2"), recorded("3")})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := replay(t, file)
			for seed, want := range map[string]string{"1": `"one"`, "2": `"two"`, "3": `"three"`} {
				if got := tt.asked(seed).Ask(t, r); got != want {
					t.Errorf("seed %s got %s", seed, got)
				}
			}
			must.Close(t, r)

			// A seed that is not recorded takes the recording of another one, which is reported.
			r = replay(t, file, promptecho.AllowUnused())
			tt.asked("9").Ask(t, r)
			tt.asked("1").Ask(t, r)
			want := "differs in seed. The request that it was recorded for came later"
			if err := r.Close(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("Close: %v", err)
			}
		})
	}
}

// A field that all requests have changed does not hide another one in which the recordings differ.
func TestChangedFieldDoesNotHideAnotherOne(t *testing.T) {
	t.Parallel()
	chat := func(prefix, content string) must.Request {
		req := chatContent(content)
		req.URL = "https://gw.example" + prefix + "/chat/completions"
		return req
	}
	const text, list = `"hi"`, `[{"type":"text","text":"hi"}]`
	tests := []struct {
		name                          string
		recordedFirst, recordedSecond must.Request
		askedFirst                    must.Request // the second recording answers it
		askedSecond                   must.Request
	}{{
		name:           "seeds, with another temperature",
		recordedFirst:  must.Chat(`,"seed":1,"temperature":0`),
		recordedSecond: must.Chat(`,"seed":2,"temperature":0.5`),
		askedFirst:     must.Chat(`,"seed":2,"temperature":1`),
		askedSecond:    must.Chat(`,"seed":1,"temperature":1`),
	}, {
		name:           "seeds, without the temperature",
		recordedFirst:  must.Chat(`,"seed":1,"temperature":0`),
		recordedSecond: must.Chat(`,"seed":2,"temperature":0.5`),
		askedFirst:     must.Chat(`,"seed":2`),
		askedSecond:    must.Chat(`,"seed":1`),
	}, {
		name:           "seeds, with the temperature of the other recording",
		recordedFirst:  must.Chat(`,"seed":1,"temperature":0`),
		recordedSecond: must.Chat(`,"seed":2,"temperature":0.5`),
		askedFirst:     must.Chat(`,"seed":2,"temperature":0.5`),
		askedSecond:    must.Chat(`,"seed":1,"temperature":1`),
	}, {
		name:           "agents, with another user",
		recordedFirst:  must.Chat(`,"user":"a","metadata":{"agent":"x"}`),
		recordedSecond: must.Chat(`,"user":"b","metadata":{"agent":"y"}`),
		askedFirst:     must.Chat(`,"user":"c","metadata":{"agent":"y"}`),
		askedSecond:    must.Chat(`,"user":"c","metadata":{"agent":"x"}`),
	}, {
		name:           "spellings, with another prefix",
		recordedFirst:  chat("/v1", text),
		recordedSecond: chat("/v1", list),
		askedFirst:     chat("/team/v1", list),
		askedSecond:    chat("/team/v1", text),
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := replay(t, must.RecordAnswers(t,
				[]string{`"first"`, `"second"`},
				[]must.Request{tt.recordedFirst, tt.recordedSecond}))
			if got := tt.askedFirst.Ask(t, r); got != `"second"` {
				t.Errorf("asked first: got %s", got)
			}
			if got := tt.askedSecond.Ask(t, r); got != `"first"` {
				t.Errorf("asked second: got %s", got)
			}
			must.Close(t, r)
		})
	}
}

// A value that no recording has does not lead to a recording without such a value.
func TestUnrecordedValueDoesNotChoose(t *testing.T) {
	t.Parallel()
	r := replay(t, must.RecordAnswers(t,
		[]string{`"first"`, `"second"`},
		[]must.Request{must.Chat(`,"user":"a"`), must.Chat("")}))
	if got := must.Chat(`,"user":"b"`).Ask(t, r); got != `"first"` {
		t.Errorf("user b got %s", got)
	}
	if got := must.Chat("").Ask(t, r); got != `"second"` {
		t.Errorf("no user got %s", got)
	}
	must.Close(t, r)
}

// Each session or user of AgentCore gets its own answers; new random IDs get them in recorded order.
func TestEachSessionOfAgentCoreGetsItsOwnAnswer(t *testing.T) {
	t.Parallel()
	const host = "https://bedrock-agentcore.us-east-1.amazonaws.com"
	calls := map[string]must.Request{
		"agent": {
			URL:  host + "/runtimes/mine/invocations",
			Body: `{"prompt":"continue"}`,
		},
		"harness": {
			URL:  host + "/harnesses/invoke?harnessArn=a",
			Body: `{"messages":[{"role":"user","content":[{"text":"continue"}]}]}`,
		},
	}
	tests := []struct {
		name     string
		recorded [2]string // IDs
		asked    [2]string
		answers  [2]string
	}{{
		name:     "readable IDs",
		recorded: [2]string{"rome-session-000000000000000000000000001", "bonn-session-000000000000000000000000001"},
		asked:    [2]string{"bonn-session-000000000000000000000000001", "rome-session-000000000000000000000000001"},
		answers:  [2]string{`"two"`, `"one"`},
	}, {
		name:     "recorded UUIDs",
		recorded: [2]string{"9022bbce-7872-4001-991b-d872b93f257d", "1f2a3b4c-5d6e-4001-8a9b-0c1d2e3f4a5b"},
		asked:    [2]string{"1f2a3b4c-5d6e-4001-8a9b-0c1d2e3f4a5b", "9022bbce-7872-4001-991b-d872b93f257d"},
		answers:  [2]string{`"two"`, `"one"`},
	}, {
		name:     "recorded random IDs",
		recorded: [2]string{"Zk3vQ9pXw7RtLm2NcY8bHs5DZk3vQ9pXw7", "Qm8sT4vXy2PwKn6LbZ9cRj3FQm8sT4vXy2"},
		asked:    [2]string{"Qm8sT4vXy2PwKn6LbZ9cRj3FQm8sT4vXy2", "Zk3vQ9pXw7RtLm2NcY8bHs5DZk3vQ9pXw7"},
		answers:  [2]string{`"two"`, `"one"`},
	}, {
		name:     "new UUIDs",
		recorded: [2]string{"9022bbce-7872-4001-991b-d872b93f257d", "886e8f9c-3938-4bc9-97ab-1dc34af93226"},
		asked:    [2]string{"77aa8a11-90b4-4c9e-8a77-1d0a2b3c4d00", "3f2c8a11-90b4-4c9e-8a77-1d0a2b3c4d5e"},
		answers:  [2]string{`"one"`, `"two"`},
	}}
	for kind, call := range calls {
		for _, header := range []string{"Session-Id", "User-Id"} {
			with := func(id string) must.Request {
				req := call
				req.Headers = []string{"X-Amzn-Bedrock-AgentCore-Runtime-" + header, id}
				return req
			}
			for _, tt := range tests {
				t.Run(kind+"/"+header+"/"+tt.name, func(t *testing.T) {
					t.Parallel()
					file := must.RecordAnswers(t,
						[]string{`"one"`, `"two"`},
						[]must.Request{with(tt.recorded[0]), with(tt.recorded[1])})
					r := replay(t, file)
					for i, id := range tt.asked {
						if got := with(id).Ask(t, r); got != tt.answers[i] {
							t.Errorf("%s got %s, want %s", id, got, tt.answers[i])
						}
					}
					must.Close(t, r)
				})
			}
		}
	}
}
