package promptecho

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

	"github.com/promptecho/promptecho/internal/report"
)

// A wrongly is a way of giving an option wrongly that compiles, and what is said about it: an
// error of Open, an error of the run, or that it has no effect.
type wrongly struct {
	how  string
	opts []Option
	want string
}

// inVain has every option and every wrong way of giving it. Where the program can do nothing
// wrong that can be seen (AllowRaced for nothing), only giving it twice is left.
var inVain = map[string][]wrongly{
	"InMode": {
		{"misspelt", []Option{InMode("recrod")}, `refused: promptecho: InMode: unknown record mode "recrod"`},
		{"empty", []Option{InMode("")}, `refused: promptecho: InMode: unknown record mode ""`},
		{"twice", []Option{InMode(ModeNone), InMode(ModeAll)}, "said: InMode has no effect: it is set twice, and the last one counts"},
	},
	"Upstream": {
		{"twice", []Option{Upstream(canned("1")), Upstream(canned("2"))}, "said: Upstream has no effect: it is set twice"},
		{"of another kind", []Option{Upstream(new(Recorder))}, "refused: promptecho: Upstream: this transport is a recorder"},
	},
	"Match": {
		{"misspelt", []Option{Match("temprature")}, `said: Match("temprature") has no effect: no request or recording has such a field`},
		{"empty", []Option{Match()}, "refused: promptecho: Match(): it names nothing"},
		{"of nothing", []Option{Match("")}, "refused: promptecho: Match(): it names nothing"},
		{"twice", []Option{Match("model", "model")}, `said: Match("model") has no effect: it is set twice`},
		{"contradicting", []Option{Match("temperature"), Ignore("temperature")}, `said: Match("temperature") has no effect`},
	},
	"MatchOnly": {
		{"as MatchOn was", []Option{MatchOnly("model", "messages")}, `refused: promptecho: MatchOnly("model", "messages"): "model" selects nothing: a selector is a kind (llm, http, `},
		{"misspelt", []Option{MatchOnly("llm", "mesages")}, `said: MatchOnly("llm", "mesages") has no effect`},
		{"another call", []Option{MatchOnly("tool/charge_crad", "city")}, `said: MatchOnly("tool/charge_crad", "city") has no effect`},
		{"empty", []Option{MatchOnly("llm")}, `refused: promptecho: MatchOnly("llm"): it names nothing`},
		{"outside", []Option{MatchOnly("llm", "header/x")}, `refused: promptecho: MatchOnly("llm", "header/x"): this path is outside the body`},
		{"twice", []Option{MatchOnly("llm", "model"), MatchOnly("llm", "model")}, "is set twice"},
	},
	"KeepUploads":   {{"twice", []Option{KeepUploads(), KeepUploads()}, "said: KeepUploads has no effect: it is set twice"}},
	"MatchSampling": {{"twice", []Option{MatchSampling(), MatchSampling()}, "said: MatchSampling has no effect: it is set twice"}},
	"Ignore": {
		{"misspelt", []Option{Ignore("mesages")}, `said: Ignore("mesages") has no effect`},
		{"empty", []Option{Ignore()}, "refused: promptecho: Ignore(): it names nothing"},
		{"twice", []Option{Ignore("user"), Ignore("user")}, "is set twice"},
	},
	"Mask": {
		{"misspelt", []Option{Mask("[", "X")}, `refused: promptecho: Mask("["): error parsing regexp`},
		{"empty", []Option{Mask("", "X")}, "refused: promptecho: Mask(): it names nothing"},
		{"for nothing", []Option{Mask("nowhere", "X")}, `said: Mask("nowhere") has no effect: it matches nothing in any request or recording`},
		{"twice", []Option{Mask("hi", "X"), Mask("hi", "Y")}, "is set twice"},
	},
	"MaskTimes":    {{"for nothing", []Option{MaskTimes()}, "said: MaskTimes() has no effect"}, {"twice", []Option{MaskTimes(), MaskTimes()}, "is set twice"}},
	"MaskUUIDs":    {{"for nothing", []Option{MaskUUIDs()}, "said: MaskUUIDs() has no effect"}},
	"MaskTempDirs": {{"for nothing", []Option{MaskTempDirs()}, "said: MaskTempDirs() has no effect"}},
	"Alias": {
		{"misspelt", []Option{Alias("127.0.0.1:port", "jira")}, "refused: promptecho: Alias: \"127.0.0.1:port\" is not an origin"},
		{"empty", []Option{Alias("http://127.0.0.1:8080", "")}, `refused: promptecho: Alias: "" is not a name`},
		{"for nothing", []Option{Alias("http://127.0.0.1:8080", "jira")}, `said: Alias("http://127.0.0.1:8080", "jira") has no effect: no request went to this server`},
	},
	"Unordered": {
		{"misspelt", []Option{Unordered("mesages")}, `said: Unordered("mesages") has no effect`},
		{"of no list", []Option{Unordered("model")}, `said: Unordered("model") has no effect`},
		{"empty", []Option{Unordered()}, "refused: promptecho: Unordered(): it names nothing"},
	},
	"KeepHeaders": {
		{"a pattern of nothing", []Option{KeepHeaders("x-nothing-*")}, `said: KeepHeaders("x-nothing-*") has no effect: nothing that was recorded contains it`},
		{"empty", []Option{KeepHeaders()}, "refused: promptecho: KeepHeaders(): it names nothing"},
	},
	"Redact": {
		{"misspelt", []Option{Redact("Amce")}, `said: Redact("Amce") has no effect: nothing that was recorded contains it`},
		{"of a field's name", []Option{Redact("email")}, `said: Redact("email") has no effect`},
		{"of everything", []Option{Redact("a*")}, `refused: promptecho: Redact("a*"): it matches the empty text, and so everything`},
		{"invalid", []Option{Redact("(")}, `refused: promptecho: Redact("("): error parsing regexp`},
		{"empty", []Option{Redact()}, "refused: promptecho: Redact(): it names nothing"},
	},
	"RedactFields": {
		{"misspelt", []Option{RedactFields("usr")}, `said: RedactFields("usr") has no effect: nothing that was recorded contains it`},
		{"an expression", []Option{RedactFields("us.*")}, `said: RedactFields("us.*") has no effect`},
		{"empty", []Option{RedactFields()}, "refused: promptecho: RedactFields(): it names nothing"},
	},
	"Pace":        {{"negative", []Option{Pace(-1)}, "refused: promptecho: Pace: -1 is not a valid time factor"}, {"twice", []Option{Pace(1), Pace(2)}, "said: Pace has no effect: it is set twice"}},
	"AllowUnused": selected(AllowUnused), "AllowRepeats": selected(AllowRepeats),
	"AllowRaced": {{"twice", []Option{AllowRaced(), AllowRaced()}, "is set twice"}},
	"Log":        {{"empty", []Option{Log(nil)}, "refused: promptecho: Log: it is nil"}},
	"Live": append(selected(Live),
		wrongly{"empty", []Option{Live()}, "refused: promptecho: Live(): it names nothing"},
		wrongly{"contradicting", []Option{Live("tool/charge_card"), Frozen("tool")}, `said: Live("tool/charge_card") has no effect`}),
	"Frozen": {
		{"without the kind", []Option{Frozen("charge_card")}, `refused: promptecho: Frozen("charge_card"): "charge_card" selects nothing: a selector is a kind (llm, http, tool, `},
		{"of another kind", []Option{Frozen("tools/charge_card")}, `refused: promptecho: Frozen("tools/charge_card")`},
		{"misspelt", []Option{Frozen("tool/chargecard")}, `fails: FILE: Frozen("tool/chargecard") has no effect: no call of this name was made or is recorded`},
		{"of an endpoint that is none", []Option{Frozen("llm/openai.chatt")}, `fails: FILE: Frozen("llm/openai.chatt") has no effect`},
		{"by an address", []Option{Frozen("http/https://api.example.com")}, `refused: promptecho: Frozen("http/https://api.example.com")`},
		{"by a pattern", []Option{Frozen("tool/charge_*")}, `refused: promptecho: Frozen("tool/charge_*")`},
		{"empty", []Option{Frozen()}, "refused: promptecho: Frozen(): it names nothing"},
	},
	"PassThrough": {
		{"misspelt", []Option{PassThrough("http/127.0.0.1:1")}, `said: PassThrough("http/127.0.0.1:1") has no effect: no request went to this server`},
		{"of another kind", []Option{PassThrough("llm")}, `refused: promptecho: PassThrough("llm"): it is not a server`},
		{"empty", []Option{PassThrough()}, "refused: promptecho: PassThrough(): it names nothing"},
	},
	"OnRecordError": {{"unknown", []Option{OnRecordError(7)}, "refused: promptecho: OnRecordError: unknown policy 7"}, {"twice", []Option{OnRecordError(Keep), OnRecordError(Fail)}, "said: OnRecordError has no effect: it is set twice"}},
}

