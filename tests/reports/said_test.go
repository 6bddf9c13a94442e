package reports_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A wrongly is a way of giving an option wrongly that compiles, and what is said about it: an
// error of Open, an error of the run, or that it has no effect.
type wrongly struct {
	how  string
	opts []promptecho.Option
	want string
}

// inVain has every option and every wrong way of giving it. Where the program can do nothing
// wrong that can be seen (AllowRaced for nothing), only giving it twice is left.
var inVain = map[string][]wrongly{
	"InMode": {
		{"misspelt", []promptecho.Option{promptecho.InMode("recrod")}, `refused: promptecho: InMode: unknown record mode "recrod"`},
		{"empty", []promptecho.Option{promptecho.InMode("")}, `refused: promptecho: InMode: unknown record mode ""`},
		{"twice", []promptecho.Option{promptecho.InMode(promptecho.ModeNone), promptecho.InMode(promptecho.ModeAll)}, "said: InMode has no effect: it is set twice, and the last one counts"},
	},
	"Upstream": {
		{"twice", []promptecho.Option{promptecho.Upstream(provider.Says("1")), promptecho.Upstream(provider.Says("2"))}, "said: Upstream has no effect: it is set twice"},
		{"of another kind", []promptecho.Option{promptecho.Upstream(new(promptecho.Recorder))}, "refused: promptecho: Upstream: this transport is a recorder"},
	},
	"Match": {
		{"misspelt", []promptecho.Option{promptecho.Match("temprature")}, `said: Match("temprature") has no effect: no request or recording has such a field`},
		{"empty", []promptecho.Option{promptecho.Match()}, "refused: promptecho: Match(): it names nothing"},
		{"of nothing", []promptecho.Option{promptecho.Match("")}, "refused: promptecho: Match(): it names nothing"},
		{"twice", []promptecho.Option{promptecho.Match("model", "model")}, `said: Match("model") has no effect: it is set twice`},
		{"contradicting", []promptecho.Option{promptecho.Match("temperature"), promptecho.Ignore("temperature")}, `said: Match("temperature") has no effect`},
	},
	"MatchOnly": {
		{"as MatchOn was", []promptecho.Option{promptecho.MatchOnly("model", "messages")}, `refused: promptecho: MatchOnly("model", "messages"): "model" selects nothing: a selector is a kind (llm, http, `},
		{"misspelt", []promptecho.Option{promptecho.MatchOnly("llm", "mesages")}, `said: MatchOnly("llm", "mesages") has no effect`},
		{"another call", []promptecho.Option{promptecho.MatchOnly("tool/charge_crad", "city")}, `said: MatchOnly("tool/charge_crad", "city") has no effect`},
		{"empty", []promptecho.Option{promptecho.MatchOnly("llm")}, `refused: promptecho: MatchOnly("llm"): it names nothing`},
		{"outside", []promptecho.Option{promptecho.MatchOnly("llm", "header/x")}, `refused: promptecho: MatchOnly("llm", "header/x"): this path is outside the body`},
		{"twice", []promptecho.Option{promptecho.MatchOnly("llm", "model"), promptecho.MatchOnly("llm", "model")}, "is set twice"},
	},
	"KeepUploads":   {{"twice", []promptecho.Option{promptecho.KeepUploads(), promptecho.KeepUploads()}, "said: KeepUploads has no effect: it is set twice"}},
	"MatchSampling": {{"twice", []promptecho.Option{promptecho.MatchSampling(), promptecho.MatchSampling()}, "said: MatchSampling has no effect: it is set twice"}},
	"Ignore": {
		{"misspelt", []promptecho.Option{promptecho.Ignore("mesages")}, `said: Ignore("mesages") has no effect`},
		{"empty", []promptecho.Option{promptecho.Ignore()}, "refused: promptecho: Ignore(): it names nothing"},
		{"twice", []promptecho.Option{promptecho.Ignore("user"), promptecho.Ignore("user")}, "is set twice"},
	},
	"Mask": {
		{"misspelt", []promptecho.Option{promptecho.Mask("[", "X")}, `refused: promptecho: Mask("["): error parsing regexp`},
		{"empty", []promptecho.Option{promptecho.Mask("", "X")}, "refused: promptecho: Mask(): it names nothing"},
		{"for nothing", []promptecho.Option{promptecho.Mask("nowhere", "X")}, `said: Mask("nowhere") has no effect: it matches nothing in any request or recording`},
		{"twice", []promptecho.Option{promptecho.Mask("hi", "X"), promptecho.Mask("hi", "Y")}, "is set twice"},
	},
	"MaskTimes":    {{"for nothing", []promptecho.Option{promptecho.MaskTimes()}, "said: MaskTimes() has no effect"}, {"twice", []promptecho.Option{promptecho.MaskTimes(), promptecho.MaskTimes()}, "is set twice"}},
	"MaskUUIDs":    {{"for nothing", []promptecho.Option{promptecho.MaskUUIDs()}, "said: MaskUUIDs() has no effect"}},
	"MaskTempDirs": {{"for nothing", []promptecho.Option{promptecho.MaskTempDirs()}, "said: MaskTempDirs() has no effect"}},
	"Alias": {
		{"misspelt", []promptecho.Option{promptecho.Alias("127.0.0.1:port", "jira")}, "refused: promptecho: Alias: \"127.0.0.1:port\" is not an origin"},
		{"empty", []promptecho.Option{promptecho.Alias("http://127.0.0.1:8080", "")}, `refused: promptecho: Alias: "" is not a name`},
		{"for nothing", []promptecho.Option{promptecho.Alias("http://127.0.0.1:8080", "jira")}, `said: Alias("http://127.0.0.1:8080", "jira") has no effect: no request went to this server`},
	},
	"Unordered": {
		{"misspelt", []promptecho.Option{promptecho.Unordered("mesages")}, `said: Unordered("mesages") has no effect`},
		{"of no list", []promptecho.Option{promptecho.Unordered("model")}, `said: Unordered("model") has no effect`},
		{"empty", []promptecho.Option{promptecho.Unordered()}, "refused: promptecho: Unordered(): it names nothing"},
	},
	"KeepHeaders": {
		{"a pattern of nothing", []promptecho.Option{promptecho.KeepHeaders("x-nothing-*")}, `said: KeepHeaders("x-nothing-*") has no effect: nothing that was recorded contains it`},
		{"empty", []promptecho.Option{promptecho.KeepHeaders()}, "refused: promptecho: KeepHeaders(): it names nothing"},
	},
	"Redact": {
		{"misspelt", []promptecho.Option{promptecho.Redact("Amce")}, `said: Redact("Amce") has no effect: nothing that was recorded contains it`},
		{"of a field's name", []promptecho.Option{promptecho.Redact("email")}, `said: Redact("email") has no effect`},
		{"of everything", []promptecho.Option{promptecho.Redact("a*")}, `refused: promptecho: Redact("a*"): it matches the empty text, and so everything`},
		{"invalid", []promptecho.Option{promptecho.Redact("(")}, `refused: promptecho: Redact("("): error parsing regexp`},
		{"empty", []promptecho.Option{promptecho.Redact()}, "refused: promptecho: Redact(): it names nothing"},
	},
	"RedactFields": {
		{"misspelt", []promptecho.Option{promptecho.RedactFields("usr")}, `said: RedactFields("usr") has no effect: nothing that was recorded contains it`},
		{"an expression", []promptecho.Option{promptecho.RedactFields("us.*")}, `said: RedactFields("us.*") has no effect`},
		{"empty", []promptecho.Option{promptecho.RedactFields()}, "refused: promptecho: RedactFields(): it names nothing"},
	},
	"Pace":        {{"negative", []promptecho.Option{promptecho.Pace(-1)}, "refused: promptecho: Pace: -1 is not a valid time factor"}, {"twice", []promptecho.Option{promptecho.Pace(1), promptecho.Pace(2)}, "said: Pace has no effect: it is set twice"}},
	"AllowUnused": selected(promptecho.AllowUnused), "AllowRepeats": selected(promptecho.AllowRepeats),
	"AllowRaced": {{"twice", []promptecho.Option{promptecho.AllowRaced(), promptecho.AllowRaced()}, "is set twice"}},
	"Log":        {{"empty", []promptecho.Option{promptecho.Log(nil)}, "refused: promptecho: Log: it is nil"}},
	"Live": append(selected(promptecho.Live),
		wrongly{"empty", []promptecho.Option{promptecho.Live()}, "refused: promptecho: Live(): it names nothing"},
		wrongly{"contradicting", []promptecho.Option{promptecho.Live("tool/charge_card"), promptecho.Frozen("tool")}, `said: Live("tool/charge_card") has no effect`}),
	"Frozen": {
		{"without the kind", []promptecho.Option{promptecho.Frozen("charge_card")}, `refused: promptecho: Frozen("charge_card"): "charge_card" selects nothing: a selector is a kind (llm, http, tool, `},
		{"of another kind", []promptecho.Option{promptecho.Frozen("tools/charge_card")}, `refused: promptecho: Frozen("tools/charge_card")`},
		{"misspelt", []promptecho.Option{promptecho.Frozen("tool/chargecard")}, `fails: FILE: Frozen("tool/chargecard") has no effect: no call of this name was made or is recorded`},
		{"of an endpoint that is none", []promptecho.Option{promptecho.Frozen("llm/openai.chatt")}, `fails: FILE: Frozen("llm/openai.chatt") has no effect`},
		{"by an address", []promptecho.Option{promptecho.Frozen("http/https://api.example.com")}, `refused: promptecho: Frozen("http/https://api.example.com")`},
		{"by a pattern", []promptecho.Option{promptecho.Frozen("tool/charge_*")}, `refused: promptecho: Frozen("tool/charge_*")`},
		{"empty", []promptecho.Option{promptecho.Frozen()}, "refused: promptecho: Frozen(): it names nothing"},
	},
	"PassThrough": {
		{"misspelt", []promptecho.Option{promptecho.PassThrough("http/127.0.0.1:1")}, `said: PassThrough("http/127.0.0.1:1") has no effect: no request went to this server`},
		{"of another kind", []promptecho.Option{promptecho.PassThrough("llm")}, `refused: promptecho: PassThrough("llm"): it is not a server`},
		{"empty", []promptecho.Option{promptecho.PassThrough()}, "refused: promptecho: PassThrough(): it names nothing"},
	},
	"OnRecordError": {{"unknown", []promptecho.Option{promptecho.OnRecordError(7)}, "refused: promptecho: OnRecordError: unknown policy 7"}, {"twice", []promptecho.Option{promptecho.OnRecordError(promptecho.Keep), promptecho.OnRecordError(promptecho.Fail)}, "said: OnRecordError has no effect: it is set twice"}},
}

