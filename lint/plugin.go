// Package lint is a module plugin for golangci-lint with the rules of promptecho lint.
// docs/LINT.md says how to build golangci-lint with it, and what the rules are.
package lint

import (
	"fmt"
	"slices"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/promptecho/promptecho/internal/lint"
)

func init() { register.Plugin("promptecho", New) }

// Settings are the settings of the linter in .golangci.yml.
type Settings struct {
	Disable []string `json:"disable"` // the names of rules to leave out
}

// New returns the plugin. The error names a setting that is unknown.
func New(settings any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[Settings](settings)
	if err != nil {
		return nil, fmt.Errorf("promptecho: %w", err)
	}
	p := &plugin{}
	for _, name := range s.Disable {
		isRule := slices.ContainsFunc(lint.Analyzers, func(a *analysis.Analyzer) bool {
			return a.Name == name
		})
		if !isRule {
			return nil, fmt.Errorf("promptecho: there is no rule %q: docs/LINT.md lists them", name)
		}
	}
	for _, a := range lint.Analyzers {
		if !slices.Contains(s.Disable, a.Name) {
			p.rules = append(p.rules, a)
		}
	}
	return p, nil
}

// A plugin has the rules that are not disabled.
type plugin struct{ rules []*analysis.Analyzer }

func (p *plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) { return p.rules, nil }

// GetLoadMode says that the rules need types.
func (p *plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
