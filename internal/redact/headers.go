package redact

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon/chance"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/redact/carrier"
)

// notKept are the headers of answers that are not kept. All others are, since nobody knows what
// a program reads.
var notKept = strings.Fields(ofNetworks + ofOneAnswer + ofAccounts)

const (
	// Noise of transports, networks and servers, and what only a browser or a cache obeys. What
	// describes the body on the wire stands elsewhere in a cassette.
	ofNetworks = `
		accept-ch access-control-* age alt-svc cache-control cf-apo-via cf-cache-status cf-placement cf-ray connection
		content-security-policy* cross-origin-* expect-ct expires feature-policy keep-alive nel origin-agent-cluster p3p
		permissions-policy pragma proxy-connection referrer-policy report-to reporting-endpoints server skip-error-remapping
		strict-transport-security timing-allow-origin transfer-encoding upgrade vary via x-accel-* x-amz-cf-* x-aspnet*
		x-azure-ref x-build-commit x-build-time x-cache x-cache-hits x-content-type-options x-dns-prefetch-control
		x-download-options x-envoy-* x-fd-int-* x-frame-options x-goog-upload-header-* x-guploader-uploadid x-hostname
		x-kong-* x-msedge-ref x-openai-proxy-wasm x-permitted-cross-domain-policies x-powered-by x-proxied-* x-robots-tag
		x-served-by x-sha x-timer x-ua-compatible x-varnish x-vercel-cache x-vercel-id x-xss-protection`
	// What is new with each answer and means nothing to a program: ids, times, measurements. Date
	// would teach the AWS SDK a wrong clock.
	ofOneAnswer = `
		*-processing-ms *-trace-id *-upstream-response-duration cf-auditlog-id date dg-additional-* dg-breaks-applied
		dg-pronunciations-applied inference-id num-chars num_chars prompt-token-len pydantic-ai-gateway-*
		sampling-token-len server-timing traceparent traceresponse tracestate x-amz-id-2 x-amzn-trace-id x-api-call-*
		x-api-received x-b3-* x-cloud-trace-context x-compute-* x-generated-tokens x-generation-id x-inference-* x-litellm-call-id
		x-max-retry-attempts-reached x-metrics-* x-prompt-tokens x-queue-time x-request-time x-request-time-secs
		x-response-time x-runtime x-time-per-token x-total-time x-validation-time`
	// Whose account asked, and where and under which terms it is answered.
	ofAccounts = `
		anthropic-organization-id anthropic-workspace-id azureai-* azureml-* dg-project-id openai-model openai-organization
		openai-project openai-version x-data-retention x-databricks-org-id x-litellm-key-spend x-litellm-version x-ms-aoai-*
		x-ms-deployment-name x-ms-is-spilled-over x-ms-rai-* x-ms-region x-ms-served-model x-zero-data-retention`
)

// ofFailures are kept only with failures: an id is what one tells a provider then. Those that
// SDKs hand to programs (x-request-id, request-id) are always kept.
var ofFailures = strings.Fields(`*-correlation-id *-request-id *-requestid x-global-transaction-id`)

// ofLimits say how much one may ask, which decides once that was too much.
var ofLimits = strings.Fields(`*ratelimit* *rate-limit* x-endpoint-monthly-call-limit x-trial-endpoint-call-*`)

// urlHeaders are those whose value is a URL without a host, which can be signed.
var urlHeaders = strings.Fields(`location content-location operation-location azure-asyncoperation x-ms-rename-source`)

// bodySums are those with a checksum of the body (RFC 1864, RFC 9530; of S3, Google Cloud Storage, Azure and registries),
// which a client checks.
var bodySums = strings.Fields(`content-digest content-md5 digest docker-content-digest repr-digest x-amz-checksum-* x-goog-hash x-ms-content-crc64`)

// withoutSums returns headers of an answer whose body has changed.
func withoutChecksums(in interaction.Headers) interaction.Headers {
	return slices.DeleteFunc(in, func(h interaction.Header) bool { return listed(bodySums, strings.ToLower(h.Name)) })
}

// linkTarget is the URL of a Link header (RFC 8288, section 3).
var linkTarget = memo.Regexp(`<([^<>]*)>`)

// keeps reports whether the user keeps headers of a name, in lower case.
func (p *Policy) keeps(name string) bool {
	return p.matchesEntry(p.KeepHeaders, name, func(entry, name string) bool { return listed([]string{entry}, name) })
}

