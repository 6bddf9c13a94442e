// The plugin for golangci-lint, in a module of its own so that what it needs never
// reaches the go.sum of anybody who uses promptecho.
module github.com/promptecho/promptecho/lint

go 1.25.0

require (
	github.com/golangci/plugin-module-register v0.1.2
	github.com/promptecho/promptecho v0.0.0
	golang.org/x/tools v0.49.0
)

replace github.com/promptecho/promptecho => ../
