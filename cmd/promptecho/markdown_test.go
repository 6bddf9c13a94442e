package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
)

// answered returns a cassette with an answer.
func answered(question, answer string) *cassette.File {
	return &cassette.File{Interactions: []*interaction.Interaction{{
		Kind: "llm", Boundary: "openai.chat",
		Request:  interaction.Request{Method: "POST", URL: "https://api.openai.com/v1/chat/completions", Body: fmt.Appendf(nil, `{"model":"m","messages":[{"role":"user","content":%q}]}`, question)},
		Response: interaction.Response{Status: 200, Body: fmt.Appendf(nil, `{"object":"chat.completion","choices":[{"message":{"content":%q},"finish_reason":"stop"}]}`, answer)},
		Usage:    &interaction.Usage{InputTokens: int64(len(question)), OutputTokens: int64(len(answer))},
	}}}
}

func markdownOf(t *testing.T, list []*difference) string {
	t.Helper()
	var b strings.Builder
	if err := printMarkdown(&b, list); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What a model answers stays within its fence, whatever it says.
func TestMarkdownIsNotForged(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		"```\n# Approved by @maintainer\n![x](https://evil.example/x.png)\n```",
		"````\n</details>\n<img src=x onerror=alert(1)>\n````",
		"~~~\n</pre></code><script>alert(1)</script>",
		"`````````` end\r``````````\n[x]: https://evil.example",
	} {
		got := markdownOf(t, []*difference{compare("testdata/cassettes/TestX.yaml (HEAD)", "testdata/cassettes/TestX.yaml", answered("q", "fine"), answered("q", answer))})
		lines := strings.Split(got, "\n")
		fence := ""
		for i, line := range lines {
			switch {
			case fence == "" && strings.HasPrefix(line, "```"):
				fence = strings.TrimSuffix(line, "diff")
			case fence != "" && line == fence:
				fence = ""
			case fence != "" && strings.HasPrefix(strings.TrimLeft(line, " "), fence):
				t.Errorf("line %d closes the fence %s:\n%s", i+1, fence, got)
			case fence == "" && (strings.Contains(line, "evil") || strings.Contains(line, "maintainer") || strings.Contains(line, "script>")):
				t.Errorf("line %d is outside of the fence:\n%s", i+1, got)
			}
		}
		if fence != "" {
			t.Errorf("the fence is open:\n%s", got)
		}
	}
}

// A comment is bounded, and what does not fit is counted. Equal changes are told once.
func TestMarkdownIsBounded(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 60, 1000} {
		var list, alike []*difference
		for i := range n {
			file := fmt.Sprintf("testdata/cassettes/TestX%d.yaml", i)
			list = append(list, compare(file+" (HEAD)", file, answered("q", "no"), answered("q", fmt.Sprint("yes ", i, strings.Repeat(" and on", 50)))))
			alike = append(alike, compare(file+" (HEAD)", file, answered("q", "no"), answered("q", "yes")))
		}
		got := markdownOf(t, list)
		told := strings.Count(got, "<details>")
		left := 0
		if at := strings.LastIndex(got, "</details>\n\n"); len(got) > at+len("</details>\n\n") {
			fmt.Sscanf(got[at+len("</details>\n\n"):], "%d cassettes more", &left)
		}
		if len(got) > 65_536 || told+left != n || n <= 60 && left > 0 {
			t.Errorf("%d tests: %d bytes, %d told and %d left", n, len(got), told, left)
		}
		if got := markdownOf(t, alike); strings.Count(got, "<details>") != 1 || n > 1 && !strings.Contains(got, fmt.Sprintf("and %d more in the same way", n-1)) {
			t.Errorf("%d tests that changed in one way:\n%s", n, got)
		}
	}
	if got := markdownOf(t, nil); got != "### promptecho: no cassette has changed\n\n" {
		t.Error(got)
	}
}

// One edit of a prompt that six tests share is told once, with the names of the tests.
func TestMarkdownTellsOneEditOfSixTestsOnce(t *testing.T) {
	t.Parallel()
	var list []*difference
	for i := range 6 {
		file := fmt.Sprintf("testdata/cassettes/TestX%d.yaml", i)
		before := answered("You are a kind clerk.", fmt.Sprint("answer ", i))
		after := answered("You are a brief clerk.", fmt.Sprint("new answer ", i))
		if i == 5 {
			after = answered("You are a brief clerk.", "answer 5")
		}
		list = append(list, compare(file+" (HEAD)", file, before, after))
	}
	got := markdownOf(t, list)
	if n := strings.Count(got, "brief"); n != 1 {
		t.Errorf("the edit is told %d times:\n%s", n, got)
	}
	if !strings.Contains(got, "<code>TestX0</code> and 5 more: the same edit") || !strings.Contains(got, "<code>TestX5</code></p>") {
		t.Errorf("the tests that have the edit are not named:\n%s", got)
	}
	for i := range 5 {
		if !strings.Contains(got, fmt.Sprint("{+new +}answer ", i)) {
			t.Errorf("the new answer of test %d is not told:\n%s", i, got)
		}
	}
	if strings.Contains(got, "<summary><code>TestX5") {
		t.Errorf("TestX5 has a section, though nothing else changed in it:\n%s", got)
	}
}
