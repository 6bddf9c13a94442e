package concurrency_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A talk is a conversation of one agent. Its turns differ from those of other agents in
// nothing but the ids that the answers before them gave out.
type talk struct {
	wire  *wire
	blank string   // put into the request, so that it is not recorded byte for byte
	ids   []string // given out so far, by the turns
	calls int      // of a JSON-RPC client
}

// A wire is how a provider gives out ids and takes them back.
type wire struct {
	name string
	ask  func(t *talk) must.Request
	// answer has the id, and a text that says whose answer it is.
	answer func(id, text string) string
	// stream is an answer whose id comes in two pieces where the API does that; nil if the
	// wire has no streams.
	stream func(id, text string, cut int) string
	header string // an answer has the id in this header; "" if it has it in the body
}

func list[T any](items []T, write func(T) string) string {
	var all []string
	for _, item := range items {
		all = append(all, write(item))
	}
	return strings.Join(all, ",")
}

func quote(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

func events(payloads ...string) string {
	return "data: " + strings.Join(payloads, "\n\ndata: ") + "\n\n"
}

var wires = []*wire{{
	name: "openai.chat",
	ask: func(t *talk) must.Request {
		return must.Request{URL: must.ChatURL, Body: `{"model":"m","messages":[{"role":"user","content":"hi"}` + comma(list(t.ids, func(id string) string {
			return `{"role":"assistant","tool_calls":[{"id":` + quote(id) + `,"type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":` + quote(id) + `,"content":"x"}`
		})) + `]}`}
	},
	answer: func(id, text string) string {
		return `{"object":"chat.completion","choices":[{"message":{"content":"` + text + `","tool_calls":[{"id":` + quote(id) + `,"type":"function","function":{"name":"f","arguments":"{}"}}]}}]}`
	},
	stream: func(id, text string, _ int) string {
		return events(`{"object":"chat.completion.chunk","choices":[{"delta":{"content":"`+text+`"}}]}`, `{"object":"chat.completion.chunk","choices":[{"delta":{"tool_calls":[{"index":0,"id":`+quote(id)+`,"function":{"name":"f","arguments":""}}]}}]}`, "[DONE]")
	},
}, {
	name: "anthropic.messages", // a signature is what comes back in pieces
	ask: func(t *talk) must.Request {
		return must.Request{URL: "https://api.anthropic.com/v1/messages", Body: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}` + comma(list(t.ids, func(id string) string {
			return `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":` + quote(id) + `},{"type":"tool_use","id":"toolu_1","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"x"}]}`
		})) + `]}`}
	},
	answer: func(id, text string) string {
		return `{"type":"message","content":[{"type":"thinking","thinking":"hm","signature":` + quote(id) + `},{"type":"text","text":"` + text + `"}]}`
	},
	stream: func(id, text string, cut int) string {
		return events(`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":`+quote(id[:cut])+`}}`, `{"type":"ping"}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":`+quote(id[cut:])+`}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"`+text+`"}}`, `{"type":"message_stop"}`)
	},
}, {
	name: "anthropic.messages, tools",
	ask: func(t *talk) must.Request {
		return must.Request{URL: "https://api.anthropic.com/v1/messages", Body: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}` + comma(list(t.ids, func(id string) string {
			return `{"role":"assistant","content":[{"type":"tool_use","id":` + quote(id) + `,"name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":` + quote(id) + `,"content":"x"}]}`
		})) + `]}`}
	},
	answer: func(id, text string) string {
		return `{"type":"message","content":[{"type":"tool_use","id":` + quote(id) + `,"name":"f","input":{}},{"type":"text","text":"` + text + `"}]}`
	},
}, {
	name: "openai.responses, items",
	ask: func(t *talk) must.Request {
		return must.Request{URL: "https://api.openai.com/v1/responses", Body: `{"model":"m","input":[{"role":"user","content":"hi"}` + comma(list(t.ids, func(id string) string {
			return `{"type":"function_call","id":` + quote(id) + `,"call_id":` + quote("call"+id) + `,"name":"f","arguments":"{}"},{"type":"function_call_output","call_id":` + quote("call"+id) + `,"output":"x"}`
		})) + `]}`}
	},
	answer: func(id, text string) string {
		return `{"object":"response","output":[{"type":"function_call","id":` + quote(id) + `,"call_id":` + quote("call"+id) + `,"name":"f","arguments":"{}"},{"type":"message","content":[{"type":"output_text","text":"` + text + `"}]}]}`
	},
	stream: func(id, text string, _ int) string {
		return events(`{"type":"response.output_item.done","item":{"type":"function_call","id":`+quote(id)+`,"call_id":`+quote("call"+id)+`,"name":"f","arguments":"{}"}}`, `{"type":"response.output_text.delta","delta":"`+text+`"}`)
	},
}, {
	name: "openai.responses, previous_response_id",
	ask: func(t *talk) must.Request {
		body := `{"model":"m","input":"hi"`
		if n := len(t.ids); n > 0 {
			body += `,"previous_response_id":` + quote(t.ids[n-1])
		}
		return must.Request{URL: "https://api.openai.com/v1/responses", Body: body + `}`}
	},
	answer: func(id, text string) string {
		return `{"object":"response","id":` + quote(id) + `,"output":[{"type":"message","content":[{"type":"output_text","text":"` + text + `"}]}]}`
	},
}, {
	name: "gemini",
	ask: func(t *talk) must.Request {
		return must.Request{URL: "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:generateContent", Body: `{"contents":[{"role":"user","parts":[{"text":"hi"}]}` + comma(list(t.ids, func(id string) string {
			return `{"role":"model","parts":[{"functionCall":{"id":` + quote(id) + `,"name":"f","args":{}},"thoughtSignature":` + quote("sig0"+id) + `}]},{"role":"user","parts":[{"functionResponse":{"id":` + quote(id) + `,"name":"f","response":{"x":"y"}}}]}`
		})) + `]}`}
	},
	answer: func(id, text string) string {
		return `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":` + quote(id) + `,"name":"f","args":{}},"thoughtSignature":` + quote("sig0"+id) + `},{"text":"` + text + `"}]}}]}`
	},
}, {
	name: "bedrock",
	ask: func(t *talk) must.Request {
		return must.Request{URL: "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse", Body: `{"messages":[{"role":"user","content":[{"text":"hi"}]}` + comma(list(t.ids, func(id string) string {
			return `{"role":"assistant","content":[{"toolUse":{"toolUseId":` + quote(id) + `,"name":"f","input":{}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":` + quote(id) + `,"content":[{"text":"x"}]}}]}`
		})) + `]}`}
	},
	answer: func(id, text string) string {
		return `{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":` + quote(id) + `,"name":"f","input":{}}},{"text":"` + text + `"}]}}}`
	},
}, {
	name: "MCP session",
	ask: func(t *talk) must.Request {
		t.calls++
		a := must.RPC("https://mcp.example/mcp", fmt.Sprintf(`"id":%d,"method":"tools/call","params":{"name":"next"}`, t.calls))
		if len(t.ids) > 0 {
			a.Headers = []string{"Mcp-Session-Id", t.ids[0]}
		}
		return a
	},
	answer: func(id, text string) string { return `{"jsonrpc":"2.0","id":1,"result":"` + text + `"}` },
	stream: func(id, text string, _ int) string { return events(`{"jsonrpc":"2.0","id":1,"result":"` + text + `"}`) },
	header: "Mcp-Session-Id",
}, {
	name: "a server that nobody knows",
	ask: func(t *talk) must.Request {
		return must.Request{URL: "https://api.example/threads/" + strings.Join(t.ids, ",") + "/runs", Body: `{"next":true}`}
	},
	answer: func(id, text string) string { return `{"thread":` + quote(id) + `,"says":"` + text + `"}` },
}}

