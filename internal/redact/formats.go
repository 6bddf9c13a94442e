package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
)

// A charset is a set of classes of bytes.
type charset uint16

const (
	digit charset = 1 << iota
	lowAF         // a to f
	lowGZ         // g to z
	capAF         // A to F
	capGZ         // G to Z
	dash
	under
	dot
	plus // + and /
	equal
	tilde
	percent

	lower    = lowAF | lowGZ
	upper    = capAF | capGZ
	alnum    = digit | lower | upper
	word     = alnum | dash | under
	url64    = word // base64url has the same characters
	std64    = alnum | plus
	hexLower = digit | lowAF
	hexAny   = digit | lowAF | capAF
)

var class = func() (t [256]charset) {
	for chars, c := range map[string]charset{
		"0123456789": digit, "abcdef": lowAF, "ghijklmnopqrstuvwxyz": lowGZ, "ABCDEF": capAF, "GHIJKLMNOPQRSTUVWXYZ": capGZ,
		"-": dash, "_": under, ".": dot, "+/": plus, "=": equal, "~": tilde, "%": percent,
	} {
		for i := range len(chars) {
			t[chars[i]] = c
		}
	}
	return t
}()

// A format is a kind of token that begins with a prefix of its own.
type format struct {
	kind     string
	prefix   string
	chars    charset           // of what follows the prefix
	min, max int               // how many there are; no upper limit if max is 0
	check    func([]byte) bool // of what follows the prefix; nil means drawn

	// find returns where the secret is, given where the prefix is; it takes the
	// place of all the above for formats with parts.
	find func(text []byte, at int) (start, end int)
}