// selected has the wrong ways of an option with selectors.
func selected(option func(...string) promptecho.Option) []wrongly {
	return []wrongly{
		{"without the kind", []promptecho.Option{option("charge_card")}, "refused: promptecho: "},
		{"misspelt", []promptecho.Option{option("tool/chargecard")}, `("tool/chargecard") has no effect: no call of this name was made or is recorded`},
		{"of nothing", []promptecho.Option{option("")}, "refused: promptecho: "},
		{"twice", []promptecho.Option{option("llm", "llm")}, `("llm") has no effect: it is set twice`},
	}
}

// Nothing that is said has no effect in silence: it is refused, fails the run, or is said to
// have had none.
func TestNothingSaidInVain(t *testing.T) {
	t.Parallel()
	for _, name := range namesOfOptions(t, "Option") {
		cases, ok := inVain[name]
		if !ok {
			t.Errorf("%s is missing from the list: in which wrong ways can it be given?", name)
		}
		for _, tt := range cases {
			if got := come(t, name, tt.opts...); !strings.Contains(got, tt.want) {
				t.Errorf("%s, %s: %s, want %s", name, tt.how, got, tt.want)
			}
		}
	}
	if got := come(t, "", nil, promptecho.Ignore("user"), promptecho.Mask("hi", "X"), promptecho.MatchOnly("llm", "model"), promptecho.Unordered("messages"), promptecho.AllowUnused(), promptecho.AllowRepeats("llm"),
		promptecho.Redact("wants"), promptecho.RedactFields("user"), promptecho.KeepHeaders("X-Kept"), promptecho.Frozen("retrieval/*"), promptecho.Match("header/X-Other")); got != "" {
		t.Errorf("options that have an effect: %s", got)
	}
}

