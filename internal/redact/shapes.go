package redact

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
)

// A shape is how a kind of credential looks: a prefix that its issuer gives it,
// and what follows. Formats are those that the issuers document or register for
// secret scanning (https://docs.github.com/en/code-security/secret-scanning).
// What has no prefix of its own (keys of Cohere, Mistral, AWS's secret half) is
// known only by the name it stands under; see contexts.
type shape struct {
	kind     string
	prefix   string
	chars    *charset // of what follows
	min, max int      // its length
	random   bool     // it must look random: the prefix alone is a word
}

type charset [256]bool

func chars(ranges string) *charset {
	var c charset
	for i := 0; i+1 < len(ranges); i += 2 {
		for b := int(ranges[i]); b <= int(ranges[i+1]); b++ {
			c[b] = true
		}
	}
	return &c
}

var (
	alnum  = chars("azAZ09")
	word   = chars("azAZ09__")
	url64  = chars("azAZ09__--")
	dotted = chars("azAZ09__--..")
	std64  = chars("azAZ09++//==")
	hexa   = chars("afAF09")
	base32 = chars("AZ27")
	upper  = chars("AZ09")
)

// shapes are tried in order at a place; the first that fits has it.
var shapes = []shape{
	{"Anthropic API key", "sk-ant-", url64, 40, 300, false},
	{"OpenRouter API key", "sk-or-v1-", hexa, 40, 128, false},
	{"Langfuse secret key", "sk-lf-", url64, 30, 60, false},
	{"OpenAI API key", "sk-proj-", url64, 32, 300, false},
	{"OpenAI API key", "sk-svcacct-", url64, 32, 300, false},
	{"OpenAI API key", "sk-admin-", url64, 32, 300, false},
	{"API key", "sk-", url64, 32, 300, true}, // OpenAI, DeepSeek, Moonshot, LiteLLM
	{"OpenAI session", "sess-", alnum, 40, 60, true},
	{"Stripe key", "sk_live_", alnum, 20, 250, false},
	{"Stripe key", "rk_live_", alnum, 20, 250, false},
	{"Stripe key", "sk_test_", alnum, 20, 250, true},
	{"Stripe key", "rk_test_", alnum, 20, 250, true},
	{"webhook secret", "whsec_", std64, 24, 100, true},
	{"Groq API key", "gsk_", alnum, 40, 80, false},
	{"xAI API key", "xai-", alnum, 60, 100, false},
	{"Hugging Face token", "hf_", alnum, 30, 50, true},
	{"Perplexity API key", "pplx-", alnum, 40, 80, true},
	{"Replicate token", "r8_", alnum, 37, 40, true},
	{"Fireworks API key", "fw_", alnum, 22, 60, true},
	{"Voyage API key", "pa-", url64, 40, 60, true},
	{"Jina API key", "jina_", url64, 40, 80, true},
	{"Tavily API key", "tvly-", url64, 28, 60, true},
	{"LangSmith API key", "lsv2_pt_", word, 32, 60, false},
	{"LangSmith API key", "lsv2_sk_", word, 32, 60, false},
	{"Pinecone API key", "pcsk_", word, 40, 120, true},
	{"NVIDIA API key", "nvapi-", url64, 50, 100, false},
	{"Cerebras API key", "csk-", alnum, 40, 80, true},
	{"Together API key", "tgp_v1_", url64, 38, 60, false},
	{"E2B API key", "e2b_", hexa, 40, 40, false},
	{"Firecrawl API key", "fc-", hexa, 32, 32, false},
	{"GitHub token", "ghp_", alnum, 36, 255, false},
	{"GitHub token", "gho_", alnum, 36, 255, false},
	{"GitHub token", "ghu_", alnum, 36, 255, false},
	{"GitHub token", "ghs_", alnum, 36, 255, false},
	{"GitHub token", "ghr_", alnum, 36, 255, false},
	{"GitHub token", "github_pat_", word, 50, 255, false},
	{"GitLab token", "glpat-", dotted, 20, 100, true},
	{"Slack token", "xoxb-", url64, 24, 255, false},
	{"Slack token", "xoxp-", url64, 24, 255, false},
	{"Slack token", "xoxa-", url64, 24, 255, false},
	{"Slack token", "xoxr-", url64, 24, 255, false},
	{"Slack token", "xoxs-", url64, 24, 255, false},
	{"Slack token", "xoxe-", url64, 24, 255, false},
	{"Slack token", "xapp-", url64, 40, 255, false},
	{"Google client secret", "GOCSPX-", url64, 28, 28, false},
	{"npm token", "npm_", alnum, 36, 36, true},
	{"PyPI token", "pypi-AgE", url64, 50, 500, false},
	{"DigitalOcean token", "dop_v1_", hexa, 64, 64, false},
	{"Shopify token", "shpat_", hexa, 32, 32, false},
	{"Docker token", "dckr_pat_", url64, 27, 40, false},
	{"Linear API key", "lin_api_", alnum, 40, 40, false},
	{"Notion token", "ntn_", alnum, 40, 60, true},
	{"Figma token", "figd_", url64, 40, 60, true},
	{"Supabase token", "sbp_", hexa, 40, 40, false},
	{"Grafana token", "glsa_", word, 40, 60, false},
	{"RubyGems key", "rubygems_", hexa, 48, 48, false},

	{"Google API key", "AIza", url64, 35, 35, true},
	{"Google access token", "ya29.", dotted, 40, 2000, true},
	{"AWS access key id", "AKIA", base32, 16, 16, true},
	{"AWS access key id", "ASIA", base32, 16, 16, true},
	{"Bedrock API key", "ABSK", std64, 100, 400, true},
	{"AWS session token", "FwoGZXIvYXdz", std64, 100, 3000, false},
	{"AWS session token", "IQoJb3JpZ2lu", std64, 100, 3000, false},
	{"SendGrid API key", "SG.", dotted, 60, 70, true},
	{"Vault token", "hvs.", url64, 80, 120, true},
	{"Databricks token", "dapi", hexa, 32, 34, true},
	{"Atlassian token", "ATATT3xFfGF0", chars("azAZ09__--=="), 100, 300, false},
	{"age secret key", "AGE-SECRET-KEY-1", upper, 58, 58, false},
}

