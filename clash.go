package promptecho

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/report"
)

// clashes returns what is wrong with the recordings of a run that saves if replay could
// not tell them apart: two local servers, or two accounts, answered the same request
// differently. Those that were loaded count as well, so that a cassette does not become
// whole while it holds such recordings.
func (r *Recorder) clashes(o *report.Outcome) (errs []string) {
	if text := r.clashOfServers(o); text != "" {
		errs = append(errs, text)
	}
	return append(errs, r.clashesOfUnsaid(o)...)
}

// clashOfServers returns the first request that local servers answered differently. On
// other ports they could not be told apart.
func (r *Recorder) clashOfServers(o *report.Outcome) string {
	forms := map[uint64][]*slot{}
	var order []uint64
	for _, s := range r.tape.slots {
		if s.resumed && !s.used || !isAnswer(s) || !s.form().Local {
			continue
		}
		key := keyOf(s.form())
		if forms[key] == nil {
			order = append(order, key)
		}
		forms[key] = append(forms[key], s)
	}
	for _, key := range order {
		list := forms[key]
		origin := askedAt
		if slices.ContainsFunc(list, func(s *slot) bool { return !s.fresh && !s.used }) {
			if !r.cfg.allowUnused {
				continue // a run that leaves some unused completes nothing
			}
			origin = func(s *slot) string { return s.form().Origin }
		}
		apart := apart(list, func(s *slot) (string, bool) { return server(origin(s)), true })
		if len(apart) == 0 {
			continue
		}
		var addresses []string
		for _, s := range apart {
			scheme, _, _ := strings.Cut(s.it().Request.URL, "://")
			if scheme != "https" {
				scheme = "http"
			}
			addresses = append(addresses, scheme+"://"+origin(s))
		}
		return r.log.ServerClash(o, strings.TrimSpace(list[0].form().Endpoint), addresses)
	}
	return ""
}

// askedAt returns the origin that a recording answers for in this run: local servers may
// have other ports than when it was recorded.
func askedAt(s *slot) string {
	if s.lent != nil {
		return s.lent.Origin
	}
	return s.form().Origin
}

// server returns what tells local servers apart: the names of this machine are one.
func server(origin string) string {
	host, port := cutPort(origin)
	switch host {
	case "localhost", "127.0.0.1", "[::1]", "0.0.0.0", "[::]":
		host = "localhost"
	}
	return host + ":" + port
}

func cutPort(origin string) (host, port string) {
	if i := strings.LastIndexByte(origin, ':'); i >= 0 && !strings.HasSuffix(origin, "]") {
		return origin[:i], origin[i+1:]
	}
	return origin, ""
}

// apart returns a recording of each group whose answers differ from those of the first
// group, and before them the first one's; none if all answer alike. Answers are compared
// in their order, without those that say the same as the one before: of two that are
// polled, one may be polled more often.
func apart[K comparable](list []*slot, group func(*slot) (k K, ok bool)) (found []*slot) {
	var order []K
	groups := map[K][]*slot{}
	for _, s := range list {
		if k, ok := group(s); ok {
			if groups[k] == nil {
				order = append(order, k)
			}
			groups[k] = append(groups[k], s)
		}
	}
	if len(order) < 2 {
		return nil
	}
	for k, list := range groups {
		groups[k] = slices.CompactFunc(list, alike)
	}
	first := groups[order[0]]
	for _, k := range order[1:] {
		for i, s := range groups[k][:min(len(first), len(groups[k]))] {
			if !alike(first[i], s) {
				if found == nil {
					found = first[i : i+1 : i+1]
				}
				found = append(found, s)
				break
			}
		}
	}
	return found
}

// alike reports whether two recordings say the same and lead to the same place.
func alike(a, b *slot) bool { return sameAnswer(a, b) && leadsTo(a) == leadsTo(b) }

// leadsTo returns where a redirect leads, without the server's own address.
func leadsTo(s *slot) string {
	to := s.it().Response.Headers.Get("location")
	if u, err := url.Parse(s.it().Request.URL); err == nil {
		to = strings.TrimPrefix(to, u.Scheme+"://"+u.Host)
	}
	return to
}

// isAnswer reports whether a recording has an answer that counts: not one that says that
// the request is to be sent again.
func isAnswer(s *slot) bool {
	if s.fresh && !s.whole {
		return false
	}
	switch resp := &s.it().Response; resp.Status {
	case 0, http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return false
	default:
		return resp.Status < 500 && resp.End != interaction.EndError && resp.End != interaction.EndCanceled
	}
}

// unsaid is what a request has that its recording does not: headers that are not
// written, and what is replaced in its URL, each as a hash under its path. It never leaves
// the memory of the run.
type unsaid map[string]uint64

// hashing is drawn for each process: the hashes tell nothing outside.
var hashing = maphash.MakeSeed()

