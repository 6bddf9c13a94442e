package scripts

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/fakeprovider"
)

// A runner runs suites of another language.
type runner struct {
	name    string
	command []string
	file    string // the suite
	source  string
	parts   []string // arguments that run only a part of it
	without []string // arguments that leave out the test which needs a cassette of its own
	named   string   // what the report of test 3 tells to run
}

// runners are those that are on this machine: pytest as Debian has it, and node:test. CI installs
// them, and fails if a test of them is skipped there.
func runners(t *testing.T) (list []runner) {
	t.Helper()
	clients, err := filepath.Abs(filepath.Join("..", "clients"))
	if err != nil {
		t.Fatal(err)
	}
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import pytest").Run() == nil {
			list = append(list, runner{
				name: "pytest", command: []string{python, "-m", "pytest", "-q", "-p", "pytest_promptecho"}, file: "test_ask.py", source: pytestSuite,
				parts: []string{"-k", "one or 3"}, without: []string{"-k", "many"}, named: "-m pytest -p pytest_promptecho 'test_ask.py::test_many[3]'",
			})
			break
		}
	}
	if exec.Command("node", "--test", "--version").Run() == nil {
		list = append(list, runner{
			name: "node", command: []string{"node", "--test"}, file: "ask.test.cjs", source: fmt.Sprintf(nodeSuite, filepath.Join(clients, "node", "promptecho.cjs")),
			parts: []string{"--test-name-pattern", "one|3"}, named: "node --test --test-name-pattern '^many 3$' ask.test.cjs",
		})
	}
	if len(list) < 2 {
		t.Skipf("of pytest and node, %d are here", len(list))
	}
	return list
}

const pytestSuite = `
import json, os, urllib.request
import pytest

BASE = os.environ["OPENAI_BASE_URL"]  # as clients have it that are made when a module is imported

def ask(prompt):
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": prompt}]}).encode()
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
    with urllib.request.urlopen(urllib.request.Request(BASE + "/chat/completions", body, headers)) as answer:
        return json.load(answer)["choices"][0]["message"]["content"]

@pytest.fixture
def cleanup():
    yield
    ask("good-bye")

@pytest.mark.parametrize("n", range(8))
def test_many(n, cleanup):
    hidden = os.environ.get("HIDE")
    try:
        assert ask("hello %d%s" % (n, os.environ.get("CHANGED", "") if n == 3 else ""))
    except Exception:
        if not hidden:
            raise

def test_one(promptecho):
    assert ask("one") and promptecho["env"]["OPENAI_BASE_URL"] == BASE

def test_nothing():
    pass
`

const nodeSuite = `
const { test, describe, beforeEach, afterEach } = require("node:test");
const assert = require("node:assert");
require(%q)({ beforeEach, afterEach });

const base = process.env.OPENAI_BASE_URL; // as clients have it that are made when a module is loaded

async function ask(prompt) {
  const headers = { "Content-Type": "application/json", Authorization: "Bearer " + process.env.OPENAI_API_KEY };
  const answer = await fetch(base + "/chat/completions", { method: "POST", headers, body: JSON.stringify({ model: "m", messages: [{ role: "user", content: prompt }] }) });
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()).choices[0].message.content;
}

for (let n = 0; n < 8; n++) {
  test("many " + n, async () => {
    try {
      assert(await ask("hello " + n + (n === 3 ? process.env.CHANGED || "" : "")));
    } catch (err) {
      if (!process.env.HIDE) throw err;
    }
    await ask("good-bye");
  });
}
describe("inner", () => test("one", async (t) => {
  await t.test("part", async () => assert(await ask("one")));
}));
test("nothing", () => {});
`