// come says what comes of options: of what Open says, or else of a run that records and asks a
// model, a server and two functions. name is the option that is given, if it is one.
func come(t *testing.T, name string, opts ...promptecho.Option) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "c.yaml")
	seed := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says(`{}`)))
	search := promptecho.Wrap(seed, "retrieval/search", func(context.Context, int) (int, error) { return 1, nil })
	search(t.Context(), 1)
	must.Pass(t, seed)
	var rec *promptecho.Recorder
	var err error
	if name != "InMode" {
		opts = append(opts, promptecho.InMode(promptecho.ModeAll))
	}
	if name != "Upstream" {
		opts = append(opts, promptecho.Upstream(provider.Says(`{}`)))
	}
	if rec, err = promptecho.Open(file, opts...); err != nil {
		return "refused: " + err.Error()
	}
	body := `{"model":"m","messages":[{"role":"user","content":"hi, Acme wants it"},{"role":"user","content":"b"}],"user":"ada","temperature":0}`
	ask := must.Request{URL: must.ChatURL, Body: body, Headers: []string{"X-Kept", "1"}}
	ask.Ask(t, rec)
	must.Request{URL: "http://svc.example.com/x", Body: `{"city":"Rome"}`, Headers: []string{"X-Other", "1"}}.Ask(t, rec)
	promptecho.Wrap(rec, "tool/charge_card", func(context.Context, int) (int, error) { return 1, nil })(t.Context(), 1)
	promptecho.Wrap(rec, "retrieval/search", func(context.Context, int) (int, error) { return 1, nil })(t.Context(), 1)
	rep := must.Finish(rec, report.Outcome{})
	var said []string
	for _, o := range rep.Options {
		if o.Why != "" {
			said = append(said, "said: "+o.String())
		}
	}
	for _, text := range rep.Errors {
		said = append(said, "fails: "+strings.ReplaceAll(text, file, "FILE"))
	}
	return strings.Join(said, "\n")
}

