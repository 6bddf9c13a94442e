// Package redact decides what may be written. Request and response headers
// pass by an allow-list, so a credential in a header nobody has heard of is
// never written; URLs lose their user and the query values that are not known
// to be harmless; credential fields of token exchanges and known secret values
// are replaced. The
// same cleaning is applied to a live request and to a stored one, so that
// redaction never decides a match.
package redact

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/cassette"
)

// Placeholder stands where a secret was.
const Placeholder = "[REDACTED]"

// minSecret is the length in bytes under which a value is not looked for in
// other places: replacing every "x" of a body because a test's key is "x"
// would ruin the recording and hide nothing.
const minSecret = 8

// A Policy cleans the traffic of one cassette. It is safe for concurrent use
// once KeepHeaders is set.
type Policy struct {
	KeepHeaders []string // header names to write although no list has them

	mu     sync.RWMutex
	values []string // known secret values, longest first
}

// AddSecret makes a value known: it is replaced wherever it stands from now
// on. Values shorter than 8 bytes are not looked for.
func (p *Policy) AddSecret(value string) {
	if len(value) < minSecret || strings.Contains(Placeholder, value) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Contains(p.values, value) {
		return
	}
	p.values = append(slices.Clone(p.values), value)
	// The longest first: a key can hold a shorter known value.
	slices.SortStableFunc(p.values, func(a, b string) int { return len(b) - len(a) })
}

func (p *Policy) known() []string {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.values
}

// Request cleans a request in place. Its own credentials become known values
// first, so that an echo of them is found in what answers it. Cleaning a clean
// request changes nothing.
func (p *Policy) Request(req *cassette.Request) {
	p.learn(req)
	req.Headers = p.headers(req.Headers, requestHeaders)
	req.URL = p.url(req.URL)
	req.Body = p.Bytes(fields(req.Body))
}

