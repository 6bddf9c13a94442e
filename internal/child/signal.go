package child

import (
	"os"
	"syscall"
)

// forwarded are the signals that a stand-in passes on to the program.
var forwarded = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}

// signalNamed returns the signal whose String returns name.
func signalNamed(name string) (sig syscall.Signal, ok bool) {
	const most = 64 // Linux has so many
	for sig := range syscall.Signal(most) {
		if sig.String() == name {
			return sig, true
		}
	}
	return 0, false
}
