package interop

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/internal/interaction"
)

// The tests of the agent in agent_test.go: all that it reaches is recorded once, and then
// there is nothing left to reach.

var agentChats = []struct {
	name   string
	chat   func(env) func(system, user string) conversation
	system string // the path of the system prompt in a report
}{
	{"openai-go", newOpenAIChat, "messages/0/content"},
	{"anthropic-sdk-go", newAnthropicChat, "system/0/text"},
}

// unplugged is a world in which everything that is called fails the test.
func unplugged(t *testing.T) world {
	return world{
		weather: noFunction[forecastQuery, forecast](t), flights: noFunction[route, []flight](t),
		charge: noFunction[payment, string](t), mail: noFunction[letter, string](t),
		guide: noFunction[string, []passage](t), recall: noFunction[string, string](t), remember: noFunction[trip, int](t),
	}
}

func noFunction[In, Out any](t *testing.T) func(context.Context, In) (Out, error) {
	return func(_ context.Context, in In) (out Out, err error) {
		t.Errorf("called with %+v, and all is unplugged", in)
		return out, errors.New("unplugged")
	}
}

func newWeatherServer(t *testing.T) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Promptecho-Provider", "stand-in")
		fmt.Fprintf(w, `{"city":%q,"celsius":16.5}`, r.URL.Query().Get("city"))
	}))
	t.Cleanup(s.Close)
	return s
}

// A booking is a trip that was recorded, and whose servers are gone.
type booking struct {
	file string
	base string // where the model was
	saw  []string
}

// bookTrip records a trip.
func bookTrip(t *testing.T, chat func(env) func(system, user string) conversation) booking {
	t.Helper()
	model, weather := fakeprovider.New(), newWeatherServer(t)
	defer model.Close()
	defer weather.Close()
	b := booking{file: filepath.Join(t.TempDir(), "trip.yaml"), base: model.URL}
	rec := openTrip(t, b, promptecho.ModeAll)
	e := env{client: rec.Client(), base: b.base}
	b.saw = runTrip(t, rec, realWorld(t, weather.URL, e), chat(e), nil)
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	return b
}

// copied returns the booking with a copy of its cassette.
func (b booking) copied(t *testing.T) booking {
	t.Helper()
	data, err := os.ReadFile(b.file)
	if err != nil {
		t.Fatal(err)
	}
	b.file = filepath.Join(t.TempDir(), "trip.yaml")
	if err := os.WriteFile(b.file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return b
}

func openTrip(t *testing.T, b booking, mode promptecho.Mode, opts ...promptecho.Option) *promptecho.Recorder {
	t.Helper()
	rec, err := promptecho.Open(b.file, append(opts, promptecho.InMode(mode))...)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// runTrip runs the agent and returns what it saw. change changes the agent, and may be nil.
func runTrip(t *testing.T, rec *promptecho.Recorder, w world, chat func(system, user string) conversation, change func(*agent)) []string {
	t.Helper()
	a := &agent{world: w.wrap(rec), now: rec.Now(), draws: rec.Rand("trips"), chat: chat}
	if change != nil {
		change(a)
	}
	var see notes
	if err := a.run(t.Context(), &see); err != nil {
		see.add("%v", err)
	}
	return see.lines
}

// TestAgent: an agent is recorded once, and then replayed a hundred times with nothing left
// to reach. It sees the same, byte for byte.
func TestAgent(t *testing.T) {
	t.Parallel()
	for _, tt := range agentChats {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := bookTrip(t, tt.chat)
			checkTrip(t, b)
			for i := range 100 {
				t.Run(fmt.Sprint(i), func(t *testing.T) {
					b := b
					if i%2 == 1 {
						b = b.copied(t) // a cassette has one recorder at a time
						t.Parallel()
					}
					rec := openTrip(t, b, promptecho.ModeNone)
					compare(t, b.saw, runTrip(t, rec, unplugged(t), tt.chat(env{client: rec.Client(), base: b.base}), nil))
					if err := rec.Close(); err != nil {
						t.Error(err)
					}
				})
			}
		})
	}
}

// checkTrip checks that the trip was what the tests are about.
func checkTrip(t *testing.T, b booking) {
	t.Helper()
	kinds := map[string]int{}
	for _, it := range loadTrip(t, b.file) {
		name := it.Kind + "/" + it.Boundary
		if it.Kind == "llm" {
			name = "llm"
		}
		kinds[strings.TrimSpace(name+" "+it.Request.Within)]++
		if it.Boundary == "charge_card" && !slices.Equal(it.Response.ErrorIs, []string{errDeclined.Error()}) {
			t.Errorf("the card was not declined: %s, %q", it.Response.Body, it.Response.ErrorIs)
		}
	}
	want := map[string]int{
		"llm": 4, "memory_read/profile": 1, "memory_write/trips": 1, "retrieval/guide": 1, "llm retrieval/guide": 1,
		"tool/get_weather": 1, "http/ tool/get_weather": 1, "tool/search_flights": 1, "tool/charge_card": 1, "tool/send_mail": 1,
	}
	if !maps.Equal(kinds, want) {
		t.Errorf("recorded %v, want %v", kinds, want)
	}
	saw := strings.Join(b.saw, "\n")
	for _, want := range []string{"Ann likes window seats.", "In Rome it rains most in November.", `get_weather gave {"city":"Rome","celsius":16.5}`, "the card was declined", "trip number 1"} {
		if !strings.Contains(saw, want) {
			t.Errorf("the agent did not see %s in\n%s", want, saw)
		}
	}
}

