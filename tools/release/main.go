// Release makes a release of promptecho: it checks that one can be made, makes the tags, builds
// the files of the release from a tag, and publishes them. CONTRIBUTING.md says when to run what.
//
//	go -C tools run ./release check [-branch BRANCH] [-incompatible] vX.Y.Z
//	go -C tools run ./release tag [-branch BRANCH] [-incompatible] vX.Y.Z
//	go -C tools run ./release proxy [-o DIR] vX.Y.Z
//	go -C tools run ./release build [-o DIR] [-platforms OS/ARCH,...] vX.Y.Z
//	go -C tools run ./release publish [-o DIR] vX.Y.Z
//	go -C tools run ./release notices
//
// Nothing is pushed: tag prints the command that does. The exit status is 1 if a release cannot
// be made, and 2 if that could not be found out.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
)

// rootPath is the path of the module that is released. Its nested modules have its version.
const rootPath = "github.com/promptecho/promptecho"

// nestedModules are the folders of the nested modules that users build. The other nested modules
// are for tests, and never get a tag.
var nestedModules = []string{"echogrpc", "lint", "store"}

const usage = `usage: go -C tools run ./release VERB [flags] vX.Y.Z
  check    say whether the version can be released, and what is missing
  tag      check, then make the tags; print the command that pushes them
  proxy    write the modules of a version that has its tags into a folder, for GOPROXY
  build    build the files of the release from its tag, twice, and compare the two
  publish  make the release of GitHub from these files, with gh
  notices  write THIRD_PARTY_NOTICES.md
flags:
  -branch BRANCH  the branch to release: main
  -incompatible   allow incompatible changes, before v1
  -o DIR          the folder of the files, from the root of the repository: dist, or dist-proxy
  -platforms OS/ARCH,...
                  the platforms to build for: all, which a release needs`

// errRefused says that a release cannot be made, and that the reasons are printed.
var errRefused = errors.New("refused")

func main() {
	err := run(os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, errRefused):
		os.Exit(1)
	case err != nil:
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(2)
	}
}

var versionForm = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$`)

// run runs a verb in the repository of the current folder.
func run(args []string, stdout io.Writer) error {
	if len(args) == 0 {
		return errors.New(usage)
	}
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	branch := flags.String("branch", "main", "")
	incompatible := flags.Bool("incompatible", false, "")
	output := flags.String("o", "", "")
	only := flags.String("platforms", "", "")
	verb, version, err := parse(flags, args)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, usage)
	}
	repo, err := openRepository(".")
	if err != nil {
		return err
	}
	folder := cmp.Or(*output, "dist")
	if verb == "proxy" {
		folder = cmp.Or(*output, "dist-proxy")
	}
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(repo.dir, folder)
	}
	chosen, err := choosePlatforms(*only)
	if err != nil {
		return err
	}
	r := releaser{
		repo:         repo,
		version:      version,
		branch:       *branch,
		incompatible: *incompatible,
		platforms:    chosen,
		stdout:       stdout,
	}
	switch verb {
	case "check":
		return r.check()
	case "tag":
		return r.tag()
	case "proxy":
		return r.proxy(folder)
	case "build":
		return r.build(folder)
	case "publish":
		return r.publish(folder)
	case "notices":
		return r.writeNotices()
	}
	return fmt.Errorf("there is no verb %q\n%s", verb, usage)
}

// parse returns the verb and the version of a command line. Flags may stand before the version
// or after it.
func parse(flags *flag.FlagSet, args []string) (verb, version string, err error) {
	verb = args[0]
	var rest []string
	for left := args[1:]; len(left) > 0; {
		err := flags.Parse(left)
		if err != nil {
			return "", "", err
		}
		left = flags.Args()
		if len(left) > 0 {
			rest = append(rest, left[0])
			left = left[1:]
		}
	}
	if verb == "notices" {
		if len(rest) > 0 {
			return "", "", fmt.Errorf("unexpected argument %q", rest[0])
		}
		return verb, "", nil
	}
	if len(rest) != 1 || !versionForm.MatchString(rest[0]) {
		return "", "", fmt.Errorf("%s needs one version, such as v0.1.0", verb)
	}
	return verb, rest[0], nil
}

// A releaser makes one release.
type releaser struct {
	repo         repository
	version      string // vX.Y.Z
	branch       string
	incompatible bool // incompatible changes are allowed, before v1
	platforms    []platform
	stdout       io.Writer
}

func (r releaser) printf(format string, args ...any) {
	fmt.Fprintf(r.stdout, format, args...)
}
