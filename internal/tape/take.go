package tape

import (
	"fmt"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/redact"
)

// Take chooses the recording that answers a call, and marks it as played. The
// Match has no recording if nothing is left. The error is [ErrClosed], or says
// why the recording cannot be played.
//
// It tries, in this order:
//
//	what is tried                       when it is found
//	the recording with the same bytes   most calls of most tests; it
//	                                    needs no canonical form
//	the recordings with its match key   see rules
//	the same, where a placeholder in    the program sends back a token
//	the request is of the cassette      that is recorded as [REDACTED]
//	the recordings whose URL has        a cassette of another tool, with
//	placeholders                        "<API_BASE>/chat"
//	recordings that differ only where   a secret that became known after
//	they have a placeholder             its request was recorded
func (t *Tape) Take(call Call) (Match, error) {
	if rec := t.takeByDigest(&call); rec != nil {
		return Match{Call: call, Recording: rec}, nil
	}

	m := Match{Call: call}
	m.Request.Body = redact.MarkOwn(m.Request.Body)
	if err := t.policy.RedactBody(&m.Request); err != nil {
		return m, fmt.Errorf("%s: %w", t.Config.Name, err)
	}
	m.Form = t.Config.Options.Form(&m.Request)

	ways := []func(Match) (Match, error){
		t.takeMatching, t.takeSentBack, t.takeByURLTemplate, t.takeByPlaceholder,
	}
	for _, take := range ways {
		var err error
		m, err = take(m)
		if err != nil {
			return m, err
		}
		if m.Recording != nil {
			return m, t.checkMatchKey(m.Recording, m.FoundBy)
		}
	}
	return m, nil
}

// takeByDigest plays a recording for a call whose request is recorded byte for
// byte. It returns nil if the form of the request has to be known.
func (t *Tape) takeByDigest(call *Call) *Recording {
	digest := call.Request.Digest()
	t.mu.Lock()
	defer t.mu.Unlock()

	equal := t.bySealDigest[digest]
	if equal == nil || t.isStopped {
		return nil
	}
	repeats := func() bool { return t.Config.Repeats.Select(equal.Form().Name()) }
	c := t.index.byKey[equal.key]
	chosen := c.chooseByDigest(equal, repeats)
	if chosen.recording == nil {
		return nil
	}
	c.markPlayed(chosen, nil)
	t.noteCall(chosen.recording, call.Outer)
	return chosen.recording
}

// takeMatching plays a recording with a match key of the call, and adds it to
// the match. Without one, it plays again what this run recorded, if
// Config.Rounds is set.
func (t *Tape) takeMatching(m Match) (Match, error) {
	matches := t.lookup(&m)
	digest := t.Config.digest(&m.Request)
	issuedIDs := t.selectingIDs(&m, matches)

	t.mu.Lock()
	defer t.mu.Unlock()
	if t.isStopped {
		return m, ErrClosed
	}

	for _, found := range matches {
		req := t.request(&m, found.form)
		req.digest = digest
		req.issuedIDs = issuedIDs
		m = t.play(found.candidates, req, m)
		if m.Recording != nil {
			break
		}
	}

	if again := t.rounds[m.Form.Key()]; m.Recording == nil && again != nil {
		m.Recording = again
		m.FoundBy = m.Form
	}

	isRecordedWithIDs := m.Recording != nil && m.Recording.selection.matchDigest == digest
	if m.Form.Linked() && !isRecordedWithIDs {
		t.shiftedIDs.add(m.Request.Body)
	}
	t.noteCall(m.Recording, m.Outer)
	return m, nil
}

// takeSentBack plays a recording for a call that sends back a placeholder which
// a replayed response contained. Take compares a placeholder in a request as
// the program's own text first, because a program may redact its prompts in the
// same way. Here it is compared as a placeholder of the cassette.
func (t *Tape) takeSentBack(m Match) (Match, error) {
	body := redact.UnmarkOwn(m.Request.Body)
	if len(body) == len(m.Request.Body) {
		return m, nil // it has none
	}

	sentBack := m
	sentBack.Request.Body = body
	sentBack.Form = t.Config.Options.Form(&sentBack.Request)
	found, err := t.takeMatching(sentBack)
	if found.Recording != nil {
		return found, nil
	}
	m.conflict = found.conflict
	return m, err
}

// takeByURLTemplate plays a recording that has placeholders in its URL where
// the call has other texts, and that differs in nothing else.
func (t *Tape) takeByURLTemplate(m Match) (Match, error) {
	for _, template := range t.urlTemplates() {
		url, ok := template.fill(m.Request.URL)
		if !ok || url == m.Request.URL {
			continue
		}
		filled := m
		filled.Request.URL = url
		filled.Form = t.Config.Options.Form(&filled.Request)
		found, err := t.takeMatching(filled)
		if err != nil {
			return m, err
		}
		if found.Recording != nil {
			found.Request.URL = m.Request.URL
			return found, nil
		}
	}
	return m, nil
}