// keepUnsaid keeps what a request has that the recording which it took does not, in a
// run that saves. Model APIs are left out: their answers differ by chance.
func (r *Recorder) keepUnsaid(req *http.Request, clean *interaction.Request, s *slot) {
	if !r.plan.save {
		return
	}
	if f := s.form(); f.Known && !f.Linked() {
		return
	}
	has := r.cfg.unsaidOf(req, clean)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.unsaid == nil {
		r.unsaid = map[*slot]unsaid{}
	}
	r.unsaid[s] = has
}

func (c *config) unsaidOf(req *http.Request, clean *interaction.Request) unsaid {
	has := unsaid{}
	add := func(path, name, value string) {
		// What is drawn or counts is another one with each call, unless it is a credential.
		if !mayBeSecret().MatchString(strings.ToLower(name)) && drawnOrCounted().MatchString(value) {
			return
		}
		if !c.ignores(path, name, value) {
			has[path] = maphash.String(hashing, whoAsks(value))
		}
	}
	for _, h := range interaction.HeadersOf(req.Header) {
		i := slices.IndexFunc(clean.Headers, func(w interaction.Header) bool { return w.Name == h.Name })
		switch {
		case i >= 0 && slices.Equal(clean.Headers[i].Values, h.Values), changesByItself().MatchString(h.Name):
		case h.Name == "cookie":
			for _, v := range h.Values {
				cookies, _ := http.ParseCookie(v)
				for _, cookie := range cookies {
					if !ofNetworks().MatchString(cookie.Name) {
						add(report.CookiePath+cookie.Name, cookie.Name, cookie.Value)
					}
				}
			}
		default:
			add("header/"+h.Name, h.Name, strings.Join(h.Values, "\n"))
		}
	}
	written, query, _ := strings.Cut(clean.URL, "?")
	if strings.Contains(written, redact.Placeholder) {
		add("path", "", req.URL.EscapedPath())
	}
	query, _, _ = strings.Cut(query, "#")
	sent, kept := strings.Split(req.URL.RawQuery, "&"), strings.Split(query, "&")
	if !strings.Contains(query, redact.Placeholder) || len(sent) != len(kept) {
		return has
	}
	signed := slices.ContainsFunc(sent, func(pair string) bool {
		name, _, _ := strings.Cut(strings.ToLower(pair), "=")
		return name == "sig" || strings.HasSuffix(name, "signature")
	})
	for i, pair := range sent {
		name, value, _ := strings.Cut(pair, "=")
		name, value = unescaped(name), unescaped(value)
		low := strings.ReplaceAll(strings.ToLower(name), "_", "-")
		if signed { // anew for each request: only the key tells who asks
			if !keyOfURL().MatchString(low) {
				continue
			}
			value, _, _ = strings.Cut(value, "/") // the scope, which has the date
		}
		if strings.Contains(kept[i], redact.Placeholder) && !changesByItself().MatchString(low) {
			add("query/"+name, name, value)
		}
	}
	return has
}

func unescaped(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}

// ignores reports whether the user has said that a field means nothing: it is ignored,
// or redacted.
func (c *config) ignores(path, name, value string) bool {
	return slices.ContainsFunc(c.rules.Ignore, func(p string) bool { return canon.Match(p, path) }) ||
		slices.ContainsFunc(c.redactNames, func(n string) bool { return strings.EqualFold(n, name) }) ||
		slices.ContainsFunc(c.redactPatterns, func(re *regexp.Regexp) bool { return re.MatchString(value) })
}

// changesByItself matches the names of headers and parameters that are another with each
// call or each run and say nothing of what is asked, and those of headers that a
// transport writes or that only describe the body.
var changesByItself = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(x-stainless-|amz-sdk-|x-datadog-|x-b3-|x-envoy-|sec-|proxy-)|` +
		`^(accept|accept-encoding|content-type|content-length|content-md5|transfer-encoding|user-agent|connection|keep-alive|te|trailer|expect|upgrade|host|forwarded|via|signature-input|x-amz-user-agent|x-goog-api-client|x-amz-security-token|x-cloud-trace-context|b3|newrelic|baggage|dpop)$|` +
		`(^|-)(date|time|timestamp|expires|deadline|timeout|nonce|signature|sig|hmac|digest|sha256|csrf|xsrf|attempt|attempts|retry|retries|(elastic-apm-)?trace|traceparent|tracestate|traceid|spanid)(-(id|no|nr|number|count|token|bin))?$|` +
		`(^|-)(request|correlation|idempotency|invocation|transaction|message|call|event|span|sequence)-?(id|key|no|nr|number|token|uuid|start)$`)
})

// drawnOrCounted matches values that are numbers, times, UUIDs or drawn by lot.
var drawnOrCounted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9.:+-]+$|\d{4}-\d\d-\d\d|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-|^[0-9a-fA-F]{16,}$|\d\d:\d\d:\d\d`)
})

