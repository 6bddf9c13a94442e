package concurrency_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Agents that send equal requests each stay in the conversation that their first answer began.
//
// The requests differ in nothing but the IDs that earlier answers issued. The agents take their
// turns in any order, one at a time. Half of the replays write all requests in another way than when
// they were recorded.
func TestEachAgentStaysInItsConversation(t *testing.T) {
	t.Parallel()
	for n := range full.Cases(5*len(apis), 1000) {
		api := apis[n%len(apis)]
		t.Run(fmt.Sprint(api.name, " ", n/len(apis)), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(33, uint64(n)))
			model := &conversationModel{
				api:     api,
				shape:   idShapes[n%len(idShapes)],
				streams: random.IntN(2) == 0,
				cut:     1 + random.IntN(12),
				issued:  map[string]int{},
			}
			agents, turns := 2+random.IntN(6), 1+random.IntN(4)
			file := filepath.Join(t.TempDir(), "c.yaml")
			run := func(space string, mode promptecho.Mode) {
				rec := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(model))
				var talking []*agent
				for range agents {
					talking = append(talking, &agent{model: model, space: space})
				}
				for len(talking) > 0 {
					i := random.IntN(len(talking))
					if !talking[i].takeTurn(t, rec) {
						return
					}
					if len(talking[i].ids) == turns {
						talking = slices.Delete(talking, i, i+1)
					}
				}
				must.Close(t, rec)
			}
			run("", promptecho.ModeAll)
			for i := range 5 {
				run(spaceOfReplay(i), promptecho.ModeNone)
				if t.Failed() {
					return
				}
			}
		})
	}
}

// spaceOfReplay returns what the requests of a replay have in their bodies: every other one a space.
func spaceOfReplay(i int) string {
	if i%2 == 0 {
		return ""
	}
	return " "
}

// An agent talks to a model. Its requests differ from those of other agents in its IDs alone.
type agent struct {
	model        *conversationModel
	space        string   // in the body of each request, so that it is not the recorded one byte for byte
	ids          []string // that its answers issued
	conversation int      // that its first answer began
}

// takeTurn sends the next request. It reports whether the answer is the next one of the agent's
// conversation, and fails the test if not.
func (a *agent) takeTurn(t *testing.T, rec *promptecho.Recorder) bool {
	t.Helper()
	got := a.model.api.request(a.ids, a.space).Ask(t, rec)
	conversation, turn, ok := parseSaying(got)
	if !ok {
		t.Errorf("turn %d: got %s", len(a.ids), got)
		return false
	}
	if len(a.ids) == 0 {
		a.conversation = conversation
	}
	if conversation != a.conversation || turn != len(a.ids) {
		t.Errorf("turn %d of conversation %d, with the IDs %q, got the answer of turn %d of conversation %d",
			len(a.ids), a.conversation, a.ids, turn, conversation)
		return false
	}
	a.ids = append(a.ids, a.model.id(conversation, turn))
	return true
}

// A conversationModel is a provider that holds many conversations at once. Each of its answers says
// to which one it belongs, and issues an ID.
type conversationModel struct {
	api     *api
	shape   func(n int) string // of IDs
	streams bool               // it streams its answers if the API can
	cut     int                // where it cuts the IDs that come in two pieces

	mu     sync.Mutex
	turns  []int          // of each conversation, how many answers it got
	issued map[string]int // the conversation of each ID
}

// id returns the ID that a turn of a conversation issues.
func (m *conversationModel) id(conversation, turn int) string {
	return m.shape(100000 + 100*turn + conversation)
}

var saying = regexp.MustCompile(`conversation-\d+-turn-\d+-`)

// parseSaying finds in an answer to what it belongs.
func parseSaying(answer string) (conversation, turn int, ok bool) {
	n, _ := fmt.Sscanf(saying.FindString(answer), "conversation-%d-turn-%d-", &conversation, &turn)
	return conversation, turn, n == 2
}

