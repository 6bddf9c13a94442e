package redact

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/memo"
)

// A format is a kind of token. Most have a prefix. The secret is then what find returns
// or, if find is nil, the prefix with the characters that follow it.
type format struct {
	name     string            // what the token is, for messages
	prefixes string            // separated by "|"
	chars    charset           // the characters that follow the prefix
	min, max int               // how many of these follow; there is no upper limit if max is 0
	check    func(string) bool // reports whether these are a secret; nil means looksRandom

	// find returns where the secret is in the token that begins at a place; end is 0 if
	// there is none. It is called only if at least min of chars follow the prefix.
	find func(text string, at int) (start, end int)
}

// formats are the tokens that providers document, those that their keys look like, and
// those that gitleaks, trufflehog and GitHub's secret scanning find. A length is a lower
// limit, unless the provider promises it.
var formats = []format{
	{name: "Anthropic API key", prefixes: "sk-ant-", chars: url64, min: 32},
	{name: "OpenRouter API key", prefixes: "sk-or-v1-", chars: hexAny, min: 40},
	{name: "Langfuse secret key", prefixes: "sk-lf-", chars: url64, min: 30},
	{name: "OpenAI API key", prefixes: "sk-proj-|sk-svcacct-|sk-admin-", chars: url64, min: 32},
	// OpenAI, DeepSeek, Moonshot, LiteLLM
	{name: "API key", prefixes: "sk-", chars: url64, min: 20, check: isSK},
	{name: "OpenAI session", prefixes: "sess-", chars: alnum, min: 36},
	{name: "OpenAI ephemeral key", prefixes: "ek_", chars: alnum, min: 30},
	{name: "Google API key", prefixes: "AIza", chars: url64, min: 35, max: 35},
	{name: "Google API key", prefixes: "AQ.Ab", chars: url64, min: 44, max: 60},
	{name: "Google access token", prefixes: "ya29.", chars: url64 | dot, min: 30},
	{name: "Google refresh token", prefixes: "1//0", chars: url64, min: 35},
	{name: "Google client secret", prefixes: "GOCSPX-", chars: url64, min: 24, max: 40},
	{name: "AWS access key id", prefixes: "AKIA|ASIA", chars: upper | digit, min: 16,
		find: shape(`(A[KS]IA[A-Z0-9]{16})(?:[^\w-]|$)`, isAWSKeyID)},
	{name: "AWS session token", prefixes: "FwoGZXIvYXdz|FQoGZXIvYXdz|IQoJb3JpZ2lu",
		chars: std64 | equal | percent, min: 80},
	{name: "Bedrock API key", prefixes: "ABSK", chars: std64 | equal, min: 80},
	{name: "Bedrock API key", prefixes: "bedrock-api-key-", chars: std64 | equal | percent, min: 80},
	{name: "GitHub token", prefixes: "ghp_|gho_|ghu_|ghr_", chars: alnum, min: 36},
	{name: "GitHub token", prefixes: "ghs_", chars: url64 | dot, min: 36},
	{name: "GitHub token", prefixes: "github_pat_", chars: alnum | under, min: 50},
	// of raw.githubusercontent.com
	{name: "GitHub token", prefixes: "GHSAT0", chars: upper | digit, min: 24, check: evenMix},
	{name: "GitLab token", prefixes: "glpat-|glrt-", chars: url64 | dot, min: 20},
	{name: "GitLab token",
		prefixes: "gldt-|glcbt-|glptt-|glft-|glimt-|glagent-|glsoat-|gloas-|glffct-|glwt-",
		chars:    url64, min: 20},
	{name: "Slack token", prefixes: "xoxb-|xoxp-|xoxa-|xoxr-|xoxs-|xoxc-", chars: alnum | dash,
		min: 30, check: isSlack},
	{name: "Slack token", prefixes: "xoxe", chars: alnum | dash | dot, min: 40},
	{name: "Slack token", prefixes: "xapp-", chars: alnum | dash, min: 40},
	{name: "Slack token", prefixes: "xoxd-", chars: std64 | equal | percent, min: 40}, // a cookie
	{name: "Slack webhook", prefixes: "hooks.slack.com/services/", chars: upper, min: 1,
		find: shape(`hooks.slack.com/services/([\w+/-]+)`, isWebhook)},
	{name: "Discord webhook", prefixes: "discord.com/api/webhooks/", chars: digit, min: 1,
		find: shape(`discord.com/api/webhooks/([\w+/-]+)`, isWebhook)},
	{name: "Teams webhook", prefixes: "webhookb2/", chars: url64, min: 8,
		find: shape(`webhookb2/([\w@-]+/IncomingWebhook/[\w/-]+)`, isWebhook)},
	{name: "key in an address", prefixes: "mcp.zapier.com/api/mcp/s/", chars: url64, min: 20,
		find: shape(`[\w.]+/api/mcp/s/([\w-]{20,})`, looksRandom)},
	{name: "key in an address", prefixes: "quiknode.pro/", chars: hexLower, min: 40,
		find: shape(`[\w.]+/([0-9a-f]{40})(?:[^\w-]|$)`, looksRandom)},
	// Feishu, Lark
	{name: "webhook", prefixes: "open-apis/bot/v2/hook/", chars: hexLower, min: 8,
		find: shape(`open-apis/bot/v2/hook/([0-9a-f-]{36})(?:[^\w-]|$)`, isUUID)},
	{name: "webhook", prefixes: "hooks.zapier.com/hooks/", chars: lower, min: 4,
		find: shape(`hooks.zapier.com/hooks/\w+/(\d+/\w+)`, isAny)},
	{name: "webhook",
		prefixes: "hook.us1.make.com/|hook.us2.make.com/|hook.eu1.make.com/|hook.eu2.make.com/",
		chars:    alnum, min: 20, find: shape(`[\w.]+/(\w{20,})`, isAny)},
	{name: "Discord token", prefixes: "interactions/|webhooks/", chars: digit, min: 17,
		find: ofDiscord},
	{name: "API key", prefixes: "infura.io/v3/|alchemy.com/v2/|alchemyapi.io/v2/",
		chars: url64, min: 32,
		find: shape(`[\w.]+/v[23]/([\w-]{32}|[0-9a-f]{64})(?:[^\w-]|$)`, looksRandom)},
	{name: "Gemini token", prefixes: "auth_tokens/", chars: alnum, min: 32,
		find: shape(`(auth_tokens/\w{32,})`, looksRandom)},
	{name: "Hugging Face token", prefixes: "hf_|api_org_", chars: alnum, min: 30},
	{name: "Groq API key", prefixes: "gsk_", chars: alnum, min: 40},
	{name: "xAI API key", prefixes: "xai-", chars: alnum, min: 60},
	{name: "Stripe key", prefixes: "sk_live_|rk_live_|sk_test_|rk_test_", chars: alnum, min: 20},
	{name: "webhook secret", prefixes: "whsec_", chars: std64 | equal, min: 24},
	{name: "ElevenLabs token", prefixes: "sutkn_|cvtkn_", chars: alnum, min: 20},
	{name: "ElevenLabs API key", prefixes: "sk_", chars: hexLower, min: 48, max: 48},
	{name: "Replicate token", prefixes: "r8_", chars: alnum, min: 36, max: 40},
	{name: "Perplexity API key", prefixes: "pplx-", chars: alnum, min: 40},
	{name: "Fireworks API key", prefixes: "fw_", chars: alnum, min: 20, check: mixedCase},
	{name: "Voyage API key", prefixes: "pa-", chars: url64, min: 40, max: 48, check: mixedCase},
	{name: "Jina API key", prefixes: "jina_", chars: url64, min: 40},
	{name: "Tavily API key", prefixes: "tvly-", chars: url64, min: 28},
	{name: "Firecrawl API key", prefixes: "fc-", chars: hexLower, min: 32, max: 32},
	{name: "E2B API key", prefixes: "e2b_", chars: hexLower, min: 40, max: 40},
	{name: "LangSmith API key", prefixes: "lsv2_", chars: alnum | under, min: 40},
	{name: "LangSmith API key", prefixes: "ls__", chars: hexLower, min: 32},
	{name: "Pinecone API key", prefixes: "pcsk_", chars: alnum | under, min: 40},
	{name: "Cerebras API key", prefixes: "csk-", chars: alnum, min: 40, check: evenMix},
	{name: "Together API key", prefixes: "tgp_v1_", chars: url64, min: 38},
	{name: "NVIDIA API key", prefixes: "nvapi-", chars: url64, min: 50},
	{name: "RunPod API key", prefixes: "rpa_", chars: alnum, min: 40, check: evenMix},
	{name: "Vercel AI Gateway key", prefixes: "vck_", chars: alnum, min: 40},
	{name: "Databricks token", prefixes: "dapi", chars: hexLower | dash, min: 32, max: 34},
	{name: "SendGrid API key", prefixes: "SG.", chars: url64, min: 16,
		find: shape(`(SG\.[\w-]{16,24}\.[\w-]{32,64})(?:[^\w-]|$)`, isSendGrid)},
	{name: "Twilio API key", prefixes: "SK", chars: hexLower, min: 32, max: 32},
	// Apify, Browserbase, Neon, Netlify, Cartesia, Doppler, Trigger.dev
	{name: "API key", prefixes: "apify_api_|bb_live_|napi_|nfp_|sk_car_|dp.pt.|tr_dev_|tr_prod_",
		chars: alnum, min: 20},
	// LlamaCloud, Mem0, Daytona, Friendli, PostHog, Prefect, Sourcegraph, SonarQube,
	// Buildkite, ReadMe, Sentry, Shippo
	{name: "API key",
		prefixes: "llx-|m0-|dtn_|flp_|phx_|pnu_|sgp_|squ_|sqp_|sqa_|bkua_|rdme_|sntryu_|" +
			"shippo_live_|shippo_test_",
		chars: alnum, min: 36},
	// Supabase, Weights & Biases, PlanetScale, CircleCI, Fly.io, Heroku, Square, Typeform,
	// Linear, Duffel, Vercel
	{name: "API key",
		prefixes: "sb_secret_|wandb_v1_|pscale_tkn_|pscale_pw_|pscale_oauth_|CCIPAT_|fo1_|HRKU-|" +
			"sq0csp-|tfp_|lin_oauth_|duffel_live_|duffel_test_|vercel_blob_rw_",
		chars: url64, min: 31},
	// 1Password, Grafana, Sentry, Fly.io
	{name: "API key", prefixes: "ops_eyJ|glc_eyJ|sntrys_eyJ|fm2_", chars: std64 | equal | under,
		min: 60},
	{name: "Alibaba access key id",
		prefixes: "LTAI", chars: alnum, min: 16, max: 22, check: mixedCase},
	{name: "Airtable token", prefixes: "pat", chars: alnum, min: 14,
		find: shape(`(pat\w{14}\.[0-9a-f]{64})(?:[^\w-]|$)`, looksRandom)},
	{name: "Resend API key", prefixes: "re_", chars: alnum, min: 8,
		find: shape(`(re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24})(?:[^\w-]|$)`, mixedCase)},
	{name: "New Relic API key", prefixes: "NRAK-", chars: upper | digit, min: 27, max: 27,
		check: evenMix},
	{name: "Dynatrace token", prefixes: "dt0c01.|dt0s16.", chars: upper | digit, min: 24,
		find: shape(`(dt0[cs][01][16]\.[A-Z0-9]{24}\.[A-Z0-9]{64})(?:[^\w-]|$)`, looksRandom)},
	{name: "Pulumi token", prefixes: "pul-", chars: hexLower, min: 40, max: 40},
	{name: "Postman API key", prefixes: "PMAK-", chars: hexLower | dash, min: 50},
	{name: "Brevo API key", prefixes: "xkeysib-", chars: alnum | dash, min: 70},
	{name: "npm token", prefixes: "npm_", chars: alnum, min: 36},
	{name: "PyPI token", prefixes: "pypi-AgE", chars: url64, min: 50},
	{name: "RubyGems key", prefixes: "rubygems_", chars: hexLower, min: 48, max: 48},
	{name: "DigitalOcean token", prefixes: "dop_v1_|doo_v1_|dor_v1_", chars: hexLower, min: 64,
		max: 64},
	{name: "Docker token", prefixes: "dckr_pat_", chars: url64, min: 24},
	{name: "Vault token", prefixes: "hvs.|hvb.", chars: url64, min: 24},
	{name: "Supabase token", prefixes: "sbp_", chars: hexLower, min: 40, max: 40},
	{name: "Linear API key", prefixes: "lin_api_", chars: alnum, min: 40},
	{name: "Notion token", prefixes: "ntn_", chars: alnum, min: 40},
	{name: "Figma token", prefixes: "figd_", chars: url64, min: 36},
	{name: "Atlassian token", prefixes: "ATATT3", chars: url64 | equal, min: 100},
	{name: "Shopify token", prefixes: "shpat_|shpca_|shppa_|shpss_", chars: hexLower, min: 32, max: 32},
	{name: "Grafana token", prefixes: "glsa_", chars: alnum | under, min: 40},
	{name: "age secret key", prefixes: "AGE-SECRET-KEY-1", chars: upper | digit, min: 58, max: 58,
		check: evenMix},
	{name: "JSON Web Token", prefixes: "eyJ", find: jwt},
	{name: "private key", prefixes: pemBegin, find: pem},
	// The base64 of "-----BEGIN PRIVATE KEY" and of the other labels of private keys.
	{name: "private key",
		prefixes: "LS0tLS1CRUdJTiBQUklWQVRFIEtFW|LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRV|" +
			"LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFW|LS0tLS1CRUdJTiBEU0EgUFJJVkFURSBLRV|" +
			"LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVEUgS0VZ|LS0tLS1CRUdJTiBFTkNSWVBURUQgUFJJVkFURSBLRV",
		chars: std64, min: 110, find: pem64},
}