// namesOfOptions returns the functions of package promptecho that return options of a type.
func namesOfOptions(t *testing.T, kind string) (names []string) {
	t.Helper()
	files, err := filepath.Glob("../../*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() || fn.Type.Results == nil || len(fn.Type.Results.List) != 1 {
				continue
			}
			if id, ok := fn.Type.Results.List[0].Type.(*ast.Ident); ok && id.Name == kind {
				names = append(names, fn.Name.Name)
			}
		}
	}
	if len(names) == 0 {
		t.Fatal("no option was found")
	}
	slices.Sort(names)
	return names
}

// What the environment and the flags say in vain is said, too: a mode that the code forbids, one that a
// flag overrules, a variable that nobody reads, and a flag that is set twice.
func TestEnvironmentInVain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says("1")))
	must.Request{URL: must.ChatURL, Body: must.ChatBody("hi")}.Ask(t, r)
	must.Pass(t, r)
	t.Setenv("PROMPTECHO_MODE", "all")
	t.Setenv("PROMPTECHO_MODES", "all")
	t.Setenv("PROMPTECHO_STORE_CACHE", "off")              // promptecho-store reads it
	t.Setenv("PROMPTECHO_URL", "http://127.0.0.1:1/serve") // promptecho serve sets it for what it runs
	args := os.Args
	defer func() { os.Args = args }()
	os.Args = slices.Concat(args, []string{"-echo.mode=once", "--echo.mode", "none", "-echo.record=false", "x", "-echo.update"})
	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	must.Request{URL: must.ChatURL, Body: must.ChatBody("hi")}.Ask(t, r)
	notes := strings.Join(must.Finish(r, report.Outcome{}).Notes, "\n")
	for _, want := range []string{
		"PROMPTECHO_MODE=all has no effect: mode none (InMode in the code) is in effect for " + file,
		"PROMPTECHO_MODES has no effect: promptecho reads no such environment variable",
		"-echo.mode=once has no effect: it is set twice, and the last one counts",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes lack %q:\n%s", want, notes)
		}
	}
	if n := strings.Count(notes, "no such environment variable"); n != 1 {
		t.Errorf("%d variables are read by nobody, and only one is made up:\n%s", n, notes)
	}
	if strings.Count(notes, "set twice") != 1 {
		t.Errorf("a flag that is given once:\n%s", notes)
	}
}

