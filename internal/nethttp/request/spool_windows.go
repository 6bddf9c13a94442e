package request

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"syscall"
)

// tempVariable is the environment variable with the folder of temporary files.
const tempVariable = "TMP"

// createSpool makes a temporary file that Windows deletes when it is closed, also if this
// process is killed: a file that is open cannot be removed.
func createSpool() (*os.File, error) {
	const deleteOnClose = 0x04000000 // FILE_FLAG_DELETE_ON_CLOSE
	path := filepath.Join(os.TempDir(), "promptecho-"+rand.Text()+".tmp")
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	const access = syscall.GENERIC_READ | syscall.GENERIC_WRITE
	const attributes = syscall.FILE_ATTRIBUTE_NORMAL | deleteOnClose
	handle, err := syscall.CreateFile(name, access, 0, nil, syscall.CREATE_NEW, attributes, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(handle), path), nil
}
