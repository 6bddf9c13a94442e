//go:build !unix

package mutant

import "io/fs"

// isPrivate reports whether only the user of this process can write a file. Windows keeps the
// temporary folder of a user from others.
func isPrivate(fs.FileInfo) bool { return true }
