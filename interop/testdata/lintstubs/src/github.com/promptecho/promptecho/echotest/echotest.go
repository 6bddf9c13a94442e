// Package echotest stands in for the real one where lint is tested without modules.
package echotest

import (
	"testing"

	"github.com/promptecho/promptecho"
)

type MainOption func()

func New(t testing.TB) *promptecho.Recorder                { return nil }
func Default(t testing.TB, rec *promptecho.Recorder)       {}
func Run(m interface{ Run() int }, opts ...MainOption) int { return 0 }
func Main(m interface{ Run() int }, opts ...MainOption)    {}
