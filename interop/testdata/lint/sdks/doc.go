// Package sdks is for tests of lint.
package sdks