// TestAgentEdited: an edit of the agent fails its test, and the report says
// where the change is.
func TestAgentEdited(t *testing.T) {
	t.Parallel()
	for _, tt := range agentChats {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := bookTrip(t, tt.chat)
			for _, edit := range []struct {
				name   string
				change func(*agent)
				want   []string
			}{
				{"the prompt", func(a *agent) { a.manner = " and speak like a pirate" }, []string{
					"1 request has no recording", "the nearest recording differs in " + tt.system, "You book trips{+ and speak like a pirate+}. Today is",
				}},
				{"the argument of a tool", func(a *agent) { a.fee = 5 }, []string{
					"1 request has no recording", "the nearest recording differs in amount", "asked:  tool/charge_card", "recorded: 189", "incoming: 194",
				}},
				{"a tool that is not called", func(a *agent) { a.silent = true }, []string{
					"1 of 13 recordings not used", "tool/send_mail", "no request went to tool/send_mail",
				}},
			} {
				rec := openTrip(t, b, promptecho.ModeNone)
				runTrip(t, rec, unplugged(t), tt.chat(env{client: rec.Client(), base: b.base}), edit.change)
				err := rec.Close()
				for _, want := range edit.want {
					if err == nil || !strings.Contains(err.Error(), want) {
						t.Errorf("%s: %v\nwant: %s", edit.name, err, want)
					}
				}
			}
		})
	}
}

// TestAgentLive: with one tool live, the derived cassette differs from the recorded one in
// what that tool returns, and nowhere else.
func TestAgentLive(t *testing.T) {
	t.Parallel()
	for _, tt := range agentChats {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := bookTrip(t, tt.chat)
			before, err := os.ReadFile(b.file)
			if err != nil {
				t.Fatal(err)
			}
			w := unplugged(t)
			w.mail = func(_ context.Context, l letter) (string, error) { return "letter to " + l.To, nil }
			rec := openTrip(t, b, promptecho.ModeOnce, promptecho.Live("tool/send_mail"))
			compare(t, b.saw, runTrip(t, rec, w, tt.chat(env{client: rec.Client(), base: b.base}), nil))
			if err := rec.Close(); err != nil {
				t.Error(err)
			}
			if after, err := os.ReadFile(b.file); err != nil || string(after) != string(before) {
				t.Errorf("the recorded cassette has changed (%v)", err)
			}
			derived := b
			derived.file = strings.TrimSuffix(b.file, ".yaml") + ".derived.yaml"
			was, is := loadTrip(t, b.file), loadTrip(t, derived.file)
			if len(was) != len(is) {
				t.Fatalf("%d interactions, and %d in the derived cassette", len(was), len(is))
			}
			for i, it := range was {
				if it.Boundary == "send_mail" {
					if got := string(is[i].Response.Body); got != `"letter to ann@example.com"` {
						t.Errorf("the live tool's result is %s", got)
					}
					is[i].Response.Body = it.Response.Body
				}
				is[i].Recorded = it.Recorded // the live tool may be called on a later day
				if d := it.Difference(is[i]); d != "" {
					t.Errorf("interaction %d, %s/%s, differs in %s", i+1, it.Kind, it.Boundary, d)
				}
			}
			rec = openTrip(t, derived, promptecho.ModeNone) // it is a cassette like others
			compare(t, b.saw, runTrip(t, rec, unplugged(t), tt.chat(env{client: rec.Client(), base: b.base}), nil))
			if err := rec.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAgentLiveGoesOn: what a live tool says is new to the model, and in a mode that sends,
// the conversation goes on from there.
func TestAgentLiveGoesOn(t *testing.T) {
	t.Parallel()
	for _, tt := range agentChats {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := bookTrip(t, tt.chat)
			model := fakeprovider.New()
			defer model.Close()
			w := unplugged(t)
			w.weather = func(context.Context, forecastQuery) (forecast, error) { return forecast{"Rome", 31}, nil }
			w.remember = new(memory).remember // it has another summary to keep
			rec := openTrip(t, b, promptecho.ModeNewEpisodes, promptecho.Live("tool/get_weather"))
			saw := runTrip(t, rec, w, tt.chat(env{client: rec.Client(), base: model.URL}), nil)
			if err := rec.Close(); err != nil {
				t.Error(err)
			}
			if last := saw[len(saw)-1]; !strings.Contains(last, `get_weather gave {"city":"Rome","celsius":31}`) || model.Requests() != 3 {
				t.Errorf("%d requests, want those of the turns after the first, 3; the agent ended with %s", model.Requests(), last)
			}
			derived := b
			derived.file = strings.TrimSuffix(b.file, ".yaml") + ".derived.yaml"
			rec = openTrip(t, derived, promptecho.ModeNone)
			compare(t, saw, runTrip(t, rec, unplugged(t), tt.chat(env{client: rec.Client(), base: b.base}), nil))
			if err := rec.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func loadTrip(t *testing.T, file string) []*interaction.Interaction {
	t.Helper()
	f, err := cassette.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	return f.Interactions
}

// A committed cassette with all six kinds of interactions replays. Its model is the stand-in, and
// so is its weather server. It is recorded with recordAgain.
func TestAgentCommitted(t *testing.T) {
	t.Parallel()
	opts, w, at := committed(t), unplugged(t), "http://weather"
	if rerecording {
		server := newWeatherServer(t)
		opts, at = append(opts, promptecho.Alias(server.URL, "weather")), server.URL
	}
	rec := echotest.New(t, opts...)
	e := env{client: rec.Client(), base: "https://api.openai.com"}
	if rerecording {
		w = realWorld(t, at, e)
	}
	saw := runTrip(t, rec, w, newOpenAIChat(e), nil)
	if last := saw[len(saw)-1]; !strings.Contains(last, "Done after 4 tool calls") {
		t.Errorf("the agent ended with %s", last)
	}
}
