// Package maindrop is for tests of lint.
package maindrop