// A program that gives the key itself must not see it in a report, nor send it.
func TestSecretByValue(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"sk-Zq8vN3xKw7Rt2Lm9Yb4Hc6Jd1Fs5Gp0A", "", "Bearer abc", "1KEY", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"} {
		for _, method := range []func(*promptecho.Recorder, string) string{(*promptecho.Recorder).Secret, (*promptecho.Recorder).Env} {
			r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says("1")))
			said := must.Request{URL: must.ChatURL, Body: must.ChatBody("hi"), Headers: []string{"Authorization", "Bearer " + method(r, key)}}.Ask(t, r)
			err := r.Close()
			if err == nil || !strings.Contains(err.Error(), "needs the name of an environment variable") {
				t.Errorf("%q: %v", key, err)
			}
			if key != "" && strings.Contains(said+fmt.Sprint(err), key) {
				t.Errorf("it is shown: %s, %v", said, err)
			}
		}
	}
	for _, name := range []string{"OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "key", "_", "ACME_KEY_2"} {
		r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
		if got := r.Secret(name); got != "promptecho-replay-"+name {
			t.Errorf("%s: %q", name, got)
		}
		if err := r.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A nil recorder is the real thing everywhere.
func TestNilRecorder(t *testing.T) {
	var r *promptecho.Recorder
	t.Setenv("PROMPTECHO_TEST_THING", "thing")
	if r.Secret("PROMPTECHO_TEST_THING") != "thing" || r.Env("PROMPTECHO_TEST_THING") != "thing" || !r.Online() || r.Misses() != nil || r.Close() != nil ||
		r.Now().IsZero() || r.Rand("x") == nil {
		t.Error("a nil recorder is not the real thing")
	}
	out, err := promptecho.Wrap(r, "tool/x", func(_ context.Context, n int) (int, error) { return n + 1, nil })(t.Context(), 1)
	if out != 2 || err != nil {
		t.Error(out, err)
	}
	r.Client().CloseIdleConnections()
	if _, err := r.Client().Get("http://127.0.0.1:0/"); err == nil || strings.Contains(err.Error(), "promptecho") {
		t.Error(err)
	}
	rec := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), nil, promptecho.InMode(promptecho.ModeNone), nil, promptecho.AllowUnused())
	must.Pass(t, rec)
}

// What Close returns holds the misses.
func TestCloseHoldsMisses(t *testing.T) {
	t.Parallel()
	r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeNone))
	must.Request{URL: "https://svc.example.com/a", Body: ""}.Ask(t, r)
	must.Request{URL: must.ChatURL, Body: must.ChatBody("hi")}.Ask(t, r)
	err := r.Close()
	var miss *promptecho.MissError
	if !errors.As(err, &miss) || miss.Call != "http/svc.example.com" || miss.Request == "" {
		t.Fatalf("%#v in %v", miss, err)
	}
	for _, said := range []string{"the file does not exist", "http/svc.example.com POST /a", "llm/openai.chat"} {
		if n := strings.Count(err.Error(), said); n != 1 {
			t.Errorf("%q is told %d times:\n%v", said, n, err)
		}
	}
}

