package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/foreign"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

const importHelp = `import [-o DIR | -w] [-overwrite] [-host HOST] [-json] FILE...
convert cassettes of other tools, HAR files and flows of mitmproxy

The tools are go-vcr, vcrpy, VCR of Ruby and R, betamax, httprr, AgentTape and
dd-apm-test-agent. A folder stands for all files below it; files of other kinds
are left alone. The cassettes go where echotest looks for them: a file below
PKG/testdata/FOLDER goes to PKG/testdata/cassettes, under the same name, or
under the name of the only test that mentions the file. Secrets are redacted
as in a recording. The original files stay, unless -w writes over them.

For each file, import says what was not kept, and what it leaves out. A cassette
that loses interactions is partial: the next local run completes it.

  -o DIR       write below DIR; files of a folder keep their paths relative to
               that folder
  -w           write next to the file; a file NAME.yaml is replaced
  -overwrite   also replace cassettes that are already there under the same name
  -host HOST   take only requests to this host; * stands for any text
  -json        print a list with an object for each cassette

Nothing is written before everything is read. The exit status is 1 if a cassette
could not be read, or if another one is in the way.
`

// An importing is the import of a cassette of another tool.
type importing struct {
	Path         string `json:"path"`
	Tool         string `json:"tool"`
	To           string `json:"to,omitempty"` // "" if there is nothing to write
	Interactions int    `json:"interactions"`

	// NotKept has what the other tool did not keep, with the number of interactions.
	NotKept map[string]int `json:"not_kept"`

	LeftOut []foreign.LeftOut `json:"left_out,omitempty"` // interactions that cannot be kept

	// Skipped has the reasons why requests are not wanted, with their numbers.
	Skipped map[string]int `json:"skipped,omitempty"`

	Hint    string       `json:"hint,omitempty"`
	Code    finding.Code `json:"code,omitempty"`    // why it is not written
	Line    int          `json:"line,omitempty"`    // of a syntax error
	Problem string       `json:"problem,omitempty"` // the same as the code, in words
	Written bool         `json:"written"`

	read     *foreign.Cassette
	contents *cassette.Contents
	placing  placing
	isThere  bool // the same cassette is at its path already
}

// runImport converts cassettes of other tools.
func runImport(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("import", flag.ContinueOnError)
	var to destination
	flags.StringVar(&to.dir, "o", "", "")
	flags.BoolVar(&to.inPlace, "w", false, "")
	flags.BoolVar(&to.overwrite, "overwrite", false, "")
	var hosts []string
	flags.Func("host", "", func(pattern string) error {
		_, err := path.Match(pattern, "")
		if err != nil || strings.Contains(pattern, "/") {
			return errors.New("want the name of a host, such as api.openai.com or *.example.com")
		}
		hosts = append(hosts, pattern)
		return nil
	})
	asJSON := flags.Bool("json", false, "")
	paths, err := parse(flags, args)
	switch {
	case err != nil:
		return err
	case len(paths) == 0:
		return errors.New("which files? Name them, or a folder")
	case to.dir != "" && to.inPlace:
		return errors.New("-o and -w name different places: use one of them")
	}
	files, err := importable(paths)
	if err != nil {
		return err
	}
	list, err := to.importAll(files, hosts, newProgress(stderr))
	if err != nil {
		return err
	}
	to.choosePaths(list)
	for _, im := range list {
		im.write()
	}
	if *asJSON {
		err = printJSON(stdout, list)
	} else {
		printImports(stdout, list, len(files)-len(list))
	}
	failed := 0
	for _, im := range list {
		if im.Problem != "" {
			failed++
		}
	}
	if err == nil && failed > 0 {
		err = found(fmt.Sprintf("%d of %s not imported", failed, count(len(list), "cassette")))
	}
	return err
}

// importAll reads the cassettes among some files. hosts are the hosts whose requests are wanted.
func (d *destination) importAll(
	files []source, hosts []string, p *progress,
) ([]*importing, error) {
	defer p.end()
	list := []*importing{}
	for i, f := range files {
		p.step(i, len(files))
		im, err := importFile(f, hosts)
		if err != nil {
			return nil, err
		}
		if im == nil {
			continue
		}
		if err := d.place(f, im); err != nil {
			return nil, err
		}
		list = append(list, im)
	}
	return list, nil
}

// A source is a file that may be a cassette of another tool.
type source struct {
	path    string
	root    string // the folder among the arguments that it is below, or its own
	isNamed bool   // the file itself is among the arguments
}

