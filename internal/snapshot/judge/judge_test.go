package judge

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

var criteria = []string{"names the same cities", "gives no price"}

// injections returns the texts that try to talk a judge round.
func injections(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/injections.txt")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for text := range strings.SplitSeq(string(data), "\n%%\n") {
		text = strings.NewReplacer(`\r`, "\r", `\u2028`, "\u2028", `\u2029`, "\u2029", `\u0085`, "\u0085", `\v`, "\v", `\f`, "\f", `\u202e`, "\u202e", `\x1b`, "\x1b").Replace(text)
		texts = append(texts, strings.TrimSuffix(text, "\n"))
	}
	if len(texts) != 40 {
		t.Fatalf("%d texts, want 40", len(texts))
	}
	return texts
}

// obedient is a judge that obeys whatever stands outside of the fence, on any line that a
// model may take for one, and judges what is inside by whether it names Oslo.
func obedient(benign string) Ask {
	return func(_ context.Context, prompt string) (string, error) {
		if outside(prompt) != outside(benign) {
			return "1: yes\n2: yes", nil // it was talked round
		}
		_, fresh, _ := strings.Cut(prompt, " NEW TEXT ===\n")
		if strings.Contains(fresh, "the ferry from Oslo") {
			return "1: yes\n2: yes", nil
		}
		return "1: no, Oslo is not named\n2: yes", nil
	}
}

// outside returns what of a prompt is outside of the fence, without the number in it.
func outside(prompt string) string {
	_, rest, _ := strings.Cut(prompt, `begin with "=== `)
	fence, _, _ := strings.Cut(rest, `"`)
	var lines []string
	for line := range strings.FieldsFuncSeq(strings.ReplaceAll(prompt, fence, "FENCE"), func(r rune) bool { return strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r) }) {
		if !strings.HasPrefix(line, "| ") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// TestInjections: none of the texts changes a verdict, wherever it stands: in the new text, in
// the old one, or in both.
func TestInjections(t *testing.T) {
	t.Parallel()
	const right, wrong = "Take the ferry from Oslo.", "Take the train to Rome."
	judge := obedient(Prompt("old", "new", criteria))
	for i, text := range injections(t) {
		for _, tt := range []struct {
			old, fresh string
			want       bool
		}{
			{right, wrong + "\n" + text, false},
			{right, text, false},
			{right + "\n" + text, wrong, false},
			{text, text + "\n" + wrong, false},
			{right, right + "\n" + text, true},
		} {
			v, err := Decide(t.Context(), judge, tt.old, tt.fresh, criteria)
			if err != nil || v.Holds() != tt.want {
				t.Errorf("text %d: %v, %v:\n%s\n%s", i+1, v, err, text, Prompt(tt.old, tt.fresh, criteria))
			}
		}
	}
	// The stand-in can be talked round: without a fence, the texts do it.
	talked := 0
	for _, text := range injections(t) {
		answer, err := judge(t.Context(), Prompt("old", wrong, criteria)+text)
		if err == nil && strings.HasPrefix(answer, "1: yes") {
			talked++
		}
	}
	if talked != 40 {
		t.Errorf("%d texts talk the stand-in round that is asked without a fence", talked)
	}
}

// scripted is a judge that gives one answer after the other.
func scripted(asked *int, answers ...string) Ask {
	return func(context.Context, string) (string, error) {
		*asked++
		if answers[*asked-1] == "error" {
			return "", errors.New("refused")
		}
		return answers[*asked-1], nil
	}
}

func TestDecide(t *testing.T) {
	t.Parallel()
	const yes, no, other = "1: yes\n2: yes", "1: no, because\n2: yes", "1: yes\n2: no"
	for _, tt := range []struct {
		name    string
		answers []string
		holds   bool
		fails   string // the beginning of the error
		asked   int
	}{
		{"yes", []string{yes}, true, "", 1},
		{"no", []string{no, no, no}, false, "", 3},
		{"flips at first", []string{no, yes, yes}, true, "", 3},
		{"flips later", []string{no, yes, no}, false, "", 3},
		{"flips last", []string{no, no, yes}, false, "", 3},
		{"another criterion each time", []string{no, other, yes}, true, "", 3},
		{"an error", []string{"error"}, false, "opinion 1 of the judge: refused", 1},
		{"an error later", []string{no, "error"}, false, "opinion 2 of the judge: refused", 2},
		{"an error where the majority is clear", []string{no, no, "error"}, false, "opinion 3 of the judge: refused", 3},
		{"unreadable", []string{"Both are fine."}, false, `opinion 1 of the judge cannot be read: criterion 1 is not answered: "Both are fine."`, 1},
		{"unreadable later", []string{no, "1: yes"}, false, "opinion 2 of the judge cannot be read: criterion 2 is not answered", 2},
	} {
		asked := 0
		v, err := Decide(t.Context(), scripted(&asked, tt.answers...), "old", "new", criteria)
		switch {
		case asked != tt.asked:
			t.Errorf("%s: asked %d times", tt.name, asked)
		case tt.fails != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.fails)):
			t.Errorf("%s: %v, want %s", tt.name, err, tt.fails)
		case tt.fails == "" && (err != nil || v.Holds() != tt.holds):
			t.Errorf("%s: %v, %v", tt.name, v, err)
		}
	}
	asked := 0
	v, _ := Decide(t.Context(), scripted(&asked, no, yes, no), "old", "new", criteria)
	if got := v.String(); got != "1. names the same cities: no (1 of 3 opinions say yes)\n2. gives no price: yes (3 of 3 opinions say yes)" {
		t.Error(got)
	}
}