// formats are what the providers document, what their keys look like, and what
// gitleaks, trufflehog and GitHub's secret scanning look for. A length is a
// lower limit wherever the provider never promised one.
var formats = []format{
	{kind: "Anthropic API key", prefix: "sk-ant-", chars: url64, min: 32},
	{kind: "OpenRouter API key", prefix: "sk-or-v1-", chars: hexAny, min: 40},
	{kind: "Langfuse secret key", prefix: "sk-lf-", chars: url64, min: 30},
	{kind: "OpenAI API key", prefix: "sk-proj-", chars: url64, min: 32},
	{kind: "OpenAI API key", prefix: "sk-svcacct-", chars: url64, min: 32},
	{kind: "OpenAI API key", prefix: "sk-admin-", chars: url64, min: 32},
	{kind: "API key", prefix: "sk-", chars: url64, min: 20, check: isSK}, // OpenAI, DeepSeek, Moonshot, LiteLLM
	{kind: "OpenAI session", prefix: "sess-", chars: alnum, min: 36},
	{kind: "OpenAI ephemeral key", prefix: "ek_", chars: alnum, min: 30},
	{kind: "Google API key", prefix: "AIza", chars: url64, min: 35, max: 35},
	{kind: "Google API key", prefix: "AQ.Ab", chars: url64, min: 44, max: 60},
	{kind: "Google access token", prefix: "ya29.", chars: url64 | dot, min: 30},
	{kind: "Google refresh token", prefix: "1//0", chars: url64, min: 35},
	{kind: "Google client secret", prefix: "GOCSPX-", chars: url64, min: 24, max: 40},
	{kind: "AWS access key id", prefix: "AKIA", find: awsKeyID},
	{kind: "AWS access key id", prefix: "ASIA", find: awsKeyID},
	{kind: "AWS session token", prefix: "FwoGZXIvYXdz", chars: std64 | equal | percent, min: 80},
	{kind: "AWS session token", prefix: "FQoGZXIvYXdz", chars: std64 | equal | percent, min: 80},
	{kind: "AWS session token", prefix: "IQoJb3JpZ2lu", chars: std64 | equal | percent, min: 80},
	{kind: "Bedrock API key", prefix: "ABSK", chars: std64 | equal, min: 80},
	{kind: "Bedrock API key", prefix: "bedrock-api-key-", chars: std64 | equal | percent, min: 80},
	{kind: "GitHub token", prefix: "ghp_", chars: alnum, min: 36},
	{kind: "GitHub token", prefix: "gho_", chars: alnum, min: 36},
	{kind: "GitHub token", prefix: "ghu_", chars: alnum, min: 36},
	{kind: "GitHub token", prefix: "ghs_", chars: url64 | dot, min: 36},
	{kind: "GitHub token", prefix: "ghr_", chars: alnum, min: 36},
	{kind: "GitHub token", prefix: "github_pat_", chars: alnum | under, min: 50},
	{kind: "GitLab token", prefix: "glpat-", chars: url64 | dot, min: 20},
	{kind: "GitLab token", prefix: "gldt-", chars: url64, min: 20},
	{kind: "GitLab token", prefix: "glrt-", chars: url64 | dot, min: 20},
	{kind: "GitLab token", prefix: "glcbt-", chars: url64, min: 20},
	{kind: "Slack token", prefix: "xoxb-", chars: alnum | dash, min: 30, check: isSlack},
	{kind: "Slack token", prefix: "xoxp-", chars: alnum | dash, min: 30, check: isSlack},
	{kind: "Slack token", prefix: "xoxa-", chars: alnum | dash, min: 30, check: isSlack},
	{kind: "Slack token", prefix: "xoxr-", chars: alnum | dash, min: 30, check: isSlack},
	{kind: "Slack token", prefix: "xoxs-", chars: alnum | dash, min: 30, check: isSlack},
	{kind: "Slack token", prefix: "xoxe", chars: alnum | dash | dot, min: 40},
	{kind: "Slack token", prefix: "xapp-", chars: alnum | dash, min: 40},
	{kind: "Slack webhook", prefix: "hooks.slack.com/services/", find: webhook},
	{kind: "Discord webhook", prefix: "discord.com/api/webhooks/", find: webhook},
	{kind: "Hugging Face token", prefix: "hf_", chars: alnum, min: 30},
	{kind: "Hugging Face token", prefix: "api_org_", chars: alnum, min: 30},
	{kind: "Groq API key", prefix: "gsk_", chars: alnum, min: 40},
	{kind: "xAI API key", prefix: "xai-", chars: alnum, min: 60},
	{kind: "Stripe key", prefix: "sk_live_", chars: alnum, min: 20},
	{kind: "Stripe key", prefix: "rk_live_", chars: alnum, min: 20},
	{kind: "Stripe key", prefix: "sk_test_", chars: alnum, min: 20},
	{kind: "Stripe key", prefix: "rk_test_", chars: alnum, min: 20},
	{kind: "webhook secret", prefix: "whsec_", chars: std64 | equal, min: 24},
	{kind: "ElevenLabs API key", prefix: "sk_", chars: hexLower, min: 48, max: 48},
	{kind: "Replicate token", prefix: "r8_", chars: alnum, min: 36, max: 40},
	{kind: "Perplexity API key", prefix: "pplx-", chars: alnum, min: 40},
	{kind: "Fireworks API key", prefix: "fw_", chars: alnum, min: 20, check: mixed},
	{kind: "Voyage API key", prefix: "pa-", chars: url64, min: 40, max: 48, check: mixed},
	{kind: "Jina API key", prefix: "jina_", chars: url64, min: 40},
	{kind: "Tavily API key", prefix: "tvly-", chars: url64, min: 28},
	{kind: "Firecrawl API key", prefix: "fc-", chars: hexLower, min: 32, max: 32},
	{kind: "E2B API key", prefix: "e2b_", chars: hexLower, min: 40, max: 40},
	{kind: "LangSmith API key", prefix: "lsv2_", chars: alnum | under, min: 40},
	{kind: "LangSmith API key", prefix: "ls__", chars: hexLower, min: 32},
	{kind: "Pinecone API key", prefix: "pcsk_", chars: alnum | under, min: 40},
	{kind: "Cerebras API key", prefix: "csk-", chars: alnum, min: 40, check: spread},
	{kind: "Together API key", prefix: "tgp_v1_", chars: url64, min: 38},
	{kind: "NVIDIA API key", prefix: "nvapi-", chars: url64, min: 50},
	{kind: "RunPod API key", prefix: "rpa_", chars: alnum, min: 40, check: spread},
	{kind: "Vercel AI Gateway key", prefix: "vck_", chars: alnum, min: 40},
	{kind: "Databricks token", prefix: "dapi", chars: hexLower | dash, min: 32, max: 34},
	{kind: "SendGrid API key", prefix: "SG.", find: sendGrid},
	{kind: "Twilio API key", prefix: "SK", chars: hexLower, min: 32, max: 32},
	{kind: "npm token", prefix: "npm_", chars: alnum, min: 36},
	{kind: "PyPI token", prefix: "pypi-AgE", chars: url64, min: 50},
	{kind: "RubyGems key", prefix: "rubygems_", chars: hexLower, min: 48, max: 48},
	{kind: "DigitalOcean token", prefix: "dop_v1_", chars: hexLower, min: 64, max: 64},
	{kind: "DigitalOcean token", prefix: "doo_v1_", chars: hexLower, min: 64, max: 64},
	{kind: "DigitalOcean token", prefix: "dor_v1_", chars: hexLower, min: 64, max: 64},
	{kind: "Docker token", prefix: "dckr_pat_", chars: url64, min: 24},
	{kind: "Vault token", prefix: "hvs.", chars: url64, min: 24},
	{kind: "Supabase token", prefix: "sbp_", chars: hexLower, min: 40, max: 40},
	{kind: "Linear API key", prefix: "lin_api_", chars: alnum, min: 40},
	{kind: "Notion token", prefix: "ntn_", chars: alnum, min: 40},
	{kind: "Figma token", prefix: "figd_", chars: url64, min: 36},
	{kind: "Atlassian token", prefix: "ATATT3", chars: url64 | equal, min: 100},
	{kind: "Shopify token", prefix: "shpat_", chars: hexLower, min: 32, max: 32},
	{kind: "Grafana token", prefix: "glsa_", chars: alnum | under, min: 40},
	{kind: "age secret key", prefix: "AGE-SECRET-KEY-1", chars: upper | digit, min: 58, max: 58, check: spread},
	{kind: "JSON Web Token", prefix: "eyJ", find: jwt},
	{kind: "private key", prefix: pemBegin, find: pem},
}