func comma(s string) string {
	if s == "" {
		return ""
	}
	return "," + s
}

// idShapes make ids as providers do, a new one for each number.
var idShapes = []func(n int) string{
	func(n int) string { return fmt.Sprintf("call_%04d", n) },
	func(n int) string { return fmt.Sprintf("call_iqVbYc%dTYcaOvFmvw", n) },
	func(n int) string { return fmt.Sprintf("toolu_01A09q90qw90lq%06d", n) },
	func(n int) string { return fmt.Sprintf("%08x-7f3e-4cc1-a5d2-3b1f0e8d9c7a", n) },
	func(n int) string { return fmt.Sprintf("01J9ZQ4T8M6X2V5N7K3B%06d", n) },
	func(n int) string { return fmt.Sprintf("%032x", 1<<40+n) },
	func(n int) string { return fmt.Sprintf("12345678901%08d", n) },
	func(n int) string { return fmt.Sprintf("EqoBCkg+IAR/%06dYz9P0==", n) },
	func(n int) string {
		return "AbCdEfGhIjKlMn" + strings.Map(func(r rune) rune { return r + 'a' - '0' }, fmt.Sprintf("%06d", n))
	},
	func(n int) string { return fmt.Sprintf("projects/p/sessions/s%x", n) },
	func(n int) string { return fmt.Sprintf("msg_%d", n) },
	func(n int) string { return fmt.Sprintf("c%d", n) },
}

