package echofake

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/internal/redact"
)

// A Provider is a fake of all providers, which answers from a script. It has the
// methods of a [promptecho.Recorder] that clients need. [New] makes one; the
// zero Provider cannot be used. All methods may be called concurrently.
type Provider struct {
	t       testing.TB
	script  script
	state   fakeprovider.State
	sockets fakeprovider.Sockets
	mcp     fakeprovider.MCP
	mux     *http.ServeMux  // the handlers of Handle
	ctx     context.Context // ends with the test
	cancel  context.CancelFunc
	redact  redact.Policy

	mu         sync.Mutex
	requests   []*promptecho.Request
	hasHandler bool
	failures   map[failure]int // how often the test failed for each reason
}

// New returns a provider for a test or benchmark. A request takes the first
// unused turn of the script whose conditions it meets. If the script is not
// valid, New ends the test with t.Fatal.
//
// The test fails at once if a request has no turn. It is answered with status
// 418 and "x-should-retry: false", which no SDK retries, and the report has the
// line of the program. So it does if the provider would refuse the request: then
// the program gets the provider's status 400, and no turn is used. At the end,
// the test fails if turns are left, unless it has failed or was skipped.
//
// Nothing but the script and the requests decides an answer: IDs, times and
// numbers of tokens are the same in each run.
func New(t testing.TB, script ...Step) *Provider {
	t.Helper()
	p := &Provider{t: t, mux: http.NewServeMux()}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.state.NeedsNoKey = true // a recording needs none, either
	p.Add(script...)
	t.Cleanup(func() {
		t.Helper()
		p.finish()
	})
	return p
}

// Add appends turns to the script.
func (p *Provider) Add(script ...Step) {
	p.t.Helper()
	for _, step := range script {
		turns := step.turns()
		for _, turn := range turns {
			if turn.invalid != "" && !turn.unchecked {
				p.t.Fatalf("echofake: %s: %s: %s", turn.line, turn.words, turn.invalid)
			}
		}
		p.script.add(turns)
	}
}

// Handle lets a handler answer the requests of a pattern of [http.ServeMux], as
// it is, such as "GET /v1/models". They take no turns and are not in
// [Provider.Requests].
func (p *Provider) Handle(pattern string, h http.Handler) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mux.Handle(pattern, h)
	p.hasHandler = true
}

// HandleTool adds a tool to an MCP server, which answers requests whose path ends
// with /mcp. The function gets the arguments, a JSON object. Its result becomes
// the text of the result. One that is a JSON object is structured content, too.
// An error becomes a result that says it is an error.
func (p *Provider) HandleTool(name string, f func(args json.RawMessage) (any, error)) {
	p.mcp.Add(name, fakeprovider.Tool{Call: func(args json.RawMessage) fakeprovider.ToolResult {
		return toolResult(f(args))
	}})
}

// toolResult returns the result of a tool as MCP has it.
func toolResult(v any, err error) fakeprovider.ToolResult {
	if err != nil {
		return fakeprovider.ToolResult{Text: err.Error(), IsError: true}
	}
	if text, ok := v.(string); ok {
		return fakeprovider.ToolResult{Text: text}
	}
	encoded, err := json.Marshal(v)
	if err != nil {
		return fakeprovider.ToolResult{Text: "echofake: " + err.Error(), IsError: true}
	}
	if !strings.HasPrefix(string(encoded), "{") { // structured content is an object
		return fakeprovider.ToolResult{Text: string(encoded)}
	}
	return fakeprovider.ToolResult{Structured: encoded}
}

// Client returns an [http.Client] whose requests the provider answers.
func (p *Provider) Client() *http.Client { return &http.Client{Transport: p} }

// Secret returns a dummy for the key in an environment variable, as
// [promptecho.Recorder.Secret] does in a replay.
func (p *Provider) Secret(env string) string { return "promptecho-fake-" + env }

// Online reports false: no request goes to a provider.
func (p *Provider) Online() bool { return false }

// Requests returns the requests so far, in the order in which they came.
// [promptecho.Recorder.Requests] has them for a recording.
func (p *Provider) Requests() []*promptecho.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]*promptecho.Request(nil), p.requests...)
}

// record adds a request and returns its number.
func (p *Provider) record(r *promptecho.Request) (number int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests = append(p.requests, r)
	return len(p.requests)
}

// errOver is the error of a request that comes after the end of the test, or that
// waits until then.
var errOver = errors.New("echofake: the test has ended: let the program end before the test does")

// fakeHeader is the header that says of a response that it is a fake. A recorder
// writes that into its cassette.
const fakeHeader = "X-Promptecho-Provider"

// A failure is why a request fails the test.
type failure string

const (
	hadNoTurn         failure = "requests without a turn"
	wasRefused        failure = "requests that the provider refuses"
	toUnknownEndpoint failure = "requests to unknown endpoints"
	didNotFit         failure = "turns that do not fit"
)

// mostReports is how often a test is told of one kind of failure: a program that
// asks on and on makes one mistake.
const mostReports = 3

// fail fails the test with a report.
func (p *Provider) fail(why failure, report string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failures == nil {
		p.failures = map[failure]int{}
	}
	p.failures[why]++
	if p.ctx.Err() != nil || p.failures[why] > mostReports {
		return
	}
	p.t.Errorf("echofake: %s", report)
}

// finish judges the script at the end of the test.
func (p *Provider) finish() {
	p.t.Helper()
	p.mu.Lock()
	requests := len(p.requests)
	failures := p.failures
	p.cancel() // under the lock, so that no other goroutine reports from here on
	p.mu.Unlock()
	p.sockets.Close()

	for _, why := range slices.Sorted(maps.Keys(failures)) {
		if more := failures[why] - mostReports; more > 0 {
			p.t.Errorf("echofake: %s of %s", english.Count(more, "more report"), why)
		}
	}
	if p.t.Failed() || p.t.Skipped() {
		return
	}
	if report := unused(p.script.all(), requests); report != "" {
		p.t.Errorf("echofake: %s", report)
	}
}