// takeByPlaceholder plays a recording that has a placeholder where the request
// of the call has a text, and that differs in nothing else. A placeholder
// matches any text: the run that recorded it knew the secret there, perhaps
// from a later request. The text is a secret of this run from now on, even if
// nothing is left to play.
func (t *Tape) takeByPlaceholder(m Match) (Match, error) {
	text := m.text()
	knownBefore := t.policy.Count()

	for _, rec := range t.withPlaceholders() {
		recorded := rec.text
		if recorded == "" {
			recorded = rec.requestText()
		}
		if recorded == text || !t.policy.Reveal(recorded, text) {
			continue
		}
		m = t.takeLike(rec.Recording, m)
		if m.Recording != nil {
			m.SecretLearned = true
			break
		}
	}

	if t.policy.Count() > knownBefore {
		m = t.redactedAgain(m)
	}
	return m, nil
}

// takeLike plays a recording with the match key of rec for a call, which has
// another match key.
func (t *Tape) takeLike(rec *Recording, m Match) Match {
	req := t.request(&m, rec.Form())
	t.mu.Lock()
	defer t.mu.Unlock()

	if t.isStopped {
		return m
	}
	m = t.play(t.index.byKey[rec.key], req, m)
	t.noteCall(m.Recording, m.Outer)
	return m
}

// TakeInstead returns the recording that answers a call which the test does not
// cancel, although the recording of m was canceled. That one is played again
// only if nothing else is left.
func (t *Tape) TakeInstead(m Match) (Match, error) {
	t.change(func() {
		m.Recording.run.replaced = true
		m.Recording.run.used.Store(false)
	})
	m.Recording = nil
	m.Cancelable = false
	return t.takeMatching(m)
}

// play plays one of the candidates for a request, if one is left, and adds it
// to the match. The caller holds the lock.
func (t *Tape) play(c *candidates, req *request, m Match) Match {
	c.sortByTraits()
	chosen := c.choose(req)
	c.markPlayed(chosen, req)

	m.Recording = chosen.recording
	m.FoundBy = req.form
	if chosen.conflict != nil {
		t.conflicts = append(t.conflicts, chosen.conflict)
		m.conflict = chosen.conflict
	}
	return m
}

// request returns what choose has to know of a call; form is that by which its
// candidates are found.
func (t *Tape) request(m *Match, form *canon.Form) *request {
	return &request{
		form:       form,
		shiftedIDs: t.shiftedIDs,
		cancelable: m.Cancelable,
		repeats:    t.Config.Repeats.Select(m.Form.Name()),
		records:    t.records,
		sequence:   t.sequence(),
	}
}

// lookup returns the candidates for a call. It needs no lock: the index does
// not change once calls come.
func (t *Tape) lookup(m *Match) []formCandidates {
	return t.index.lookup(m.Form, &m.Request, t.Config.Options)
}

// selectingIDs returns the issued IDs in the request of a call: they first
// appeared in a recorded response. It returns nil if they tell no candidates
// apart.
func (t *Tape) selectingIDs(m *Match, matches []formCandidates) []canon.Trait {
	tellApart := false
	for _, found := range matches {
		found.readRequests(t.issued)
		tellApart = tellApart || found.hasIssuedIDs
	}
	if !tellApart {
		return nil
	}
	return issuedIDsIn(&m.Request, t.issued())
}

// redactedAgain redacts the request of a call with the secrets that have become
// known since, and makes its form again.
func (t *Tape) redactedAgain(m Match) Match {
	t.redactNew(&m.Request)
	m.Form = t.Config.Options.Form(&m.Request)
	return m
}

// checkMatchKey returns an error if a recording that was found by the key in
// its file has another form than the request: then the file is forged.
func (t *Tape) checkMatchKey(rec *Recording, form *canon.Form) error {
	if rec.sealDigest == 0 || rec.Form().Key() == form.Key() {
		return nil
	}
	it, err := rec.Load()
	if err != nil {
		return err
	}
	if keyOf(formOf(it)) == rec.key {
		return nil // a secret has become known since, and changes the form
	}
	place := fmt.Sprintf("%s:%d", t.Config.Name, rec.Line())
	const text = "under \"seals:\", at the end of the file, the line of this recording " +
		"belongs to another request: promptecho verify -w rewrites those lines"
	return t.unreadable(finding.Errorf(finding.CassetteUnreadable, place, text))
}
