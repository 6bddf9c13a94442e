// Package recorders is for tests of lint.
package recorders
