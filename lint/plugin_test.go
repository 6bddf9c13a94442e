package lint

import (
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"
)

// golangci-lint finds the plugin by its name, and gives it the settings as a map.
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
	if got, want := names(nil), "norecorder hardwired keyskip outertest discarded paralleldefault maincode volatile"; got != want {
		t.Errorf("rules are %q, want %q", got, want)
	}
	if got := names(map[string]any{"disable": []string{"volatile", "keyskip"}}); strings.Contains(got, "volatile") || strings.Contains(got, "keyskip") || !strings.Contains(got, "hardwired") {
		t.Errorf("without two rules: %q", got)
	}
	if _, err := open(map[string]any{"disable": []string{"volatil"}}); err == nil || !strings.Contains(err.Error(), `there is no rule "volatil"`) {
		t.Errorf("error is %v", err)
	}
}
