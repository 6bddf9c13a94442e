// Package redact decides what may be written. Request and response headers
// pass by an allow-list, so a credential in a header nobody has heard of is
// never written; URLs lose their user and the query values that are not known
// to be harmless; credential fields, known secret values, what looks like a
// credential, and what the user names are replaced. The same cleaning is applied
// to a live request and to a stored one, so that redaction never decides a match.
package redact

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf16"

	"github.com/promptecho/promptecho/internal/coding"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// Placeholder stands where a secret was.
const Placeholder = "[REDACTED]"

// openPlaceholder is how every placeholder starts, with a hash or without.
const openPlaceholder = "[REDACTED"

// minSecret is the length in bytes under which a value is not looked for in
// other places: replacing every "x" of a body because a test's key is "x"
// would ruin the recording and hide nothing.
const minSecret = 8

// A Policy cleans the traffic of one cassette. It is safe for concurrent use
// once its fields are set.
type Policy struct {
	KeepHeaders []string         // header names to write although no list has them
	Names       []string         // of fields whose values are replaced too, in any letter case
	Patterns    []*regexp.Regexp // of text that is replaced too: the first group, or all

	mu     sync.RWMutex // guards what follows
	values []value      // known, in the order in which they became known
	has    map[string]bool
	plain  matcher     // of the values as they are and as they stand in JSON
	every  matcher     // of them in every spelling
	spelt  int         // how many of the values are in every
	signs  [2]*matcher // of values that sign one request, the new ones first

	once       sync.Once
	namedForms []namedForm // made of Names at first use
}

// AddSecret makes a value known: it is replaced wherever it stands from now
// on. Values shorter than 8 bytes are not looked for.
func (p *Policy) AddSecret(text string) {
	if len(text) < minSecret || strings.Contains(Placeholder, text) || p.isKnown(text) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.has[text] {
		return // another goroutine was first
	}
	if p.has == nil {
		p.has = map[string]bool{}
	}
	v := newValue(strings.Clone(text))
	p.has[v.plain] = true
	p.values = append(p.values, v)
	for _, form := range v.forms {
		p.plain.add("", form)
	}
}

func (p *Policy) isKnown(text string) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.has[text]
}

// mostSigns is how many values that sign one request are looked for. An answer holds
// those of its own request: they are the last ones, unless as many requests are under
// way at once.
const mostSigns = 128

// addSign makes a value known that signs one request, or is for one request only. It
// is replaced for a while: nobody else's answer has it.
func (p *Policy) addSign(text string) {
	if len(text) < minLearned || p.isKnown(text) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.signs[0] == nil || len(p.signs[0].texts) >= mostSigns {
		p.signs = [2]*matcher{new(matcher), p.signs[0]}
	}
	for _, form := range jsonForms(strings.Clone(text)) {
		p.signs[0].add("", form)
	}
}

// Known returns how many values are known; it only grows.
func (p *Policy) Known() int { return len(p.known()) }

// A value is a known credential.
type value struct {
	plain string
	forms []string // it, and how it stands inside a JSON string

	// They are made when the value is looked for first.
	all   func() []form // these, and how it stands in a URL, in base64, in hexadecimal and in UTF-16
	lines func() []line // the lines of forms
}

// A form is a spelling of a value.
type form struct {
	kind string
	text []byte
}

func newValue(text string) value {
	forms := jsonForms(text)
	lines := sync.OnceValue(func() []line { return linesOf(forms) })
	return value{plain: text, forms: forms, lines: lines, all: sync.OnceValue(func() (all []form) {
		for i, text := range forms {
			all = append(all, form{[]string{"plain", "JSON-escaped"}[min(i, 1)], []byte(text)})
		}
		for _, escaped := range []string{url.QueryEscape(text), url.PathEscape(text)} {
			if !slices.ContainsFunc(all, func(f form) bool { return string(f.text) == escaped }) {
				all = append(all, form{"URL-escaped", []byte(escaped)})
			}
		}
		for _, digits := range base64Forms(text) {
			all = append(all, form{"base64", []byte(digits)})
		}
		digits := hex.EncodeToString([]byte(text))
		all = append(all, form{"hexadecimal", []byte(digits)}, form{"hexadecimal", []byte(strings.ToUpper(digits))})
		units := utf16.Encode([]rune(text))
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			var b []byte
			for _, u := range units {
				b = order.AppendUint16(b, u)
			}
			all = append(all, form{"UTF-16", b})
		}
		return all
	})}
}

