package models

import "strings"

// A platform is where models are asked, if the same names have other dates there.
type platform int

const (
	own      platform = iota // the provider's own API, and gateways to it
	anywhere                 // the names say the platform
	vertexAI
	azure
)

// platformOf returns the platform of a host.
func platformOf(host string) platform {
	switch {
	case strings.HasSuffix(host, "aiplatform.googleapis.com"):
		return vertexAI
	case strings.HasSuffix(host, ".azure.com"):
		return azure
	}
	return own
}
