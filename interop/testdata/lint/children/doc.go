// Package children is for tests of lint.
package children