func (p *Policy) known() []value { return p.since(0) }

// since returns the values that have become known since so many were.
func (p *Policy) since(n int) []value {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.values[n:len(p.values):len(p.values)]
}

// Request cleans a request in place. Its own credentials become known values
// first, so that an echo of them is found in what answers it. Cleaning a clean
// request changes nothing.
func (p *Policy) Request(req *interaction.Request) {
	p.Head(req)
	p.Body(req)
}

// Head cleans everything of a request but its body in place; [Policy.Body] does
// the rest. Of two requests with the same URL it makes the same URL, as long as
// no value becomes known between them.
func (p *Policy) Head(req *interaction.Request) {
	p.learn(req)
	req.Headers = p.headers(req.Headers, requestHeaders)
	req.URL = p.url(req.URL)
}

// Body cleans the body of a request whose head is clean in place. A compressed one
// becomes what it says: it is only ever read and compared.
func (p *Policy) Body(req *interaction.Request) {
	if plain, ok := coding.Decompress(req.Body); ok {
		req.Body = plain
	}
	asked, _ := fieldsOf(req)
	req.Body = signatures(p.body(req.Body, asked))
}

// Again replaces in a clean request what has become known since it was cleaned.
func (p *Policy) Again(req *interaction.Request) {
	req.URL = string(p.Bytes([]byte(req.URL)))
	req.Body = p.Bytes(req.Body)
}

// Response cleans the response to a clean request in place. Its trailers pass by
// the same list as its headers. An answer that is nothing but a credential is
// replaced as a whole.
func (p *Policy) Response(req *interaction.Request, resp *interaction.Response) {
	if resp.Status == 200 && len(resp.Body) > 0 && strings.HasSuffix(req.URL, metadataTokenPath) {
		resp.Body = []byte(Placeholder)
	}
	resp.Headers = p.headers(resp.Headers, responseHeaders)
	resp.Trailers = p.headers(resp.Trailers, responseHeaders)
	_, answered := fieldsOf(req)
	resp.Body = p.clean(p.answered(resp.Body, answered))
	resp.Error = p.Message(resp.Error) // of a transport, which names the URL
	resp.Text = p.text(resp.Text)
	p.events(resp.Events, answered)
}

// Interaction cleans both sides of an interaction in place. A credential may have
// become known after they were cleaned first.
func (p *Policy) Interaction(it *interaction.Interaction) {
	p.Request(&it.Request)
	p.Response(&it.Request, &it.Response)
}

// body returns a body or a field of an event with everything replaced that must
// not be written; find finds the fields that hold credentials.
func (p *Policy) body(b []byte, find *finder) []byte { return p.clean(p.fields(b, find)) }

func (p *Policy) text(s string) string {
	if s == "" {
		return ""
	}
	if clean := p.clean([]byte(s)); string(clean) != s {
		return string(clean)
	}
	return s
}

// clean replaces known values, what looks like a credential, and what the user's
// patterns match.
func (p *Policy) clean(b []byte) []byte {
	b = unshape(p.Bytes(b))
	for _, re := range p.Patterns {
		b = replaceMatches(re, b)
	}
	return b
}

// replaceMatches replaces the first group of every match, or all of it if there
// is no group. What was replaced before stays.
func replaceMatches(re *regexp.Regexp, b []byte) []byte {
	var out []byte
	at := 0
	for _, m := range re.FindAllSubmatchIndex(b, -1) {
		start, end := m[0], m[1]
		if len(m) > 2 {
			start, end = m[2], m[3]
		}
		if start < at || start == end || bytes.Contains(b[start:end], []byte(openPlaceholder)) {
			continue
		}
		out = append(append(out, b[at:start]...), Placeholder...)
		at = end
	}
	if at == 0 {
		return b
	}
	return append(out, b[at:]...)
}

