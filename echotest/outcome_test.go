package echotest

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/testenv/shell"
)

// accept runs benchmarks only if it is told to.
func TestAcceptOfBenchmarks(t *testing.T) {
	t.Parallel()
	if got := acceptCommand([]string{"TestA"}); strings.Contains(got, "--") {
		t.Error(got)
	}
	if got, want := acceptCommand([]string{"TestA", "BenchmarkAsk"}), " -- -bench "+shell.Quote("^BenchmarkAsk$")+" -benchtime=1x"; !strings.HasSuffix(got, want) {
		t.Errorf("%s, want %s at the end", got, want)
	}
}