// shapes are the formats that have no prefix, but parts by which they are recognized.
var shapes = []format{
	// Keys of Azure since 2024 (common annotated security keys): random characters,
	// "JQQJ9", and the time, the place and the service that made the key.
	{name: "Azure API key",
		find: shape(`([A-Za-z0-9]{52}JQQJ9[A-Za-z0-9]{27})`,
			func(b string) bool { return evenMix(b[:52]) })},
	// Three characters, a digit, "Q~", and 31 to 34 more.
	{name: "Microsoft Entra client secret",
		find: shape(`([\w.~-]{3}\dQ~[\w.~-]{31,34})(?:[^\w.~-]|$)`, evenMix)},
	{name: "Z.ai or Ollama API key",
		find: shape(`([0-9a-f]{32}\.[A-Za-z0-9]{16}(?:[A-Za-z0-9]{8})?)(?:[^\w-]|$)`,
			func(b string) bool { return mixedCase(b[33:]) })},
	// The number of the bot in base64, and two parts more.
	{name: "Discord bot token",
		find: shape(`([\w-]{24,28}\.[\w-]{6}\.[\w-]{27,38})(?:[^\w-]|$)`, isDiscord)},
	// The number of the bot, ":AA", and 33 more. In a URL, "bot" precedes it.
	{name: "Telegram bot token", find: shape(`(?:[\w-]*bot)?(\d{8,10}:AA[\w-]{33})(?:[^\w-]|$)`,
		func(b string) bool { return looksRandom(b[strings.IndexByte(b, ':')+1:]) })},
}

