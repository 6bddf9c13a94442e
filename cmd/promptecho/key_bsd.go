//go:build darwin || freebsd

package main

import "syscall"

const getTermios, setTermios = syscall.TIOCGETA, syscall.TIOCSETA
