package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/fakegithub"
)

// The nightly job opens one issue with what differs, and closes it when nothing does.
func TestIssueOfTheNightlyJob(t *testing.T) {
	t.Parallel()
	needsBash(t)
	github := fakegithub.New("promptecho/promptecho", 1)
	defer github.Close()
	dir := t.TempDir()
	report, summary := filepath.Join(dir, "report.md"), filepath.Join(dir, "summary.md")
	run := func(text string, more ...string) {
		t.Helper()
		if err := os.WriteFile(report, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("bash", append([]string{filepath.Join("..", ".ci", "issue"), report}, more...)...)
		cmd.Env = append(cmd.Environ(), "GITHUB_API_URL="+github.URL, "GITHUB_GRAPHQL_URL="+github.URL+"/graphql",
			"GITHUB_REPOSITORY=promptecho/promptecho", "GITHUB_TOKEN="+fakegithub.Token, "GITHUB_STEP_SUMMARY="+summary)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	run("TestGemini differs\n")
	run("Nothing differs\n", "solved")

	issues := github.Issues()
	if len(issues) != 1 || issues[0].State != "closed" || !strings.Contains(issues[0].Body, "Nothing differs") {
		t.Errorf("the issues are %+v, want one that is closed", issues)
	}
	if text := string(read(t, summary)); text != "TestGemini differs\nNothing differs\n" {
		t.Errorf("the summary of the job is %q", text)
	}
}
