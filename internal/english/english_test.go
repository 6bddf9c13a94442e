package english

import "testing"

func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 tests", 1: "1 test", 2: "2 tests", 1000: "1000 tests"} {
		if got := Count(n, "test"); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}

func TestThousands(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 12345: "12,345", 1234567: "1,234,567"} {
		if got := Thousands(n); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		items []string
		most  int
		want  string
	}{
		{nil, 2, ""},
		{[]string{"a"}, 2, "a"},
		{[]string{"a", "b"}, 2, "a, b"},
		{[]string{"a", "b", "c"}, 2, "a, b and 1 more"},
		{[]string{"a", "b", "c", "d", "e"}, 2, "a, b and 3 more"},
	} {
		if got := List(tt.items, tt.most); got != tt.want {
			t.Errorf("%q, %d: %q, want %q", tt.items, tt.most, got, tt.want)
		}
	}
	for n, want := range map[int]string{-1: "", 0: "", 1: "\n… and 1 more"} {
		if got := AndMore("\n… ", n); got != want {
			t.Errorf("AndMore of %d: %q", n, got)
		}
	}
}