// groups are the formats by the first two bytes of their prefix, the longest
// prefix first; heads gives the number of a pair's group, plus one.
var groups, heads = func() (groups [][]format, heads [1 << 16]uint8) {
	for _, f := range formats {
		p := pair(f.prefix[0], f.prefix[1])
		if heads[p] == 0 {
			groups = append(groups, nil)
			heads[p] = uint8(len(groups))
		}
		groups[heads[p]-1] = append(groups[heads[p]-1], f)
	}
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b format) int { return len(b.prefix) - len(a.prefix) })
	}
	return groups, heads
}()

// isSK decides about "sk-": OpenAI's keys of old have the base64 of "OpenAI" in
// the middle; DeepSeek, Moonshot, LiteLLM and many others took the prefix
// without any mark, but so do words.
func isSK(b []byte) bool {
	if len(b) >= 40 && bytes.Contains(b, []byte("T3Blbk"+"FJ")) {
		return true
	}
	if run(b, 0, hexLower) == len(b) {
		return len(b) >= 32 && drawn(b)
	}
	return mixed(b) || len(b) >= 40 && drawnAlone(b)
}

// isSlack wants the numbers of workspace and user, or a random part.
func isSlack(b []byte) bool {
	return class[b[0]]&digit != 0 && drawn(b[bytes.LastIndexByte(b, '-')+1:]) || drawn(b)
}

// awsKeyID is four letters and 16 of base32.
func awsKeyID(text []byte, at int) (start, end int) {
	end = run(text, at, alnum)
	id := text[at:end]
	if end-at != 20 || run(text, at, upper|digit) != end || !spread(id) || end < len(text) && class[text[end]]&word != 0 {
		return 0, 0
	}
	if text[at+1] == 'S' && !bytes.ContainsAny(id, "234567") {
		return 0, 0 // ASIA is a word
	}
	return at, end
}