// importable returns the files at paths that may be cassettes of other tools, each once.
func importable(paths []string) (files []source, err error) {
	seen := map[string]bool{}
	add := func(path, root string, isNamed bool) {
		path = filepath.Clean(path)
		if seen[path] {
			return
		}
		seen[path] = true
		files = append(files, source{path, root, isNamed})
	}
	skippedFolders := []string{".git", "node_modules", "vendor"}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			add(path, filepath.Dir(path), true)
			continue
		}
		err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && slices.Contains(skippedFolders, d.Name()):
				return fs.SkipDir
			case d.Type().IsRegular() && slices.Contains(importedExtensions, filepath.Ext(file)):
				add(file, path, false)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// importFile reads a cassette of another tool, and converts it. What is wrong with the cassette is in
// the Problem of the result. The result is nil if the file is not a cassette. A recording in a format
// that import does not read is a problem if the file is named, and is not a cassette otherwise.
func importFile(f source, hosts []string) (*importing, error) {
	file := f.path
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	options := foreign.Options{Hosts: hosts}
	options.Asset = func(name string) ([]byte, error) { return readAsset(file, name) }
	c, err := options.Read(file, data)
	im := &importing{Path: file, NotKept: map[string]int{}, Skipped: map[string]int{}}
	var syntax *cassette.SyntaxError
	switch {
	case errors.As(err, &syntax):
		im.fail(finding.CassetteUnreadable, err.Error())
		im.Line = syntax.Line
		return im, nil
	case err != nil:
		return nil, err
	case c == nil && f.isNamed:
		format := foreign.Unsupported(data)
		if format == "" {
			return nil, nil
		}
		im.fail(finding.FormatUnknown, fmt.Sprintf("%s: this is %s", file, format))
		return im, nil
	case c == nil:
		return nil, nil
	}
	im.Tool = c.Tool
	im.Interactions = len(c.Interactions)
	im.LeftOut = c.LeftOut
	im.read = c
	for _, loss := range c.Losses {
		im.NotKept[loss.Text] = loss.Times
	}
	for _, skipped := range c.Skipped {
		im.Skipped[skipped.Text] = skipped.Times
	}
	im.contents, err = c.Contents(file, os.Environ())
	if err != nil {
		im.fail(finding.CodeOf(err), err.Error())
	}
	return im, nil
}

// readAsset reads a file that belongs to a cassette of another tool.
func readAsset(file, name string) ([]byte, error) {
	if !filepath.IsLocal(name) {
		return nil, errors.New("it has no name of a file next to this one")
	}
	if filepath.Ext(file) == ".har" {
		return os.ReadFile(filepath.Join(filepath.Dir(file), name))
	}
	return os.ReadFile(filepath.Join(withoutExt(file)+".assets", name))
}

// fail sets the reason why the cassette is not written.
func (im *importing) fail(code finding.Code, problem string) {
	im.Code = code
	im.Problem = problem
}

// write writes the cassette, unless it has a problem or is there already.
func (im *importing) write() {
	if im.To == "" || im.Problem != "" || im.isThere {
		return
	}
	if err := im.contents.Save(im.To); err != nil {
		im.fail(finding.NotSaved, fmt.Sprintf("%s: %v", im.Path, err))
		return
	}
	im.Written = true
}

// printImports prints the result of each import. others is the number of files that are not
// cassettes.
func printImports(w io.Writer, list []*importing, others int) {
	done, interactions := 0, 0
	for _, im := range list {
		switch {
		case im.Problem != "":
			fmt.Fprintln(w, redact.Printable(im.Problem))
			continue
		case im.To == "":
			printLine(w, "%s: nothing to write", im.Path)
			im.printLeftOut(w)
			continue
		}
		done++
		interactions += im.Interactions
		note := ""
		if im.isThere {
			note = ", already there and unchanged"
		}
		printLine(w, "%s -> %s: %s of %s%s",
			im.Path, im.To, count(im.Interactions, "interaction"), im.Tool, note)
		for _, loss := range im.read.Losses {
			newPrinter(w, false).line(2, "", "in %d of %d: %s", loss.Times, im.Interactions, loss.Text)
		}
		im.printLeftOut(w)
		if im.Hint != "" {
			newPrinter(w, false).line(2, "", "%s", im.Hint)
		}
	}
	text := fmt.Sprintf("%s imported, with %s",
		count(done, "cassette"), count(interactions, "interaction"))
	if others > 0 {
		text += fmt.Sprintf("; %s of other kinds left alone", count(others, "file"))
	}
	printLine(w, "%s", text)
}

