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

// Small amounts keep two digits, so that a report of few tokens does not say $0.00.
func TestDollars(t *testing.T) {
	t.Parallel()
	for usd, want := range map[float64]string{
		0: "$0.00", 12.3: "$12.30", 1.005: "$1.00", 0.25: "$0.25", 0.1: "$0.10", 0.0995: "$0.10",
		0.034: "$0.034", 0.03: "$0.03", 0.0003: "$0.0003", 0.00034: "$0.00034", 0.0000066: "$0.0000066",
		1234.5: "$1234.50",
	} {
		if got := Dollars(usd); got != want {
			t.Errorf("%v: %q, want %q", usd, got, want)
		}
	}
}