// maxShape is the length in bytes of the text in which a shape is looked for. Every shape
// is shorter.
const maxShape = 512

// shape returns a function that matches an expression at a place. It returns the first
// group of the expression, if check reports that it is a secret.
func shape(expr string, check func(string) bool) func(text string, at int) (start, end int) {
	re := memo.Regexp(`^` + expr)
	return func(text string, at int) (start, end int) {
		m := re().FindStringSubmatchIndex(text[at:min(len(text), at+maxShape)])
		if m == nil || !check(text[at+m[2]:at+m[3]]) {
			return 0, 0
		}
		return at + m[2], at + m[3]
	}
}

// A prefix is one of the prefixes of a format.
type prefix struct {
	text string
	*format
}

// prefixes are those of all formats by their first byte, the longest first. They are sorted on
// first use: a test binary need not do so as it starts.
var prefixes = sync.OnceValue(func() *[256][]prefix {
	by := new([256][]prefix)
	for i := range formats {
		for text := range strings.SplitSeq(formats[i].prefixes, "|") {
			by[text[0]] = append(by[text[0]], prefix{text, &formats[i]})
		}
	}
	for _, same := range by {
		group.Sort(same, func(a, b prefix) int { return len(b.text) - len(a.text) })
	}
	return by
})

// isElided reports whether dots or stars follow a value, as where a secret is shortened to
// show it.
func isElided(text string, end int) bool {
	rest := text[end:]
	isFollowedBy := func(mark string) bool { return strings.HasPrefix(rest, mark) }
	return isFollowedBy("*") || isFollowedBy("...") || isFollowedBy("…")
}