// named reports whether the user wants the values of fields of this name replaced.
func (p *Policy) named(name string) bool {
	return slices.ContainsFunc(p.Names, func(n string) bool { return strings.EqualFold(n, name) })
}

// Environment makes the values of environment variables known whose names say
// that they hold a credential and whose values look like one. Each entry is
// "NAME=value".
func (p *Policy) Environment(environ []string) {
	for _, value := range environmentValues(environ) {
		p.AddSecret(value)
	}
}

// Variable makes the value of one environment variable known, whatever it looks like.
func (p *Policy) Variable(environ []string, name string) {
	for _, entry := range environ {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			p.AddSecret(value)
		}
	}
}

// seen is the environment that was looked at last: every test of a process has
// the same.
var seen atomic.Pointer[environment]

type environment struct{ entries, values []string }

func environmentValues(environ []string) []string {
	if last := seen.Load(); last != nil && slices.Equal(last.entries, environ) {
		return last.values
	}
	now := &environment{entries: environ}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if isSecret(name) && len(value) >= minLearned && !strings.HasPrefix(value, "/") && random([]byte(value)) && !readable(value) {
			now.values = append(now.values, value)
		}
	}
	seen.Store(now)
	return now.values
}

// readable reports whether text is a name made of words and numbers, such as that
// of a model ("gpt-4o-mini-2024-07-18"): no upper-case letter, several parts, and
// not all hexadecimal.
func readable(text string) bool {
	hex := true
	for i := range len(text) {
		if 'A' <= text[i] && text[i] <= 'Z' {
			return false
		}
		hex = hex && (class[text[i]]&hexAny != 0 || text[i] == '-')
	}
	return !hex && strings.ContainsAny(text, "-_.:/ ") && len(text) < 28
}

// minLearned is the length in bytes under which a request's own credential is
// not looked for elsewhere: "test-key" may well be a word of the prompt.
const minLearned = 12

func (p *Policy) learnValue(value string) {
	if len(value) >= minLearned {
		p.AddSecret(value)
	}
}

// metadataTokenPath is where AWS instance metadata gives a session's token, as
// plain text (IMDSv2).
const metadataTokenPath = "/latest/api/token"

// learn adds the credentials that a request carries to the known values.
func (p *Policy) learn(req *interaction.Request) {
	for _, h := range req.Headers {
		switch m := meanings.Get(h.Name); {
		case strings.EqualFold(h.Name, "cookie"):
			for _, v := range h.Values {
				p.learnPairs(v)
			}
		case m.secret:
			for _, v := range h.Values {
				p.learnHeader(v)
			}
		case m.session:
			for _, v := range h.Values {
				if looksDrawn(v) {
					p.learnValue(v)
				}
			}
		}
	}
	if !strings.ContainsAny(req.URL, "?@") {
		return
	}
	u := cut(req.URL)
	if _, password, ok := strings.Cut(u.user, ":"); ok {
		p.learnEscaped(password)
	}
	for pair := range strings.SplitSeq(u.query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if name, plain := coding.UnescapeQuery(name), coding.UnescapeQuery(value); isCertain(name, u.host, plain) || isSecret(name) && looksDrawn(plain) {
			p.learnEscaped(value)
		}
	}
}

// learnEscaped adds a value of a URL as it stands there and unescaped.
func (p *Policy) learnEscaped(value string) {
	p.learnValue(value)
	for _, unescape := range []func(string) (string, error){url.QueryUnescape, url.PathUnescape} { // "+" is itself in a password
		if plain, err := unescape(value); err == nil {
			p.learnValue(plain)
		}
	}
}

