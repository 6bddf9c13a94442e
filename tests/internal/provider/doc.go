// Package provider has servers that answer as a provider of models does, for tests. New starts
// one on loopback; the others answer in memory, as the upstream of a recorder:
//
//	rec := must.Open(t, file, promptecho.Upstream(provider.Says(`{"answer":1}`)))
package provider