// ofNetworks matches the cookies by which content delivery networks, load balancers and
// counters of visits know a client again: Cloudflare, AWS, Azure, Akamai, Imperva,
// DataDome, Google Analytics.
var ofNetworks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(__cf|_cf|cf_|AWSALB|AWSELB|ARRAffinity|ak_bmsc$|bm_|_abck$|incap_ses_|visid_incap_|nlbi_|datadome$|_ga|_gid$|(?i:csrf|xsrf|_csrf|csrftoken|xsrf-token)$)`)
})

// keyOfURL matches the parameters of a signed URL that name the key: of AWS, Google,
// Alibaba, CloudFront and Azure.
var keyOfURL = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`credential$|accessid$|accesskeyid$|^key-pair-id$|^skoid$`)
})

// keyOfHeader finds in a header that signs a request what names the key: AWS Signature
// Version 4, OAuth 1.0 (RFC 5849), Digest (RFC 7616), RFC 9421, Hawk.
var keyOfHeader = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[ ,])(credential|oauth_consumer_key|oauth_token|username|realm|keyid|id)="?([^",/]*)`)
})

// signs finds that a header signs a request: it is another with each.
var signs = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|[ ,])(signature|oauth_signature|response|mac)=`)
})

// whoAsks returns what the value of a header says of who asks, without what is new with
// each call: of a signature its key, of a JSON Web Token (RFC 7519) its subject.
func whoAsks(value string) string {
	scheme, token, _ := strings.Cut(value, " ")
	low := strings.ToLower(scheme)
	switch {
	case low == "negotiate" || low == "ntlm":
		return low
	case token != "" && (low == "aws" || strings.HasPrefix(low, "sharedkey")): // ID:SIGNATURE
		id, _, _ := strings.Cut(token, ":")
		return low + " " + id
	case token != "" && signs().MatchString(token):
		for _, m := range keyOfHeader().FindAllStringSubmatch(token, -1) {
			low += " " + m[1] + " " + m[2]
		}
		return low
	}
	if parts := strings.Split(value[strings.LastIndexByte(value, ' ')+1:], "."); len(parts) == 3 {
		var claims map[string]any
		if payload, err := base64.RawURLEncoding.DecodeString(parts[1]); err == nil && json.Unmarshal(payload, &claims) == nil {
			who := ""
			for _, name := range []string{"iss", "sub", "tid", "oid", "org_id", "appid", "azp", "client_id", "email"} {
				if claim, ok := claims[name]; ok {
					who += fmt.Sprintf("%s %v\n", name, claim)
				}
			}
			return cmp.Or(who, value)
		}
	}
	return value
}

// clashesOfUnsaid returns, for each field that is not written, two requests that differ
// in it, are the same to replay, and were answered differently.
func (r *Recorder) clashesOfUnsaid(o *report.Outcome) (errs []string) {
	number := map[*slot]int{}
	kinds := map[kindKey][]*slot{}
	var order []kindKey
	for _, s := range r.tape.slots {
		if s.fresh && !s.whole {
			continue
		}
		number[s] = len(number) + 1
		// A request that was refused is sent again with a new token.
		if r.unsaid[s] == nil || !isAnswer(s) || s.it().Response.Status == http.StatusUnauthorized {
			continue
		}
		kind := s.kindKey()
		if kinds[kind] == nil {
			order = append(order, kind)
		}
		kinds[kind] = append(kinds[kind], s)
	}
	told := map[string]bool{}
	for _, kind := range order {
		list, paths := kinds[kind], map[string]bool{}
		for _, s := range list {
			for path := range r.unsaid[s] {
				paths[path] = true
			}
		}
		for _, path := range slices.Sorted(maps.Keys(paths)) {
			apart := apart(list, func(s *slot) (uint64, bool) {
				hash, ok := r.unsaid[s][path]
				return hash, ok || !strings.HasPrefix(path, report.CookiePath) // an answer may have set it
			})
			if len(apart) == 0 || told[path] {
				continue
			}
			told[path] = true
			errs = append(errs, r.log.FieldClash(o, number[apart[0]], number[apart[1]], strings.TrimSpace(list[0].form().Endpoint), path, r.mayWrite(path)))
		}
	}
	return errs
}

// mayBeSecret matches the names of headers that may hold a credential.
var mayBeSecret = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`auth|key|token|secret|passw|credential|cookie|session|jwt`)
})

// mayWrite reports whether a field that is not written is a header that can be: it is
// none that may hold a credential.
func (r *Recorder) mayWrite(path string) bool {
	name, ok := strings.CutPrefix(path, "header/")
	kept := slices.ContainsFunc(r.cfg.keepHeaders, func(k string) bool { return strings.EqualFold(k, name) })
	return ok && !kept && (!mayBeSecret().MatchString(name) || name == "mcp-session-id")
}
