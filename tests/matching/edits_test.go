package matching_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testenv/shell"
	"github.com/promptecho/promptecho/internal/testenv/testname"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// An inquiry is a request of a program.
type inquiry struct {
	Model    string     `json:"model"`
	Messages []talkText `json:"messages"`
	Tools    []talkTool `json:"tools,omitempty"`
	Mood     string     `json:"mood,omitempty"`        // a field that no family knows
	Heat     float64    `json:"temperature,omitempty"` // one that does not match
	tenant   string     // a header that matches
	was      int        // which request of the recorded program it was, from 1; 0 if it is new
}

type talkText struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type talkTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"function"`
}

// Inquiries are what a test asks, in order.
type inquiries []*inquiry

func (p inquiries) clone() (q inquiries) {
	for _, c := range p {
		d := *c
		d.Messages, d.Tools = slices.Clone(c.Messages), slices.Clone(c.Tools)
		q = append(q, &d)
	}
	return q
}

// run asks all of it.
func (p inquiries) run(t *testing.T, r *promptecho.Recorder) {
	for _, c := range p {
		body, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		must.Post(t, r, "https://api.openai.com/v1/chat/completions", string(body), "X-Tenant", c.tenant)
	}
}

var editWords = strings.Fields("river mountain bridge lantern copper violin harbor meadow compass thunder saddle orchard basket candle feather marble tunnel whistle pepper anchor blanket cactus domino engine falcon garden hammer island jacket kettle")

// words returns some words.
func words(rnd *rand.Rand, n int) string {
	var list []string
	for range n {
		list = append(list, editWords[rnd.IntN(len(editWords))]+strconv.Itoa(rnd.IntN(90)+10))
	}
	return strings.Join(list, " ")
}

// newTalks returns one that asks two to five questions, each in a conversation of its own.
func newTalks(rnd *rand.Rand) (p inquiries) {
	system := "You are a guide for " + words(rnd, 3+rnd.IntN(4)) + " in region eu-west-1."
	if rnd.IntN(4) == 0 {
		system = strings.Repeat(words(rnd, 5)+".\n", 8) + system
	}
	var tools []talkTool
	for i := range rnd.IntN(3) {
		tools = append(tools, newTool(rnd, "tool"+strconv.Itoa(i)))
	}
	for n := range 2 + rnd.IntN(4) {
		c := &inquiry{Model: "gpt-4o", Tools: tools, Heat: 0.5, tenant: "acme", was: n + 1, Messages: []talkText{{"system", system}}}
		for range rnd.IntN(3) {
			c.Messages = append(c.Messages, talkText{"user", words(rnd, 5)}, talkText{"assistant", words(rnd, 5)})
		}
		c.Messages = append(c.Messages, talkText{"user", "Tell me of " + words(rnd, 5)})
		p = append(p, c)
	}
	return p
}

func newTool(rnd *rand.Rand, name string) (tool talkTool) {
	tool.Type, tool.Function.Name, tool.Function.Description = "function", name, "Finds "+words(rnd, 3)
	return tool
}

// A claim is what an edit makes true, and nothing else is.
type claim struct {
	paths  []string // the fields in which a request differs from what it was
	unset  bool     // a value of a text is gone, as when a variable is unset
	reason string   // what is said in place of the paths
	drift  bool     // a field that does not match differs, too
}

// edits are what is done to a request; the index is that of the message it may be done to.
var edits = []struct {
	name string
	do   func(rnd *rand.Rand, c *inquiry, i int) claim
}{
	{"a word changed", func(rnd *rand.Rand, c *inquiry, i int) claim {
		list := strings.Fields(c.Messages[i].Content)
		list[rnd.IntN(len(list))] = words(rnd, 1)
		c.Messages[i].Content = strings.Join(list, " ")
		return claim{paths: []string{fmt.Sprintf("messages/%d/content", i)}}
	}},
	{"a word added", func(rnd *rand.Rand, c *inquiry, i int) claim {
		c.Messages[i].Content += " " + words(rnd, 1)
		return claim{paths: []string{fmt.Sprintf("messages/%d/content", i)}}
	}},
	{"a variable unset", func(rnd *rand.Rand, c *inquiry, i int) claim {
		c.Messages[0].Content = strings.Replace(c.Messages[0].Content, "eu-west-1", "", 1)
		return claim{paths: []string{"messages/0/content"}, unset: true}
	}},
	{"a word less", func(rnd *rand.Rand, c *inquiry, i int) claim {
		c.Messages[0].Content = strings.Replace(c.Messages[0].Content, "a guide", "guide", 1)
		return claim{paths: []string{"messages/0/content"}}
	}},
	{"a date", func(rnd *rand.Rand, c *inquiry, i int) claim {
		c.Messages[i].Content += fmt.Sprintf(" on 2026-%02d-11", 1+rnd.IntN(12))
		return claim{paths: []string{fmt.Sprintf("messages/%d/content", i)}}
	}},
	{"a message added", func(rnd *rand.Rand, c *inquiry, i int) claim {
		c.Messages = slices.Insert(c.Messages, i+1, talkText{"user", words(rnd, 4)})
		return claim{paths: []string{fmt.Sprintf("messages/%d", i+1)}}
	}},
	{"a message removed", func(rnd *rand.Rand, c *inquiry, i int) claim {
		if len(c.Messages) < 3 {
			return claim{}
		}
		i = min(i, len(c.Messages)-2)
		c.Messages = slices.Delete(c.Messages, i, i+1)
		return claim{paths: []string{fmt.Sprintf("messages/%d", i)}}
	}},
	{"two messages changed places", func(rnd *rand.Rand, c *inquiry, i int) claim {
		if len(c.Messages) < 4 {
			return claim{}
		}
		c.Messages[1], c.Messages[3] = c.Messages[3], c.Messages[1]
		return claim{paths: []string{"messages/1", "messages/3"}}
	}},
	{"another role", func(rnd *rand.Rand, c *inquiry, i int) claim {
		c.Messages[len(c.Messages)-1].Role = "assistant"
		return claim{paths: []string{fmt.Sprintf("messages/%d/role", len(c.Messages)-1)}}
	}},
	{"another model", func(rnd *rand.Rand, c *inquiry, i int) claim {
		c.Model = "gpt-5"
		return claim{paths: []string{"model"}, reason: "recorded for another model, gpt-4o"}
	}},
	{"a tool added", func(rnd *rand.Rand, c *inquiry, i int) claim {
		at := rnd.IntN(len(c.Tools) + 1)
		c.Tools = slices.Insert(slices.Clone(c.Tools), at, newTool(rnd, "added"))
		return claim{paths: []string{fmt.Sprintf("tools/%d", at), "tools"}}
	}},
	{"a tool described otherwise", func(rnd *rand.Rand, c *inquiry, i int) claim {
		if len(c.Tools) == 0 {
			return claim{}
		}
		c.Tools = slices.Clone(c.Tools)
		c.Tools[0].Function.Description += " " + words(rnd, 1)
		return claim{paths: []string{"tools/0/function/description", "tools/0/description"}}
	}},
	{"another field", func(rnd *rand.Rand, c *inquiry, i int) claim {
		c.Mood = words(rnd, 1)
		return claim{paths: []string{"mood"}}
	}},
	{"another header", func(rnd *rand.Rand, c *inquiry, i int) claim {
		c.tenant = words(rnd, 1)
		return claim{paths: []string{"header/x-tenant"}}
	}},
	{"another temperature, and a word", func(rnd *rand.Rand, c *inquiry, i int) claim {
		c.Heat = 0.9
		c.Messages[i].Content += " " + words(rnd, 1)
		return claim{paths: []string{fmt.Sprintf("messages/%d/content", i)}, drift: true}
	}},
}

// TestEdits records programs, edits each in one or two ways, and holds every claim of the report to
// what was done.
func TestEdits(t *testing.T) {
	t.Parallel()
	for seed := range uint64(full.Cases(60, 1000)) {
		rnd := rand.New(rand.NewPCG(seed, 44))
		recorded := newTalks(rnd)
		asked, done, truth := recorded.clone(), "", map[*inquiry]claim{}
		all := rnd.IntN(3) == 0 // as when the set-up is edited that all requests share
		c := asked[rnd.IntN(len(asked))]
		at := rnd.IntN(len(c.Messages))
		for range 1 + rnd.IntN(5)/4 { // sometimes two
			e := edits[rnd.IntN(len(edits))]
			if strings.Contains(done, e.name) {
				continue // it might undo the first
			}
			done += e.name + ", "
			for _, d := range asked {
				if d != c && !all {
					continue
				}
				i := at
				if d != c || all {
					i = 0
				}
				i = min(i, len(d.Messages)-1)
				it := e.do(rand.New(rand.NewPCG(seed, uint64(len(done)))), d, i)
				was := truth[d]
				if it.paths == nil {
					continue
				}
				it.paths, it.unset, it.drift = append(was.paths, it.paths...), it.unset && was.paths == nil, it.drift || was.drift
				if was.paths != nil {
					it.reason = ""
				}
				truth[d] = it
			}
		}
		if len(truth) == 0 {
			continue
		}
		checkEdit(t, fmt.Sprintf("seed %d: %sin %d of %d", seed, done, len(truth), len(asked)), recorded, asked, truth)
	}
}

// checkEdit records one program, asks another, and compares what is said with what is true.
func checkEdit(t *testing.T, name string, recorded, asked inquiries, truth map[*inquiry]claim) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	match := promptecho.Match("header/x-tenant")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), match, promptecho.Upstream(provider.Says(`{"choices":[{"message":{"role":"assistant","content":"yes"}}]}`)))
	recorded.run(t, r)
	must.Pass(t, r)
	lines := []int{0}
	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone), match)
	for _, rec := range must.Engine(r).Tape().Recordings() {
		lines = append(lines, rec.Line())
	}
	asked.run(t, r)
	said := strings.Join(must.Finish(r, report.Outcome{}).Errors, "\n")
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s: %s\n%s", name, fmt.Sprintf(format, args...), said)
	}
	head := regexp.MustCompile(`^(\d+) requests? ha(?:s|ve) no recording \(mode none, .*; (\d+) of (\d+) recordings used\)`).FindStringSubmatch(said)
	if head == nil || head[1] != strconv.Itoa(len(truth)) || head[2] != strconv.Itoa(len(asked)-len(truth)) || head[3] != strconv.Itoa(len(recorded)) {
		fail("the head: %q", head)
	}
	misses := r.Misses()
	i := 0
	for _, c := range asked {
		claim, ok := truth[c]
		if !ok {
			continue
		}
		m := misses[i]
		i++
		was := recorded[c.was-1]
		if m.Line != lines[c.was] {
			fail("the nearest recording is that of line %d, and it was line %d", m.Line, lines[c.was])
			continue
		}
		if m.Model != c.Model || !strings.Contains(m.Asked, strings.Fields(c.Messages[len(c.Messages)-1].Content)[0]) {
			fail("asked: %s %s", m.Model, m.Asked)
		}
		checkReason(claim, m, fail)
		checkDiff(claim, m.Diff, was, c, fail)
		if strings.Contains(m.Diff, "is an environment variable unset here?") != claim.unset && len(was.Messages[0].Content) < 200 {
			fail("unset: %v", claim.unset)
		}
		if m.Hint != "" && !(m.Hint == `promptecho.Ignore("header/x-tenant")` && slices.Equal(claim.paths, []string{"header/x-tenant"})) {
			fail("this is no text that changes by itself: %s", m.Hint)
		}
	}
}

// checkReason holds the reason of a miss to the fields that were edited.
func checkReason(c claim, m *promptecho.MissError, fail func(string, ...any)) {
	if c.reason != "" {
		if m.Reason != c.reason {
			fail("the reason: %s", m.Reason)
		}
		return
	}
	names, ok := strings.CutPrefix(m.Reason, "the nearest recording differs in ")
	only, order := strings.CutPrefix(m.Reason, "the nearest recording differs only in the order of ")
	switch {
	case order && only == "messages" && slices.Contains(c.paths, "messages/3") && len(c.paths) == 2:
	case !ok:
		fail("the reason: %s", m.Reason)
	default:
		for name := range strings.SplitSeq(names, ", ") {
			if !slices.ContainsFunc(c.paths, func(p string) bool { return isOf(name, p) }) && !strings.HasPrefix(name, "and ") {
				fail("it does not differ in %s, but in %s", name, c.paths)
			}
		}
	}
}

// isOf reports whether a field that is named is an edited one, or in it, or has it; other edits may
// have moved it.
func isOf(name, path string) bool {
	digits := regexp.MustCompile(`\d+`)
	a, b := digits.ReplaceAllString(name, "N"), digits.ReplaceAllString(path, "N")
	return name == path || strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

// checkDiff holds each line of what differs to both requests.
func checkDiff(c claim, text string, was, is *inquiry, fail func(string, ...any)) {
	text, drift, _ := strings.Cut(text, "  also different, but ignored when matching:\n")
	if (drift != "") != c.drift || drift != "" && !(strings.Contains(drift, "temperature\n      recorded: 0.5\n      incoming: 0.9\n")) {
		fail("ignored when matching: %q", drift)
	}
	blocks := regexp.MustCompile(`(?m)^  (\S.*)\n((?:    .*\n)*)`).FindAllStringSubmatch(text, -1)
	for _, b := range blocks {
		head, rows := b[1], b[2]
		if strings.HasPrefix(head, "the incoming text lacks a value") || strings.HasPrefix(head, "and ") {
			continue
		}
		path, note, _ := strings.Cut(head, ": ")
		path, from, other := strings.Cut(path, " (")
		if from = strings.TrimSuffix(from, " in the recording)"); !other || from == "" {
			from = path
		} else if rest := strings.TrimPrefix(path, from[:strings.LastIndexByte(from, '/')+1]); strings.Contains(rest, "/") {
			from += rest[strings.IndexByte(rest, '/'):]
		}
		if whence, ok := strings.CutPrefix(note, "moved here from "); ok {
			if a, b := field(was, whence), field(is, path); a == "" || a != b || whence == path {
				fail("%s was not moved there from %s", path, whence)
			}
			continue
		}
		recorded, incoming := field(was, from), field(is, path)
		row := func(label string) (string, bool) {
			m := regexp.MustCompile(`(?m)^    ` + label + `: +(.*)$`).FindStringSubmatch(rows)
			if m == nil {
				return "", false
			}
			if s, err := strconv.Unquote(m[1]); err == nil {
				return s, true
			}
			return m[1], true
		}
		switch {
		case note == "only in the incoming request":
			if incoming == "" || incoming == recorded || !holdsValue(rows, incoming) {
				fail("%s is not only in the incoming request, or not %q", path, incoming)
			}
		case note == "only in the recording":
			if recorded = field(was, path); recorded == "" || !holdsValue(rows, recorded) || recorded == incoming {
				fail("%s is not only in the recording, or not %q", path, recorded)
			}
		default:
			a, ok := row("recorded")
			b, ok2 := row("incoming")
			if ok && ok2 && (!near(a, recorded) || !near(b, incoming)) {
				fail("%s is %q and was %q", path, incoming, recorded)
			}
			if recorded == incoming {
				fail("%s does not differ", path)
			}
		}
		for _, m := range regexp.MustCompile(`\[-(.*?)-\]|\{\+(.*?)\+\}`).FindAllStringSubmatch(rows, -1) {
			if !near(m[1], recorded) || !near(m[2], incoming) {
				fail("%s: the change %s", path, m[0])
			}
		}
	}
	if len(blocks) == 0 {
		fail("nothing differs")
	}
}

// near reports whether what is shown is a value, or the part of it around a difference.
func near(shown, value string) bool {
	for part := range strings.SplitSeq(shown, "…") {
		part, _, _ = strings.Cut(strings.Trim(part, `"`), `" (`)
		if s, err := strconv.Unquote(`"` + part + `"`); err == nil {
			part = s
		}
		if !strings.Contains(value, part) {
			return false
		}
	}
	return true
}

// holdsValue reports whether rows show a value, or the beginning of a long one.
func holdsValue(rows, value string) bool {
	const least = 12
	return strings.Contains(rows, value[:min(len(value), least)])
}

// field returns the text that a request has in a field; "" if it has none.
func field(c *inquiry, path string) string {
	parts := strings.Split(path, "/")
	n := 0
	if len(parts) > 1 {
		n, _ = strconv.Atoi(parts[1])
	}
	last := parts[len(parts)-1]
	switch parts[0] {
	case "model":
		return c.Model
	case "mood":
		return c.Mood
	case "header":
		return c.tenant
	case "messages":
		switch {
		case n >= len(c.Messages):
			return ""
		case last == "role":
			return c.Messages[n].Role
		}
		return c.Messages[n].Content
	case "tools":
		switch {
		case n >= len(c.Tools):
			return ""
		case last == "name", len(parts) < 3:
			return c.Tools[n].Function.Name
		}
		return c.Tools[n].Function.Description
	}
	return ""
}

// TestRenames renames tests and subtests that share what they ask first, and adds new ones. Each
// that is renamed is told its own cassette, or none, and a new one none that is not its own.
func TestRenames(t *testing.T) {
	t.Parallel()
	answer := promptecho.Upstream(provider.Says(`{"choices":[{"message":{"role":"assistant","content":"yes"}}]}`))
	for seed := range uint64(full.Cases(20, 300)) {
		rnd := rand.New(rand.NewPCG(seed, 45))
		dir := t.TempDir()
		// Tests ask the same first, and then each something of its own, or nothing.
		asks, names := map[string][]string{}, []string{}
		for i := range 3 + rnd.IntN(3) {
			name := "Test" + strings.ToUpper(editWords[i][:1]) + editWords[i][1:]
			subs := []string{""}
			if rnd.IntN(2) == 0 {
				subs = []string{"/one", "/two"}
			}
			for _, sub := range subs {
				names = append(names, name+sub)
				asks[name+sub] = []string{"the set-up"}
				for range 1 + rnd.IntN(2) {
					asks[name+sub] = append(asks[name+sub], words(rnd, 3))
				}
			}
		}
		source := func(names []string) {
			text, subs := "package x\n\nimport \"testing\"\n", map[string][]string{}
			for _, name := range names {
				top, sub, _ := strings.Cut(name, "/")
				subs[top] = append(subs[top], sub)
			}
			for _, top := range slices.Sorted(maps.Keys(subs)) {
				text += fmt.Sprintf("\nfunc %s(t *testing.T) {\n", top)
				for _, sub := range subs[top] {
					if sub != "" {
						text += fmt.Sprintf("\tt.Run(%q, nil)\n", sub)
					}
				}
				text += "}\n"
			}
			if err := os.WriteFile(filepath.Join(dir, "x_test.go"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		run := func(name string, texts []string, mode promptecho.Mode) string {
			r := must.Open(t, filepath.Join(dir, testname.File(name)), promptecho.InMode(mode), answer)
			if mode != promptecho.ModeAll {
				must.Engine(r).Begin(true)
			}
			for _, text := range texts {
				must.Ask(t, r, "https://api.openai.com", text)
			}
			return strings.Join(must.Finish(r, report.Outcome{Command: func(string) string { return "go test" }}).Errors, "\n")
		}
		for _, name := range names {
			if said := run(name, asks[name], promptecho.ModeAll); said != "" {
				t.Fatal(said)
			}
		}
		// What is done: a test is renamed, or a subtest, and a new test asks for what the others share.
		old := names[rnd.IntN(len(names))]
		top, sub, isSub := strings.Cut(old, "/")
		onlySub := isSub && rnd.IntN(2) == 0
		renamed := map[string]string{} // from the new name
		for i, name := range names {
			switch {
			case onlySub && name == old:
				names[i] = top + "/" + sub + "_again"
			case !onlySub && (name == top || strings.HasPrefix(name, top+"/")):
				names[i] = "TestOther" + strings.TrimPrefix(name, top)
			default:
				continue
			}
			renamed[names[i]], asks[names[i]] = name, asks[name]
		}
		asks["TestNew"] = []string{"the set-up", "what nobody has asked"}
		names = append(names, "TestNew")
		source(names)
		for _, mode := range []promptecho.Mode{promptecho.ModeNone, promptecho.ModeOnce} {
			for name, was := range renamed {
				said := run(name, asks[name], mode)
				from, to := testname.File(was), testname.File(name)
				if !onlySub && isSub { // the folder of all
					from, to = filepath.Dir(from), filepath.Dir(to)
				}
				if !strings.Contains(said, "promptecho mv ") || !strings.Contains(said, shell.Quote(filepath.Join(dir, from))+" ") || !strings.Contains(said, shell.Quote(filepath.Join(dir, to))) {
					t.Errorf("seed %d: %s was %s:\n%s", seed, name, was, said)
				}
				if strings.Count(said, "promptecho mv ") != 1 {
					t.Errorf("seed %d: %s was only %s:\n%s", seed, name, was, said)
				}
			}
		}
		if said := run("TestNew", asks["TestNew"], promptecho.ModeNone); strings.Contains(said, "was renamed") {
			t.Errorf("seed %d: a new test:\n%s", seed, said)
		}
		for _, name := range names {
			if renamed[name] == "" && name != "TestNew" {
				if said := run(name, asks[name], promptecho.ModeNone); said != "" {
					t.Errorf("seed %d: %s is as it was:\n%s", seed, name, said)
				}
			}
		}
	}
}
