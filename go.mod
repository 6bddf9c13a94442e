module github.com/promptecho/promptecho

go 1.25.0

require (
	github.com/goccy/go-yaml v1.19.2
	github.com/sergi/go-diff v1.4.0
)

require golang.org/x/tools v0.49.0
