package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/setup"
	"github.com/promptecho/promptecho/internal/testenv/suite"
)

// A survey has the packages of some folders whose tests link promptecho.
type survey struct {
	places   []setup.Place
	at       [][]suite.Package // the packages of each place
	packages []suite.Package   // all of them, each once
	unlisted []setup.Advice    // about modules that the go command cannot list
}

// surveyOf returns the packages at and below some folders; "." if there are none.
func surveyOf(dirs []string) (*survey, error) {
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	s := &survey{}
	isKnown := map[string]bool{} // by the folders of packages
	for _, dir := range dirs {
		place, err := setup.PlaceOf(dir, git)
		if err != nil {
			return nil, err
		}
		packages := s.list(place)
		s.places = append(s.places, place)
		s.at = append(s.at, packages)
		for _, p := range packages {
			if !isKnown[p.Dir] {
				s.packages = append(s.packages, p)
			}
			isKnown[p.Dir] = true
		}
	}
	return s, nil
}

// list returns the packages of a place.
func (s *survey) list(place setup.Place) (packages []suite.Package) {
	for _, module := range place.Modules {
		list, err := suite.ListAsFarAsKnown(module)
		if err != nil {
			lines := strings.Split(err.Error(), "\n")
			s.unlisted = append(s.unlisted, setup.Advice{
				Text:  "The packages in " + shown(module) + " are not known:",
				Lines: slices.DeleteFunc(lines, isProgress),
			})
			continue
		}
		packages = append(packages, list...)
	}
	return packages
}

// shown returns a path as people read it: relative to the current folder, also if that is below.
func shown(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	wd, err = filepath.EvalSymlinks(wd)
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(wd, path)
	if err != nil {
		return path
	}
	return rel
}

// planFor returns what is left to set up at the places of a survey.
func planFor(s *survey) (*setup.Plan, error) {
	all := &setup.Plan{Advice: s.unlisted}
	isPlanned := map[string]bool{} // by path, or text of the advice
	for i, place := range s.places {
		plan, err := setup.PlanFor(place, s.at[i], len(s.unlisted) == 0, git, shown)
		if err != nil {
			return nil, err
		}
		for _, f := range plan.Files {
			if !isPlanned[f.Path] {
				all.Files = append(all.Files, f)
			}
			isPlanned[f.Path] = true
		}
		for _, a := range plan.Advice {
			if !isPlanned[a.Text] {
				all.Advice = append(all.Advice, a)
			}
			isPlanned[a.Text] = true
		}
	}
	return all, nil
}