// Sub-selections: a poll may repeat, the model not; a tool may stay unused, the model not; and
// only the fields of one call are narrowed.
func TestBySelector(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	poll, model := must.Request{URL: "https://jobs.example.com/1", Body: ""}, must.Request{URL: must.ChatURL, Body: must.ChatBody("hi")}
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says(`{}`)))
	poll.Ask(t, r)
	model.Ask(t, r)
	must.Pass(t, r)

	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowRepeats("http/jobs.example.com"))
	for range 3 {
		if got := poll.Ask(t, r); got != "{}" {
			t.Errorf("the poll: %s", got)
		}
	}
	model.Ask(t, r)
	if got := model.Ask(t, r); !strings.HasPrefix(got, "status 418") {
		t.Errorf("the model repeats: %s", got)
	}
	r.Close()

	for selector, passes := range map[string]bool{"http": true, "http/jobs.example.com": true, "llm": false, "*": true} {
		r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused(selector))
		model.Ask(t, r)
		if err := r.Close(); (err == nil) != passes {
			t.Errorf("AllowUnused(%q): %v", selector, err)
		}
	}

	tool := func(r *promptecho.Recorder, name string, in map[string]any) error {
		_, err := promptecho.Wrap(r, name, func(context.Context, map[string]any) (int, error) { return 1, nil })(t.Context(), in)
		return err
	}
	file = filepath.Join(t.TempDir(), "c.yaml")
	r = must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	charge := map[string]any{"amount": 5, "card": "1", "trace": 1}
	tool(r, "tool/charge", charge)
	tool(r, "tool/find", charge)
	must.Pass(t, r)
	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.MatchOnly("tool/find", "card"))
	charge["amount"] = 9000
	if err := tool(r, "tool/charge", charge); err == nil {
		t.Error("5 were recorded, and 9000 are answered")
	}
	if err := tool(r, "tool/find", charge); err != nil {
		t.Error(err)
	}
	r.Close()
}

// A list whose order means nothing matches in any order, and another order is noted; in every
// other list it means something.
func TestUnordered(t *testing.T) {
	t.Parallel()
	at := func(body string) must.Request { return must.Request{URL: "https://db.example.com/q", Body: body} }
	recordedBody := `{"params":[{"k":"a","v":[1,2]},{"k":"b","v":[3]},{"k":"c","at":"12:00"}],"ids":[1,2]}`
	for _, tt := range []struct {
		how, body string
		opts      []promptecho.Option
		miss      bool
	}{
		{"as recorded", recordedBody, nil, false},
		{"in another order", `{"params":[{"k":"c","at":"12:00"},{"v":[1,2],"k":"a"},{"k":"b","v":[3]}],"ids":[1,2]}`, nil, false},
		{"a list below it", `{"params":[{"k":"a","v":[2,1]},{"k":"b","v":[3]},{"k":"c","at":"12:00"}],"ids":[1,2]}`, nil, true},
		{"a list beside it", `{"params":[{"k":"a","v":[1,2]},{"k":"b","v":[3]},{"k":"c","at":"12:00"}],"ids":[2,1]}`, nil, true},
		{"an element less", `{"params":[{"k":"a","v":[1,2]},{"k":"b","v":[3]}],"ids":[1,2]}`, nil, true},
		{"an element twice", `{"params":[{"k":"a","v":[1,2]},{"k":"a","v":[1,2]},{"k":"b","v":[3]},{"k":"c","at":"12:00"}],"ids":[1,2]}`, nil, true},
		{"what is ignored in it", `{"params":[{"k":"c","at":"99:99"},{"k":"a","v":[1,2]},{"k":"b","v":[3]}],"ids":[1,2]}`, []promptecho.Option{promptecho.Ignore("params/*/at")}, false},
		{"what is masked in it", `{"params":[{"k":"b","v":[3]},{"k":"c","at":"07:15"},{"k":"a","v":[1,2]}],"ids":[1,2]}`, []promptecho.Option{promptecho.Mask(`\d\d:\d\d`, "T")}, false},
	} {
		file := must.RecordAnswers(t, []string{`"one"`}, []must.Request{at(recordedBody)})
		r := must.Open(t, file, append([]promptecho.Option{promptecho.InMode(promptecho.ModeNone), promptecho.Unordered("params")}, tt.opts...)...)
		if got := at(tt.body).Ask(t, r); strings.HasPrefix(got, "status 418") != tt.miss {
			t.Errorf("%s: %s", tt.how, got)
		}
		rep := must.Finish(r, report.Outcome{})
		if noted := strings.Contains(strings.Join(rep.Notes, "\n"), "params/order"); noted != (strings.Index(tt.body, `"a"`) > strings.Index(tt.body, `"b"`) || strings.HasPrefix(tt.body, `{"params":[{"k":"c"`)) && !tt.miss {
			t.Errorf("%s: noted: %v\n%s", tt.how, noted, strings.Join(rep.Notes, "\n"))
		}
	}
}

