package reports_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// After an edit, a miss names the edited fields and no others, and shows their two values.
//
// The test records programs that are made at random, edits the requests of each in one or two
// ways, replays them, and compares each statement of the report with what was done.
func TestMissNamesExactlyTheEditedFields(t *testing.T) {
	t.Parallel()
	for seed := range uint64(full.Cases(60, 1000)) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(seed, 44))
			recorded := newProgram(rnd)
			edited := recorded.clone()
			done, effects := editAtRandom(rnd, seed, edited)
			if len(effects) > 0 {
				t.Logf("edits: %s in %d of %d requests", strings.Join(done, ", "), len(effects), len(edited))
				replayEdited(t, recorded, edited, effects)
			}
		})
	}
}

// replayEdited records one program and replays the edited one. It compares what is reported with
// the effects of the edits.
func replayEdited(t *testing.T, recorded, edited program, effects map[*chatRequest]effect) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	match := promptecho.Match("header/x-tenant")
	answer := promptecho.Upstream(provider.Says(`{"choices":[{"message":{"role":"assistant","content":"yes"}}]}`))
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), match, answer)
	recorded.run(t, r)
	must.Pass(t, r)
	var lines []int
	for _, it := range must.Load(t, file).Interactions {
		lines = append(lines, it.Line)
	}

	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone), match)
	edited.run(t, r)
	text := strings.Join(must.Finish(r, report.Outcome{}).Errors, "\n")
	defer func() {
		if t.Failed() {
			t.Logf("the report:\n%s", text)
		}
	}()

	head := fmt.Sprintf("%d requests have no recording (mode none, ", len(effects))
	if len(effects) == 1 {
		head = "1 request has no recording (mode none, "
	}
	used := fmt.Sprintf("; %d of %d recordings used)", len(edited)-len(effects), len(recorded))
	firstLine, _, _ := strings.Cut(text, "\n")
	if !strings.HasPrefix(firstLine, head) || !strings.Contains(firstLine, used) {
		t.Errorf("the first line is %q, want %q and %q", firstLine, head, used)
	}

	misses := r.Misses()
	for _, req := range edited {
		effect, isEdited := effects[req]
		if !isEdited {
			continue
		}
		miss := misses[0]
		misses = misses[1:]
		if want := lines[req.index]; miss.Line != want {
			t.Errorf("the nearest recording is that of line %d, want %d", miss.Line, want)
			continue
		}
		checkMiss(t, miss, recorded[req.index], req, effect)
	}
}

// checkMiss compares a miss with the effect of the edits.
func checkMiss(t *testing.T, miss *promptecho.MissError, recorded, edited *chatRequest, effect effect) {
	t.Helper()
	prompt := edited.Messages[len(edited.Messages)-1].Content
	if miss.Model != edited.Model || !strings.Contains(miss.Asked, strings.Fields(prompt)[0]) {
		t.Errorf("asked: %s %s", miss.Model, miss.Asked)
	}
	checkReason(t, miss.Reason, effect)
	checkDiff(t, miss.Diff, recorded, edited, effect)

	saysUnset := strings.Contains(miss.Diff, "is an environment variable unset here?")
	isShort := len(recorded.Messages[0].Content) < 200 // of a long text only a part is shown
	if saysUnset != effect.unsetsVariable && isShort {
		t.Errorf("it says that a variable is unset: %t", saysUnset)
	}

	ignoresHeader := miss.Hint == `promptecho.Ignore("header/x-tenant")`
	isHeader := slices.Equal(effect.paths, []string{"header/x-tenant"})
	if miss.Hint != "" && !(ignoresHeader && isHeader) {
		t.Errorf("nothing in the request changes by itself: %s", miss.Hint)
	}
}

