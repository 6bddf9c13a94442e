// Package milvus tests package echogrpc with the client of Milvus. It does what package rpc of
// module interop does for other clients.
package milvus
