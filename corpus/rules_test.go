package corpus

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.invalid/corpus"

	"github.com/promptecho/promptecho/internal/fakeprovider"
)

// A beyond is a reason for which the fake provider cannot read a recorded
// request, though its provider accepted it. No rule refuses these.
type beyond struct {
	reason string
	is     func(r *corpus.Record, p *fakeprovider.Problem) bool
}

var beyonds = []beyond{
	{"the recording has no body", hasNoBody},
	{"Bedrock, not of a Claude with Messages", isInvoke},
	{"the model is in the path, or there is none", hasNoModel},
	{"embeddings of Ollama's own", isOllamaEmbedding},
}

func hasNoBody(r *corpus.Record, _ *fakeprovider.Problem) bool { return len(r.ReqBody) == 0 }

func isInvoke(r *corpus.Record, _ *fakeprovider.Problem) bool {
	return strings.Contains(r.URL, "/invoke")
}

func hasNoModel(_ *corpus.Record, p *fakeprovider.Problem) bool {
	return p.Message == "you must provide a model parameter"
}

func isOllamaEmbedding(r *corpus.Record, _ *fakeprovider.Problem) bool {
	return strings.HasSuffix(r.URL, "/api/embeddings")
}

// TestRulesTakeAcceptedRequests: the fake provider refuses no recorded request that its
// provider accepted.
func TestRulesTakeAcceptedRequests(t *testing.T) {
	checked, skipped := map[string]int{}, map[string]int{}
	states := map[string]*fakeprovider.State{}
	for _, r := range load(t) {
		accepted := r.Status >= 200 && r.Status < 300
		if !accepted || r.Method != http.MethodPost {
			continue
		}
		cassette, _, _ := strings.Cut(r.Source, "#")
		if states[cassette] == nil {
			states[cassette] = &fakeprovider.State{}
		}
		req := read(t, r, states[cassette])
		switch p := req.Problem; {
		case req.Endpoint() == "":
		case p == nil:
			checked[req.Endpoint()]++
		case p.Rule != "":
			t.Errorf("%s: refused by %q: %s", r.Source, p.Rule, p.Message)
		default:
			skipped[reasonFor(t, r, p)]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(checked)) {
		t.Logf("%-20s %3d requests", name, checked[name])
	}
	for _, reason := range slices.Sorted(maps.Keys(skipped)) {
		t.Logf("%s: %d", reason, skipped[reason])
	}
	if len(checked) < 8 {
		t.Errorf("requests of %d endpoints were checked, want 8 at least", len(checked))
	}
}

// read reads a recorded request as the fake provider does.
func read(t *testing.T, r *corpus.Record, state *fakeprovider.State) *fakeprovider.Request {
	t.Helper()
	req, err := r.NewRequest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer sk-test") // the corpus has no credentials
	return fakeprovider.Read(req, r.ReqBody, state)
}

// reasonFor returns why the fake provider cannot read a request.
func reasonFor(t *testing.T, r *corpus.Record, p *fakeprovider.Problem) string {
	t.Helper()
	for _, b := range beyonds {
		if b.is(r, p) {
			return b.reason
		}
	}
	t.Errorf("%s: refused without a rule: %s", r.Source, p.Message)
	return "other"
}
