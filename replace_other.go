//go:build !unix

package promptecho

// replaceProcess does nothing: this system cannot run a program in place of another.
func replaceProcess(path string, args []string) {}
