package accept

import (
	"fmt"
	"slices"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testing/full"
)

// TestAssignMany: the system prompt of many short questions is edited. Each goes where its
// question is recorded, and no less so if questions may differ.
func TestAssignMany(t *testing.T) {
	t.Parallel()
	var words, phrases []string
	for i := range full.Cases(40, 150) {
		words = append(words, fmt.Sprint("word", i))
	}
	nouns := []string{"cat", "dog", "fox", "cow", "owl", "bee", "ant", "bat", "hen", "pig"}
	for _, adjective := range []string{"red", "big", "old", "new", "hot", "dry", "odd", "shy", "sad", "fat"} {
		for _, noun := range nouns[:full.Cases(5, 10)] {
			phrases = append(phrases, "the "+adjective+" "+noun)
		}
	}
	for _, tt := range []struct {
		name, system, edited string
		questions            []string
	}{
		{"words", "Translate", "Translated", words},
		{"phrases", "Translate to French.", "Translate to German.", phrases},
		{"phrases, one of them changed", "Translate to French.", "Translate to German.", append(slices.Clone(phrases[:full.Cases(30, 60)]), "a zebra that nobody else asks for")},
	} {
		for _, told := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, told %v", tt.name, told), func(t *testing.T) {
				t.Parallel()
				var stored []*interaction.Interaction
				var calls []Call
				for i, question := range tt.questions {
					recorded := chat("a", "system", tt.system, "user", question)
					recorded.Line = 3 + 10*i
					stored = append(stored, recorded)
					if question[0] == 'a' {
						question = "a zebra that somebody else asks for"
					}
					calls = append(calls, Call{Played: -1, Missed: chat("", "system", tt.edited, "user", question)})
				}
				for i, f := range Assign(&Run{Stored: stored, Calls: calls, Options: new(canon.Options), AllowNewQuestions: told}) {
					same := tt.questions[i][0] != 'a'
					if taken := len(f.Recordings) == 1 && f.Recordings[0] == i; taken != (same || told) {
						t.Fatalf("%q goes into %v, want %d: %s", tt.questions[i], f.Recordings, i, f.Refused.Text)
					}
				}
			})
		}
	}
}

// TestAssignToldKeepsWhatWasAccepted: that questions may differ is no reason to undo what kept
// its question.
func TestAssignToldKeepsWhatWasAccepted(t *testing.T) {
	t.Parallel()
	recorded := chat("a", "system", system, "user", "Name three teas.")
	run := Run{
		Stored:    []*interaction.Interaction{chat("a", "system", mended, "user", "Name three teas.")},
		Originals: Originals{0: recorded},
		Calls:     []Call{{Played: 0}, {Played: -1, Missed: chat("", "system", mended, "user", "Name three coffees.")}},
		Options:   new(canon.Options),
	}
	for _, run.AllowNewQuestions = range []bool{false, true} {
		if f := Assign(&run)[0]; f.Contested || f.Refused.IsZero() {
			t.Errorf("told %v: %+v", run.AllowNewQuestions, f)
		}
	}
}