// A minting is a provider for many talks at once. Its answers say whose they are.
type minting struct {
	shape  func(n int) string
	stream bool
	first  int // the number of the first id
	cut    int

	mu    sync.Mutex
	turns []int          // of each talk, how many answers it got
	of    map[string]int // the talk that got an id
}

// id returns the id that a talk gets in a turn.
func (m *minting) id(talk, turn int) string { return m.shape(m.first + 100*turn + talk) }

// whose says which talk and turn an answer is of.
var whose = regexp.MustCompile(`talk-(\d+)-(\d+)-`)

// turn lets an agent ask once more. It reports the talk whose answer it got.
func (m *minting) turn(t testing.TB, r *promptecho.Recorder, agent *talk) (of int) {
	asked := agent.wire.ask(agent)
	asked.Body = "{" + agent.blank + asked.Body[1:]
	got := asked.Ask(t, r)
	found := whose.FindStringSubmatch(got)
	if found == nil {
		t.Errorf("%s: got %s", agent.wire.name, got)
		return -1
	}
	var turn int
	fmt.Sscan(found[1], &of)
	fmt.Sscan(found[2], &turn)
	if turn != len(agent.ids) {
		t.Errorf("%s: the answer of turn %d came in turn %d", agent.wire.name, turn, len(agent.ids))
	}
	agent.ids = append(agent.ids, m.id(of, turn))
	return of
}

// upstream answers the talks of a wire. A talk is known by the ids that it sends back; who
// sends none is new.
func (m *minting) upstream(w *wire) http.RoundTripper {
	return provider.Func(func(req *http.Request) (*http.Response, error) {
		body := new(strings.Builder)
		if _, err := io.Copy(body, req.Body); err != nil {
			return nil, err
		}
		sent := strings.ReplaceAll(req.URL.Path, ",", `"`) + `"` + req.Header.Get(w.header) + `"` + body.String()
		m.mu.Lock()
		defer m.mu.Unlock()
		talk := -1
		for id, of := range m.of {
			if strings.Contains(sent, `"`+id+`"`) || strings.Contains(sent, "/threads/"+id+`"`) || strings.Contains(sent, "/threads/"+id+"/") {
				talk = of
			}
		}
		if talk < 0 {
			talk = len(m.turns)
			m.turns = append(m.turns, 0)
		}
		id, text := m.id(talk, m.turns[talk]), fmt.Sprintf("talk-%d-%d-", talk, m.turns[talk])
		m.turns[talk]++
		m.of[id] = talk
		answer, media := w.answer(id, text), "application/json"
		if m.stream && w.stream != nil {
			answer, media = w.stream(id, text, min(m.cut, len(id)-1)), "text/event-stream"
		}
		resp, err := provider.Says(answer).RoundTrip(req)
		resp.Header.Set("Content-Type", media)
		if w.header != "" && m.turns[talk] == 1 {
			resp.Header.Set(w.header, id)
		}
		return resp, err
	})
}

