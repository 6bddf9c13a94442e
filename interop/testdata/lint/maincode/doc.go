// Package maincode is for tests of lint.
package maincode
