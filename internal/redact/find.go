package redact

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/redact/carrier"
)

// The rules by which a secret is found, as the cause of an edit names them.
const (
	ruleLooks   = iota // the value looks like a secret, alone or next to its name
	ruleField          // the name of the field is one of credentials
	rulePlace          // an API has secrets at this place
	ruleName           // the user's option names the field
	rulePattern        // the user's expression matches
	ruleKnown          // the value is a known secret
)

// A finder finds the secrets in one text, or in the events of one stream.
//
// Its find has no effects: it learns no secret and does not call Policy.OnMatch.
// The method learn does both, for the edits that are made. An edit inside of
// another one is not made, and its value may be a part of something harmless.
type finder struct {
	policy       *Policy
	scope        scope
	hasKnown     bool // the policy knows secrets to look for
	includeLines bool // a single line of a known secret counts, too

	learned    map[string]bool // the values that were learned from this text
	foundField bool            // a field for credentials was replaced

	// The query or form that isSigningParameter has looked at last: its first
	// parameter, and the names of the parameters that sign it.
	lastQuery     *carrier.Member
	signingParams []string
}

// walker returns a walker that finds everything that must not be written.
func (f *finder) walker() *carrier.Walker {
	f.hasKnown = !f.policy.knowsNone()
	return &carrier.Walker{Find: f.find, WantsBytes: f.hasKnown, Canonical: !f.scope.isResponse}
}

// knownWalker returns a walker that finds only known secrets.
func (f *finder) knownWalker() *carrier.Walker {
	f.hasKnown = true
	return &carrier.Walker{Find: f.findKnown, WantsBytes: true, Canonical: !f.scope.isResponse}
}

// learn notes what edits have replaced: it calls Policy.OnMatch for the options of
// the user, and makes secrets known that may also be in other texts.
func (f *finder) learn(edits []carrier.Edit) {
	for _, e := range edits {
		for _, c := range e.Causes {
			f.learnCause(c)
		}
	}
}

func (f *finder) learnCause(c carrier.Cause) {
	switch c.Rule {
	case ruleField:
		f.foundField = true
	case rulePlace:
		isExchange := f.scope.fields != anywhere
		f.foundField = f.foundField || isExchange
	case ruleName, rulePattern:
		if f.policy.OnMatch != nil {
			f.policy.OnMatch(c.Kind)
		}
	}

	if !c.Learn || f.learned[c.Value] {
		return
	}
	if f.learned == nil {
		f.learned = map[string]bool{}
	}
	f.learned[c.Value] = true
	isCertain := c.Rule == ruleField || c.Rule == rulePlace
	f.policy.learnFound(c.Value, isCertain)
}

// findKnown returns the known secrets in a leaf.
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

// utf16Placeholder returns a placeholder in UTF-16, in the byte order of a value.
func utf16Placeholder(value string) string {
	isBigEndian := value[0] == 0 // secrets are mostly ASCII
	if isBigEndian {
		return utf16Of(Placeholder, binary.BigEndian)
	}
	return utf16Of(Placeholder, binary.LittleEndian)
}

// find returns the parts of a leaf that must not be written.
func (f *finder) find(l *carrier.Leaf) []carrier.Match {
	found := f.findKnown(l)
	switch l.Kind {
	case carrier.Bytes:
		return found
	case carrier.Number:
		entry, isNamed := f.policy.isNamed(lastName(l))
		if isNamed && l.Text != "0" {
			cause := carrier.Cause{Kind: entry, Rule: ruleName}
			return []carrier.Match{{End: len(l.Text), Text: "0", Cause: cause}}
		}
		return found
	case carrier.Text, carrier.Raw:
		whole, ok := f.findWhole(l)
		if ok {
			return []carrier.Match{whole}
		}
	}
	if !f.scope.isResponse {
		found = append(found, f.findTypedPlaceholders(l)...)
	}
	if l.Kind != carrier.Raw {
		found = append(found, f.findByLooks(l)...)
	}
	found = append(found, f.findByPatterns(l)...)
	return inOrder(found)
}

