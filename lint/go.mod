// The plugin for golangci-lint, in a module of its own so that what it needs never
// reaches the go.sum of anybody who uses promptecho.
module github.com/promptecho/promptecho/lint

go 1.25.0

require (
	github.com/golangci/plugin-module-register v0.1.2
	github.com/promptecho/promptecho v0.0.0
	golang.org/x/tools v0.49.0
)

require (
	golang.org/x/mod v0.39.0 // indirect
	golang.org/x/sync v0.22.0 // indirect
)

replace github.com/promptecho/promptecho => ../
