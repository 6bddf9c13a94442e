package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/cassette"
)

const versionHelp = `version
print what a bug report needs: version, commit, Go, the format of cassettes
`

// runVersion prints what this command was built from.
func runVersion(args []string, stdout, stderr io.Writer) error {
	rest, err := parse(flag.NewFlagSet("version", flag.ContinueOnError), args)
	switch {
	case err != nil:
		return err
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q", rest[0])
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	_, err = io.WriteString(stdout, describeBuild(info))
	return err
}

// describeBuild returns the version of a build, its commit if that is known, and the version
// of the format of cassettes.
func describeBuild(info *debug.BuildInfo) string {
	var b strings.Builder
	fmt.Fprintf(&b, "promptecho %s %s %s/%s\n",
		cmp.Or(info.Main.Version, "(devel)"), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if c := builtCommit(info); c.revision != "" {
		fmt.Fprintf(&b, "%s\n", c)
	}
	fmt.Fprintf(&b, "cassette format %d\n", cassette.Version)
	return b.String()
}

// A commit is what a command was built from.
type commit struct {
	revision string
	time     time.Time // zero if unknown
	modified bool      // with changes that are not committed
}

func (c commit) String() string {
	text := "commit " + c.revision[:min(len(c.revision), 12)]
	if !c.time.IsZero() {
		text += " of " + c.time.UTC().Format(time.DateTime) + " UTC"
	}
	if c.modified {
		text += ", with changes that are not committed"
	}
	return text
}

// pseudoVersion matches the end of the version that the go command makes from a commit without
// a tag: its time and the first 12 digits of its hash (https://go.dev/ref/mod#pseudo-versions).
var pseudoVersion = regexp.MustCompile(`[-.](\d{14})-([0-9a-f]{12})(\+dirty)?$`)

// builtCommit returns the commit of a build. The go command notes it if it builds in a clone. What
// it builds from a module cache has it only in a pseudo-version.
func builtCommit(info *debug.BuildInfo) commit {
	var c commit
	var at string
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			c.revision = s.Value
		case "vcs.time":
			at = s.Value
		case "vcs.modified":
			c.modified = s.Value == "true"
		}
	}
	layout := time.RFC3339
	if m := pseudoVersion.FindStringSubmatch(info.Main.Version); m != nil && c.revision == "" {
		c = commit{revision: m[2], modified: m[3] != ""}
		at, layout = m[1], "20060102150405"
	}
	if parsed, err := time.Parse(layout, at); err == nil {
		c.time = parsed
	}
	return c
}
