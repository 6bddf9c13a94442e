//go:build !unix

package mutate

import "os/exec"

// setGroup does nothing: this system has no process groups.
func setGroup(*exec.Cmd) {}

// killGroup does nothing: what a test has started goes on if the test does not end it.
func killGroup(*exec.Cmd) {}
