package tests

import "slices"

// helper returns what a function of the package does with a testing parameter
// that it gets. A function that starts subtests, or that is not in a test file,
// is not known. above are the functions that led to it.
func (p *Package) helper(name string, above []string) Uses {
	scopes := p.scopes[name]
	if len(scopes) == 0 || slices.Contains(above, name) {
		return Uses{Unknown: true}
	}
	above = append(slices.Clip(above), name)
	var all Uses
	for _, s := range scopes {
		all = all.or(p.usesOf(s, above))
	}
	return Uses{Opens: all.Opens, News: all.News, Unknown: all.Unknown || all.Runs}
}

// usesOf returns what a scope does, with what its helpers do.
func (p *Package) usesOf(s *scope, above []string) Uses {
	uses := s.Uses
	for _, name := range s.helpers {
		uses = uses.or(p.helper(name, above))
	}
	return uses
}

// OnlyRunsSubtests reports whether a test function opens no recorder itself and
// starts subtests that may open some. That is asked of the function for level
// 0, of its subtests for level 1, and so on. It is false where the text does
// not prove it.
func (p *Package) OnlyRunsSubtests(function string, level int) bool {
	if p.unread != nil {
		return false
	}
	runs, opensBelow := false, false
	for _, s := range p.scopes[function] {
		uses := p.usesOf(s, nil)
		isAsked := s.level == level
		startsOthers := uses.Unknown && (isAsked || s.level == 0)
		if startsOthers || isAsked && uses.Runs && uses.Opens {
			return false
		}
		runs = runs || isAsked && uses.Runs
		opensBelow = opensBelow || s.level > level && (uses.Opens || uses.Unknown)
	}
	return runs && opensBelow
}

// OpensAlone reports whether a test function opens a recorder and starts no
// subtests. It is false where the text does not prove it.
func (p *Package) OpensAlone(function string) bool {
	opens := false
	for _, s := range p.scopes[function] {
		uses := p.usesOf(s, nil)
		if uses.Runs || uses.Unknown {
			return false
		}
		opens = opens || uses.Opens
	}
	return p.unread == nil && opens
}

// OpensOwn reports whether the text of a test function shows that it opens the
// cassette with its own name, and whether its subtests open those with theirs.
func (p *Package) OpensOwn(function string) (own, ofSubtests bool) {
	if p.unread != nil {
		return false, false
	}
	for _, s := range p.scopes[function] {
		isOpened := p.usesOf(s, nil).News
		own = own || isOpened && s.level == 0
		ofSubtests = ofSubtests || isOpened && s.level > 0
	}
	return own, ofSubtests
}
