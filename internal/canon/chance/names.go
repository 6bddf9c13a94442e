// Package chance knows which names hold values that differ by chance, and what such values
// look like: what is drawn, counted or timed for each call or each run. It is the one place
// for such names. Who asks says what follows: that a field does not choose, that it stays as
// it was in a cassette that is recorded again, that it is no difference of two answers.
package chance

import (
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// matching returns a function that reports whether a text matches an expression, and
// remembers what it said of names: they are few. The expression is compiled by the first
// that asks, not by every program that links this package.
func matching(expr string) func(string) bool {
	said := memo.Strings[bool]{Func: like(expr)}
	return said.Get
}

// callWords are what names of fields call a single call, or a count of calls.
const callWords = `trace|span|request|correlation|nonce|idempotency|run|build|progress|message|call|event|attempt|retry|retries|sequence|seq|` +
	`step|turn|counter|iteration|iter|poll|invocation|completion|generation|task|job`

// The names of fields of requests.
var (
	ofOneCall = matching(`(?i:(^|[_-])(` + callWords + `)([_-]?(id|no|nr|number|count|key|token|uuid))?$)|` +
		`[a-z](?i:` + callWords + `)(Id|ID|Number|Count|Key|Token|UUID)$|` +
		`(?i:^ts$|time|timestamp|date|created|updated|traceparent|tracestate)$|(_a|A)t$`)
	whoAsks = matching(`(?i)user|tenant|account|customer|client|organi[sz]ation|^org|project|session|conversation|thread|identifier|cache_key|version`)
	tokens  = matching(`(?i)^(?:x[_-]?)?(?:amzn?[_-]?)?(client|creat(e|ion|or)|caller|request|idempotenc[ey]|dedup(e|lication)?)[_-]?(idempotenc[ey]|request)?[_-]?(token|reference|key)$|` +
		`^profile[_-]?token$|^(client|creator)[_-]?request[_-]?(id|token)$|^idempoten(c[ey]|t)([_-]?(id|uuid|token))?$|^message[_-]?deduplication[_-]?id$|^client[_-]?mutation[_-]?id$`)
	headers = matching(`^(x-stainless-|amz-sdk-|x-datadog-|x-b3-|x-envoy-|sec-|proxy-)|` +
		`^(accept|accept-encoding|content-type|content-length|content-md5|transfer-encoding|user-agent|connection|keep-alive|te|trailer|expect|upgrade|host|forwarded|via|signature-input|x-amz-user-agent|x-goog-api-client|x-amz-security-token|x-cloud-trace-context|b3|newrelic|baggage|dpop)$|` +
		`(^|-)(date|time|timestamp|expires|deadline|timeout|nonce|signature|sig|sign|hmac|digest|sha256|_?csrf|csrftoken|xsrf|attempt|attempts|retry|retries|(elastic-apm-)?trace|traceparent|tracestate|traceid|spanid)(-(id|no|nr|number|count|token|bin))?$|` +
		`(^|-)(request|correlation|idempotenc[ey]|invocation|transaction|message|call|event|span|sequence)-?(id|key|no|nr|number|token|uuid|start)$|` +
		`(^|-)client-?token$`)
	navigation = matching(`^(referer|origin|cache-control|pragma|priority|dnt|save-data|upgrade-insecure-requests|accept-charset|` +
		`alt-used|early-data|max-forwards|http2-settings|device-memory|dpr|downlink|ect|rtt|viewport-width|width)$`)
	cookies = matching(`^(__cf|_cf|cf_|AWSALB|AWSELB|ARRAffinity|ak_bmsc$|bm_|_abck$|incap_ses_|visid_incap_|nlbi_|datadome$|_ga|_gid$)`)
)

// OfOneCall reports whether a name is one of those whose value tells one call from the next, and decides no answer.
func OfOneCall(name string) bool { return ofOneCall(name) }

// WhoAsks reports whether a name is one of those whose value tells callers apart, or versions: it counts with its numbers.
func WhoAsks(name string) bool { return whoAsks(name) }

// Tokens reports whether a name is one of those by which a service knows a request that is sent again: of AWS's Smithy
// (clientToken, ClientRequestToken, CreationToken; profileToken of CodeGuru Profiler; MessageDeduplicationId
// of SQS), of GitHub's GraphQL (clientMutationId), of Stripe, Square and many others.
func Tokens(name string) bool { return tokens(name) }

// Headers reports whether a name is one of those of headers and parameters that change with each call or each run and
// say nothing about what is asked, that a transport writes, or that only describe the body.
func Headers(name string) bool { return headers(name) }

// Navigation reports whether a name is one of those of headers that say from where a client came to a page, or how a cache
// and a connection treat the request (RFC 9110, RFC 9111, RFC 9218, Fetch, client hints).
// They identify nobody. net/http writes Referer itself when it follows a redirect.
func Navigation(name string) bool { return navigation(name) }

// Cookies reports whether a name is one of those by which content delivery networks, load balancers and counters of
// visits recognise a client: Cloudflare, AWS, Azure, Akamai, Imperva, DataDome, Google.
// What protects forms is one of Headers.
func Cookies(name string) bool { return cookies(name) }

// ContentHeaders select what a server answers (RFC 9110, RFC 7240, and what the vendors named
// have instead of a parameter), or name what is read: copies, Jina's reader
// (https://jina.ai/reader), tenants; or what is called at a path that many operations share: AWS
// JSON (https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html) and SOAP 1.1, section
// 6.1.1. They never change by chance: they match where no family knows the request, and hold no
// secret.
var ContentHeaders = strings.Fields(`
	accept accept-datetime accept-language accept-profile content-profile content-range depth destination dropbox-api-arg
	if-match if-modified-since if-none-match if-range if-unmodified-since last-event-id mcp-protocol-version
	notion-version prefer pronunciation-assessment range soapaction stripe-version upload-offset x-amz-copy-source
	x-amz-object-attributes x-amz-target x-engine x-github-api-version x-goog-fieldmask
	x-goog-upload-command x-goog-upload-offset x-http-method x-http-method-override x-locale x-method-override
	x-microsoft-outputformat x-ms-continuation x-ms-copy-source x-ms-range x-ms-rename-source x-remove-selector
	x-respond-with x-retain-images x-return-format x-scope-orgid x-target-selector x-trino-catalog x-trino-schema
	x-vault-namespace x-wait-for-selector x-with-generated-alt x-with-iframe x-with-images-summary x-with-links-summary
	x-with-shadow-dom`)

// DeploymentHeaders name which of the deployments behind an endpoint answers, whatever is asked there.
var DeploymentHeaders = strings.Fields("azureml-model-deployment x-ms-oai-image-generation-deployment")

// The names of fields of answers.
var (
	ids           = matching(`^id$|_id$|Id$`)
	answerHeaders = matching(`^(request-id|x-request-id|x-amzn-requestid|x-ms-request-id|mistral-correlation-id|x-amzn-bedrock-invocation-latency)$`)
	noise         = matching(`^(created|createTime|latencyMs|obfuscation|system_fingerprint)$|_at$|_duration$|Latency$`)
	proofs        = matching(`^(signature|thoughtSignature|thought_signature|encrypted_content|encrypted_index|updated)$`)
	counts        = matching(`^(usage|usageMetadata|meta|metrics|timings|x_groq|time_info|prompt_eval_count|eval_count|` +
		`amazon-bedrock-invocationMetrics|inputTextTokenCount|tokenCount|totalOutputTextTokenCount|prompt_token_count|generation_token_count)$`)
)

// IDs reports whether a name is one of those that hold an id: id, call_id, toolUseId.
func IDs(name string) bool { return ids(name) }

// AnswerHeaders reports whether a name is one of those of headers that are others with each answer.
func AnswerHeaders(name string) bool { return answerHeaders(name) }

// Noise reports whether a name is one of those that hold a time, a duration or nothing: created (OpenAI), createTime
// (Gemini), eval_duration (Ollama), latencyMs (Bedrock), and what OpenAI makes the events
// of a stream equally long with.
func Noise(name string) bool { return noise(name) }

// Proofs reports whether a name is one of those that are others in every answer, since they sign or encrypt a thought,
// and a time that may mean something where an answer is kept.
func Proofs(name string) bool { return proofs(name) }

// Counts reports whether a name is one of those that hold what an answer cost and how long it took, whatever they have:
// usage (OpenAI, Anthropic, Bedrock), usageMetadata (Gemini), meta (Cohere), timings
// (llama.cpp), x_groq, time_info (Cerebras), and counts of Ollama and of models on Bedrock.
func Counts(name string) bool { return counts(name) }

// What values look like.
var (
	drawnForCall   = like(`[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-|[0-9a-fA-F]{16}`)
	counted        = like(`\d{8}`)
	timed          = like(`\d{4}-?\d\d-?\d\d|\d\d?:\d\d|(?i:\b(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? \d)`)
	drawnOrCounted = like(`^[0-9.:+-]+$|\d{4}-\d\d-\d\d|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-|^[0-9a-fA-F]{16,}$|\d\d:\d\d:\d\d`)
)

// Drawn reports whether a value is one of those that are drawn for a call or a run: UUIDs and hexadecimal.
func Drawn(value string) bool { return drawnForCall(value) }

// Counted reports whether a value is one of those with a number that is long enough to be one of a clock or a counter.
func Counted(value string) bool { return counted(value) }

// Timed reports whether a value is one of dates and times as programs write them.
func Timed(value string) bool { return timed(value) }

// DrawnOrCounted reports whether a value is one of those of headers and parameters that are numbers, times, UUIDs or random.
func DrawnOrCounted(value string) bool { return drawnOrCounted(value) }

// like returns a function that reports whether a value matches an expression.
func like(expr string) func(string) bool {
	re := memo.Regexp(expr)
	return func(s string) bool { return re().MatchString(s) }
}

// Random reports whether a value looks as if it was drawn: a UUID, a ULID, hexadecimal, base64
// or the like, also one that was replaced since it looked so. What people write has words in it.
func Random(value string) bool {
	if strings.HasPrefix(value, "[REDACTED-") || drawn().MatchString(value) {
		return true
	}
	n := len(value)
	turns, inWords := turn().FindAllString(value, -1), strings.Join(word().FindAllString(value, -1), "")
	return alphabet().MatchString(value) && n >= 16 && len(turns)*100 >= n*12 && len(inWords)*100 < n*80
}

var (
	drawn    = memo.Regexp(`^(?i)\{?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?$|^[0-7][0-9A-HJKMNP-TV-Z]{25}$|^(?:[a-f]+[0-9]|[0-9]+[a-f])[0-9a-f]{14,}$`)
	alphabet = memo.Regexp(`^[\w+/=.:~-]+$`)
	turn     = memo.Regexp(`[a-z][A-Z0-9]|[A-Z][a-z0-9]|[0-9][A-Za-z]`)
	word     = memo.Regexp(`[A-Z]?[a-z]{3,}|[A-Z]{4,}`)
)
