// Package lint finds tests that ask a model, or start an agent, without a recorder, and
// recorders that are used in a way that cannot work. docs/LINT.md has a row for each rule.
package lint

import "golang.org/x/tools/go/analysis"

// Analyzers are the rules.
var Analyzers = []*analysis.Analyzer{
	NoRecorder,
	HardWired,
	ChildProcess,
	KeySkip,
	OuterTest,
	Discarded,
	ParallelDefault,
	MainCode,
	Volatile,
	Unnoticed,
}
