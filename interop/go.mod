// The real SDKs, in a module of their own so that they never reach the go.sum
// of anybody who uses promptecho.
module github.com/promptecho/promptecho/interop

go 1.26.0

require (
	github.com/openai/openai-go/v3 v3.95.0
	github.com/promptecho/promptecho v0.0.0
)

require (
	github.com/coder/websocket v1.8.15 // indirect
	github.com/tidwall/gjson v1.20.0 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.2.1 // indirect
	github.com/tidwall/sjson v1.2.5 // indirect
)

replace github.com/promptecho/promptecho => ../