// Response cleans the response to a clean request in place. Its trailers pass by
// the same list as its headers. An answer that is nothing but a credential is
// replaced as a whole.
func (p *Policy) Response(req *cassette.Request, resp *cassette.Response) {
	if resp.Status == 200 && len(resp.Body) > 0 && strings.HasSuffix(req.URL, metadataTokenPath) {
		resp.Body = []byte(Placeholder)
	}
	resp.Headers = p.headers(resp.Headers, responseHeaders)
	resp.Trailers = p.headers(resp.Trailers, responseHeaders)
	resp.Body = p.Bytes(fields(resp.Body))
	resp.Error = string(p.Bytes([]byte(resp.Error)))
	resp.Text = string(p.Bytes([]byte(resp.Text)))
	for _, event := range resp.Events {
		for i := range event {
			event[i].Value = string(p.Bytes(fields([]byte(event[i].Value))))
		}
	}
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
func (p *Policy) learn(req *cassette.Request) {
	for _, h := range req.Headers {
		if isSecret(h.Name) {
			for _, v := range h.Values {
				p.learnHeader(v)
			}
		}
	}
	u, err := url.Parse(req.URL)
	if err != nil {
		return
	}
	if password, ok := u.User.Password(); ok {
		p.learnValue(password)
	}
	for name, values := range u.Query() {
		if isSecret(name) {
			for _, v := range values {
				p.learnValue(v)
			}
		}
	}
}

// learnHeader adds the value of a credential header and the parts of it that
// are secrets of their own: the token after the scheme, the password of basic
// authentication (RFC 7617), key id and signature of AWS Signature Version 4.
func (p *Policy) learnHeader(value string) {
	scheme, token, ok := strings.Cut(value, " ")
	switch {
	case !ok:
		p.learnValue(value)
	case strings.EqualFold(scheme, "basic"):
		p.learnValue(token)
		if plain, err := base64.StdEncoding.DecodeString(token); err == nil {
			_, password, _ := strings.Cut(string(plain), ":")
			p.learnValue(password)
		}
	case strings.HasPrefix(scheme, "AWS4-"):
		for part := range strings.SplitSeq(token, ",") {
			switch name, v, _ := strings.Cut(strings.TrimSpace(part), "="); name {
			case "Credential":
				id, _, _ := strings.Cut(v, "/")
				p.learnValue(id)
			case "Signature":
				p.learnValue(v)
			}
		}
	default:
		p.learnValue(token)
	}
}

// Bytes returns b with every known value replaced. It returns b itself if it
// holds none and never changes it.
func (p *Policy) Bytes(b []byte) []byte {
	for _, v := range p.known() {
		if bytes.Contains(b, []byte(v)) {
			b = bytes.ReplaceAll(b, []byte(v), []byte(Placeholder))
		}
	}
	return b
}

// headers keeps what the list allows.
func (p *Policy) headers(in cassette.Headers, allowed []string) cassette.Headers {
	var out cassette.Headers
	for _, h := range in {
		name := strings.ToLower(h.Name)
		if !listed(allowed, name) && !slices.ContainsFunc(p.KeepHeaders, func(k string) bool { return strings.EqualFold(k, name) }) {
			continue
		}
		values := make([]string, len(h.Values))
		for i, v := range h.Values {
			if name == "location" || name == "operation-location" {
				v = p.url(v)
			}
			values[i] = string(p.Bytes([]byte(v)))
		}
		out = append(out, cassette.Header{Name: name, Values: values})
	}
	slices.SortStableFunc(out, func(a, b cassette.Header) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// listed reports whether name is on an allow-list; an entry that ends in "*"
// stands for every name that starts so.
func listed(list []string, name string) bool {
	for _, entry := range list {
		if prefix, ok := strings.CutSuffix(entry, "*"); ok && strings.HasPrefix(name, prefix) || entry == name {
			return true
		}
	}
	return false
}

// url drops the user of a URL and replaces query values by their names.
func (p *Policy) url(raw string) string {
	head, fragment, _ := strings.Cut(raw, "#")
	base, query, hasQuery := strings.Cut(head, "?")
	if scheme, rest, ok := strings.Cut(base, "://"); ok {
		host, path, hasPath := strings.Cut(rest, "/")
		if i := strings.LastIndexByte(host, '@'); i >= 0 {
			host = host[i+1:]
		}
		base = scheme + "://" + host
		if hasPath {
			base += "/" + path
		}
	}
	base = string(p.Bytes([]byte(base)))
	if hasQuery {
		base += "?" + p.query(query)
	}
	if fragment != "" {
		base += "#" + string(p.Bytes([]byte(fragment)))
	}
	return base
}

func (p *Policy) query(raw string) string {
	pairs := strings.Split(raw, "&")
	for i, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || value == "" {
			continue
		}
		plain, err := url.QueryUnescape(name)
		if err != nil {
			plain = name
		}
		pairs[i] = name + "=" + p.queryValue(plain, value)
	}
	return strings.Join(pairs, "&")
}

// queryValue returns what is written for a query value. A value of a name that
// nobody knows is replaced by a short hash: it may be a secret, but two
// requests that differ in it must not become one.
func (p *Policy) queryValue(name, value string) string {
	switch {
	case strings.HasPrefix(value, Placeholder[:len(Placeholder)-1]):
		return value // clean already
	case isCredential(name):
		return Placeholder
	case listed(harmlessQuery, strings.ToLower(name)):
		return string(p.Bytes([]byte(value)))
	}
	for _, v := range p.known() {
		if strings.Contains(value, v) || strings.Contains(value, url.QueryEscape(v)) {
			return Placeholder
		}
	}
	sum := sha256.Sum256([]byte(value))
	return strings.TrimSuffix(Placeholder, "]") + "-" + hex.EncodeToString(sum[:4]) + "]"
}

// Check looks for every known value in what is about to be written: as it is,
// in base64 and URL-escaped. It returns an error that names the place, never
// the value.
func (p *Policy) Check(what string, data []byte) error {
	for _, v := range p.known() {
		for _, form := range []struct{ name, text string }{
			{"plain", v},
			{"URL-escaped", url.QueryEscape(v)},
			{"base64", strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(v)), "=")},
		} {
			// The last base64 digit depends on what follows the value.
			text := form.text
			if form.name == "base64" {
				text = text[:len(text)-1]
			}
			if i := bytes.Index(data, []byte(text)); i >= 0 {
				return fmt.Errorf("%s: line %d would hold a known secret (%s): nothing was written", what, 1+bytes.Count(data[:i], []byte("\n")), form.name)
			}
		}
	}
	return nil
}
