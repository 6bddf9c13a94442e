package redact

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/redact/carrier"
)

// Rules by which something is found, as far as it matters afterwards.
const (
	ruleLooks   = iota
	ruleField   // the field is one for credentials
	rulePlace   // a service has secrets at this place
	ruleName    // the user named the field
	rulePattern // the user's expression matches
	ruleKnown   // the value is known
)

// A finder is the search of the values of one text.
//
// Its find is pure: it learns nothing and calls nobody. What it has found is
// learned from the edits that stay, by learn: an edit that is covered by another
// one is not made, and its value may have been a part of something harmless.
type finder struct {
	policy       *Policy
	side         scope
	learned      map[string]bool // the values that were learned from this text
	hasKnown     bool            // there are values to look for
	includeLines bool            // lines of known values count, too

	foundField bool // a field for credentials was replaced

	lastQuery     *carrier.Member // the first parameter of the last query with a name that signs one
	signingParams []string        // the names of those that sign it
}

// walker returns the walk in which everything is found.
func (f *finder) walker() *carrier.Walker {
	f.hasKnown = !f.policy.knowsNone()
	return &carrier.Walker{Find: f.find, WantsBytes: f.hasKnown, Canonical: !f.side.isResponse}
}

// knownWalker returns the walk in which only known values are found.
func (f *finder) knownWalker() *carrier.Walker {
	f.hasKnown = true
	return &carrier.Walker{Find: f.findKnown, WantsBytes: true, Canonical: !f.side.isResponse}
}

// learn makes known what has been replaced and may be elsewhere, too.
func (f *finder) learn(edits []carrier.Edit) {
	for _, e := range edits {
		for _, c := range e.Causes {
			switch c.Rule {
			case ruleField:
				f.foundField = true
			case rulePlace:
				f.foundField = f.foundField || f.side.fields != anywhere
			case ruleName, rulePattern:
				if f.policy.OnMatch != nil {
					f.policy.OnMatch(c.Kind)
				}
			}
			if c.Learn && !f.learned[c.Value] {
				if f.learned == nil {
					f.learned = map[string]bool{}
				}
				f.learned[c.Value] = true
				isCertain := c.Rule == ruleField || c.Rule == rulePlace
				f.policy.learnFound(c.Value, isCertain)
			}
		}
	}
}

// findKnown returns the known values in a leaf.
func (f *finder) findKnown(l *carrier.Leaf) []carrier.Match {
	if !f.hasKnown {
		return nil
	}
	var found []carrier.Match
	for _, m := range f.policy.find(l.Text, f.includeLines) {
		value := l.Text[m.start:m.end]
		match := f.newMatch(l, m, carrier.Cause{Kind: m.kindName(), Value: value, Rule: ruleKnown})
		switch {
		case l.Kind == carrier.Number:
			match.Text = "0"
		case m.kind == kindUTF16:
			match.Text = utf16Placeholder(value)
		}
		found = append(found, match)
	}
	return found
}

// utf16Placeholder returns a placeholder in UTF-16 for a value in UTF-16.
func utf16Placeholder(value string) string {
	if value[0] == 0 {
		return utf16Of(Placeholder, binary.BigEndian)
	}
	return utf16Of(Placeholder, binary.LittleEndian)
}

// find returns what must not be written of a leaf.
func (f *finder) find(l *carrier.Leaf) []carrier.Match {
	found := f.findKnown(l)
	switch l.Kind {
	case carrier.Bytes:
		return found
	case carrier.Number:
		if entry, ok := f.policy.isNamed(lastName(l)); ok && l.Text != "0" {
			return []carrier.Match{{End: len(l.Text), Text: "0", Cause: carrier.Cause{Kind: entry, Rule: ruleName}}}
		}
		return found
	case carrier.Text, carrier.Raw:
		whole, ok := f.findWhole(l)
		if ok {
			return []carrier.Match{whole}
		}
	}
	if !f.side.isResponse {
		found = append(found, f.findTypedPlaceholders(l)...)
	}
	if l.Kind != carrier.Raw {
		found = append(found, f.findByLooks(l)...)
	}
	found = append(found, f.findByPatterns(l)...)
	return inOrder(found)
}

