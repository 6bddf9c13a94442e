// Tests that run the real go command and the real promptecho command as a user
// does, in a module of their own so that what they need never reaches the go.sum
// of anybody who uses promptecho.
module github.com/promptecho/promptecho/scripts

go 1.26.0

require (
	github.com/promptecho/promptecho v0.0.0
	github.com/rogpeppe/go-internal v1.16.0
	go.uber.org/goleak v1.3.0
	golang.org/x/mod v0.42.0
	golang.org/x/sync v0.24.0
)

require (
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)

replace github.com/promptecho/promptecho => ../