// checkReason compares the reason of a miss with the fields that were edited.
func checkReason(t *testing.T, reason string, effect effect) {
	t.Helper()
	if effect.reason != "" {
		if reason != effect.reason {
			t.Errorf("the reason: %s", reason)
		}
		return
	}
	if reason == "the nearest recording differs only in the order of messages" {
		if len(effect.paths) != 2 || !slices.Contains(effect.paths, "messages/3") {
			t.Errorf("the reason: %s", reason)
		}
		return
	}
	names, ok := strings.CutPrefix(reason, "the nearest recording differs in ")
	if !ok {
		t.Errorf("the reason: %s", reason)
		return
	}
	for name := range strings.SplitSeq(names, ", ") {
		isEdited := slices.ContainsFunc(effect.paths, func(path string) bool { return overlap(name, path) })
		isCount := strings.HasPrefix(name, "and ") // "and 3 more"
		if !isEdited && !isCount {
			t.Errorf("it says that %s differs; edited were %s", name, effect.paths)
		}
	}
}

// overlap reports whether of two fields one is the other or contains it. The numbers of messages
// and tools do not count, since another edit may have moved them.
func overlap(a, b string) bool {
	a, b = withoutNumbers(a), withoutNumbers(b)
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

// withoutNumbers replaces the numbers of a path.
func withoutNumbers(path string) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if _, err := strconv.Atoi(segment); err == nil {
			segments[i] = "N"
		}
	}
	return strings.Join(segments, "/")
}

// A program is the chat completions that a test requests, in order.
type program []*chatRequest

// A chatRequest is one request of a program.
type chatRequest struct {
	Model       string        `json:"model"`
	Messages    []chatMessage `json:"messages"`
	Tools       []chatTool    `json:"tools,omitempty"`
	Mood        string        `json:"mood,omitempty"` // a field that OpenAI's API does not have
	Temperature float64       `json:"temperature,omitempty"`
	tenant      string        // a header that is compared
	index       int           // of the request in the recorded program
}

type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type chatTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"function"`
}

// newProgram returns two to five requests, each in a conversation of its own.
func newProgram(rnd *rand.Rand) (p program) {
	system := "You are a guide for " + randomWords(rnd, 3+rnd.IntN(4)) + " in region eu-west-1."
	if rnd.IntN(4) == 0 {
		system = strings.Repeat(randomWords(rnd, 5)+".\n", 8) + system
	}
	var tools []chatTool
	for i := range rnd.IntN(3) {
		tools = append(tools, newTool(rnd, "tool"+strconv.Itoa(i)))
	}
	for i := range 2 + rnd.IntN(4) {
		req := &chatRequest{
			Model:       "gpt-4o",
			Messages:    []chatMessage{{"system", system}},
			Tools:       tools,
			Temperature: 0.5,
			tenant:      "acme",
			index:       i,
		}
		for range rnd.IntN(3) {
			question := chatMessage{"user", randomWords(rnd, 5)}
			answer := chatMessage{"assistant", randomWords(rnd, 5)}
			req.Messages = append(req.Messages, question, answer)
		}
		req.Messages = append(req.Messages, chatMessage{"user", "Tell me of " + randomWords(rnd, 5)})
		p = append(p, req)
	}
	return p
}

func newTool(rnd *rand.Rand, name string) (tool chatTool) {
	tool.Type = "function"
	tool.Function.Name = name
	tool.Function.Description = "Finds " + randomWords(rnd, 3)
	return tool
}

// randomWords returns n words with numbers.
func randomWords(rnd *rand.Rand, n int) string {
	words := strings.Fields("river mountain bridge lantern copper violin harbor meadow compass thunder " +
		"saddle orchard basket candle feather marble tunnel whistle pepper anchor " +
		"blanket cactus domino engine falcon garden hammer island jacket kettle")
	var list []string
	for range n {
		word := words[rnd.IntN(len(words))]
		list = append(list, word+strconv.Itoa(10+rnd.IntN(90)))
	}
	return strings.Join(list, " ")
}

// clone returns a copy of a program.
func (p program) clone() (copied program) {
	for _, req := range p {
		clone := *req
		clone.Messages = slices.Clone(req.Messages)
		clone.Tools = slices.Clone(req.Tools)
		copied = append(copied, &clone)
	}
	return copied
}

// run sends the requests of a program.
func (p program) run(t *testing.T, r *promptecho.Recorder) {
	t.Helper()
	for _, req := range p {
		body, err := json.Marshal(req)
		if err != nil {
			t.Fatal(err)
		}
		must.Post(t, r, must.ChatURL, string(body), "X-Tenant", req.tenant)
	}
}
