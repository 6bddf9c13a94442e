package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
)

const versionHelp = `version
print the version of this command, and of the Go that built it
`

// runVersion prints the version that the go command built: that of the module, or "(devel)".
func runVersion(args []string, stdout, stderr io.Writer) error {
	rest, err := parse(flag.NewFlagSet("version", flag.ContinueOnError), args)
	switch {
	case err != nil:
		return err
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q", rest[0])
	}
	version := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
	}
	_, err = fmt.Fprintf(stdout, "promptecho %s %s %s/%s\n",
		cmp.Or(version, "(devel)"), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
