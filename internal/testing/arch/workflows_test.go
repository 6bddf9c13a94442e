package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each command of a workflow is a script of this repository, so that it can be run here.
func TestWorkflowsCallScripts(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	workflows, err := filepath.Glob(filepath.Join(root, ".github", "workflows", "*.yml"))
	if err != nil || len(workflows) == 0 {
		t.Fatalf("%d workflows: %v", len(workflows), err)
	}
	command := regexp.MustCompile(`(?m)^ *(?:- )?run: *(.*)$`)
	script := regexp.MustCompile(`^bash (\.ci/[a-z]+)( |$)`)
	// git refuses a checkout of another user, such as that in a container.
	const trust = "git config --global --add safe.directory "
	for _, path := range workflows {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range command.FindAllStringSubmatch(string(text), -1) {
			line := strings.TrimSpace(run[1])
			if strings.HasPrefix(line, trust) {
				continue
			}
			called := script.FindStringSubmatch(line)
			if called == nil {
				t.Errorf("%s runs %q: write a script in .ci and run it by bash", filepath.Base(path), line)
				continue
			}
			if _, err := os.Stat(filepath.Join(root, called[1])); err != nil {
				t.Errorf("%s runs a script that is not there: %v", filepath.Base(path), err)
			}
		}
	}
}