// Drops reports whether a header of this name, in lower case, of an answer with this status
// is not kept. Its client must not get it while it is recorded either.
func (p *Policy) Drops(name string, status int) bool {
	isRefused := status == 403 || status == 429 || status >= 500
	return !p.keeps(name) && (listed(notKept, name) || !isRefused && listed(ofLimits, name) ||
		status < 400 && name != "x-request-id" && listed(ofFailures, name))
}

// requestHeaders returns the headers that may be written: those on the list and what the
// user keeps, a credential only by its whole name.
func (p *Policy) requestHeaders(in interaction.Headers) interaction.Headers {
	return rewrittenHeaders(in, func(name, value string) (string, bool) {
		if !p.matchesEntry(p.KeepHeaders, name, strings.EqualFold) && !listed(requestHeaders, name) &&
			(isSecret(name) || meanings.Get(name).session || !p.keeps(name)) {
			return "", false
		}
		return p.header(name, value, scope{fields: anywhere}), true
	})
}

// answerHeaders returns the headers or trailers of an answer that are kept. What is a secret
// by its name is one wherever it stands from now on.
func (p *Policy) responseHeaders(in interaction.Headers, status int, find scope) interaction.Headers {
	return rewrittenHeaders(in, func(name, value string) (string, bool) {
		switch {
		case p.Drops(name, status):
			return "", false
		case name == "set-cookie":
			return p.cookie(value)
		case !p.matchesEntry(p.KeepHeaders, name, strings.EqualFold) && isSecretHeader(name, value):
			p.learnResponseHeader(value) // but no placeholder
			return Placeholder, true
		}
		find.isResponse = false // the placeholders of headers have no type
		return p.header(name, value, find), true
	})
}

// rewrittenHeaders returns headers with what write makes of their values, and without those that it
// does not keep.
func rewrittenHeaders(in interaction.Headers, write func(name, value string) (text string, kept bool)) (out interaction.Headers) {
	for _, h := range in {
		name := strings.ToLower(h.Name) // no copy: a recorder's are lower-case
		var values []string
		for _, v := range h.Values {
			if text, kept := write(name, v); kept {
				values = append(values, text)
			}
		}
		if values != nil {
			out = append(out, interaction.Header{Name: name, Values: values})
		}
	}
	slices.SortStableFunc(out, func(a, b interaction.Header) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// isSecretHeader reports whether a header of an answer holds a secret by its name: whatever
// it says if the name ends so, and otherwise (X-Token-Expires) what looks like one.
func isSecretHeader(name, value string) bool {
	if listed(ofLimits, strings.ToLower(name)) {
		return false // X-Ratelimit-Key of Azure says which deployment has reached its limit
	}
	m := meanings.Get(name)
	return m.whole || (m.secret || m.session) && (isKey(value) || isFake(value))
}

// cookie returns a Set-Cookie header (RFC 6265, section 4.1) without its value, which is a
// secret from now on. It expires far in the future, unless it is taken away.
func (p *Policy) cookie(header string) (text string, kept bool) {
	pair, attributes, _ := strings.Cut(header, ";")
	name, value, _ := strings.Cut(pair, "=")
	value = strings.Trim(strings.TrimSpace(value), `"`)
	if chance.Cookies(name) && !p.matchesEntry(p.KeepHeaders, "set-cookie", strings.EqualFold) {
		return "", false
	}
	if value != "" && value != "deleted" {
		attributes = expires().ReplaceAllString(attributes, "${1}Fri, 31 Dec 2999 23:59:59 GMT")
	}
	if !isReadable(value) && value != Placeholder {
		p.learnResponseHeader(value)
	}
	return strings.TrimSuffix(name+"="+Placeholder+";"+p.text(attributes), ";"), true
}

var expires = memo.Regexp(`(?i)(\bexpires=)[^;]*`)

func (p *Policy) header(name, value string, in scope) string {
	switch {
	case p.replacesNamed(name):
		return Placeholder
	case slices.Contains(urlHeaders, name), strings.HasPrefix(value, "http://"), strings.HasPrefix(value, "https://"):
		value = p.url(value)
	case name == "link":
		value = linkTarget().ReplaceAllStringFunc(value, func(target string) string {
			return "<" + p.url(target[1:len(target)-1]) + ">"
		})
	}
	out, err := p.redact(value, in, carrier.Place{})
	if err != nil {
		return Placeholder
	}
	return out
}
