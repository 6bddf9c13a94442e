// Package gates is for tests of lint.
package gates
