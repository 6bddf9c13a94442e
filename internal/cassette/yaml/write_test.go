package yaml

import "testing"

// TestTextsWithoutQuotes: a text is written without quotes only if each reader of YAML takes it
// for exactly this text.
func TestTextsWithoutQuotes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ isWord, isPlain, isClean bool }{
		"":               {false, false, true},
		"word":           {true, true, true},
		"gpt-4o.1":       {true, true, true},
		"two words":      {false, true, true},
		"1a":             {false, true, true},
		"12":             {false, false, true},
		"yes":            {false, false, true},
		"Infinity":       {false, false, true},
		"infinitely":     {true, true, true},
		"a: b":           {false, false, true},
		"a #b":           {false, false, true},
		"a ":             {false, false, true},
		"é":              {false, true, true},
		"a\ufffd":        {false, true, true},   // the replacement character itself
		"a\xff":          {false, false, false}, // no UTF-8
		"a\u202e":        {false, false, false}, // right to left
		"a\u2066":        {false, false, false},
		"a\u2069":        {false, false, false},
		"a\u206a":        {false, true, true},
		"a\u202f":        {false, true, true},
		"a\u2028":        {false, false, false}, // a line separator
		"a\ufeff":        {false, false, false}, // a byte order mark
		"a\x7f":          {false, false, false},
		"a\tb":           {false, false, false},
		"a\u0085b\u00a0": {false, false, false},
	} {
		if got := IsWord(text); got != want.isWord {
			t.Errorf("IsWord(%q) = %v", text, got)
		}
		if got := IsPlain(text); got != want.isPlain {
			t.Errorf("IsPlain(%q) = %v", text, got)
		}
		if got := IsClean(text, ""); got != want.isClean {
			t.Errorf("IsClean(%q) = %v", text, got)
		}
	}
	if !IsClean("a\tb", "\t") || IsClean("a\tb\x00", "\t") {
		t.Error("only the characters of the second argument are excepted")
	}
}
