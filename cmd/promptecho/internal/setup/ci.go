package setup

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A system is a CI system, by the path of its file.
type system struct {
	file, name string
	setsCI     bool // its jobs have the variable CI
}

var systems = []system{
	{".gitlab-ci.yml", "GitLab", true},
	{".circleci/config.yml", "CircleCI", true},
	{".travis.yml", "Travis CI", true},
	{".drone.yml", "Drone", true},
	{".woodpecker.yml", "Woodpecker", true},
	{".buildkite/pipeline.yml", "Buildkite", true},
	{"bitbucket-pipelines.yml", "Bitbucket", true},
	{"azure-pipelines.yml", "Azure Pipelines", false},
	{"cloudbuild.yaml", "Cloud Build", false},
	{"Jenkinsfile", "Jenkins", false},
	{".teamcity/settings.kts", "TeamCity", false},
}

var (
	runsTests = regexp.MustCompile(`\b(go test|gotestsum)\b`)
	verifies  = regexp.MustCompile(`\bpromptecho(@\S+)? verify\b|\bpromptecho/promptecho/action\b`)
)

// A CI says what the CI of a repository does about cassettes.
type CI struct {
	Verifies string // the file that runs promptecho verify, "" if none does
	Tests    string // FILE:LINE that runs go test, "" if it was not found

	file   string // one that does neither
	system system // of Tests or file
	hasAny bool   // some CI is set up
}

const workflows = ".github/workflows"

// CIOf reads the files of CI below the root of a repository.
func CIOf(root string) CI {
	var c CI
	github := system{name: "GitHub", setsCI: true}
	for _, pattern := range []string{"*.yml", "*.yaml"} {
		files, _ := filepath.Glob(filepath.Join(globEscape(root), filepath.FromSlash(workflows), pattern))
		slices.Sort(files)
		for _, file := range files {
			c.read(root, workflows+"/"+filepath.Base(file), github)
		}
	}
	for _, s := range systems {
		c.read(root, s.file, s)
	}
	return c
}

// read adds what a file of CI does, if there is such a file.
func (c *CI) read(root, name string, s system) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return
	}
	if !c.hasAny {
		c.file = name
		c.system = s
	}
	c.hasAny = true
	for i, line := range linesOf(string(text)) {
		isComment := strings.HasPrefix(line, "#") || strings.HasPrefix(line, "//")
		switch {
		case isComment:
		case c.Verifies == "" && verifies.MatchString(line):
			c.Verifies = name
		case c.Tests == "" && runsTests.MatchString(line):
			c.Tests = place(name, i+1)
			c.system = s
		}
	}
}

// verifyStep returns the line of a text that runs promptecho verify.
func verifyStep(text string) string {
	for line := range strings.Lines(text) {
		if verifies.MatchString(line) {
			return strings.TrimRight(line, "\n")
		}
	}
	return ""
}

// advice says what to add to CI by hand.
func (c *CI) advice() Advice {
	a := Advice{Text: c.file + " does not run go test by name. In the job that runs the tests, in front of them, add:"}
	if c.Tests != "" {
		a.Text = c.Tests + " runs go test, and no job checks the cassettes. In front of it, add:"
	}
	step := strings.TrimLeft(verifyStep(gitlab), " ")
	switch c.system.file {
	case "":
		step = strings.TrimLeft(verifyStep(workflow), " ")
	case ".gitlab-ci.yml":
	default:
		step = strings.TrimPrefix(step, "- ")
	}
	a.Lines = []string{step}
	if !c.system.setsCI {
		a.Lines = append(a.Lines, "and set PROMPTECHO_MODE=none in its environment: "+
			c.system.name+" does not set CI")
	}
	return a
}

// stepsFor returns the steps of a workflow that test the modules in some folders, which are relative
// to the root of the repository.
func stepsFor(folders []string) (lines []string) {
	lines = append(lines, strings.TrimLeft(verifyStep(workflow), " "))
	for _, folder := range folders {
		lines = append(lines, "- run: go test ./...")
		if folder != "." {
			lines = append(lines, "  working-directory: "+folder)
		}
	}
	return lines
}
