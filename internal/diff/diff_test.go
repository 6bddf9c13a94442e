package diff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/testing/full"
)

// form makes a form by hand: "path value" lines.
func form(endpoint, model, wire string, fields ...string) *canon.Form {
	var lines []canon.Line
	for _, l := range fields {
		path, value, _ := strings.Cut(l, " ")
		lines = append(lines, canon.Line{Path: path, Value: value})
	}
	return canon.NewForm(endpoint, model, wire, lines)
}

func user(text string) string { return "body/messages/0/content " + quote(text) }

func TestNearest(t *testing.T) {
	t.Parallel()
	const chat, messages = "openai.chat", "anthropic.messages"
	cat := user("Summarize in one sentence: the cat sat on the mat.")
	asked := form(chat, "gpt-4o", "whole", `body/model "gpt-4o"`, cat)
	unlike := func(used bool) Candidate {
		return Candidate{form(chat, "gpt-4o", "whole", `body/model "gpt-4o"`, user("Translate this mail to French, please, politely.")), used}
	}
	like := func(used bool) Candidate {
		return Candidate{form(chat, "gpt-4o", "whole", `body/model "gpt-4o"`, user("Summarize in two sentences: the cat sat on the mat.")), used}
	}
	tests := []struct {
		name     string
		recorded []Candidate
		want     int
	}{
		{"nothing recorded", nil, -1},
		{"only another endpoint", []Candidate{{form(messages, "claude", "whole", cat), false}}, 0},
		{"same text before same endpoint", []Candidate{
			{form(messages, "gpt-4o", "whole", `body/model "gpt-4o"`, cat), false},
			unlike(true),
		}, 0},
		{"same model and wire before more in common", []Candidate{
			{form(chat, "gpt-5", "stream", `body/model "gpt-5"`, user("Summarize in one sentence: the cat sat on the rug.")), false},
			unlike(false),
		}, 1},
		{"same model or wire before neither", []Candidate{
			{form(chat, "gpt-5", "stream", `body/model "gpt-5"`, user("Summarize in one sentence: the cat sat on the rug.")), false},
			{form(chat, "gpt-5", "whole", `body/model "gpt-5"`, user("Summarize the cat.")), false},
		}, 1},
		{"nothing but the model differs", []Candidate{
			unlike(false),
			{form(chat, "gpt-5", "whole", `body/model "gpt-5"`, cat), false},
		}, 1},
		{"unused before used", []Candidate{like(true), {form(chat, "gpt-4o", "whole", `body/model "gpt-4o"`, user("Summarize in one sentence: the dog lay on the sofa.")), false}}, 1},
		{"a used one before one with nothing in common", []Candidate{
			like(true),
			{form(chat, "gpt-4o", "whole", "body/n 5"), false},
		}, 0},
		{"more in common", []Candidate{unlike(false), like(false)}, 1},
		{"the earliest", []Candidate{like(false), like(false)}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Nearest(asked, len(tt.recorded), func(i int) Candidate { return tt.recorded[i] }); got != tt.want {
				for i, c := range tt.recorded {
					t.Logf("%d: %+v", i, rankOf(asked, newProfile(asked.Lines(), 0), c))
				}
				t.Errorf("Nearest = %d, want %d", got, tt.want)
			}
		})
	}
}

// TestNearestOfPrompts checks the share: the changed user message, not the
// system prompt that all have, says which one was meant.
func TestNearestOfPrompts(t *testing.T) {
	t.Parallel()
	system := generate("prose", 2000, 1)
	var recorded []Candidate
	for i := range 100 {
		recorded = append(recorded, Candidate{Form: form("openai.chat", "m", "whole",
			"body/messages/0/content "+quote(generate("prose", 8, uint64(i+10))),
			"body/system/0/text "+quote(system))})
	}
	for i := 0; i < 100; i += full.Cases(10, 1) {
		words := strings.Fields(generate("prose", 8, uint64(i+10)))
		words[3] = "zebra"
		asked := form("openai.chat", "m", "whole",
			"body/messages/0/content "+quote(strings.Join(words, " ")),
			"body/system/0/text "+quote(system+" One more rule."))
		if got := Nearest(asked, len(recorded), func(i int) Candidate { return recorded[i] }); got != i {
			t.Errorf("Nearest of prompt %d = %d", i, got)
		}
	}
}