// TestTalks: agents that ask the same get their answers in any order; from then on each stays
// in the conversation that its first answer began, also if all requests are written in another
// way than when they were recorded. What is asked here differs in nothing that
// matches, so the plain rule is: the ids that were given out say whose turn it is.
func TestTalks(t *testing.T) {
	t.Parallel()
	cassettes := full.Cases(5*len(wires), 1000)
	random := rand.New(rand.NewPCG(33, 1))
	dir := t.TempDir()
	for n := range cassettes {
		w := wires[n%len(wires)]
		m := &minting{shape: idShapes[n%len(idShapes)], stream: random.IntN(2) == 0, first: 100000, cut: 1 + random.IntN(12), of: map[string]int{}}
		agents, turns := 2+random.IntN(6), 1+random.IntN(4)
		file := filepath.Join(dir, fmt.Sprint(n, ".yaml"))
		run := func(blank string, mode promptecho.Mode, opts ...promptecho.Option) {
			r := must.Open(t, file, append(opts, promptecho.InMode(mode))...)
			var left, began []*talk
			for range agents {
				left = append(left, &talk{wire: w, blank: blank})
			}
			first := map[*talk]int{}
			for len(left) > 0 {
				i := random.IntN(len(left))
				agent := left[i]
				of := m.turn(t, r, agent)
				if len(agent.ids) == 1 {
					first[agent] = of
					began = append(began, agent)
				} else if of != first[agent] {
					t.Fatalf("%s, mode %s, %d agents, stream %v, ids %q: the agent of talk %d got an answer of talk %d", w.name, mode, agents, m.stream, agent.ids, first[agent], of)
				}
				if len(agent.ids) == turns {
					left = append(left[:i], left[i+1:]...)
				}
			}
			if len(began) != agents {
				t.Fatalf("%d agents began", len(began))
			}
			must.Close(t, r)
		}
		run("", promptecho.ModeAll, promptecho.Upstream(m.upstream(w)))
		for i := range 5 {
			run(" "[:i%2], promptecho.ModeNone)
		}
		if t.Failed() {
			return
		}
	}
}

// TestTalksAtOnce is that with goroutines.
func TestTalksAtOnce(t *testing.T) {
	t.Parallel()
	for _, w := range wires {
		for _, agents := range []int{8, 64} {
			if agents > 8 && !full.Set() {
				continue
			}
			for _, stream := range []bool{false, true} {
				if stream && w.stream == nil {
					continue
				}
				t.Run(fmt.Sprintf("%s/%d/stream=%v", w.name, agents, stream), func(t *testing.T) {
					t.Parallel()
					m := &minting{shape: idShapes[1], stream: stream, first: 100000, cut: 9, of: map[string]int{}}
					file := filepath.Join(t.TempDir(), "c.yaml")
					run := func(blank string, mode promptecho.Mode, opts ...promptecho.Option) {
						r := must.Open(t, file, append(opts, promptecho.InMode(mode))...)
						var all sync.WaitGroup
						for range agents {
							all.Go(func() {
								agent := &talk{wire: w, blank: blank}
								first := m.turn(t, r, agent)
								for range 2 {
									if of := m.turn(t, r, agent); of != first {
										t.Errorf("the agent of talk %d got an answer of talk %d", first, of)
									}
								}
							})
						}
						all.Wait()
						must.Close(t, r)
					}
					run("", promptecho.ModeAll, promptecho.Upstream(m.upstream(w)))
					for i := range full.Cases(4, 800/agents) {
						if run(" "[:i%2], promptecho.ModeNone); t.Failed() {
							return
						}
					}
				})
			}
		}
	}
}

// TestTalksOfFunctions: so do functions, whose arguments hold what they returned.
func TestTalksOfFunctions(t *testing.T) {
	t.Parallel()
	type thread struct{ ID, Says string }
	file := filepath.Join(t.TempDir(), "c.yaml")
	var mu sync.Mutex
	made := 0
	run := func(mode promptecho.Mode) {
		r := must.Open(t, file, promptecho.InMode(mode))
		next := promptecho.Wrap(r, "tool/next", func(_ context.Context, last thread) (thread, error) {
			mu.Lock()
			defer mu.Unlock()
			if last.ID == "" {
				made++
				last.ID = idShapes[2](made)
			}
			return thread{last.ID, "turn of " + last.ID}, nil
		})
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				first, err := next(t.Context(), thread{})
				if err != nil {
					t.Error(err)
				}
				for range 2 {
					if got, err := next(t.Context(), thread{ID: first.ID}); err != nil || got != first {
						t.Errorf("%v and then %v, %v", first, got, err)
					}
				}
			})
		}
		all.Wait()
		must.Close(t, r)
	}
	run(promptecho.ModeAll)
	for range full.Cases(5, 50) {
		run(promptecho.ModeNone)
	}
}
