// Public traffic, recorded by others, driven through promptecho. The harness
// and its data are not part of this repository: .ci/run uses this module only
// where ../shared/corpus is.
module github.com/promptecho/promptecho/corpus

go 1.26.0

require (
	example.invalid/corpus v0.0.0
	github.com/promptecho/promptecho v0.0.0
)

replace (
	example.invalid/corpus => ../../shared/corpus/harness
	github.com/promptecho/promptecho => ../
)