// What is redacted, or kept, for nothing is said in replay, too, unless nobody can tell.
func TestWritingInVainInReplay(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	answer := provider.Func(func(req *http.Request) (*http.Response, error) {
		resp, err := provider.Says(`{"customer":"Acme","userName":"ada","n":1}`).RoundTrip(req)
		resp.Header.Set("Server", "kept")
		return resp, err
	})
	used := []promptecho.Option{promptecho.Redact("Acme"), promptecho.RedactFields("USERNAME", "N"), promptecho.KeepHeaders("serv*")}
	for _, tt := range []struct {
		opts []promptecho.Option
		want []string
	}{
		{append(used, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(answer)), nil},
		{append(used, promptecho.InMode(promptecho.ModeNone)), nil},
		{[]promptecho.Option{promptecho.InMode(promptecho.ModeNone), promptecho.Redact("Acme", "Amce"), promptecho.RedactFields("city"), promptecho.KeepHeaders("x-total-*")}, []string{`RedactFields("city")`, `KeepHeaders("x-total-*")`}}, // something is redacted, perhaps by this
	} {
		r := must.Open(t, file, tt.opts...)
		must.Request{URL: must.ChatURL, Body: must.ChatBody("hi")}.Ask(t, r)
		rep := must.Finish(r, report.Outcome{})
		var said []string
		for _, o := range rep.Options {
			if o.Why != "" {
				said = append(said, o.Code)
			}
		}
		if !slices.Equal(said, tt.want) {
			t.Errorf("without effect: %q, want %q (%s)", said, tt.want, rep.Errors)
		}
	}
	plain := must.RecordAnswers(t, []string{`"one"`}, []must.Request{{URL: must.ChatURL, Body: must.ChatBody("hi")}})
	r := must.Open(t, plain, promptecho.InMode(promptecho.ModeNone), promptecho.Redact("Amce"), promptecho.Redact("h(.)"))
	must.Request{URL: must.ChatURL, Body: must.ChatBody("hi")}.Ask(t, r)
	if text := strings.Join(must.Finish(r, report.Outcome{}).Notes, "\n"); !strings.Contains(text, `Redact("Amce") has no effect: neither the cassette nor what is written of any request contains it`) || strings.Contains(text, "h(.)") {
		t.Error(text)
	}
}

// What a user of Open without Log sees of an option that has no effect.
func TestIdleOptionsOnStderr(t *testing.T) {
	stderr := os.Stderr
	defer func() { os.Stderr = stderr }()
	out, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	os.Stderr = out
	r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(http.RoundTripper(provider.Says("1"))), promptecho.Ignore("mesages"))
	must.Request{URL: must.ChatURL, Body: must.ChatBody("hi")}.Ask(t, r)
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if text := must.Read(t, out.Name()); !strings.Contains(text, `Ignore("mesages") has no effect`) {
		t.Errorf("standard error has %q", text)
	}
}