func TestNearestInMovedMessage(t *testing.T) {
	t.Parallel()
	text := quote("What is the capital of France, and since when?")
	asked := form("openai.chat", "m", "whole", "body/messages/4/content "+text)
	recorded := []Candidate{
		{Form: form("openai.chat", "m", "whole", "body/messages/4/content "+quote("What is the capital of Spain, and for whom?"))},
		{Form: form("openai.chat", "m", "whole", "body/messages/2/content "+text)},
	}
	if got := Nearest(asked, len(recorded), func(i int) Candidate { return recorded[i] }); got != 1 {
		t.Errorf("Nearest = %d, want 1", got)
	}
	if p := newProfile(nil, 0); p.share(nil, 0) != 1 {
		t.Errorf("two empty forms have %v in common, want 1", p.share(nil, 0))
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name               string
		recorded, incoming []string
		want               []Edit
	}{
		{"equal", []string{"body/a 1"}, []string{"body/a 1"}, nil},
		{"changed", []string{"body/a 1"}, []string{"body/a 2"}, []Edit{{Path: "body/a", Recorded: "1", Incoming: "2"}}},
		{"model first", []string{"body/a 1", `body/model "x"`}, []string{"body/a 2", `body/model "y"`}, []Edit{
			{Path: "body/model", Recorded: `"x"`, Incoming: `"y"`},
			{Path: "body/a", Recorded: "1", Incoming: "2"},
		}},
		{"an object of one side", nil, []string{"body/a/b 1", `body/a/"1"/~0c~1 "x"`}, []Edit{{Path: "body/a", Incoming: `{"b":1,"1":{"~c/":"x"}}`}}},
		{"what an object is comes first", nil, []string{`body/a/0/b {}`, `body/a/0/role "user"`, `body/a/0/type/x 1`}, []Edit{
			{Path: "body/a", Incoming: `[{"role":"user","b":{},"type":{"x":1}}]`},
		}},
		{"a null is not nothing", []string{"body/a null"}, nil, []Edit{{Path: "body/a", Recorded: "null"}}},
		{"another kind", []string{"body/a null"}, []string{"body/a/b true"}, []Edit{
			{Path: "body/a", Recorded: "null", Incoming: `{"b":true}`, Note: Note{Code: DifferentKinds}},
		}},
		{"empty list and list", []string{"body/a []"}, []string{"body/a/0/x 1"}, []Edit{{Path: "body/a/0", Incoming: `{"x":1}`}}},
		{"empty object and object", []string{"body/a/x 1"}, []string{"body/a {}"}, []Edit{{Path: "body/a/x", Recorded: "1"}}},
		{"list and object", []string{"body/a []"}, []string{"body/a {}"}, []Edit{
			{Path: "body/a", Recorded: "[]", Incoming: "{}", Note: Note{Code: DifferentKinds}},
		}},
		{"duplicate members", []string{"body/a 1", "body/a 2"}, []string{"body/a 1", "body/a 3", "body/a/b 1"}, []Edit{
			{Path: "body/a", Recorded: "2", Incoming: "3"},
			{Path: "body/a", Incoming: `{"b":1}`},
		}},
		{"reordered words", []string{`body/a/0 "x"`, `body/a/1 "y"`}, []string{`body/a/0 "y"`, `body/a/1 "x"`}, []Edit{
			{Path: "body/a", Recorded: `["x","y"]`, Incoming: `["y","x"]`, Note: Note{Code: ElementOrder}},
		}},
		{"moved to the end", []string{"body/a/0/x 1", "body/a/1/x 2", "body/a/2/x 3"}, []string{"body/a/0/x 2", "body/a/1/x 3", "body/a/2/x 1"}, []Edit{
			{Path: "body/a/2", From: "body/a/0", Recorded: `{"x":1}`, Incoming: `{"x":1}`, Note: Note{Code: Moved}},
		}},
		{"index by value", []string{"body/a/9/x 1", "body/a/10/x 2"}, []string{"body/a/9/x 1", "body/a/10/x 3"}, []Edit{
			{Path: "body/a/10/x", Recorded: "2", Incoming: "3"},
		}},
		{"lines in another order", []string{"body/b 1", "body/a 1"}, []string{"body/a 1", "body/b 1"}, []Edit{
			{Path: "body/b", Recorded: "1"},
			{Path: "body/b", Incoming: "1"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := Forms(form("e", "", "whole", tt.recorded...), form("e", "", "whole", tt.incoming...))
			if !slices.Equal(got, tt.want) {
				t.Errorf("got:\n%#v\nwant:\n%#v", got, tt.want)
			}
		})
	}
}

func TestWriteLimit(t *testing.T) {
	t.Parallel()
	var edits []Edit
	for i := range 6 {
		edits = append(edits, Edit{Path: fmt.Sprintf("body/f%d", i), Recorded: "1", Incoming: "2"})
	}
	for _, tt := range []struct {
		limit, fields int
		more          string
	}{
		{0, 6, ""}, {-1, 6, ""}, {6, 6, ""}, {9, 6, ""},
		{5, 5, "and 1 more: f5\n"},
		{1, 1, "and 5 more: f1, f2, f3, …\n"},
	} {
		got := Write(edits, "", tt.limit)
		if fields := strings.Count(got, "recorded:"); fields != tt.fields || !strings.HasSuffix(got, tt.more) {
			t.Errorf("limit %d: %d fields, want %d and then %q:\n%s", tt.limit, fields, tt.fields, tt.more, got)
		}
	}
	if got := Write(nil, "  ", 3); got != "" {
		t.Errorf("nothing differs, yet Write says %q", got)
	}
}

func TestTextNote(t *testing.T) {
	t.Parallel()
	tests := []struct{ a, b, want string }{
		{"a b", "a c", ""},
		{"a\r\nb", "a\nb", "differs only in line ends: the recording has CRLF, the request LF"},
		{"a\r\nb\nc", "a\nb\nc", "differs only in line ends: the recording has both, the request LF"},
		{"a b", " a b", "differs only in white space at the start"},
		{"a b", "a b\t", "differs only in white space at the end"},
		{"a b\n", " a b", "differs only in white space at the start and the end"},
		{"a b", "a  b", "differs only in white space"},
		{"a b", "A B", "differs only in letter case"},
		{"a–b", "a-b", "differs only in characters that look alike or are invisible"},
		{"É", "E\u0301", "differs only in characters that look alike or are invisible"},
		{"wait…", "wait...", "differs only in characters that look alike or are invisible"},
	}
	for _, tt := range tests {
		e := Edit{Recorded: quote(tt.a), Incoming: quote(tt.b)}
		e.Note = textNote(e.Recorded, e.Incoming)
		if got := e.NoteText(); got != tt.want {
			t.Errorf("textNote(%q, %q) = %q, want %q", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{"", ""},
		{"It's 3.14, isn't it?", "It's| |3.14|,| |isn't| |it|?"},
		{"a  b\t\n\n c\r\nd\re", "a|  |b|\t|\n|\n| |c|\r\n|d|\r|e"},
		{"snake_case x+=1", "snake_case| |x|+|=|1"},
		{"東京 cafe\u0301", "東|京| |cafe\u0301"},
		{"👩‍🍳👍🏽❤️", "👩‍🍳|👍🏽|❤️"},
		{"a\xff\xfeb", "a|\xff|\xfe|b"},
	}
	for _, tt := range tests {
		if got := strings.Join(words(tt.text), "|"); got != tt.want {
			t.Errorf("words(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestMarked(t *testing.T) {
	t.Parallel()
	tests := []struct{ a, b, want string }{
		{"", "", ""},
		{"same", "same", "same"},
		{"", "new", "{+new+}"},
		{"old", "", "[-old-]"},
		{"one two three", "one 2 three", "one [-two-]{+2+} three"},
		{"a sentence here", "two sentences here", "[-a sentence-]{+two sentences+} here"},
		{"- a\n- b\n- c\n", "- a\n- b\n- x\n- c\n", "- a\n- b\n{+- x\n+}- c\n"},
		{"a\nb\nc", "a\nc", "a\n[-b\n-]c"},
		{"x [-y-] a", "x [-y-] b", "x [-y-] [--a--]{++b++}"},
		{"I want to go home now", "We have to run far away", "[-I want to go home now-]{+We have to run far away+}"},
	}
	for _, tt := range tests {
		if got := compareTexts(tt.a, tt.b).marked(); got != tt.want {
			t.Errorf("compare %q and %q:\ngot  %q\nwant %q", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestShow(t *testing.T) {
	t.Parallel()
	hex := strings.Repeat("0123456789abcdef", 20)
	tests := []struct{ got, want string }{
		{sizeOf(1) + ", " + sizeOf(2000), "1 byte, 2,000 bytes"},
		{quoted("a\"\\\x00\xff\U000E0001\u200b", false), `"a\"\\\u0000\xff` + "\U000E0001\u200b\""},
		{escape("\U000E0001\u200b\u00a0", true), `\U000e0001\u200b\u00a0`},
		{summary(quote(hex)), "<hex, 160 bytes, sha256 7d77e8db…>"},
		{summary(quote(strings.Repeat("a-_0", 100))), "<base64, 300 bytes, sha256 6327fe19…>"},
		{summary(quote(strings.Repeat("a.b/", 100))), "<no blanks, 400 bytes, sha256 593f22f4…>"},
		{cutAfter("日本語", 4), "日"},
		{cutBefore("日本語", 4), "語"},
		{cutBefore("one two three", 9), "two three"},
		{cutBefore("one two three", 8), "three"},
		{quoted(`say "hi" \o/`, false), `"say \"hi\" \\o/"`},
	}
	for _, tt := range tests {
		if got := tt.got; got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}
