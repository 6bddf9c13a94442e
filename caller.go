package promptecho

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
)

// caller returns the place in the user's code that asked, as "file.go:line"
// relative to the working directory: the innermost frame of a test file or of
// the main module that called an http.Client, itself or through an SDK. What
// is below the client is transports, which asked for nothing. It is empty if
// the request was sent from a goroutine that has no such frame.
func caller() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	place := ""
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		switch {
		case strings.HasPrefix(f.Function, "net/http.(*Client)."):
			place = ""
		case place == "" && isUser(f):
			place = shortFile(f.File) + ":" + strconv.Itoa(f.Line)
		}
	}
	return place
}

// mainModule is the path of the module that is built, "" if it is unknown.
var mainModule = sync.OnceValue(func() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Path
	}
	return ""
})

func isUser(f runtime.Frame) bool {
	if strings.HasSuffix(f.File, "_test.go") {
		return true
	}
	rest, ok := strings.CutPrefix(f.Function, mainModule())
	if !ok || mainModule() == "" {
		return strings.HasPrefix(f.Function, "main.")
	}
	own := strings.HasPrefix(f.Function, "github.com/promptecho/promptecho.")
	return !own && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "/"))
}

func shortFile(file string) string {
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, file); err == nil && !strings.HasPrefix(rel, "..") {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(file)
}
