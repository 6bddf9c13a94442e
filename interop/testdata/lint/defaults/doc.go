// Package defaults is for tests of lint.
package defaults
