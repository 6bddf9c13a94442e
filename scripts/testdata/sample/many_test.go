package bot

import "testing"

func BenchmarkTitle(b *testing.B) {
	bot := recorded(b)
	for b.Loop() {
		if _, err := bot.Title(b.Context(), "A text that is read again and again."); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzTitle(f *testing.F) {
	f.Add("A fox saw grapes.")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := recorded(t).Title(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		if got == "" {
			t.Error("no title")
		}
	})
}