// A hit is text that looks like a credential.
type hit struct {
	kind       string
	start, end int
}

// Shapes returns the kinds of what looks like a credential in a text, each as
// often as it is there. It shows no value.
func Shapes(text []byte) []string {
	var kinds []string
	for _, h := range shaped(text) {
		kinds = append(kinds, h.kind)
	}
	return kinds
}

// unshape returns b with everything that looks like a credential replaced. It
// returns b itself if there is nothing, and never changes it.
func unshape(b []byte) []byte {
	hits := shaped(b)
	if len(hits) == 0 {
		return b
	}
	var out []byte
	at := 0
	for _, h := range hits {
		out = append(append(out, b[at:h.start]...), Placeholder...)
		at = h.end
	}
	return append(out, b[at:]...)
}

// byEnd has the shapes whose prefix ends in "-", "_" and ".", the bytes that
// bring nearly all of them to light; loners have another last byte.
var byEnd, loners = func() (map[byte][]*shape, []*shape) {
	ends := map[byte][]*shape{}
	var rest []*shape
	for i := range shapes {
		s := &shapes[i]
		switch last := s.prefix[len(s.prefix)-1]; last {
		case '-', '_':
			ends[last] = append(ends[last], s)
		default:
			rest = append(rest, s)
		}
	}
	return ends, rest
}()

// shaped finds what looks like a credential, in order, without overlap.
func shaped(b []byte) []hit {
	var hits []hit
	for _, last := range []byte("-_") {
		for at := 0; ; at++ {
			i := bytes.IndexByte(b[at:], last)
			if i < 0 {
				break
			}
			at += i
			for _, s := range byEnd[last] {
				if start := at + 1 - len(s.prefix); start >= 0 && string(b[start:at+1]) == s.prefix {
					if end := s.fits(b, start); end > 0 {
						hits = append(hits, hit{s.kind, start, end})
						break
					}
				}
			}
		}
	}
	for _, s := range loners {
		for at := 0; ; at++ {
			i := bytes.Index(b[at:], []byte(s.prefix))
			if i < 0 {
				break
			}
			at += i
			if end := s.fits(b, at); end > 0 {
				hits = append(hits, hit{s.kind, at, end})
			}
		}
	}
	for _, find := range finders {
		hits = find(b, hits)
	}
	return disjoint(hits)
}