// inOrder returns matches in order and without overlap. A match inside of another
// one is left out. Two that overlap otherwise become one, with a plain placeholder. It is
// not learned: the value of its cause is only its first part.
func inOrder(found []carrier.Match) []carrier.Match {
	if len(found) < 2 {
		return found
	}
	group.Sort(found, func(a, b carrier.Match) int {
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

// newMatch returns the match of a part of a leaf. In a response, its placeholder has
// the type of the value.
func (f *finder) newMatch(l *carrier.Leaf, m match, cause carrier.Cause) carrier.Match {
	value := l.Text[m.start:m.end]
	text := Placeholder
	if f.scope.isResponse {
		text = typedPlaceholder(value)
		if isJWK(l) && text == Placeholder {
			text = repeatedMarker(len(value))
		}
		isPlain := text == Placeholder
		if isPlain && inAuthority(l.Text[:m.start]) {
			text = urlPlaceholder
		}
	}
	return carrier.Match{Start: m.start, End: m.end, Text: text, Cause: cause}
}

// isJWK reports whether a leaf is a private member of a JSON Web Key. Such a member is
// in base64url.
func isJWK(l *carrier.Leaf) bool {
	if len(l.Name) > 2 || !slices.Contains(privateJWKMembers, l.Name) {
		return false
	}
	_, ok := l.Member("kty")
	return ok
}

// findByLooks returns what looks like a secret in a leaf: by the names of the leaf, as
// the signature of a URL, or by itself.
func (f *finder) findByLooks(l *carrier.Leaf) []carrier.Match {
	var found []carrier.Match
	add := func(m match) {
		if !isRedacted(l.Text[m.start:m.end]) {
			found = append(found, f.matchByLooks(l, m))
		}
	}
	m := findByNames(l)
	if m.found() {
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

// matchByLooks returns the match of a part of a leaf that looks like a secret.
func (f *finder) matchByLooks(l *carrier.Leaf, m match) carrier.Match {
	value := l.Text[m.start:m.end]
	isWhole := m.start == 0 && m.end == len(l.Text)
	isCursorValue := isWhole && isCursor(l.Name) || hasCursorName(l.Text, m)
	cause := carrier.Cause{Kind: m.kindName(), Value: value, Learn: !isCursorValue}
	found := f.newMatch(l, m, cause)
	hasBase64Placeholder := strings.HasPrefix(found.Text, urlPlaceholder)
	switch {
	case isCursorValue:
		// The hash distinguishes the pages of a list.
		found.Text = hashed(unescaped(value))
	case m.kind == signatureOfURL && hasBase64Placeholder:
		// No program decodes a signature. It sends the signature back.
		found.Text = Placeholder
	case found.Text == value:
		// The value is base64 of a text without a secret, so its typed placeholder is
		// the value itself: each round would find it again.
		found.Text = Placeholder
	}
	return found
}

// findByNames returns the value of a leaf if one of the leaf's names is that of a
// secret and the value looks like one.
func findByNames(l *carrier.Leaf) match {
	if l.Kind != carrier.Text || l.Text == "" {
		return match{}
	}
	m := findByName(l, l.Name)
	for i := 0; !m.found() && i < len(l.Labels); i++ {
		m = findByName(l, l.Labels[i])
	}
	return m
}

func findByName(l *carrier.Leaf, name string) match {
	kind := kindOfName(name, l)
	if kind == noKind {
		return match{}
	}
	s := search{text: l.Text}
	return s.findValueAt(kind, 0, 0, `"`)
}

// kindOfName returns the kind of secret that a name of a leaf calls its value, or
// noKind. Only the last word of the name counts, or the last two, as in "API key".
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
	isSig := kind == signatureOfURL && len(last) == len("sig")
	isParameter := l.In == carrier.Query || l.In == carrier.Form
	hasTwoWords := start > 0 && name[start-1] == ' '
	switch {
	case kind == schemeBearer, kind == schemeBasic:
		return noKind
	case isSig && !isParameter:
		return noKind
	case kind == noKind && hasTwoWords:
		return kindOfTwoWords(name[:start-1], last)
	}
	return kind
}

// lastName returns the last name of the path of a leaf. It is "" for an element of
// an array, while l.Name is then the name of the array.
func lastName(l *carrier.Leaf) string {
	if len(l.Path) == 0 {
		return l.Name
	}
	return l.Path[len(l.Path)-1]
}

// findTypedPlaceholders returns the typed placeholders in a leaf of a request. In
// replay, the program has them from a recorded response. When the request was
// recorded, it had the secret, for which [Placeholder] was written.
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

// findByPatterns returns what the user's expressions match: their first group, or
// all if they have none.
func (f *finder) findByPatterns(l *carrier.Leaf) []carrier.Match {
	if len(f.policy.Patterns) == 0 {
		return nil
	}
	var found []carrier.Match
	placeholders := anyPlaceholder().FindAllStringIndex(l.Text, -1)
	overlapsPlaceholder := func(start, end int) bool {
		endsBehind := func(placeholder []int, at int) int { return cmp.Compare(placeholder[1], at+1) }
		i, _ := slices.BinarySearchFunc(placeholders, start, endsBehind)
		return i < len(placeholders) && placeholders[i][0] < end
	}
	for _, re := range f.policy.Patterns {
		group := min(re.NumSubexp(), 1)
		for _, m := range re.FindAllStringSubmatchIndex(l.Text, -1) {
			start, end := m[2*group], m[2*group+1]
			isEmpty := start < 0 || start == end
			// A match that overlaps a placeholder was replaced in a round before: an
			// expression that matches placeholders would match in each round.
			if isEmpty || overlapsPlaceholder(start, end) {
				continue
			}
			text := Placeholder
			if inAuthority(l.Text[:start]) && f.scope.isResponse {
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

// urlPlaceholder is written in the user, the password and the host of a URL, where
// parsers accept no brackets.
const urlPlaceholder = "REDACTED"

// inAuthority reports whether a text ends inside of the authority of a URL, which
// is its user, password and host (RFC 3986, section 3.2).
func inAuthority(before string) bool {
	const longest = 512
	before = before[max(0, len(before)-longest):]
	i := strings.LastIndex(before, "://")
	return i >= 0 && !strings.ContainsAny(before[i+3:], "/?#\\\"'<> \t\r\n")
}

// findWhole returns the match of all of a leaf, if nothing of the leaf may be written
// because of its name or place. Else ok is false.
func (f *finder) findWhole(l *carrier.Leaf) (m carrier.Match, ok bool) {
	text := l.Text
	name := lastName(l)
	entry, isNamed := f.policy.isNamed(name)
	if !isNamed && l.In == carrier.Form {
		entry, isNamed = f.policy.isNamed(nestedName(name))
	}
	if isNamed {
		cause := carrier.Cause{Kind: entry, Rule: ruleName}
		m = carrier.Match{End: len(text), Text: Placeholder, Cause: cause}
		if f.scope.isResponse && date().MatchString(text) {
			m.Text = laterDate(text)
		}
		return m, !isRedacted(text)
	}
	value := strings.TrimSpace(text)
	if value == "" || isRedacted(value) {
		return carrier.Match{}, false
	}
	start := strings.Index(text, value)
	trimmed := match{start: start, end: start + len(value)}
	verdict := f.fieldRule(l, name)
	if verdict == noVerdict {
		return carrier.Match{}, false
	}
	cause := carrier.Cause{
		Kind:  fmt.Sprintf("the field %q", l.Name),
		Value: value,
		Learn: true,
		Rule:  ruleField,
	}
	switch verdict {
	case isCredential:
		m = f.newMatch(l, trimmed, cause)
		if value == ownPlaceholder {
			m.Text = Placeholder
			m.Cause.Learn = false
		}
		return m, true
	case isAtSecretPlace:
		cause.Rule = rulePlace
		return f.newMatch(l, trimmed, cause), true
	}
	cause.Learn = false
	m = carrier.Match{Start: trimmed.start, End: trimmed.end, Text: hashed(value), Cause: cause}
	return m, true
}
