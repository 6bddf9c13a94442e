// Package promptecho stands in for the real one where lint is tested without modules.
package promptecho

type Recorder struct{}