// selected has the wrong ways of an option with selectors.
func selected(option func(...string) Option) []wrongly {
	return []wrongly{
		{"without the kind", []Option{option("charge_card")}, "refused: promptecho: "},
		{"misspelt", []Option{option("tool/chargecard")}, `("tool/chargecard") has no effect: no call of this name was made or is recorded`},
		{"of nothing", []Option{option("")}, "refused: promptecho: "},
		{"twice", []Option{option("llm", "llm")}, `("llm") has no effect: it is set twice`},
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
	if got := come(t, "", nil, Ignore("user"), Mask("hi", "X"), MatchOnly("llm", "model"), Unordered("messages"), AllowUnused(), AllowRepeats("llm"),
		Redact("wants"), RedactFields("user"), KeepHeaders("X-Kept"), Frozen("retrieval/*"), Match("header/X-Other")); got != "" {
		t.Errorf("options that have an effect: %s", got)
	}
}

// come says what comes of options: of what Open says, or else of a run that records and asks a
// model, a server and two functions. name is the option that is given, if it is one.
func come(t *testing.T, name string, opts ...Option) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "c.yaml")
	seed := mustOpen(t, file, InMode(ModeAll), Upstream(canned(`{}`)))
	search := Wrap(seed, "retrieval/search", func(context.Context, int) (int, error) { return 1, nil })
	search(t.Context(), 1)
	mustPass(t, seed)
	var rec *Recorder
	var err error
	if name != "InMode" {
		opts = append(opts, InMode(ModeAll))
	}
	if name != "Upstream" {
		opts = append(opts, Upstream(canned(`{}`)))
	}
	if rec, err = Open(file, opts...); err != nil {
		return "refused: " + err.Error()
	}
	body := `{"model":"m","messages":[{"role":"user","content":"hi, Acme wants it"},{"role":"user","content":"b"}],"user":"ada","temperature":0}`
	ask := asking{chatURL, body, []string{"X-Kept", "1"}}
	ask.ask(t, rec)
	asking{"http://svc.example.com/x", `{"city":"Rome"}`, []string{"X-Other", "1"}}.ask(t, rec)
	Wrap(rec, "tool/charge_card", func(context.Context, int) (int, error) { return 1, nil })(t.Context(), 1)
	Wrap(rec, "retrieval/search", func(context.Context, int) (int, error) { return 1, nil })(t.Context(), 1)
	rep := rec.finish(report.Outcome{})
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

