// Package volatile is for tests of lint.
package volatile