// isSK reports whether the text behind "sk-" is a secret. Old keys of OpenAI have the
// base64 of "OpenAI" in the middle. Keys of DeepSeek, Moonshot, LiteLLM and many others
// have no such mark, and words may begin with "sk-", too.
func isSK(b string) bool {
	if len(b) >= 40 && strings.Contains(b, string("T3Blbk"+"FJ")) {
		return true
	}
	isHexadecimal := runEnd(b, 0, hexLower) == len(b)
	if isHexadecimal {
		return len(b) >= 32 && looksRandom(b)
	}
	return mixedCase(b) || len(b) >= 40 && looksRandomAlone(b)
}

// isSlack reports whether the text behind a prefix of Slack is a secret: it has the numbers
// of the workspace and the user and a random part, or is random.
func isSlack(b string) bool {
	hasNumbers := class[b[0]]&digit != 0
	lastPart := b[strings.LastIndexByte(b, '-')+1:]
	return hasNumbers && looksRandom(lastPart) || looksRandom(b)
}

// ofDiscord returns where the token of an interaction or a webhook is in a URL of
// Discord's API, on any host.
func ofDiscord(text string, at int) (start, end int) {
	start, end = inDiscord(text, at)
	if end == 0 {
		return 0, 0
	}
	isInAPI := discordAPI().MatchString(text[max(0, at-16):at])
	if !isInAPI && !strings.HasPrefix(text[end:], "/messages/@") {
		return 0, 0
	}
	return start, end
}

