package lint

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
)

// at returns the text at a path in a YAML file. The steps of the path are keys; of a list, the
// first element is used.
func at(t *testing.T, file string, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	node, bad := (yaml.Format{}).Parse(string(text))
	if bad != nil {
		t.Fatalf("%s: %v", file, bad)
	}
	for _, step := range path {
		if node.Kind == yaml.Sequence {
			node = node.Elems[0]
		}
		i := slices.IndexFunc(node.Elems, func(e *yaml.Node) bool { return e.Key.Text == step })
		if i < 0 {
			t.Fatalf("%s: no %s in %s", file, step, path)
		}
		node = node.Elems[i]
	}
	if node.Kind == yaml.Sequence {
		node = node.Elems[0]
	}
	return node.Text
}

// The files that docs/LINT.md shows for golangci-lint name this module, its plugin and existing
// rules.
func TestDocumentedFiles(t *testing.T) {
	t.Parallel()
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	module := at(t, "testdata/custom-gcl.yml", "plugins", "module")
	if !strings.Contains(string(mod), "\nmodule "+module+"\n") {
		t.Errorf("custom-gcl.yml has module %s", module)
	}
	name := at(t, "testdata/golangci.yml", "linters", "enable")
	open, err := register.GetPlugin(name)
	if err != nil {
		t.Fatal(err)
	}
	custom := []string{"linters", "settings", "custom", name}
	if kind := at(t, "testdata/golangci.yml", append(custom, "type")...); kind != "module" {
		t.Errorf("type is %s", kind)
	}
	rule := at(t, "testdata/golangci.yml", append(custom, "settings", "disable")...)
	if _, err := open(map[string]any{"disable": []string{rule}}); err != nil {
		t.Error(err)
	}
}

// Golangci-lint finds the plugin by its name, and passes its settings.
func TestPlugin(t *testing.T) {
	t.Parallel()
	open, err := register.GetPlugin("promptecho")
	if err != nil {
		t.Fatal(err)
	}
	names := func(settings any) string {
		p, err := open(settings)
		if err != nil {
			t.Fatal(err)
		}
		rules, err := p.BuildAnalyzers()
		if err != nil {
			t.Fatal(err)
		}
		if err := analysis.Validate(rules); err != nil {
			t.Error(err)
		}
		if p.GetLoadMode() != register.LoadModeTypesInfo {
			t.Error("the rules need types")
		}
		var all []string
		for _, r := range rules {
			all = append(all, r.Name)
		}
		return strings.Join(all, " ")
	}
	const all = "norecorder hardwired childprocess keyskip outertest discarded paralleldefault " +
		"maincode volatile unnoticed"
	if got := names(nil); got != all {
		t.Errorf("rules are %q, want %q", got, all)
	}

	const rest = "norecorder hardwired childprocess outertest discarded paralleldefault maincode unnoticed"
	if got := names(map[string]any{"disable": []string{"volatile", "keyskip"}}); got != rest {
		t.Errorf("without two rules: %q, want %q", got, rest)
	}

	_, err = open(map[string]any{"disable": []string{"volatil"}})
	if err == nil || !strings.Contains(err.Error(), `there is no rule "volatil"`) {
		t.Errorf("error is %v", err)
	}
}
