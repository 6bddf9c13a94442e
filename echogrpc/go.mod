// Package echogrpc records and replays gRPC calls. It is a module of its own so that
// google.golang.org/grpc never reaches the go.sum of those who do not use it.
module github.com/promptecho/promptecho/echogrpc

go 1.26.0

require (
	github.com/promptecho/promptecho v0.0.0
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260904194346-d0f1323225a4
	google.golang.org/grpc v1.83.2
	google.golang.org/protobuf v1.36.12
)

require (
	golang.org/x/net v0.58.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/text v0.41.0 // indirect
)

replace github.com/promptecho/promptecho => ../
