// Programs in containers are recorded and replayed. A network namespace of Linux, with an address
// of its own, stands for a container: the loopback address of the test is not there.
package containers_test

import (
	"os"
	"testing"

	"github.com/promptecho/promptecho/tests/internal/must"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == askCommand {
		os.Exit(ask(os.Args[2], os.Args[3]))
	}
	must.Main(m)
}
