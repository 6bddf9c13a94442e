package promptecho

import (
	"os"
	"slices"
	"sync"
	"testing"
	"time"
)

// young keeps cassettes that this process wrote younger than two seconds. The
// go command does not cache a test result that depends on such young files;
// without this a recording run could be cached and served in place of a replay.
var young struct {
	sync.Mutex
	paths []string
}

func keepYoung(path string) {
	if !testing.Testing() {
		return
	}
	young.Lock()
	defer young.Unlock()
	if !slices.Contains(young.paths, path) {
		young.paths = append(young.paths, path)
	}
	if len(young.paths) == 1 {
		time.AfterFunc(time.Second, touchYoung)
	}
}

func touchYoung() {
	young.Lock()
	defer young.Unlock()
	now := time.Now()
	young.paths = slices.DeleteFunc(young.paths, func(p string) bool { return os.Chtimes(p, now, now) != nil })
	if len(young.paths) > 0 {
		time.AfterFunc(time.Second, touchYoung)
	}
}