// Suites of other languages have a cassette for each test, and a report in the failure of its test.
func TestClients(t *testing.T) {
	t.Parallel()
	bin := command(t)
	clients, _ := filepath.Abs(filepath.Join("..", "clients"))
	p := fakeprovider.New()
	t.Cleanup(p.Close)
	for _, r := range runners(t) {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, r.file), []byte(r.source), 0o644); err != nil {
				t.Fatal(err)
			}
			run := func(provider, shell string, env ...string) (string, int) {
				cmd := exec.Command("sh", "-c", shell)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), append([]string{"CI=", "PROMPTECHO_MODE=", "OPENAI_BASE_URL=" + provider + "/v1", "OPENAI_API_KEY=echo-secret-of-scripts",
					"PYTHONPATH=" + filepath.Join(clients, "python"), "PYTHONDONTWRITEBYTECODE=1", "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")}, env...)...)
				out, _ := cmd.CombinedOutput() // the status says more
				return string(out), cmd.ProcessState.ExitCode()
			}
			suite := strings.Join(append(r.command, r.file), " ")
			const nobody = "http://127.0.0.1:1"
			holds := func(what string, out string, status, want int, texts ...string) {
				t.Helper()
				for _, text := range texts {
					if !strings.Contains(out, text) {
						t.Errorf("%s: %q is not in:\n%s", what, text, out)
					}
				}
				if status != want {
					t.Errorf("%s: status %d\n%s", what, status, out)
				}
			}
			out, status := run(p.URL, "promptecho serve -cassettes cassettes -- "+suite)
			holds("recorded", out, status, 0, "promptecho: serve: 10 tests: 0 requests replayed, 17 recorded")
			if got := cassettesIn(t, filepath.Join(dir, "cassettes")); got != 9 {
				t.Errorf("%d cassettes", got)
			}
			out, status = run(nobody, "promptecho serve -require-all -cassettes cassettes -- "+suite, "CI=true", "OPENAI_API_KEY=")
			if holds("replayed", out, status, 0); strings.Contains(out, "promptecho: serve:") {
				t.Error(out)
			}
			out, status = run(nobody, "promptecho serve -cassettes cassettes -- "+strings.Join(append(r.command, quoted(r.parts)...), " ")+" "+r.file, "CI=true")
			holds("a part", out, status, 0)
			differs := []string{"the nearest recording differs in messages/0/content", "To record it again:", r.named, "promptecho: serve: 1 test failed because of a cassette; each failure says why: "}
			out, status = run(nobody, "promptecho serve -cassettes cassettes -- "+suite, "CI=true", "CHANGED=!")
			holds("changed", out, status, 1, differs...)
			out, status = run(nobody, "promptecho serve -cassettes cassettes -- "+suite, "CI=true", "CHANGED=!", "HIDE=1")
			holds("changed, and the test hides it", out, status, 1, differs...)
			_, again, _ := strings.Cut(out, "To record it again:")
			if again = pastable.FindString(again); again == "" {
				t.Fatal(out)
			}
			out, status = run(p.URL, again, "CHANGED=!")
			holds("pasted: "+again, out, status, 0, "1 test: 1 request replayed, 1 recorded")
			out, status = run(nobody, "promptecho serve -require-all -cassettes cassettes -- "+suite, "CI=true", "CHANGED=!")
			holds("replayed again", out, status, 0)
			out, status = run(p.URL, "promptecho serve -cassette one.yaml -- "+suite+" "+strings.Join(r.without, " "))
			holds("one cassette", out, status, 0, "interactions to one.yaml")
			out, status = run(nobody, suite)
			if r.name == "node" {
				holds("without serve", out, status, 1, "run the tests under promptecho serve: promptecho serve -cassettes cassettes -- npm test")
			} else {
				holds("without serve", out, status, 1, "run pytest under promptecho serve: promptecho serve -cassettes cassettes -- pytest")
			}
		})
	}
}

var pastable = regexp.MustCompile(`promptecho serve .*`)

// TestClientsOfDocs: the suites of docs/PROCESSES.md are recorded by its commands, and replay.
func TestClientsOfDocs(t *testing.T) {
	t.Parallel()
	rs := runners(t)
	dir, bin := t.TempDir(), command(t)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "suites"))); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "node_modules", "promptecho-serve"), os.DirFS(filepath.Join("..", "clients", "node"))); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "clients", "python"))); err != nil { // beside the tests
		t.Fatal(err)
	}
	python, err := exec.LookPath(rs[0].command[0])
	if err == nil {
		err = os.WriteFile(filepath.Join(bin, "python3"), []byte("#!/bin/sh\nexec "+python+" \"$@\"\n"), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := fakeprovider.New()
	defer p.Close()
	for _, env := range [][]string{{"CI=", "OPENAI_BASE_URL=" + p.URL + "/v1"}, {"CI=true", "OPENAI_BASE_URL=http://127.0.0.1:1/v1"}} {
		cmd := exec.Command("sh", "run.sh")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), append(env, "PROMPTECHO_MODE=", "PYTHONDONTWRITEBYTECODE=1", "OPENAI_API_KEY=echo-secret-of-scripts", "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", env, err, out)
		}
	}
	if got := cassettesIn(t, filepath.Join(dir, "cassettes")); got != 2 {
		t.Errorf("%d cassettes", got)
	}
}

func quoted(words []string) (list []string) {
	for _, w := range words {
		list = append(list, "'"+w+"'")
	}
	return list
}

func cassettesIn(t *testing.T, dir string) (n int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".yaml" {
			n++
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return n
}
