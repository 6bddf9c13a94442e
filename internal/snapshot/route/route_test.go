package route_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/snapshot/route"
)

// routeOf returns the route of a recorder, all of whose calls one goroutine made.
func routeOf(t *testing.T, rec *promptecho.Recorder) *route.Route {
	t.Helper()
	made, under := (*recorder.Recorder)(rec).Tape().Made()
	if under > 0 {
		t.Errorf("%d answers are not there yet", under)
	}
	var asked []route.Call
	for _, m := range made {
		it, err := m.Load()
		if err != nil {
			t.Fatal(err)
		}
		asked = append(asked, route.Call{Interaction: it, FromTest: true})
	}
	return route.Of(asked)
}

// A family is how an agent speaks to a provider: the same conversation in its own words.
type family struct {
	name   string
	path   [2]string // whole and streamed
	body   string    // %s is the conversation
	stream string    // what the body of a streamed request has beside
	turns  func(calls [][2]string, results []string) string
}

const question = "get_weather(Paris) and get_weather(Rome), then book_table(19, 2)"

var families = []family{
	{
		name: "openai.chat", path: [2]string{"/v1/chat/completions", "/v1/chat/completions"},
		body:   `{"model":"m"STREAM,"tools":[{"type":"function","function":{"name":"get_weather","parameters":WEATHER}},{"type":"function","function":{"name":"book_table","parameters":TABLE}}],"messages":[{"role":"user","content":"QUESTION"}TURNS]}`,
		stream: `,"stream":true`,
		turns: func(calls [][2]string, results []string) string {
			var list, out []string
			for i, c := range calls {
				list = append(list, fmt.Sprintf(`{"id":"call_%s_%d","type":"function","function":{"name":%q,"arguments":%q}}`, c[0], i, c[0], c[1]))
				out = append(out, fmt.Sprintf(`{"role":"tool","tool_call_id":"call_%s_%d","content":%q}`, c[0], i, results[i]))
			}
			return `,{"role":"assistant","content":null,"tool_calls":[` + strings.Join(list, ",") + `]},` + strings.Join(out, ",")
		},
	},
	{
		name: "openai.responses", path: [2]string{"/v1/responses", "/v1/responses"},
		body:   `{"model":"m"STREAM,"tools":[{"type":"function","name":"get_weather","parameters":WEATHER},{"type":"function","name":"book_table","parameters":TABLE}],"input":[{"role":"user","content":"QUESTION"}TURNS]}`,
		stream: `,"stream":true`,
		turns: func(calls [][2]string, results []string) string {
			var b strings.Builder
			for i, c := range calls {
				fmt.Fprintf(&b, `,{"type":"function_call","call_id":"call_%s_%d","name":%q,"arguments":%q}`, c[0], i, c[0], c[1])
			}
			for i, c := range calls {
				fmt.Fprintf(&b, `,{"type":"function_call_output","call_id":"call_%s_%d","output":%q}`, c[0], i, results[i])
			}
			return b.String()
		},
	},
	{
		name: "anthropic.messages", path: [2]string{"/v1/messages", "/v1/messages"},
		body:   `{"model":"m","max_tokens":1000STREAM,"tools":[{"name":"get_weather","input_schema":WEATHER},{"name":"book_table","input_schema":TABLE}],"messages":[{"role":"user","content":"QUESTION"}TURNS]}`,
		stream: `,"stream":true`,
		turns: func(calls [][2]string, results []string) string {
			var list, out []string
			for i, c := range calls {
				list = append(list, fmt.Sprintf(`{"type":"tool_use","id":"toolu_%s_%d","name":%q,"input":%s}`, c[0], i, c[0], c[1]))
				out = append(out, fmt.Sprintf(`{"type":"tool_result","tool_use_id":"toolu_%s_%d","content":%q}`, c[0], i, results[i]))
			}
			return `,{"role":"assistant","content":[` + strings.Join(list, ",") + `]},{"role":"user","content":[` + strings.Join(out, ",") + `]}`
		},
	},
	{
		name: "gemini", path: [2]string{"/v1beta/models/m:generateContent", "/v1beta/models/m:streamGenerateContent?alt=sse"},
		body: `{"tools":[{"functionDeclarations":[{"name":"get_weather","parametersJsonSchema":WEATHER},{"name":"book_table","parametersJsonSchema":TABLE}]}],"contents":[{"role":"user","parts":[{"text":"QUESTION"}]}TURNS]}`,
		turns: func(calls [][2]string, results []string) string {
			var list, out []string
			for i, c := range calls {
				list = append(list, fmt.Sprintf(`{"functionCall":{"name":%q,"args":%s}}`, c[0], c[1]))
				out = append(out, fmt.Sprintf(`{"functionResponse":{"name":%q,"response":{"result":%q}}}`, c[0], results[i]))
			}
			return `,{"role":"model","parts":[` + strings.Join(list, ",") + `]},{"role":"user","parts":[` + strings.Join(out, ",") + `]}`
		},
	},
	{
		name: "bedrock.converse", path: [2]string{"/model/m/converse", "/model/m/converse-stream"},
		body: `{"toolConfig":{"tools":[{"toolSpec":{"name":"get_weather","inputSchema":{"json":WEATHER}}},{"toolSpec":{"name":"book_table","inputSchema":{"json":TABLE}}}]},"messages":[{"role":"user","content":[{"text":"QUESTION"}]}TURNS]}`,
		turns: func(calls [][2]string, results []string) string {
			var list, out []string
			for i, c := range calls {
				list = append(list, fmt.Sprintf(`{"toolUse":{"toolUseId":"t_%s_%d","name":%q,"input":%s}}`, c[0], i, c[0], c[1]))
				out = append(out, fmt.Sprintf(`{"toolResult":{"toolUseId":"t_%s_%d","content":[{"text":%q}]}}`, c[0], i, results[i]))
			}
			return `,{"role":"assistant","content":[` + strings.Join(list, ",") + `]},{"role":"user","content":[` + strings.Join(out, ",") + `]}`
		},
	},
}