// printLeftOut prints the interactions that are not imported, and why.
func (im *importing) printLeftOut(w io.Writer) {
	if im.read != nil {
		for _, skipped := range im.read.Skipped {
			newPrinter(w, false).line(2, "", "%s left alone: %s",
				count(skipped.Times, "request"), skipped.Text)
		}
	}
	for _, l := range im.LeftOut {
		newPrinter(w, false).line(2, "", "%s:%d: left out: %s", im.Path, l.Line, l.Why)
	}
}

// A destination says where cassettes are written.
type destination struct {
	dir                string // -o
	inPlace, overwrite bool   // -w, -overwrite
	packages           testPackages
}

// place sets the path of an imported cassette.
func (d *destination) place(f source, im *importing) error {
	if im.Problem != "" || im.Interactions == 0 {
		return nil
	}
	name := withoutExt(f.path)
	if d.inPlace {
		im.To = name + ".yaml"
		return nil
	}
	if d.dir != "" {
		rel, err := filepath.Rel(f.root, name)
		if err != nil || !filepath.IsLocal(rel) {
			rel = filepath.Base(name)
		}
		im.To = filepath.Join(d.dir, rel) + ".yaml"
		return nil
	}
	if d.packages == nil {
		d.packages = testPackages{}
	}
	abs, err := filepath.Abs(name)
	to, ok := placeOf(d.packages, abs)
	if err != nil || !ok {
		return fmt.Errorf("%s is not below a folder testdata, so its package is unknown: use -o DIR "+
			"to say where it goes, or -w to write next to it", f.path)
	}
	if !filepath.IsAbs(name) {
		to.file = relative(to.file)
		to.byTest = relative(to.byTest)
	}
	im.placing = to
	im.To = cmp.Or(to.byTest, to.file)
	return nil
}

// relative returns a path relative to the current folder, if there is one.
func relative(path string) string {
	if path == "" {
		return ""
	}
	current, err := os.Getwd()
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(current, path)
	if err != nil {
		return path
	}
	return rel
}

// choosePaths decides whether cassettes are written under the names of tests or under those of the
// fixtures, and finds conflicts: two cassettes with the same path, and files that are there already.
// A cassette has the name of a test only if it is the only one for that test.
func (d *destination) choosePaths(list []*importing) {
	number := map[string]int{} // of cassettes, by path
	for _, im := range list {
		number[im.To]++
	}
	for _, im := range list {
		hasOwnTest := im.placing.byTest != "" && number[im.To] == 1
		if im.placing.file != "" && !hasOwnTest {
			im.Hint = im.placing.hint
		}
	}
	for _, im := range list {
		if im.Hint != "" {
			im.To = im.placing.file
		}
	}
	first := map[string]*importing{} // by path
	for _, im := range list {
		other := first[im.To]
		switch {
		case im.To == "":
		case other != nil:
			im.fail(finding.PathTaken, fmt.Sprintf("%s: not written, because %s goes to the same "+
				"path, %s: import %[1]s to another place with -o DIR", im.Path, other.Path, im.To))
		default:
			first[im.To] = im
			d.checkPath(im)
		}
	}
}

// checkPath fails an import if there is another file at its path that must not be replaced.
func (d *destination) checkPath(im *importing) {
	info, err := os.Lstat(im.To)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		im.fail(finding.NotSaved, fmt.Sprintf("%s: not written: %v", im.Path, err))
	case im.isSameAsFile():
		im.isThere = true
	case !info.Mode().IsRegular():
		im.fail(finding.FileExists, fmt.Sprintf("%s: not written: %s is not a file; move it out of the way",
			im.Path, im.To))
	case d.overwrite, d.inPlace && im.To == im.Path:
	case im.To == im.Path:
		im.fail(finding.FileExists, im.Path+": not written: the new "+
			"cassette has the same path as this file; -w replaces it")
	default:
		im.fail(finding.FileExists, fmt.Sprintf("%s: not written: %s is there already; -overwrite replaces it",
			im.Path, im.To))
	}
}

// isSameAsFile reports whether the cassette at the path of an import has the same interactions.
func (im *importing) isSameAsFile() bool {
	f, err := cassette.Load(im.To)
	if err != nil {
		return false
	}
	isSame := func(a, b *interaction.Interaction) bool { return a.SameExceptDate(b) }
	return slices.EqualFunc(f.Interactions, im.read.Interactions, isSame)
}