// inOrder returns matches in order and without overlap. Of two that overlap, the
// longer one that begins first stays; if neither covers the other, both are one.
func inOrder(found []carrier.Match) []carrier.Match {
	if len(found) < 2 {
		return found
	}
	slices.SortStableFunc(found, func(a, b carrier.Match) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	kept := found[:1]
	for _, m := range found[1:] {
		last := &kept[len(kept)-1]
		switch {
		case m.Start >= last.End:
			kept = append(kept, m)
		case m.End > last.End:
			last.End = m.End
			last.Text = Placeholder
			last.Cause.Learn = false
		}
	}
	return kept
}

// newMatch returns the match of a part of a leaf, with the placeholder of the side.
func (f *finder) newMatch(l *carrier.Leaf, m match, cause carrier.Cause) carrier.Match {
	value := l.Text[m.start:m.end]
	text := Placeholder
	if f.side.isResponse {
		text = typedPlaceholder(value)
		if isJWK(l) && text == Placeholder {
			text = repeatedMarker(len(value))
		}
		if text == Placeholder && inAuthority(l.Text[:m.start]) {
			text = urlPlaceholder
		}
	}
	return carrier.Match{Start: m.start, End: m.end, Text: text, Cause: cause}
}

// isJWK reports whether a leaf is a private member of a JSON Web Key, which is base64url.
func isJWK(l *carrier.Leaf) bool {
	if len(l.Name) > 2 || !slices.Contains(privateJWKMembers, l.Name) {
		return false
	}
	_, ok := l.Member("kty")
	return ok
}

// findByLooks returns what looks like a secret in a leaf, by itself or by the names
// next to it.
func (f *finder) findByLooks(l *carrier.Leaf) []carrier.Match {
	var found []carrier.Match
	add := func(m match) {
		value := l.Text[m.start:m.end]
		if isRedacted(value) {
			return
		}
		isCursorValue := m.start == 0 && m.end == len(l.Text) && isCursor(l.Name) || hasCursorName(l.Text, m)
		cause := carrier.Cause{Kind: m.kindName(), Value: value, Learn: !isCursorValue}
		one := f.newMatch(l, m, cause)
		isBase64 := strings.HasPrefix(one.Text, urlPlaceholder)
		switch {
		case isCursorValue:
			one.Text = hashed(unescaped(value))
		case m.kind == signatureOfURL && isBase64:
			one.Text = Placeholder // it is only ever sent back
		case one.Text == value:
			one.Text = Placeholder // base64 of what has no secret: it would be found for ever
		}
		found = append(found, one)
	}
	m := nextToNames(l)
	if m.end > 0 {
		add(m)
	}
	if f.isSigningParameter(l) {
		add(match{kind: signatureOfURL, start: 0, end: len(l.Text)})
	}
	for _, m := range findPatterns(l.Text) {
		add(m)
	}
	return found
}

// nextToNames returns the value of a leaf that one of its names calls a secret,
// if it looks like one.
func nextToNames(l *carrier.Leaf) match {
	if l.Kind != carrier.Text || l.Text == "" {
		return match{}
	}
	m := nextToName(l, l.Name)
	for i := 0; m.end == 0 && i < len(l.Labels); i++ {
		m = nextToName(l, l.Labels[i])
	}
	return m
}

func nextToName(l *carrier.Leaf, name string) match {
	kind := kindOfName(name, l)
	if kind == noKind {
		return match{}
	}
	s := search{text: l.Text}
	return s.findValueAt(kind, 0, 0, `"`)
}

// kindOfName returns the kind of secret that a name of a leaf says, or noKind.
func kindOfName(name string, l *carrier.Leaf) kind {
	name = strings.TrimRight(name, "]")
	if len(name) <= 2 {
		if name == l.Name && isJWK(l) {
			return namedSecret
		}
		return noKind
	}
	if !nameEndings()[name[len(name)-2]|0x20][name[len(name)-1]|0x20] {
		return noKind
	}
	start := len(name)
	for start > 0 && class[name[start-1]]&word != 0 {
		start--
	}
	last := name[start:]
	kind := nameKinds.Get(last)
	isTwoWords := start > 0 && name[start-1] == ' '
	switch {
	case kind == schemeBearer, kind == schemeBasic:
		return noKind
	case kind == signatureOfURL && len(last) == len("sig") && l.In != carrier.Query && l.In != carrier.Form:
		return noKind
	case kind == noKind && isTwoWords:
		return kindOfTwoWords(name[:start-1], last)
	}
	return kind
}

// lastName returns the name of a leaf itself: "" for an element of an array.
func lastName(l *carrier.Leaf) string {
	if len(l.Path) == 0 {
		return l.Name
	}
	return l.Path[len(l.Path)-1]
}

// findTypedPlaceholders returns the placeholders in a request that have the type of a
// secret of an answer. In the request that was recorded, the secret itself was
// there, and [Placeholder] is written for it.
func (f *finder) findTypedPlaceholders(l *carrier.Leaf) []carrier.Match {
	text := l.Text
	if !mayHaveTyped(text) {
		return nil
	}
	var found []carrier.Match
	for _, m := range typedInRequest().FindAllStringSubmatchIndex(text, -1) {
		start, end := m[0], m[1]
		if m[2] >= 0 {
			start, end = m[2], m[3]
		}
		found = append(found, carrier.Match{Start: start, End: end, Text: Placeholder})
	}
	return found
}

// findByPatterns returns what the user's expressions match.
func (f *finder) findByPatterns(l *carrier.Leaf) []carrier.Match {
	if len(f.policy.Patterns) == 0 {
		return nil
	}
	var found []carrier.Match
	hidden := anyPlaceholder().FindAllStringIndex(l.Text, -1)
	touchesHidden := func(start, end int) bool {
		i, _ := slices.BinarySearchFunc(hidden, start, func(h []int, at int) int { return cmp.Compare(h[1], at+1) })
		return i < len(hidden) && hidden[i][0] < end
	}
	for _, re := range f.policy.Patterns {
		group := min(re.NumSubexp(), 1)
		for _, m := range re.FindAllStringSubmatchIndex(l.Text, -1) {
			start, end := m[2*group], m[2*group+1]
			// What touches a placeholder was replaced, or is next to what was: an
			// expression that matches placeholders would match for ever.
			if start < 0 || start == end || touchesHidden(start, end) {
				continue
			}
			text := Placeholder
			if inAuthority(l.Text[:start]) && f.side.isResponse {
				if strings.Contains(l.Text[start:end], urlPlaceholder) {
					continue
				}
				text = urlPlaceholder
			}
			cause := carrier.Cause{Kind: re.String(), Rule: rulePattern}
			found = append(found, carrier.Match{Start: start, End: end, Text: text, Cause: cause})
		}
	}
	return found
}

// urlPlaceholder is for the user, the password and the host of a URL, where no
// parser takes brackets.
const urlPlaceholder = "REDACTED"

// inAuthority reports whether a text ends in the part of a URL before its path.
func inAuthority(before string) bool {
	const longest = 512
	before = before[max(0, len(before)-longest):]
	i := strings.LastIndex(before, "://")
	return i >= 0 && !strings.ContainsAny(before[i+3:], "/?#\\\"'<> \t\r\n")
}

// findWhole returns the match of a leaf that must not be written as a whole, because
// of its name and place.
func (f *finder) findWhole(l *carrier.Leaf) (carrier.Match, bool) {
	text := l.Text
	name := lastName(l)
	entry, ok := f.policy.isNamed(name)
	if !ok && l.In == carrier.Form {
		entry, ok = f.policy.isNamed(nestedName(name))
	}
	if ok {
		cause := carrier.Cause{Kind: entry, Rule: ruleName}
		m := carrier.Match{End: len(text), Text: Placeholder, Cause: cause}
		if f.side.isResponse && date().MatchString(text) {
			m.Text = laterDate(text)
		}
		return m, !isRedacted(text)
	}
	value := strings.TrimSpace(text)
	if value == "" || isRedacted(value) {
		return carrier.Match{}, false
	}
	all := match{start: strings.Index(text, value)}
	all.end = all.start + len(value)
	verdict := f.fieldRule(l, name)
	if verdict == noVerdict {
		return carrier.Match{}, false
	}
	cause := carrier.Cause{Kind: fmt.Sprintf("the field %q", l.Name), Value: value, Learn: true, Rule: ruleField}
	switch verdict {
	case isCredential:
		m := f.newMatch(l, all, cause)
		if value == ownPlaceholder { // a field of a secret may have the program's own placeholder
			m.Text, m.Cause.Learn = Placeholder, false
		}
		return m, true
	case isAtSecretPlace:
		cause.Rule = rulePlace
		return f.newMatch(l, all, cause), true
	}
	cause.Learn = false
	return carrier.Match{Start: all.start, End: all.end, Text: hashed(value), Cause: cause}, true
}
