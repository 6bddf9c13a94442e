package child

// A Client gets what a program writes. Its methods do not wait for the other side.
type Client interface {
	Started(pid int) // of the live program; it is not called in a replay
	Stdout(p []byte)
	Stderr(p []byte)
	Exited(how string) // is called last, with a text such as "exit status 1"

	// AwaitWritten waits until the client can read all that the program wrote. It does not wait
	// long: the client may not read.
	AwaitWritten()
}

// deliver gives a client what a program wrote.
func deliver(to Client, p []byte, isStderr bool) {
	switch {
	case len(p) == 0:
	case isStderr:
		to.Stderr(p)
	default:
		to.Stdout(p)
	}
}
