package main

import (
	"testing"

	"github.com/promptecho/promptecho/internal/testing/environ"
)

// TestMain: neither CI nor a mode in the environment decides what the tests do.
func TestMain(m *testing.M) { environ.Main(m) }
