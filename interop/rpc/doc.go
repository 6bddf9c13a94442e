// Package rpc tests package echogrpc with the real clients of vector stores, of models and of
// agents, and with the interop cases of grpc-go. Each file has one client. The one of A2A 1.0 is
// tested over HTTP, too.
package rpc