// disjoint orders hits and keeps the longer of two that overlap.
func disjoint(hits []hit) []hit {
	if len(hits) < 2 {
		return hits
	}
	slices.SortFunc(hits, func(x, y hit) int {
		if x.start != y.start {
			return x.start - y.start
		}
		return y.end - x.end
	})
	kept := hits[:1]
	for _, h := range hits[1:] {
		last := &kept[len(kept)-1]
		if h.start >= last.end {
			kept = append(kept, h)
		} else if h.end > last.end {
			last.end = h.end
		}
	}
	return kept
}

// fits returns where the credential that starts at start ends, 0 if none does.
func (s *shape) fits(b []byte, start int) int {
	if !bounded(b, start) {
		return 0
	}
	rest := b[start+len(s.prefix):]
	n := 0
	for n < len(rest) && n <= s.max && s.chars[rest[n]] {
		n++
	}
	if n > s.max || n < s.min || s.chars != std64 && n < len(rest) && alnum[rest[n]] {
		return 0
	}
	body := rest[:n]
	if filler(body) || s.random && !random(body) {
		return 0
	}
	return start + len(s.prefix) + n
}

// bounded reports whether a word can start at i: nothing before it belongs to
// it. An escape before it does not, "\n" in JSON and "%3D" in a URL.
func bounded(b []byte, i int) bool {
	if i == 0 || !url64[b[i-1]] {
		return true
	}
	if i >= 2 && b[i-2] == '\\' && strings.IndexByte("nrtbf", b[i-1]) >= 0 {
		return true
	}
	if i >= 3 && b[i-3] == '%' && hexa[b[i-2]] && hexa[b[i-1]] {
		return true
	}
	return i >= 6 && b[i-6] == '\\' && b[i-5] == 'u' && hexa[b[i-4]] && hexa[b[i-1]]
}

// fillers are words of documentation and of tests.
var fillers = []string{"example", "placeholder", "your", "redacted", "xxxx", "....", "1234567890", "0123456789", "abcdefgh", "dummy", "fake", "replace", "changeme", "insert", "notreal", "not-real", "sample"}

// filler reports whether what follows a prefix stands for a credential and is
// none: a word of documentation, or few different characters.
func filler(body []byte) bool {
	low := strings.ToLower(string(body[:min(len(body), 400)]))
	for _, f := range fillers {
		if strings.Contains(low, f) {
			return true
		}
	}
	return distinct(body) < min(8, (len(body)+1)/2)
}

func distinct(body []byte) int {
	var seen [256]bool
	n := 0
	for _, c := range body {
		if !seen[c] {
			seen[c] = true
			n++
		}
	}
	return n
}

// random reports whether text looks like drawn and not like written: words and
// names joined by dashes or underscores have long runs of lower-case letters.
func random(body []byte) bool {
	digits, uppers, run, longest := 0, 0, 0, 0
	for i, c := range body {
		switch {
		case '0' <= c && c <= '9':
			digits++
			run = 0
		case 'A' <= c && c <= 'Z':
			uppers++
			run = 0
		case 'a' <= c && c <= 'z':
			if run++; i > 0 {
				longest = max(longest, run)
			}
		default:
			run = 0
		}
	}
	if distinct(body) < 8 {
		return false
	}
	letters := len(body) - digits
	switch {
	case digits == 0:
		return uppers >= 4 && letters-uppers >= 4 && longest < 10 || base32Only(body)
	case uppers == 0:
		return digits >= 4 && longest < 12
	}
	return longest < 16
}

func base32Only(body []byte) bool {
	for _, c := range body {
		if !base32[c] {
			return false
		}
	}
	return true
}

