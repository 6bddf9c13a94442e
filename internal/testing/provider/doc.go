// Package provider has servers that answer as a provider of models does, for tests: some on
// loopback, most in memory, as the upstream of a recorder.
package provider