// RoundTrip answers the next turn of the conversation whose IDs the request has. A request without
// IDs begins one.
func (m *conversationModel) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	conversation := m.conversationOf(req, string(body))
	turn := m.turns[conversation]
	m.turns[conversation]++
	id := m.id(conversation, turn)
	m.issued[id] = conversation

	say := fmt.Sprintf("conversation-%d-turn-%d-", conversation, turn)
	cut := min(m.cut, len(id)-1)
	answer, mediaType := fill(m.api.answer, id, cut, say), "application/json"
	if m.streams && m.api.events != nil {
		answer, mediaType = m.api.stream(id, cut, say), "text/event-stream"
	}
	resp, err := provider.Says(answer).RoundTrip(req)
	resp.Header.Set("Content-Type", mediaType)
	if m.api.header != "" && turn == 0 {
		resp.Header.Set(m.api.header, id)
	}
	return resp, err
}

// conversationOf returns the conversation of a request, which may be a new one.
func (m *conversationModel) conversationOf(req *http.Request, body string) int {
	for id, conversation := range m.issued {
		if m.api.hasID(req, body, id) {
			return conversation
		}
	}
	m.turns = append(m.turns, 0)
	return len(m.turns) - 1
}

// Concurrent agents that send equal requests each stay in the conversation that their first answer began.
func TestEachConcurrentAgentStaysInItsConversation(t *testing.T) {
	t.Parallel()
	counts := []int{8}
	if full.Set() {
		counts = append(counts, 64)
	}
	for _, api := range apis {
		for _, agents := range counts {
			t.Run(fmt.Sprintf("%s, %d agents", api.name, agents), func(t *testing.T) {
				t.Parallel()
				checkConcurrentAgents(t, api, agents, false)
			})
			if api.events == nil {
				continue
			}
			t.Run(fmt.Sprintf("%s, %d agents, streams", api.name, agents), func(t *testing.T) {
				t.Parallel()
				checkConcurrentAgents(t, api, agents, true)
			})
		}
	}
}

func checkConcurrentAgents(t *testing.T, api *api, agents int, streams bool) {
	t.Helper()
	model := &conversationModel{
		api:     api,
		shape:   idShapes[1],
		streams: streams,
		cut:     9,
		issued:  map[string]int{},
	}
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(space string, mode promptecho.Mode) {
		rec := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(model))
		var all sync.WaitGroup
		for range agents {
			all.Go(func() {
				agent := &agent{model: model, space: space}
				for range 3 {
					if !agent.takeTurn(t, rec) {
						return
					}
				}
			})
		}
		all.Wait()
		must.Close(t, rec)
	}
	run("", promptecho.ModeAll)
	for i := range full.Cases(4, 800/agents) {
		run(spaceOfReplay(i), promptecho.ModeNone)
		if t.Failed() {
			return
		}
	}
}

// Concurrent calls of a recorded function each stay in the conversation whose ID they pass.
func TestEachCallOfAFunctionStaysInItsConversation(t *testing.T) {
	t.Parallel()
	type thread struct{ ID, Says string }
	file := filepath.Join(t.TempDir(), "c.yaml")
	var mu sync.Mutex
	begun := 0
	run := func(mode promptecho.Mode) {
		rec := must.Open(t, file, promptecho.InMode(mode))
		next := promptecho.Wrap(rec, "tool/next", func(_ context.Context, last thread) (thread, error) {
			mu.Lock()
			defer mu.Unlock()
			if last.ID == "" {
				begun++
				last.ID = idShapes[2](begun)
			}
			return thread{ID: last.ID, Says: "turn of " + last.ID}, nil
		})
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				first, err := next(t.Context(), thread{})
				if err != nil {
					t.Error(err)
				}
				for range 2 {
					got, err := next(t.Context(), thread{ID: first.ID})
					if err != nil || got != first {
						t.Errorf("%v and then %v, %v", first, got, err)
					}
				}
			})
		}
		all.Wait()
		must.Close(t, rec)
	}
	run(promptecho.ModeAll)
	for range full.Cases(5, 50) {
		run(promptecho.ModeNone)
	}
}
