package shell

import (
	"runtime"
	"strings"
)

// The commands of this file are for PowerShell on Windows: cmd has none of the same name and
// meaning. -LiteralPath takes brackets as they are, and names of tests may have them
// (https://learn.microsoft.com/powershell/module/microsoft.powershell.management).

// Move returns a command that gives a file or folder another name. A file of that name is
// replaced.
func Move(from, to string) string { return moveFor(runtime.GOOS, from, to) }

func moveFor(goos, from, to string) string {
	if goos == "windows" {
		return joinFor(goos, []string{"Move-Item", "-Force", "-LiteralPath", from, "-Destination", to})
	}
	return joinFor(goos, []string{"mv", from, to})
}

// Remove returns a command that deletes files.
func Remove(paths ...string) string { return removeFor(runtime.GOOS, paths) }

func removeFor(goos string, paths []string) string {
	if goos != "windows" {
		return joinFor(goos, append([]string{"rm"}, paths...))
	}
	quoted := make([]string, len(paths))
	for i, path := range paths {
		quoted[i] = quoteFor(goos, path)
	}
	return "Remove-Item -LiteralPath " + strings.Join(quoted, ", ")
}

// RemoveFolder returns a command that deletes a folder with all that is in it, if there is one.
func RemoveFolder(path string) string { return removeFolderFor(runtime.GOOS, path) }

func removeFolderFor(goos, path string) string {
	if goos == "windows" {
		return "Remove-Item -Recurse -Force -ErrorAction Ignore -LiteralPath " + quoteFor(goos, path)
	}
	return "rm -rf " + quoteFor(goos, path)
}

// MakeWritable returns a command that makes a read-only file writable for its owner.
func MakeWritable(path string) string { return makeWritableFor(runtime.GOOS, path) }

func makeWritableFor(goos, path string) string {
	if goos == "windows" {
		return "attrib -r " + quoteFor(goos, path)
	}
	return "chmod u+w " + quoteFor(goos, path)
}

// In returns a command that runs another one in a folder.
func In(folder, command string) string { return inFor(runtime.GOOS, folder, command) }

func inFor(goos, folder, command string) string {
	return sequenceFor(goos, []string{"cd " + quoteFor(goos, folder), command})
}

// Sequence returns a line that runs commands one after the other. Where the shell can, it stops
// at the first one that fails: Windows PowerShell 5.1 has no &&.
func Sequence(commands ...string) string { return sequenceFor(runtime.GOOS, commands) }

func sequenceFor(goos string, commands []string) string {
	if goos == "windows" {
		return strings.Join(commands, "; ")
	}
	return strings.Join(commands, " && ")
}