// sendGrid is "SG.", 22 characters, a dot and 43.
func sendGrid(text []byte, at int) (start, end int) {
	mid := run(text, at+3, url64)
	if mid-at-3 < 16 || mid-at-3 > 24 || mid == len(text) || text[mid] != '.' {
		return 0, 0
	}
	end = run(text, mid+1, url64)
	if end-mid-1 < 32 || end-mid-1 > 64 || !drawn(text[at+3:end]) {
		return 0, 0
	}
	return at, end
}

// webhook gives the part of a webhook's address that must not be known: all
// after ".../services/" or ".../webhooks/".
func webhook(text []byte, at int) (start, end int) {
	start = at + run(text[at:], 0, word|dot|plus) // never further than the address
	for _, mark := range []string{"/services/", "/webhooks/"} {
		if i := bytes.Index(text[at:start], []byte(mark)); i >= 0 {
			start = at + i + len(mark)
			break
		}
	}
	end = run(text, start, url64|plus)
	last := start + bytes.LastIndexByte(text[start:end], '/') + 1
	if last == start || end-last < 20 || !drawn(text[last:end]) {
		return 0, 0
	}
	return start, end
}

// jwt is a JSON object with "alg" in base64url, and two parts more (RFC 7519)
// or four (RFC 7516). A token without a signature is no secret.
func jwt(text []byte, at int) (start, end int) {
	first := run(text, at, url64)
	if first == len(text) || text[first] != '.' || first-at > 4096 {
		return 0, 0
	}
	end = first
	parts, last := 1, 0
	for parts < 5 && end < len(text) && text[end] == '.' {
		next := run(text, end+1, url64)
		if next == end+1 && parts != 1 {
			break
		}
		last = next - end - 1
		end = next
		parts++
	}
	if parts < 3 || last < 16 {
		return 0, 0
	}
	var header struct{ Alg string }
	raw, err := base64.RawURLEncoding.DecodeString(string(text[at:first]))
	if err != nil || json.Unmarshal(raw, &header) != nil || header.Alg == "" {
		return 0, 0
	}
	return at, end
}

const pemBegin = "-----BEGIN "

// pem is a private key in PEM (RFC 7468) or OpenPGP armour. Its lines may be
// ended by "\n" as two characters or more, and its end may be missing. A
// beginning without 40 random characters in a row is talk about keys.
func pem(text []byte, at int) (start, end int) {
	label := text[at+len(pemBegin) : min(len(text), at+len(pemBegin)+60)]
	label, _, ok := bytes.Cut(label, []byte("-----"))
	if !ok || !bytes.HasSuffix(bytes.TrimSuffix(label, []byte(" BLOCK")), []byte("PRIVATE KEY")) {
		return 0, 0
	}
	body := at + len(pemBegin) + len(label) + len("-----")
	for end = body; end < len(text); end++ {
		c := text[end]
		if class[c]&(std64|equal|dot) == 0 && bytes.IndexByte([]byte("\\ \n\r\t:,()@<>"), c) < 0 &&
			(c != '-' || bytes.HasPrefix(text[end:], []byte("-----"))) {
			break
		}
	}
	from, to := longest(text[body:end])
	if to-from < 40 || !drawn(text[body+from:body+to]) {
		return 0, 0
	}
	if tail := "-----END " + string(label) + "-----"; bytes.HasPrefix(text[end:], []byte(tail)) {
		return at, end + len(tail)
	}
	return at, body + lastLine(text[body:end])
}

// longest returns where the longest run of base64 is.
func longest(b []byte) (start, end int) {
	for i := 0; i < len(b); i++ {
		to := run(b, i, std64)
		if to-i > end-start {
			start, end = i, to
		}
		i = to
	}
	return start, end
}

// lastLine returns the end of the last run of base64 that is no word.
func lastLine(b []byte) (end int) {
	for i := 0; i < len(b); i++ {
		to := run(b, i, std64|equal)
		if to-i >= 24 {
			end = to
		}
		i = to
	}
	return end
}
