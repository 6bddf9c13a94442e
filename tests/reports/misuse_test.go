package reports_test

import (
	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A misuse is a way of giving an option that compiles and cannot be meant.
type misuse struct {
	how  string
	opts options

	// want is a part of what a run with the options reports: "refused: " and the error of Open, "fails: " and an
	// error of the run, or "noted: " and the note that the option has no effect.
	want string
}

type options = []promptecho.Option

// misuses has every option and every misuse of it. An option whose only misuse is to give it twice decides something
// that cannot be misspelt.
var misuses = map[string][]misuse{
	"InMode": {
		{
			how:  "misspelt",
			opts: options{promptecho.InMode("recrod")},
			want: `refused: promptecho: InMode: unknown record mode "recrod"`,
		},
		{
			how:  "an empty mode",
			opts: options{promptecho.InMode("")},
			want: `refused: promptecho: InMode: unknown record mode ""`,
		},
		{
			how:  "twice",
			opts: options{promptecho.InMode(promptecho.ModeNone), promptecho.InMode(promptecho.ModeAll)},
			want: "noted: InMode has no effect: it is set twice, and the last one counts",
		},
	},
	"Upstream": {
		{
			how:  "twice",
			opts: options{promptecho.Upstream(provider.Says("1")), promptecho.Upstream(provider.Says("2"))},
			want: "noted: Upstream has no effect: it is set twice",
		},
		{
			how:  "a recorder",
			opts: options{promptecho.Upstream(new(promptecho.Recorder))},
			want: "refused: promptecho: Upstream: this transport is a recorder",
		},
	},
	"Match": {
		{
			how:  "misspelt",
			opts: options{promptecho.Match("temprature")},
			want: `noted: Match("temprature") has no effect: no request or recording has such a field`,
		},
		{
			how:  "without an argument",
			opts: options{promptecho.Match()},
			want: "refused: promptecho: Match(): it names nothing",
		},
		{
			how:  "an empty path",
			opts: options{promptecho.Match("")},
			want: "refused: promptecho: Match(): it names nothing",
		},
		{
			how:  "twice",
			opts: options{promptecho.Match("model", "model")},
			want: `noted: Match("model") has no effect: it is set twice`,
		},
		{
			how:  "against another option",
			opts: options{promptecho.Match("temperature"), promptecho.Ignore("temperature")},
			want: `noted: Match("temperature") has no effect`,
		},
	},
	"MatchOnly": {
		{
			how:  "with fields and no selector",
			opts: options{promptecho.MatchOnly("model", "messages")},
			want: `refused: promptecho: MatchOnly("model", "messages"): "model" selects nothing: ` +
				"a selector is a kind (llm, http, ",
		},
		{
			how:  "misspelt",
			opts: options{promptecho.MatchOnly("llm", "mesages")},
			want: `noted: MatchOnly("llm", "mesages") has no effect`,
		},
		{
			how:  "a misspelt call",
			opts: options{promptecho.MatchOnly("tool/charge_crad", "city")},
			want: `noted: MatchOnly("tool/charge_crad", "city") has no effect`,
		},
		{
			how:  "without an argument",
			opts: options{promptecho.MatchOnly("llm")},
			want: `refused: promptecho: MatchOnly("llm"): it names nothing`,
		},
		{
			how:  "a path outside the body",
			opts: options{promptecho.MatchOnly("llm", "header/x")},
			want: `refused: promptecho: MatchOnly("llm", "header/x"): this path is outside the body`,
		},
		{
			how:  "twice",
			opts: options{promptecho.MatchOnly("llm", "model"), promptecho.MatchOnly("llm", "model")},
			want: "is set twice",
		},
	},
	"KeepUploads": {
		{
			how:  "twice",
			opts: options{promptecho.KeepUploads(), promptecho.KeepUploads()},
			want: "noted: KeepUploads has no effect: it is set twice",
		},
	},
	"MatchSampling": {
		{
			how:  "twice",
			opts: options{promptecho.MatchSampling(), promptecho.MatchSampling()},
			want: "noted: MatchSampling has no effect: it is set twice",
		},
	},
	"Ignore": {
		{
			how:  "misspelt",
			opts: options{promptecho.Ignore("mesages")},
			want: `noted: Ignore("mesages") has no effect`,
		},
		{
			how:  "without an argument",
			opts: options{promptecho.Ignore()},
			want: "refused: promptecho: Ignore(): it names nothing",
		},
		{
			how:  "twice",
			opts: options{promptecho.Ignore("user"), promptecho.Ignore("user")},
			want: "is set twice",
		},
	},
	"Mask": {
		{
			how:  "an invalid expression",
			opts: options{promptecho.Mask("[", "X")},
			want: `refused: promptecho: Mask("["): error parsing regexp`,
		},
		{
			how:  "an empty expression",
			opts: options{promptecho.Mask("", "X")},
			want: "refused: promptecho: Mask(): it names nothing",
		},
		{
			how:  "matches nothing",
			opts: options{promptecho.Mask("nowhere", "X")},
			want: `noted: Mask("nowhere") has no effect: it matches nothing in any request or recording`,
		},
		{
			how:  "twice",
			opts: options{promptecho.Mask("hi", "X"), promptecho.Mask("hi", "Y")},
			want: "is set twice",
		},
	},
	"MaskTimes": {
		{
			how:  "matches nothing",
			opts: options{promptecho.MaskTimes()},
			want: "noted: MaskTimes() has no effect",
		},
		{
			how:  "twice",
			opts: options{promptecho.MaskTimes(), promptecho.MaskTimes()},
			want: "is set twice",
		},
	},
	"MaskUUIDs": {
		{
			how:  "matches nothing",
			opts: options{promptecho.MaskUUIDs()},
			want: "noted: MaskUUIDs() has no effect",
		},
	},
	"MaskTempDirs": {
		{
			how:  "matches nothing",
			opts: options{promptecho.MaskTempDirs()},
			want: "noted: MaskTempDirs() has no effect",
		},
	},
	"Alias": {
		{
			how:  "misspelt",
			opts: options{promptecho.Alias("127.0.0.1:port", "jira")},
			want: "refused: promptecho: Alias: \"127.0.0.1:port\" is not an origin",
		},
		{
			how:  "an empty name",
			opts: options{promptecho.Alias("http://127.0.0.1:8080", "")},
			want: `refused: promptecho: Alias: "" is not a name`,
		},
		{
			how:  "of a server that gets no request",
			opts: options{promptecho.Alias("http://127.0.0.1:8080", "jira")},
			want: `noted: Alias("http://127.0.0.1:8080", "jira") has no effect: no request went to this server`,
		},
	},
	"Unordered": {
		{
			how:  "misspelt",
			opts: options{promptecho.Unordered("mesages")},
			want: `noted: Unordered("mesages") has no effect`,
		},
		{
			how:  "not a list",
			opts: options{promptecho.Unordered("model")},
			want: `noted: Unordered("model") has no effect`,
		},
		{
			how:  "without an argument",
			opts: options{promptecho.Unordered()},
			want: "refused: promptecho: Unordered(): it names nothing",
		},
	},
	"KeepHeaders": {
		{
			how:  "a pattern that matches nothing",
			opts: options{promptecho.KeepHeaders("x-nothing-*")},
			want: `noted: KeepHeaders("x-nothing-*") has no effect: nothing that was recorded contains it`,
		},
		{
			how:  "without an argument",
			opts: options{promptecho.KeepHeaders()},
			want: "refused: promptecho: KeepHeaders(): it names nothing",
		},
	},
	"Redact": {
		{
			how:  "misspelt",
			opts: options{promptecho.Redact("Amce")},
			want: `noted: Redact("Amce") has no effect: nothing that was recorded contains it`,
		},
		{
			how:  "the name of a field",
			opts: options{promptecho.Redact("email")},
			want: `noted: Redact("email") has no effect`,
		},
		{
			how:  "matches everything",
			opts: options{promptecho.Redact("a*")},
			want: `refused: promptecho: Redact("a*"): it matches the empty text, and so everything`,
		},
		{
			how:  "an invalid expression",
			opts: options{promptecho.Redact("(")},
			want: `refused: promptecho: Redact("("): error parsing regexp`,
		},
		{
			how:  "without an argument",
			opts: options{promptecho.Redact()},
			want: "refused: promptecho: Redact(): it names nothing",
		},
	},
	"RedactFields": {
		{
			how:  "misspelt",
			opts: options{promptecho.RedactFields("usr")},
			want: `noted: RedactFields("usr") has no effect: nothing that was recorded contains it`,
		},
		{
			how:  "an expression",
			opts: options{promptecho.RedactFields("us.*")},
			want: `noted: RedactFields("us.*") has no effect`,
		},
		{
			how:  "without an argument",
			opts: options{promptecho.RedactFields()},
			want: "refused: promptecho: RedactFields(): it names nothing",
		},
	},
	"Pace": {
		{
			how:  "negative",
			opts: options{promptecho.Pace(-1)},
			want: "refused: promptecho: Pace: -1 is not a valid time factor",
		},
		{
			how:  "twice",
			opts: options{promptecho.Pace(1), promptecho.Pace(2)},
			want: "noted: Pace has no effect: it is set twice",
		},
	},
	"AllowUnused":  misusesOfSelectors(promptecho.AllowUnused),
	"AllowRepeats": misusesOfSelectors(promptecho.AllowRepeats),
	"AllowRaced": {
		{
			how:  "twice",
			opts: options{promptecho.AllowRaced(), promptecho.AllowRaced()},
			want: "is set twice",
		},
	},
	"Log": {
		{
			how:  "nil",
			opts: options{promptecho.Log(nil)},
			want: "refused: promptecho: Log: it is nil",
		},
	},
	"Live": append(misusesOfSelectors(promptecho.Live), []misuse{
		{
			how:  "without an argument",
			opts: options{promptecho.Live()},
			want: "refused: promptecho: Live(): it names nothing",
		},
		{
			how:  "against another option",
			opts: options{promptecho.Live("tool/charge_card"), promptecho.Frozen("tool")},
			want: `noted: Live("tool/charge_card") has no effect`,
		},
	}...),
	"Frozen": {
		{
			how:  "without the kind",
			opts: options{promptecho.Frozen("charge_card")},
			want: `refused: promptecho: Frozen("charge_card"): "charge_card" selects nothing: ` +
				"a selector is a kind (llm, http, grpc, tool, ",
		},
		{
			how:  "an unknown kind",
			opts: options{promptecho.Frozen("tools/charge_card")},
			want: `refused: promptecho: Frozen("tools/charge_card")`,
		},
		{
			how:  "misspelt",
			opts: options{promptecho.Frozen("tool/chargecard")},
			want: `fails: FILE: Frozen("tool/chargecard") has no effect: no call of this name was made or is recorded`,
		},
		{
			how:  "a misspelt endpoint",
			opts: options{promptecho.Frozen("llm/openai.chatt")},
			want: `fails: FILE: Frozen("llm/openai.chatt") has no effect`,
		},
		{
			how:  "an address",
			opts: options{promptecho.Frozen("http/https://api.example.com")},
			want: `refused: promptecho: Frozen("http/https://api.example.com")`,
		},
		{
			how:  "a pattern",
			opts: options{promptecho.Frozen("tool/charge_*")},
			want: `refused: promptecho: Frozen("tool/charge_*")`,
		},
		{
			how:  "without an argument",
			opts: options{promptecho.Frozen()},
			want: "refused: promptecho: Frozen(): it names nothing",
		},
	},
	"PassThrough": {
		{
			how:  "of a server that gets no request",
			opts: options{promptecho.PassThrough("http/127.0.0.1:1")},
			want: `noted: PassThrough("http/127.0.0.1:1") has no effect: no request went to this server`,
		},
		{
			how:  "not a server",
			opts: options{promptecho.PassThrough("llm")},
			want: `refused: promptecho: PassThrough("llm"): it is not a server`,
		},
		{
			how:  "without an argument",
			opts: options{promptecho.PassThrough()},
			want: "refused: promptecho: PassThrough(): it names nothing",
		},
	},
	"OnRecordError": {
		{
			how:  "an unknown policy",
			opts: options{promptecho.OnRecordError(7)},
			want: "refused: promptecho: OnRecordError: unknown policy 7",
		},
		{
			how:  "twice",
			opts: options{promptecho.OnRecordError(promptecho.Keep), promptecho.OnRecordError(promptecho.Fail)},
			want: "noted: OnRecordError has no effect: it is set twice",
		},
	},
}

// misusesOfSelectors are the misuses of an option that takes selectors of calls.
func misusesOfSelectors(option func(...string) promptecho.Option) []misuse {
	return []misuse{
		{
			how:  "without the kind",
			opts: options{option("charge_card")},
			want: "refused: promptecho: ",
		},
		{
			how:  "misspelt",
			opts: options{option("tool/chargecard")},
			want: `("tool/chargecard") has no effect: no call of this name was made or is recorded`,
		},
		{
			how:  "an empty selector",
			opts: options{option("")},
			want: "refused: promptecho: ",
		},
		{
			how:  "twice",
			opts: options{option("llm", "llm")},
			want: `("llm") has no effect: it is set twice`,
		},
	}
}