var (
	inDiscord  = shape(`\w+/\d{17,20}/([\w-]{40,})`, looksRandom)
	discordAPI = memo.Regexp(`/api/(?:v\d+/)?$`)
)

// isAny accepts any text, where the expression of a shape decides.
func isAny(string) bool { return true }

// isSendGrid reports whether the text behind "SG." looks random.
func isSendGrid(b string) bool { return looksRandom(b[len("SG."):]) }

// isDiscord reports whether the first part of a token is the number of a bot in base64.
func isDiscord(b string) bool {
	number, err := base64.RawURLEncoding.DecodeString(b[:strings.IndexByte(b, '.')])
	return err == nil && runEnd(string(number), 0, digit) == len(number)
}

// isAWSKeyID reports whether a text is an access key ID: four letters, and 16 characters of
// base32.
func isAWSKeyID(b string) bool {
	return evenMix(b) && (b[1] != 'S' || strings.ContainsAny(b, "234567")) // "ASIA" begins names, too
}

// isWebhook reports whether the last part of the path of a webhook looks random. It is the
// secret of the webhook.
func isWebhook(b string) bool {
	slash := strings.LastIndexByte(b, '/')
	return slash >= 0 && len(b)-slash > 20 && looksRandom(b[slash+1:])
}

// jwt returns where the JSON Web Token is that begins at a place: a JSON object with "alg"
// in base64url, and two parts more (RFC 7519) or four (RFC 7516). A token without a
// signature is not a secret, and end is 0.
func jwt(text string, at int) (start, end int) {
	headerEnd := runEnd(text[:min(len(text), at+4096)], at, url64)
	header := text[at:headerEnd]
	if len(header) < 12 {
		return 0, 0
	}
	end = jwtEnd(text, headerEnd)
	others := text[headerEnd:end]
	isSigned := len(others)-strings.LastIndexByte(others, '.') > 16
	if !isSigned {
		return 0, 0
	}
	var object struct{ Alg string }
	raw, err := base64.RawURLEncoding.DecodeString(header)
	if err != nil || json.Unmarshal(raw, &object) != nil || object.Alg == "" {
		return 0, 0
	}
	return at, end
}