// learnHeader adds the value of a credential header and the parts of it that are
// secrets of their own: the token after the scheme, the password of basic
// authentication (RFC 7617), and the parameters of a scheme that has some: AWS's
// signatures, Digest (RFC 7616), OAuth 1.0 (RFC 5849), "Token token=...".
func (p *Policy) learnHeader(value string) {
	scheme, token, _ := strings.Cut(value, " ")
	switch {
	case strings.EqualFold(scheme, "basic"):
		p.learnValue(token)
		if plain, err := base64.StdEncoding.DecodeString(token); err == nil {
			_, password, _ := strings.Cut(string(plain), ":")
			p.learnValue(password)
		}
	case strings.EqualFold(scheme, "bearer"):
		p.learnValue(token)
	default:
		pairs := p.learnPairs(cmp.Or(token, value))
		if !pairs {
			p.learnValue(token)
		}
		if token == "" || !pairs && strings.Contains(token, " ") { // there is no scheme
			p.learnValue(value)
		}
	}
}

// learnPairs adds the values of a list of names and values: a cookie, or the
// parameters of a scheme. It reports whether there is one. What signs this request
// only is known for a while.
func (p *Policy) learnPairs(list string) (found bool) {
	for pair := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || r == ';' || r == '&' }) {
		pair = strings.TrimSpace(pair)
		sep := strings.IndexAny(pair, "=:")
		if sep < 0 {
			continue
		}
		name, value := pair[:sep], pair[sep+1:]
		if pair[sep] == ':' && strings.HasPrefix(value, "//") {
			continue // a URL
		}
		if strings.Trim(value, "=") == "" || strings.ContainsAny(name, "+/ ") {
			continue // the end of base64
		}
		found = true
		name, value = strings.ToLower(name), strings.Trim(value, `"`)
		learn := p.learnValue
		switch strings.TrimPrefix(name, "oauth_") {
		case "realm", "uri", "username", "username*", "algorithm", "qop", "nc", "domain", "signedheaders", "headers", "timestamp", "version", "signature_method", "created", "expires", "sr", "skn":
			continue
		case "credential":
			value, _, _ = strings.Cut(value, "/") // and its scope
		case "signature", "response", "nonce", "cnonce", "opaque", "sig", "verifier":
			learn = p.addSign
		}
		if isPlain(value) {
			continue
		}
		learn(value)
		if plain, err := url.QueryUnescape(value); err == nil && strings.Contains(value, "%") {
			learn(plain)
		}
	}
	return found
}

// Bytes returns b with every known value replaced, also where it is escaped as
// JSON has it. It returns b itself if it holds none and never changes it.
func (p *Policy) Bytes(b []byte) []byte {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return replace(b, &p.plain, p.signs[0], p.signs[1])
}