// converse runs an agent of three turns, which knows beforehand what the stand-in calls.
func (f *family) converse(t *testing.T, client *http.Client, url string, streamed bool) {
	t.Helper()
	path, stream := f.path[0], ""
	if streamed {
		path, stream = f.path[1], f.stream
	}
	turns := ""
	for _, calls := range [][][2]string{{{"get_weather", `{"city":"Paris"}`}, {"get_weather", `{"city":"Rome"}`}}, {{"book_table", `{"hour":19,"guests":2}`}}, nil} {
		body := strings.NewReplacer("STREAM", stream, "TURNS", turns, "QUESTION", question,
			"WEATHER", `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`,
			"TABLE", `{"type":"object","properties":{"hour":{"type":"integer"},"guests":{"type":"integer"}},"required":["hour","guests"]}`).Replace(f.body)
		req, _ := http.NewRequestWithContext(t.Context(), "POST", url+path, strings.NewReader(body))
		req.Header.Set("Content-Type", "application/json")
		for _, header := range []string{"X-Goog-Api-Key", "X-Api-Key", "Authorization"} {
			req.Header.Set(header, "Bearer of-the-stand-in")
		}
		req.Header.Set("Anthropic-Version", "2023-06-01")
		if f.name == "bedrock.converse" {
			req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260131/us-east-1/bedrock/aws4_request, SignedHeaders=host, Signature=00")
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != 200 {
			t.Fatalf("%s: %s, %v: %s", f.name, resp.Status, err, text)
		}
		if calls != nil {
			turns += f.turns(calls, []string{"sunny", "rain"})
		}
	}
}

// TestFamilies: one conversation has one route, whoever the provider is, whether it is
// streamed, recorded or replayed.
func TestFamilies(t *testing.T) {
	t.Parallel()
	const want = `ask m: tool calls
  get_weather {"city":"Paris"}
  get_weather {"city":"Rome"}
ask m: tool calls
  book_table {"guests":2,"hour":19}
ask m: stop`
	for _, f := range families {
		for _, streamed := range []bool{false, true} {
			name := fmt.Sprintf("%s, streamed %v", f.name, streamed)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				p := fakeprovider.New()
				file := filepath.Join(t.TempDir(), "c.yaml")
				for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
					rec, err := promptecho.Open(file, promptecho.InMode(mode), promptecho.Alias(p.URL, "provider"))
					if err != nil {
						t.Fatal(err)
					}
					f.converse(t, rec.Client(), p.URL, streamed)
					if got := routeOf(t, rec).String(); got != want {
						t.Errorf("mode %s:\n%s\nwant\n%s", mode, got, want)
					}
					if err := rec.Close(); err != nil {
						t.Error(err)
					}
				}
				p.Close()
			})
		}
	}
}