// jwtEnd returns where the parts of a token end that follow its header: two to four, each
// with a dot before it. The first of them is empty if the signed data is elsewhere (RFC
// 7515, appendix F). With fewer parts, jwtEnd returns at.
func jwtEnd(text string, at int) int {
	end := at
	parts := 0
	for parts < 4 && end < len(text) && text[end] == '.' {
		next := runEnd(text, end+1, url64)
		isEmpty := next == end+1
		if isEmpty && parts > 0 {
			break
		}
		end = next
		parts++
	}
	if parts < 2 {
		return at
	}
	return end
}

const pemBegin = "-----BEGIN "

// pem returns where the private key is that begins at a place, in PEM (RFC 7468) or in
// OpenPGP armour. Its line ends may be escaped, and its last line may be missing. Without
// 40 random characters in a row, the text is only about a key, and end is 0.
func pem(text string, at int) (start, end int) {
	const dashes = "-----"
	label := text[at+len(pemBegin) : min(len(text), at+len(pemBegin)+60)]
	label, _, ok := strings.Cut(label, dashes)
	isPrivateKey := strings.HasSuffix(strings.TrimSuffix(label, " BLOCK"), "PRIVATE KEY")
	if !ok || !isPrivateKey {
		return 0, 0
	}
	body := at + len(pemBegin) + len(label) + len(dashes)
	end = body
	for end < len(text) && mayBeInPEM(text[end]) && !strings.HasPrefix(text[end:], dashes) {
		end++
	}
	longest := longestRun(text[body:end], std64)
	if len(longest) < 40 || !looksRandom(longest) {
		return 0, 0
	}
	lastLine := "-----END " + label + dashes
	if strings.HasPrefix(text[end:], lastLine) {
		return at, end + len(lastLine)
	}
	return at, body + len(upToLastBase64().FindString(text[body:end]))
}

// mayBeInPEM reports whether a byte may be in the body of PEM: in base64, in the headers of
// OpenPGP armour, or in an escaped line end.
func mayBeInPEM(c byte) bool {
	return class[c]&(std64|equal|dot|dash) != 0 || strings.IndexByte("\\ \n\r\t:,()@<>", c) >= 0
}

// pem64 returns where the private key is that begins at a place, in base64 of PEM, such as
// client-key-data and tls.key of Kubernetes. In the middle of other base64, end is 0.
func pem64(text string, at int) (start, end int) {
	isInBase64 := at > 0 && class[text[at-1]]&plus != 0
	if isInBase64 {
		return 0, 0
	}
	return at, runEnd(text[:min(len(text), at+16<<10)], at, std64|equal)
}

// upToLastBase64 matches a text up to the end of its last run of base64 that is not a word.
var upToLastBase64 = memo.Regexp(`(?s)^.*[A-Za-z0-9+/=]{24}`)
