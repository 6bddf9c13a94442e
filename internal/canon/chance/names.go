// Package chance has the names of fields whose values differ by chance, and expressions for
// such values: random values, counters and times of one call or one run. It is the one place
// for such names. The consequence is up to its callers: matching ignores such a field, a new
// recording of a cassette keeps its value, and a comparison of responses skips it.
package chance

import (
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// matching returns a function that reports whether a name matches an expression. The
// function remembers its results, since there are few names. The expression is compiled on
// first use, and not in every program that links this package.
func matching(expr string) func(string) bool {
	results := memo.Strings[bool]{Func: like(expr)}
	return results.Get
}

// callWords are words for a single call, or a count of calls, in the names of fields.
const callWords = `trace|span|request|correlation|nonce|idempotency|run|build|progress|message|` +
	`call|event|attempt|retry|retries|sequence|seq|step|turn|counter|iteration|iter|poll|` +
	`invocation|completion|generation|task|job`

// The names of fields of requests.
var (
	ofOneCall = matching(`(?i:(^|[_-])(` + callWords + `)([_-]?(id|no|nr|number|count|key|token|uuid))?$)|` +
		`[a-z](?i:` + callWords + `)(Id|ID|Number|Count|Key|Token|UUID)$|` +
		`(?i:^ts$|time|timestamp|date|created|updated|traceparent|tracestate)$|(_a|A)t$`)
	whoAsks = matching(`(?i)user|tenant|account|customer|client|organi[sz]ation|^org|project|` +
		`session|conversation|thread|identifier|cache_key|version`)
	tokens = matching(`(?i)^(?:x[_-]?)?(?:amzn?[_-]?)?` +
		`(client|creat(e|ion|or)|caller|request|idempotenc[ey]|dedup(e|lication)?)[_-]?` +
		`(idempotenc[ey]|request)?[_-]?(token|reference|key)$|` +
		`^profile[_-]?token$|` +
		`^(client|creator)[_-]?request[_-]?(id|token)$|` +
		`^idempoten(c[ey]|t)([_-]?(id|uuid|token))?$|` +
		`^message[_-]?deduplication[_-]?id$|` +
		`^client[_-]?mutation[_-]?id$`)
	headers = matching(`^(x-stainless-|amz-sdk-|x-datadog-|x-b3-|x-envoy-|sec-|proxy-)|` +
		`^(accept|accept-encoding|content-type|content-length|content-md5|transfer-encoding|` +
		`user-agent|connection|keep-alive|te|trailer|expect|upgrade|host|forwarded|via|` +
		`signature-input|x-amz-user-agent|x-goog-api-client|x-amz-security-token|` +
		`x-cloud-trace-context|b3|newrelic|baggage|dpop)$|` +
		`(^|-)(date|time|timestamp|expires|deadline|timeout|nonce|signature|sig|sign|hmac|digest|` +
		`sha256|_?csrf|csrftoken|xsrf|attempt|attempts|retry|retries|(elastic-apm-)?trace|` +
		`traceparent|tracestate|traceid|spanid)(-(id|no|nr|number|count|token|bin))?$|` +
		`(^|-)(request|correlation|idempotenc[ey]|invocation|transaction|message|call|event|span|` +
		`sequence)-?(id|key|no|nr|number|token|uuid|start)$|` +
		`(^|-)client-?token$`)
	navigation = matching(`^(referer|origin|cache-control|pragma|priority|dnt|save-data|` +
		`upgrade-insecure-requests|accept-charset|alt-used|early-data|max-forwards|` +
		`http2-settings|device-memory|dpr|downlink|ect|rtt|viewport-width|width)$`)
	cookies = matching(`^(__cf|_cf|cf_|AWSALB|AWSELB|ARRAffinity|ak_bmsc$|bm_|_abck$|incap_ses_|` +
		`visid_incap_|nlbi_|datadome$|_ga|_gid$)`)
)

// OfOneCall reports whether the value of a field is of one call only, such as a trace ID or
// an attempt. The answer does not depend on it.
func OfOneCall(name string) bool { return ofOneCall(name) }

// WhoAsks reports whether the value of a field identifies a caller or a version. Its digits
// have a meaning.
func WhoAsks(name string) bool { return whoAsks(name) }

// Tokens reports whether a field has the key by which a service recognizes a retried
// request: in AWS's Smithy (clientToken, ClientRequestToken, CreationToken; profileToken of
// CodeGuru Profiler; MessageDeduplicationId of SQS), GitHub's GraphQL (clientMutationId),
// Stripe, Square and many others.
func Tokens(name string) bool { return tokens(name) }

// Headers reports whether a header or a parameter changes with each call or each run without
// a meaning for the answer, is written by a transport, or only describes the body.
func Headers(name string) bool { return headers(name) }

// Navigation reports whether a header describes the page that a client came from, or how
// caches and connections treat the request (RFC 9110, RFC 9111, RFC 9218, Fetch, client
// hints). Such headers do not identify the client. net/http writes Referer itself when it
// follows a redirect.
func Navigation(name string) bool { return navigation(name) }

// Cookies reports whether a cookie is one by which content delivery networks, load balancers
// and visit counters recognize a client: those of Cloudflare, AWS, Azure, Akamai, Imperva,
// DataDome, Google. For tokens that protect forms, see [Headers].
func Cookies(name string) bool { return cookies(name) }

// ContentHeaders are headers on which the answer depends:
//
//   - those of RFC 9110 and RFC 7240, and those that vendors have instead of a parameter;
//   - the source of a copy, the page for Jina's reader (https://jina.ai/reader), the tenant;
//   - the operation at a path that many operations share: AWS JSON
//     (https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html), SOAP 1.1, section 6.1.1.
//
// Their values never change by chance and are no secrets. Where the API of a request is
// unknown, matching compares them.
var ContentHeaders = strings.Fields(`
	accept accept-datetime accept-language accept-profile content-profile content-range depth
	destination dropbox-api-arg
	if-match if-modified-since if-none-match if-range if-unmodified-since last-event-id mcp-protocol-version
	notion-version prefer pronunciation-assessment range soapaction stripe-version upload-offset x-amz-copy-source
	x-amz-object-attributes x-amz-target x-engine x-github-api-version x-goog-fieldmask
	x-goog-upload-command x-goog-upload-offset x-http-method x-http-method-override x-locale x-method-override
	x-microsoft-outputformat x-ms-continuation x-ms-copy-source x-ms-range x-ms-rename-source x-remove-selector
	x-respond-with x-retain-images x-return-format x-scope-orgid x-target-selector x-trino-catalog x-trino-schema
	x-vault-namespace x-wait-for-selector x-with-generated-alt x-with-iframe x-with-images-summary x-with-links-summary
	x-with-shadow-dom`)

// DeploymentHeaders select one of the deployments behind an endpoint.
var DeploymentHeaders = strings.Fields("azureml-model-deployment x-ms-oai-image-generation-deployment")

// The names of fields of answers.
var (
	ids           = matching(`^id$|_id$|Id$`)
	answerHeaders = matching(`^(request-id|x-request-id|x-amzn-requestid|x-ms-request-id|` +
		`mistral-correlation-id|x-amzn-bedrock-invocation-latency)$`)
	noise = matching(`^(created|createTime|timestamp|obfuscation|system_fingerprint)$|` +
		`(_at|[a-z]At|_duration|Latency|_ms|[a-z]Ms|_cost_usd)$`)
	proofs = matching(`^(signature|thoughtSignature|thought_signature|encrypted_content|` +
		`encrypted_index|updated)$`)
	counts = matching(`^(usage|usageMetadata|meta|metrics|timings|x_groq|time_info|` +
		`prompt_eval_count|eval_count|amazon-bedrock-invocationMetrics|inputTextTokenCount|` +
		`tokenCount|totalOutputTextTokenCount|prompt_token_count|generation_token_count)$`)
)

// IDs reports whether a field has an ID: id, call_id, toolUseId.
func IDs(name string) bool { return ids(name) }

// AnswerHeaders reports whether a header of a response differs with each response.
func AnswerHeaders(name string) bool { return answerHeaders(name) }

// Noise reports whether a field has a time, a duration or a cost, or no meaning: created (OpenAI),
// createTime (Gemini), eval_duration (Ollama), latencyMs (Bedrock), duration_ms and total_cost_usd
// (Claude Code), and obfuscation, with which OpenAI makes the events of a stream equally long.
func Noise(name string) bool { return noise(name) }

// Proofs reports whether a field differs in every response since it signs or encrypts
// reasoning, or is a time that may have a meaning for a program that keeps the response.
func Proofs(name string) bool { return proofs(name) }

// Counts reports whether a field has the cost or the duration of a response: usage (OpenAI,
// Anthropic, Bedrock), usageMetadata (Gemini), meta (Cohere), timings (llama.cpp), x_groq,
// time_info (Cerebras), and counts of Ollama and of models on Bedrock.
func Counts(name string) bool { return counts(name) }

// What values look like.
var (
	drawnForCall   = like(`[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-|[0-9a-fA-F]{16}`)
	counted        = like(`\d{8}`)
	timed          = like(`\d{4}-?\d\d-?\d\d|\d\d?:\d\d|(?i:\b(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? \d)`)
	drawnOrCounted = like(`^[0-9.:+-]+$|\d{4}-\d\d-\d\d|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-|` +
		`^[0-9a-fA-F]{16,}$|\d\d:\d\d:\d\d`)
)

// Drawn reports whether a value has a random part: a UUID or hexadecimal.
func Drawn(value string) bool { return drawnForCall(value) }

// Counted reports whether a value has a number as long as that of a clock or a counter.
func Counted(value string) bool { return counted(value) }

// Timed reports whether a value has a date or a time as programs write them.
func Timed(value string) bool { return timed(value) }

// DrawnOrCounted reports whether the value of a header or a parameter is a number, a time, a
// UUID or random.
func DrawnOrCounted(value string) bool { return drawnOrCounted(value) }

// like returns a function that reports whether a value matches an expression.
func like(expr string) func(string) bool {
	re := memo.Regexp(expr)
	return func(s string) bool { return re().MatchString(s) }
}

// Random reports whether a value looks random: a UUID, a ULID, hexadecimal, base64 or the
// like, or the placeholder for such a value. A text that people write has words in it.
func Random(value string) bool {
	if strings.HasPrefix(value, "[REDACTED-") || drawn().MatchString(value) {
		return true
	}
	n := len(value)
	if n < 16 || !alphabet().MatchString(value) {
		return false
	}
	turns := len(turn().FindAllString(value, -1))
	inWords := len(strings.Join(word().FindAllString(value, -1), ""))
	hasManyTurns := turns*100 >= n*12
	isWords := inWords*100 >= n*80
	return hasManyTurns && !isWords
}

var (
	drawn = memo.Regexp(`^(?i)\{?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?$|` +
		`^[0-7][0-9A-HJKMNP-TV-Z]{25}$|^(?:[a-f]+[0-9]|[0-9]+[a-f])[0-9a-f]{14,}$`)
	alphabet = memo.Regexp(`^[\w+/=.:~-]+$`)
	turn     = memo.Regexp(`[a-z][A-Z0-9]|[A-Z][a-z0-9]|[0-9][A-Za-z]`)
	word     = memo.Regexp(`[A-Z]?[a-z]{3,}|[A-Z]{4,}`)
)