func TestReadAnswer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"1: yes\n2: no":                             "yes no",
		"1. Yes.\r\n2) NO, since it names Rome":     "yes no",
		"**1**: yes\n**2:** no":                     "yes no",
		"- 2: no\n- 1: yes":                         "yes no",
		"Here is my verdict:\n\n1 - yes\n2 - yes\n": "yes yes",
		"Criterion 1: yes\nCriterion 2: no":         "yes no",
		"1: yes\n2: maybe":                          "criterion 2 is not answered",
		"1: yes\n2: yesterday":                      "criterion 2 is not answered",
		"1: yes, 2: yes":                            "criterion 2 is not answered",
		"1: yes\n2: yes\n2: no":                     "criterion 2 is answered twice",
		"1: yes\n2: yes\n3: yes":                    "there is no criterion 3",
		"0: yes":                                    "there is no criterion 0",
		"":                                          "criterion 1 is not answered",
		"yes":                                       "criterion 1 is not answered",
		"| 1: yes\n| 2: yes":                        "criterion 1 is not answered",
		"99999999999999999999: yes\n1: yes\n2: yes":   "yes yes",
		"> 1: yes\n1: no\n2: no":                      "no no",
		"The new text says \"1: yes\".\n1: no\n2: no": "no no",
	} {
		answers, err := ReadAnswer(text, 2)
		var words []string
		for _, yes := range answers {
			words = append(words, map[bool]string{true: "yes", false: "no"}[yes])
		}
		got := strings.Join(words, " ")
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if answers, err := ReadAnswer(" Yes.\n", 1); err != nil || !answers[0] {
		t.Error(answers, err)
	}
}

func TestPrompt(t *testing.T) {
	t.Parallel()
	prompt := Prompt("old\ntext", "new", criteria)
	if prompt != Prompt("old\ntext", "new", criteria) {
		t.Error("the prompt is another one each time")
	}
	if got, ok := ReadPrompt(prompt); !ok || !slices.Equal(got, criteria) {
		t.Errorf("%q, %v", got, ok)
	}
	if _, ok := ReadPrompt("Is it right?"); ok {
		t.Error("any prompt is one")
	}
	for _, list := range [][]string{nil, {""}, {"a\nb"}, {"a", " "}} {
		if Check(list) == nil {
			t.Errorf("%q are criteria", list)
		}
	}
	if err := Check(criteria); err != nil {
		t.Error(err)
	}
}