// jsonForms returns a value as it is and as it stands inside a JSON string,
// in the spellings of the writers there are: "&" and "/" may be escaped.
func jsonForms(v string) []string {
	if !strings.ContainsFunc(v, escapable) {
		return []string{v}
	}
	quoted, err := json.Marshal(v)
	if err != nil {
		return []string{v} // unreachable: a string marshals
	}
	html := string(quoted[1 : len(quoted)-1])
	plain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&", `\u2028`, "\u2028", `\u2029`, "\u2029").Replace(html)
	forms := []string{v}
	for _, form := range []string{plain, html, strings.ReplaceAll(plain, "/", `\/`), strings.ReplaceAll(html, "/", `\/`)} {
		if !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	return forms
}

// escapable reports whether a writer of JSON may escape a character.
func escapable(c rune) bool {
	return c < ' ' || c >= 0x7f || strings.ContainsRune("\"\\/<>&'=", c)
}

// headers keeps what the list allows.
func (p *Policy) headers(in interaction.Headers, allowed []string) interaction.Headers {
	var out interaction.Headers
	for _, h := range in {
		name := strings.ToLower(h.Name) // no copy: a recorder's are lower-case
		if !listed(allowed, name) && !slices.ContainsFunc(p.KeepHeaders, func(k string) bool { return strings.EqualFold(k, name) }) {
			continue
		}
		values := make([]string, len(h.Values))
		for i, v := range h.Values {
			switch {
			case holdsURL(name):
				v = p.url(v)
			case name == "link":
				v = p.links(v)
			}
			if values[i] = p.text(v); p.named(name) {
				values[i] = Placeholder
			}
		}
		out = append(out, interaction.Header{Name: name, Values: values})
	}
	slices.SortStableFunc(out, func(a, b interaction.Header) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// listed reports whether name is on an allow-list; an entry that ends in "*"
// stands for every name that starts so, one that starts with it for every name that
// ends so.
func listed(list []string, name string) bool {
	for _, entry := range list {
		same := entry == name
		switch last := len(entry) - 1; {
		case entry[0] == '*':
			same = strings.HasSuffix(name, entry[1:])
		case entry[last] == '*':
			same = strings.HasPrefix(name, entry[:last])
		}
		if same {
			return true
		}
	}
	return false
}

// Check looks for every known value in what is about to be written: as it is,
// escaped for JSON or a URL, in base64, hexadecimal and UTF-16. It returns an error
// that names the place, never the value.
func (p *Policy) Check(what string, data []byte) error {
	if kind, at := p.held(data); at >= 0 {
		return fmt.Errorf("%s: line %d would hold a known secret (%s): nothing was written", what, 1+bytes.Count(data[:at], []byte("\n")), kind)
	}
	return nil
}

// Holds reports whether the text of a cassette may hold a value that is known: as it
// is or escaped as JSON has it, or a line of it. It is asked of whole cassettes, so
// it looks for what is rare in them first.
func (p *Policy) Holds(text []byte) bool {
	return slices.ContainsFunc(p.known(), func(v value) bool { return v.lineIn(text) })
}

// HoldsSince reports whether the text of a cassette, which did not hold any of the
// first n known values, may hold one in any spelling. It takes one pass, however many
// are known.
func (p *Policy) HoldsSince(n int, text []byte) bool {
	if _, at := p.held(text); at >= 0 {
		return true
	}
	return slices.ContainsFunc(p.since(n), func(v value) bool { return strings.Contains(v.plain, "\n") && v.lineIn(text) })
}

// lineIn reports whether a line of the value stands in a text.
func (v value) lineIn(text []byte) bool {
	return slices.ContainsFunc(v.lines(), func(l line) bool { return bytes.Contains(text, l.rare) && bytes.Contains(text, l.whole) })
}

// A line is one of a value in one of its forms, and the rest of it from its rarest
// byte on: looking for that is as fast as looking for the byte.
type line struct{ whole, rare []byte }

func linesOf(forms []string) (lines []line) {
	for _, form := range forms {
		for text := range strings.SplitSeq(form, "\n") {
			if len(text) < minSecret {
				continue
			}
			rarest := 0
			for i := range len(text) - 3 {
				if rarity(text[i]) > rarity(text[rarest]) {
					rarest = i
				}
			}
			lines = append(lines, line{[]byte(text), []byte(text[rarest:])})
		}
	}
	return lines
}

// rarity says how seldom a byte is in prose, JSON and YAML.
func rarity(c byte) int {
	switch {
	case strings.IndexByte("QXZJKVWYUqxzj", c) >= 0:
		return 3
	case 'A' <= c && c <= 'Z', '2' <= c && c <= '9', strings.IndexByte("#$%&*+;<>@^`|~", c) >= 0:
		return 2
	case 'a' <= c && c <= 'z' && strings.IndexByte("etaoinsrhl", c) < 0:
		return 1
	}
	return 0
}

// held returns how and where data holds a known value; at is -1 if it does not.
func (p *Policy) held(data []byte) (kind string, at int) {
	p.mu.Lock()
	for _, v := range p.values[p.spelt:] {
		for _, f := range v.all() {
			p.every.add(f.kind, string(f.text))
		}
	}
	p.spelt = len(p.values)
	p.mu.Unlock()
	p.mu.RLock()
	defer p.mu.RUnlock()
	at = -1
	for _, m := range []*matcher{&p.every, p.signs[0], p.signs[1]} {
		if m != nil {
			m.each(data, func(s *spelled, start, _ int) bool {
				kind, at = cmp.Or(s.kind, "plain"), start
				return false
			})
		}
		if at >= 0 {
			return kind, at
		}
	}
	return "", -1
}

// CheckInteraction looks for every known value in the texts of an interaction,
// as Check does, and in the strings of its JSON as they read: a file can have
// them in a spelling of its own.
func (p *Policy) CheckInteraction(what string, it *interaction.Interaction) error {
	if p.Known() == 0 && len(it.Response.Events) == 0 {
		return nil
	}
	// Texts one behind the other, so that each form is looked for in many at once.
	type end struct {
		at    int
		place string
	}
	buf := texted.Get().(*bytes.Buffer)
	defer func() {
		if buf.Cap() <= 1<<20 {
			buf.Reset()
			texted.Put(buf)
		}
	}()
	var ends []end
	var failure error
	look := func() {
		if kind, at := p.held(buf.Bytes()); at >= 0 && failure == nil {
			i, _ := slices.BinarySearchFunc(ends, at, func(e end, at int) int { return cmp.Compare(e.at, at+1) })
			failure = fmt.Errorf("%s: %s would hold a known secret (%s): nothing was written", what, ends[i].place, kind)
		}
		buf.Reset()
		ends = ends[:0]
	}
	added := func(place string) { // in no credential
		buf.WriteByte(0)
		ends = append(ends, end{buf.Len(), place})
		if buf.Len() > 1<<20 {
			look()
		}
	}
	add := func(place, text string) {
		if text != "" {
			buf.WriteString(text)
			added(place)
		}
	}
	var parser exactjson.Parser
	body := func(place string, b []byte) {
		buf.Write(b)
		added(place)
		if !bytes.Contains(b, []byte(`\u`)) && !bytes.Contains(b, []byte(`\/`)) && !bytes.Contains(b, []byte(`\\`)) {
			return // nothing is escaped oddly, or twice: a value stands there in one of its forms
		}
		if v, err := parser.Parse(string(b)); err == nil {
			texts(&v, func(s string) { add(place, s) })
		}
		parser.Reset()
	}
	add("request.url", it.Request.URL)
	body("request.body", it.Request.Body)
	body("response.body", it.Response.Body)
	if plain, ok := coding.Decompress(it.Response.Body); ok {
		body("response.body, decompressed,", plain)
	}
	for i, event := range it.Response.Events {
		place := ""
		for _, f := range event {
			if place == "" {
				place = fmt.Sprintf("response.events[%d]", i)
			}
			body(place, []byte(f.Value))
		}
	}
	_, answered := fieldsOf(&it.Request)
	left := false
	split(it.Response.Events, func(text []byte) {
		add("response.events, split over several,", string(text))
		left = left || !bytes.Equal(p.body(text, answered), text)
	})
	add("response.text", it.Response.Text)
	add("response.error", it.Response.Error)
	if look(); failure == nil && left {
		return fmt.Errorf("%s: response.events would hold what looks like a secret, or what Redact names, in pieces that cannot be replaced: nothing was written", what)
	}
	return failure
}

// texted are buffers that interactions are looked through in.
var texted = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// texts calls f with every string of v, names too.
func texts(v *exactjson.Value, f func(string)) {
	if v.Kind == exactjson.String {
		f(v.Text)
	}
	for _, name := range v.Names {
		f(name)
	}
	for i := range v.Elems {
		texts(&v.Elems[i], f)
	}
}

// base64Forms returns what base64 of any text that holds v holds too, in both
// alphabets (RFC 4648): v can start at any byte of a group of three, and the
// digits at its ends depend on its neighbours.
func base64Forms(v string) []string {
	var forms []string
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			digits := enc.EncodeToString(append(make([]byte, before, before+len(v)), v...))
			whole := digits[(before*8+5)/6 : (before+len(v))*8/6]
			if !slices.Contains(forms, whole) {
				forms = append(forms, whole)
			}
		}
	}
	return forms
}
