package worded

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
)

// open returns the error of a recorder with a line of options.
func open(t *testing.T, line string) error {
	t.Helper()
	o, err := Options(line)
	if err != nil {
		return err
	}
	r, err := promptecho.Open(filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeNone), promptecho.Option(o))
	if err == nil {
		_ = r.Close() // of a recorder that no request reached
	}
	return err
}

// TestOptions: every option can be said, and a wrong one is named.
func TestOptions(t *testing.T) {
	t.Parallel()
	right := map[string]string{
		"alias": `{"http://127.0.0.1:8080": search}`, "match_only": "{llm: [model, messages], http: path2}", "mask": `{"req-[0-9]+": REQ, "x": ""}`,
		"on_record_error": "keep", "pace": "0.5", "redact": `["Acme (Inc|Ltd)"]`, "frozen": "tool/charge", "pass_through": "[http/127.0.0.1:6333]", "allow_unused": "llm/openai.chat", "allow_repeats": "true",
	}
	for name, option := range options {
		value := right[name]
		if value == "" {
			value = "[metadata/user, user]"
			if _, err := option([]string{"a", "b"}); err != nil {
				value = "true"
			}
		}
		if err := open(t, "{"+name+": "+value+"}"); err != nil {
			t.Errorf("%s: %s: %v", name, value, err)
		}
	}
	for line, want := range map[string]string{
		"{mask_time: true}":                    "mask_time: there is no such option; known are alias,",
		"{mask_times: false}":                  "mask_times: write mask_times: true, or leave it out",
		"{mask: [x]}":                          `mask: write {"req-[0-9]+": REQ}`,
		"{mask: {'[': x}}":                     `error parsing regexp`,
		"{ignore: []}":                         "it names nothing",
		"{alias: search}":                      `alias: write {"http://127.0.0.1:8080": search}`,
		"{match_only: {llm: []}}":              "it names nothing",
		"{pace: slow}":                         "is not a valid time factor",
		"{pace: [1, 2]}":                       "pace: it takes one value",
		"{on_record_error: panic}":             "on_record_error: write warn, fail or keep",
		"{mask_times: true, mask_times: true}": "mask_times",
		"mask_times: true":                     "write them in braces",
		"[mask_times]":                         "write them in braces",
		"{mask_times: true":                    "",
		"":                                     "",
	} {
		if err := open(t, line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

// TestReworded: what is printed in place of code in Go can be pasted, and means the same.
func TestReworded(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"add promptecho.MaskTimes()": "add -options '{mask_times: true}'",
		"add promptecho.MaskTimes(), promptecho.Ignore(\"metadata/user\", \"x\")": "add -options '{mask_times: true, ignore: [metadata/user, x]}'",
		"add promptecho.Mask(`req-(a|b)[0-9]+\\)`, \"REQ\"), now":                 `add -options '{mask: {"req-(a|b)[0-9]+\\)": "REQ"}}', now`,
		"add AllowUnused(), or record":                                            "add -options '{allow_unused: true}', or record",
		"(AllowRepeats replays the last recording again)":                         "(allow_repeats replays the last recording again)",
		"say so with OnRecordError(Keep)":                                         "say so with -options '{on_record_error: keep}'",
		`add promptecho.MatchOnly("llm", "model")`:                                "add -options '{match_only: {llm: [model]}}'",
		`add promptecho.KeepHeaders("x-request-id")`:                              `add -options '{keep_headers: ["x-request-id"]}'`,
		`pass rec.Client() to the SDK`:                                            `pass rec.Client() to the SDK`,
		"Match (of this":                                                          "Match (of this",
		"  incoming: \"Ignore(x) MaskTimes()\"\n  add MaskTimes()":                "  incoming: \"Ignore(x) MaskTimes()\"\n  add -options '{mask_times: true}'",
		"Mask(": "Mask(",
		"tell equal requests apart with promptecho.WithName, or play the recorded times with promptecho.Pace(1)":                              "tell equal requests apart with the header X-Promptecho-Name, or play the recorded times with -options '{pace: 1}'",
		"if it can change the answer, take the value from rec.Now(), to get the recorded one in replay":                                       "if it can change the answer, have the test give the program a fixed value",
		"is an environment variable unset here? Set it, or read it with rec.Env(NAME) and record again: then a replay has the recorded value": "is an environment variable unset here? Set it to the value that it had when the cassette was recorded",
		"it waits: run the test in a testing/synctest bubble, or let the test set how long it sleeps":                                         "it waits: let the test set how long it sleeps",
		"If the text is a secret, call rec.Secret(NAME), with the name of its environment variable, before the first request":                 "If the text is a secret, add -options '{redact: [EXPRESSION]}' with an expression that matches it",
		"a Pace":              "a Pace",
		"a KeepHeaders(x, y(": "a keep_headers(x, y(",
		"name them:\n  promptecho.Alias(\"http://127.0.0.1:80\", \"one\"),\n  promptecho.Alias(server.URL, \"two\"), // server: the *httptest.Server at http://127.0.0.1:48998\nand": "name them:\n  -options '{alias: {\"http://127.0.0.1:80\": one}}'\n  -options '{alias: {\"http://127.0.0.1:48998\": two}}'\nand",
		"compare it, add\n  promptecho.Match(\"header/x-tenant\"),\nor, if it":                                                                                                       "compare it, add\n  -options '{match: [header/x-tenant]}'\nor, if it",
		"or have promptecho.Redact replace it": "or have -options '{redact: [EXPRESSION]}' replace it",
	} {
		if got := Reworded(text); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
}

// TestLine: what Line writes, Options reads.
func TestLine(t *testing.T) {
	t.Parallel()
	for _, list := range [][]setting{
		{{"mask_times", []string{"true"}}, {"ignore", []string{"a", "true", "1", "- x", "*", "x: y", "a#b", ""}}},
		{{"mask", []string{`a"b\d'`, "X"}}, {"mask", []string{"{", "}"}}, {"pace", []string{"0.5"}}},
		{{"match_only", []string{"llm", "model", "a/*/b"}}, {"alias", []string{"http://127.0.0.1:80", "x"}}},
	} {
		line := Line(list)
		back, err := parse(line)
		if err != nil || fmt.Sprint(back) != fmt.Sprint(list) || !slices.EqualFunc(back, list, func(a, b setting) bool { return slices.Equal(a.values, b.values) }) {
			t.Errorf("%v, %v\n%s\n%v", list, err, line, back)
		}
	}
}

func FuzzReworded(f *testing.F) {
	f.Add("add promptecho.Mask(`x`, \"y\"), Ignore(\"a\"")
	f.Fuzz(func(t *testing.T, text string) {
		Reworded(text)
		_, _ = Options(text)
	})
}
