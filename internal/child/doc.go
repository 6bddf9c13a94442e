// Package child makes sessions of child processes that speak over their standard streams: it runs a
// program and records what it reads and writes, or plays that back without the program.
//
//	lines.go             what is written, as lines
//	place.go             paths of this machine, as marks
//	program.go, live.go  the live program
//	session.go           a session between a client and a program
//	host.go, standin.go  the same if the client wants a process of its own
//
// A line is a message. What a live program and its client exchange goes past the recorder as it is:
// the recorder gets the same lines, masked.
package child
