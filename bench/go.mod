// The peers, in a module of their own so that they never reach the go.sum of
// anybody who uses promptecho.
module github.com/promptecho/promptecho/bench

go 1.26.0

replace github.com/promptecho/promptecho => ../

require (
	github.com/google/go-replayers/httpreplay v1.2.0
	github.com/promptecho/promptecho v0.0.0
	gopkg.in/dnaeon/go-vcr.v4 v4.0.7
)

require (
	github.com/google/go-cmp v0.6.0 // indirect
	github.com/google/martian/v3 v3.3.2 // indirect
	go.yaml.in/yaml/v4 v4.0.0-rc.6 // indirect
	golang.org/x/net v0.58.0 // indirect
	golang.org/x/sys v0.48.0 // indirect
	golang.org/x/telemetry v0.0.0-20260924152758-ed294f943157 // indirect
	golang.org/x/text v0.41.0 // indirect
)