// namesOfOptions returns the functions of this package that return options of a type.
func namesOfOptions(t *testing.T, kind string) (names []string) {
	t.Helper()
	files, err := filepath.Glob("*.go")
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
	r := mustOpen(t, file, InMode(ModeAll), Upstream(canned("1")))
	asking{chatURL, prompt("hi"), nil}.ask(t, r)
	mustPass(t, r)
	t.Setenv("PROMPTECHO_MODE", "all")
	t.Setenv("PROMPTECHO_MODES", "all")
	t.Setenv("PROMPTECHO_STORE_CACHE", "off")              // promptecho-store reads it
	t.Setenv("PROMPTECHO_URL", "http://127.0.0.1:1/serve") // promptecho serve sets it for what it runs
	args := os.Args
	defer func() { os.Args = args }()
	os.Args = slices.Concat(args, []string{"-echo.mode=once", "--echo.mode", "none", "-echo.record=false", "x", "-echo.update"})
	r = mustOpen(t, file, InMode(ModeNone))
	asking{chatURL, prompt("hi"), nil}.ask(t, r)
	notes := strings.Join(r.finish(report.Outcome{}).Notes, "\n")
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
		for _, method := range []func(*Recorder, string) string{(*Recorder).Secret, (*Recorder).Env} {
			r := mustOpen(t, filepath.Join(t.TempDir(), "c.yaml"), InMode(ModeAll), Upstream(canned("1")))
			said := asking{chatURL, prompt("hi"), []string{"Authorization", "Bearer " + method(r, key)}}.ask(t, r)
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
		r := mustOpen(t, filepath.Join(t.TempDir(), "c.yaml"), InMode(ModeNone), AllowUnused())
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
	var r *Recorder
	t.Setenv("PROMPTECHO_TEST_THING", "thing")
	if r.Secret("PROMPTECHO_TEST_THING") != "thing" || r.Env("PROMPTECHO_TEST_THING") != "thing" || !r.Online() || r.Misses() != nil || r.Close() != nil ||
		r.Now().IsZero() || r.Rand("x") == nil {
		t.Error("a nil recorder is not the real thing")
	}
	out, err := Wrap(r, "tool/x", func(_ context.Context, n int) (int, error) { return n + 1, nil })(t.Context(), 1)
	if out != 2 || err != nil {
		t.Error(out, err)
	}
	r.Client().CloseIdleConnections()
	if _, err := r.Client().Get("http://127.0.0.1:0/"); err == nil || strings.Contains(err.Error(), "promptecho") {
		t.Error(err)
	}
	rec := mustOpen(t, filepath.Join(t.TempDir(), "c.yaml"), nil, InMode(ModeNone), nil, AllowUnused())
	mustPass(t, rec)
}

// What Close returns holds the misses.
func TestCloseHoldsMisses(t *testing.T) {
	t.Parallel()
	r := mustOpen(t, filepath.Join(t.TempDir(), "c.yaml"), InMode(ModeNone))
	asking{"https://svc.example.com/a", "", nil}.ask(t, r)
	asking{chatURL, prompt("hi"), nil}.ask(t, r)
	err := r.Close()
	var miss *MissError
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
	poll, model := asking{"https://jobs.example.com/1", "", nil}, asking{chatURL, prompt("hi"), nil}
	r := mustOpen(t, file, InMode(ModeAll), Upstream(canned(`{}`)))
	poll.ask(t, r)
	model.ask(t, r)
	mustPass(t, r)

	r = mustOpen(t, file, InMode(ModeNone), AllowRepeats("http/jobs.example.com"))
	for range 3 {
		if got := poll.ask(t, r); got != "{}" {
			t.Errorf("the poll: %s", got)
		}
	}
	model.ask(t, r)
	if got := model.ask(t, r); !strings.HasPrefix(got, "status 418") {
		t.Errorf("the model repeats: %s", got)
	}
	r.Close()

	for selector, passes := range map[string]bool{"http": true, "http/jobs.example.com": true, "llm": false, "*": true} {
		r = mustOpen(t, file, InMode(ModeNone), AllowUnused(selector))
		model.ask(t, r)
		if err := r.Close(); (err == nil) != passes {
			t.Errorf("AllowUnused(%q): %v", selector, err)
		}
	}

	tool := func(r *Recorder, name string, in map[string]any) error {
		_, err := Wrap(r, name, func(context.Context, map[string]any) (int, error) { return 1, nil })(t.Context(), in)
		return err
	}
	file = filepath.Join(t.TempDir(), "c.yaml")
	r = mustOpen(t, file, InMode(ModeAll))
	charge := map[string]any{"amount": 5, "card": "1", "trace": 1}
	tool(r, "tool/charge", charge)
	tool(r, "tool/find", charge)
	mustPass(t, r)
	r = mustOpen(t, file, InMode(ModeNone), MatchOnly("tool/find", "card"))
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
	at := func(body string) asking { return asking{"https://db.example.com/q", body, nil} }
	recordedBody := `{"params":[{"k":"a","v":[1,2]},{"k":"b","v":[3]},{"k":"c","at":"12:00"}],"ids":[1,2]}`
	for _, tt := range []struct {
		how, body string
		opts      []Option
		miss      bool
	}{
		{"as recorded", recordedBody, nil, false},
		{"in another order", `{"params":[{"k":"c","at":"12:00"},{"v":[1,2],"k":"a"},{"k":"b","v":[3]}],"ids":[1,2]}`, nil, false},
		{"a list below it", `{"params":[{"k":"a","v":[2,1]},{"k":"b","v":[3]},{"k":"c","at":"12:00"}],"ids":[1,2]}`, nil, true},
		{"a list beside it", `{"params":[{"k":"a","v":[1,2]},{"k":"b","v":[3]},{"k":"c","at":"12:00"}],"ids":[2,1]}`, nil, true},
		{"an element less", `{"params":[{"k":"a","v":[1,2]},{"k":"b","v":[3]}],"ids":[1,2]}`, nil, true},
		{"an element twice", `{"params":[{"k":"a","v":[1,2]},{"k":"a","v":[1,2]},{"k":"b","v":[3]},{"k":"c","at":"12:00"}],"ids":[1,2]}`, nil, true},
		{"what is ignored in it", `{"params":[{"k":"c","at":"99:99"},{"k":"a","v":[1,2]},{"k":"b","v":[3]}],"ids":[1,2]}`, []Option{Ignore("params/*/at")}, false},
		{"what is masked in it", `{"params":[{"k":"b","v":[3]},{"k":"c","at":"07:15"},{"k":"a","v":[1,2]}],"ids":[1,2]}`, []Option{Mask(`\d\d:\d\d`, "T")}, false},
	} {
		file := recorded(t, []string{`"one"`}, []asking{at(recordedBody)})
		r := mustOpen(t, file, append([]Option{InMode(ModeNone), Unordered("params")}, tt.opts...)...)
		if got := at(tt.body).ask(t, r); strings.HasPrefix(got, "status 418") != tt.miss {
			t.Errorf("%s: %s", tt.how, got)
		}
		rep := r.finish(report.Outcome{})
		if noted := strings.Contains(strings.Join(rep.Notes, "\n"), "params/order"); noted != (strings.Index(tt.body, `"a"`) > strings.Index(tt.body, `"b"`) || strings.HasPrefix(tt.body, `{"params":[{"k":"c"`)) && !tt.miss {
			t.Errorf("%s: noted: %v\n%s", tt.how, noted, strings.Join(rep.Notes, "\n"))
		}
	}
}

// What is redacted, or kept, for nothing is said in replay, too, unless nobody can tell.
func TestWritingInVainInReplay(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	answer := roundTripFunc(func(req *http.Request) (*http.Response, error) {
		resp, err := canned(`{"customer":"Acme","userName":"ada","n":1}`).RoundTrip(req)
		resp.Header.Set("Server", "kept")
		return resp, err
	})
	used := []Option{Redact("Acme"), RedactFields("USERNAME", "N"), KeepHeaders("serv*")}
	for _, tt := range []struct {
		opts []Option
		want []string
	}{
		{append(used, InMode(ModeAll), Upstream(answer)), nil},
		{append(used, InMode(ModeNone)), nil},
		{[]Option{InMode(ModeNone), Redact("Acme", "Amce"), RedactFields("city"), KeepHeaders("x-total-*")}, []string{`RedactFields("city")`, `KeepHeaders("x-total-*")`}}, // something is redacted, perhaps by this
	} {
		r := mustOpen(t, file, tt.opts...)
		asking{chatURL, prompt("hi"), nil}.ask(t, r)
		rep := r.finish(report.Outcome{})
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
	plain := recorded(t, []string{`"one"`}, []asking{{chatURL, prompt("hi"), nil}})
	r := mustOpen(t, plain, InMode(ModeNone), Redact("Amce"), Redact("h(.)"))
	asking{chatURL, prompt("hi"), nil}.ask(t, r)
	if text := strings.Join(r.finish(report.Outcome{}).Notes, "\n"); !strings.Contains(text, `Redact("Amce") has no effect: neither the cassette nor what is written of any request contains it`) || strings.Contains(text, "h(.)") {
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
	r := mustOpen(t, filepath.Join(t.TempDir(), "c.yaml"), InMode(ModeAll), Upstream(http.RoundTripper(canned("1"))), Ignore("mesages"))
	asking{chatURL, prompt("hi"), nil}.ask(t, r)
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if text := read(t, out.Name()); !strings.Contains(text, `Ignore("mesages") has no effect`) {
		t.Errorf("standard error has %q", text)
	}
}
