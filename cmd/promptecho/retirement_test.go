package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
)

// verify names each model that its provider retires once, with the date, the replacement and
// the files, and does not fail.
func TestVerifyNamesModelsThatTheirProviderRetires(t *testing.T) {
	t.Chdir(t.TempDir())
	const call = "  - request:\n      method: POST\n      url: https://api.anthropic.com/v1/messages\n" +
		"      body: {model: MODEL, messages: [{role: user, content: Hi}]}\n    response: {status: 200}\n"
	of := func(models ...string) string {
		text := "version: 1\ninteractions:\n"
		for _, m := range models {
			text += strings.ReplaceAll(call, "MODEL", m)
		}
		return text
	}
	write(t, "bot_test.go", "package bot\n\nfunc TestA(t *testing.T) { echotest.New(t) }\n"+
		"func TestB(t *testing.T) { echotest.New(t) }\nfunc TestC(t *testing.T) { echotest.New(t) }\n")
	write(t, "testdata/cassettes/TestA.yaml", of("claude-2.1", "claude-2.1"))
	write(t, "testdata/cassettes/TestB.yaml", of("claude-unheard-of", "claude-2.1", "claude-3-opus-20240229"))
	fake := strings.ReplaceAll(of("claude-2.1"), "  - request", "  - fake: true\n    request")
	write(t, "testdata/cassettes/TestC.yaml", fake)

	for _, tt := range []struct {
		args  []string
		wants []string
	}{
		{[]string{"verify"}, []string{
			"3 files checked: no problem found\n" +
				"Providers retire models. Recordings of them replay; after the date, " +
				"no test can record them again:\n" +
				"  claude-2.1: Anthropic retired it on 2025-07-21 and recommends claude-opus-4-8; in " +
				"testdata/cassettes/TestA.yaml, testdata/cassettes/TestB.yaml\n" +
				"  claude-3-opus-20240229: Anthropic retired it on 2026-01-05 and recommends claude-opus-4-8; in " +
				"testdata/cassettes/TestB.yaml\n",
		}},
		{[]string{"verify", "-json"}, []string{
			`"code": "model-retires",
        "severity": "note",
        "file": "testdata/cassettes/TestA.yaml",
        "line": 3,`,
			`"date": "2026-01-05",
        "over": true,
        "replacement": "claude-opus-4-8",
        "source": "https://platform.claude.com/docs/en/about-claude/model-deprecations",`,
		}},
	} {
		var out, errs bytes.Buffer
		if status := run(tt.args, &out, &errs); status != 0 || errs.Len() > 0 {
			t.Errorf("%q: status %d, %s", tt.args, status, errs.String())
		}
		text := strings.ReplaceAll(out.String(), "\\", "/")
		for _, want := range tt.wants {
			if strings.Count(text, want) != 1 {
				t.Errorf("%q: not once %q in:\n%s", tt.args, want, text)
			}
		}
	}
}

// The note says "retires" until the date, and "retired" from then on.
func TestRetirementIsToldBeforeAndAfterItsDate(t *testing.T) {
	t.Parallel()
	it := &interaction.Interaction{Request: interaction.Request{
		Method: "POST", URL: "https://api.openai.com/v1/chat/completions",
		Body: []byte(`{"model": "gpt-4o-mini", "messages": []}`),
	}}
	for date, want := range map[string]string{
		"2027-01-13": "gpt-4o-mini: OpenAI retires it on 2027-01-14 and recommends gpt-6-luna",
		"2027-01-14": "gpt-4o-mini: OpenAI retired it on 2027-01-14 and recommends gpt-6-luna",
	} {
		now, err := time.Parse(time.DateOnly, date)
		if err != nil {
			t.Fatal(err)
		}
		r, isRetired := retirementOf(it, now)
		if !isRetired || r.text() != want {
			t.Errorf("%s: %+v, want %q", date, r, want)
		}
	}
}