// finders find what is known by more than a prefix.
var finders = []func(b []byte, hits []hit) []hit{findJWT, findPEM, findAfter, findURLPassword, findAzure, findTelegram, findSlackHook}

// findJWT finds JSON Web Tokens (RFC 7519): three parts of base64url, the first
// of which is a JSON object with "alg".
func findJWT(b []byte, hits []hit) []hit {
	for at := 0; ; at++ {
		i := bytes.Index(b[at:], []byte("eyJ"))
		if i < 0 {
			return hits
		}
		at += i
		if !bounded(b, at) {
			continue
		}
		end, dots := at, 0
		firstDot := 0
		for end < len(b) && dotted[b[end]] {
			if b[end] == '.' {
				if dots++; dots == 1 {
					firstDot = end
				} else if dots > 2 {
					break
				}
			}
			end++
		}
		for end > at && b[end-1] == '.' { // of the sentence
			end--
			dots--
		}
		if dots != 2 || end-at < 40 {
			continue
		}
		if header, err := base64.RawURLEncoding.DecodeString(string(b[at:firstDot])); err != nil || !bytes.Contains(header, []byte(`"alg"`)) {
			continue
		}
		hits = append(hits, hit{"JSON Web Token", at, end})
		at = end - 1
	}
}

var (
	pemBegin = []byte("-----BEGIN ")
	pemEnd   = []byte("-----END ")
	pemMark  = []byte("PRIVATE KEY")
)

// findPEM finds private keys (RFC 7468), also cut off and with line ends that are
// escaped.
func findPEM(b []byte, hits []hit) []hit {
	for at := 0; ; {
		i := bytes.Index(b[at:], pemBegin)
		if i < 0 {
			return hits
		}
		start := at + i
		at = start + len(pemBegin)
		label := b[at:min(len(b), at+60)]
		if j := bytes.Index(label, []byte("-----")); j < 0 || !bytes.Contains(label[:j], pemMark) {
			continue
		} else {
			at += j + 5
		}
		body := at
		for at < len(b) && (std64[b[at]] || strings.IndexByte(" \t\r\n\\,:-", b[at]) >= 0) {
			if bytes.HasPrefix(b[at:], pemEnd) {
				break
			}
			at++
		}
		if at-body < 40 {
			continue // a word about keys
		}
		if bytes.HasPrefix(b[at:], pemEnd) {
			if j := bytes.Index(b[at+len(pemEnd):], []byte("-----")); j >= 0 && j < 60 {
				at += len(pemEnd) + j + 5
			}
		} else {
			for at > body && !std64[b[at-1]] {
				at--
			}
		}
		hits = append(hits, hit{"private key", start, at})
	}
}

// A context is a name behind which a value is a credential.
type context struct {
	kind  string
	marks []string // of which one must stand before the regexp is tried: it is slow
	re    *regexp.Regexp
}

// contexts have the credential in their one group.
var contexts = []context{
	{kind: "bearer token", marks: []string{"earer ", "EARER "}, re: regexp.MustCompile(`(?i)(?:^|[^A-Za-z0-9_]|\\[nrt])bearer +([A-Za-z0-9._~+/=-]{24,})`)},
	{kind: "AWS secret access key", marks: []string{"ecret", "ECRET"}, re: regexp.MustCompile(`(?i)(?:aws_?)?secret_?access_?key["'\\\s:=]{1,16}([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)`)},
	{kind: "Azure storage key", marks: []string{"AccountKey=", "SharedAccessKey="}, re: regexp.MustCompile(`(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,}={0,2})`)},
	{kind: "signature of a URL", marks: []string{"sig=", "ignature="}, re: regexp.MustCompile(`(?:[?&]|\\u0026|&amp;)(?:sig|X-Amz-Signature|X-Goog-Signature|Signature)=([A-Za-z0-9%/+_~-]{32,})`)},
	{kind: "AWS session token", marks: []string{"X-Amz-Security-Token="}, re: regexp.MustCompile(`X-Amz-Security-Token=([A-Za-z0-9%/+_=-]{100,})`)},
	{kind: "API key", marks: []string{"_KEY", "_TOKEN", "_SECRET", "api_key", "api-key", "apiKey", "PASSWORD"},
		re: regexp.MustCompile(`(?:^|[^A-Za-z0-9_]|\\[nrt])(?:[A-Z][A-Z0-9_]*_(?:API_KEY|API_TOKEN|ACCESS_TOKEN|SECRET_KEY|AUTH_TOKEN|CLIENT_SECRET|PASSWORD)|x-api-key|api[-_]?key|apiKey)["'\\]{0,2}\s?[:=]\s?["'\\]{0,2}([A-Za-z0-9_+/=.~-]{24,200})`)},
}

