package advice

import (
	"go/parser"
	"testing"
)

func TestOptionsInGoCanBePasted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		options []Option
		want    string
	}{
		{[]Option{New("MaskTimes")}, `promptecho.MaskTimes()`},
		{[]Option{New("Ignore", "metadata/user"), New("Pace", "1")}, `promptecho.Ignore("metadata/user"), promptecho.Pace(1)`},
		{[]Option{New("OnRecordError", "Keep")}, `promptecho.OnRecordError(Keep)`},
		{[]Option{New("Mask", `req-\d+`, "REQ")}, "promptecho.Mask(`req-\\d+`, \"REQ\")"},
		{[]Option{New("Mask", "a`b", "X")}, "promptecho.Mask(\"a`b\", \"X\")"},
	} {
		got := InGo.Code(c.options...)
		if got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		if _, err := parser.ParseExpr("f(" + got + ")"); err != nil {
			t.Errorf("%s is not Go: %v", got, err)
		}
	}
}

func TestTakeValueNamesEachSource(t *testing.T) {
	t.Parallel()
	const want = "take the value from rec.Now() and rec.Rand(NAME), to get the recorded one in replay"
	if got := InGo.TakeValue(Time, Random); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