// findAfter finds what stands behind a name.
func findAfter(b []byte, hits []hit) []hit {
	for i := range contexts {
		c := &contexts[i]
		if !slices.ContainsFunc(c.marks, func(m string) bool { return bytes.Contains(b, []byte(m)) }) {
			continue
		}
		for _, m := range c.re.FindAllSubmatchIndex(b, -1) {
			if body := b[m[2]:m[3]]; !filler(body) && random(bytes.TrimRight(body, "=")) {
				hits = append(hits, hit{c.kind, m[2], m[3]})
			}
		}
	}
	return hits
}

var urlPassword = regexp.MustCompile(`[a-z][a-z0-9+.-]{1,20}://[^\s:/@"'\\<>?#]{1,64}:([^\s:/@"'\\<>?#]{6,128})@[A-Za-z0-9\[]`)

// findURLPassword finds the passwords of URLs that have one (RFC 3986, section
// 3.2.1): those of databases, in prompts about code.
func findURLPassword(b []byte, hits []hit) []hit {
	if !bytes.Contains(b, []byte("://")) || bytes.IndexByte(b, '@') < 0 {
		return hits
	}
	for _, m := range urlPassword.FindAllSubmatchIndex(b, -1) {
		body := b[m[2]:m[3]]
		if filler(body) || !random(body) && !slices.ContainsFunc(body, func(c byte) bool { return '0' <= c && c <= '9' }) ||
			strings.ContainsAny(string(body), "${}[]*") || bytes.Contains(bytes.ToLower(body), []byte("pass")) {
			continue
		}
		hits = append(hits, hit{"password in a URL", m[2], m[3]})
	}
	return hits
}

// findAzure finds keys of Azure's AI services: 84 letters and digits with a mark
// in them.
func findAzure(b []byte, hits []hit) []hit {
	mark := []byte("JQQJ99")
	for at := 0; ; at++ {
		i := bytes.Index(b[at:], mark)
		if i < 0 {
			return hits
		}
		at += i
		start, end := at, at
		for start > 0 && alnum[b[start-1]] && at-start < 60 {
			start--
		}
		for end < len(b) && alnum[b[end]] && end-at < 60 {
			end++
		}
		// A letter of an escape may have been taken for the first.
		if end-start == 85 && start > 0 && b[start-1] == '\\' {
			start++
		}
		if end-start == 84 {
			hits = append(hits, hit{"Azure API key", start, end})
		}
	}
}

var telegram = regexp.MustCompile(`(?:^|[^A-Za-z0-9_-]|\\[nrt])(\d{8,10}:AA[A-Za-z0-9_-]{33})(?:[^A-Za-z0-9_-]|$)`)

func findTelegram(b []byte, hits []hit) []hit {
	if !bytes.Contains(b, []byte(":AA")) {
		return hits
	}
	for _, m := range telegram.FindAllSubmatchIndex(b, -1) {
		hits = append(hits, hit{"Telegram bot token", m[2], m[3]})
	}
	return hits
}

var slackHook = regexp.MustCompile(`hooks\.slack\.com/services/(T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{20,})`)

func findSlackHook(b []byte, hits []hit) []hit {
	if !bytes.Contains(b, []byte("hooks.slack.com")) {
		return hits
	}
	for _, m := range slackHook.FindAllSubmatchIndex(b, -1) {
		if !filler(b[m[2]:m[3]]) {
			hits = append(hits, hit{"Slack webhook", m[2], m[3]})
		}
	}
	return hits
}
