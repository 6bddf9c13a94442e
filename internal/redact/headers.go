package redact

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon/chance"
	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/redact/carrier"
)

// notKept are the response headers that are not kept. All others are kept, since a program
// may read any of them.
var notKept = strings.Fields(ofNetworks + ofOneAnswer + ofAccounts)

const (
	// Headers of transports, networks and servers, and those that only browsers and caches
	// obey. What describes the body on the wire is elsewhere in a cassette.
	ofNetworks = `
		accept-ch access-control-* age alt-svc cache-control cf-apo-via cf-cache-status cf-placement
		cf-ray connection content-security-policy* cross-origin-* expect-ct expires feature-policy
		keep-alive nel origin-agent-cluster p3p permissions-policy pragma proxy-connection
		referrer-policy report-to reporting-endpoints sec-websocket-accept sec-websocket-extensions
		sec-websocket-key sec-websocket-version server skip-error-remapping
		strict-transport-security timing-allow-origin transfer-encoding upgrade vary via x-accel-*
		x-amz-cf-* x-aspnet* x-azure-ref x-build-commit x-build-time x-cache x-cache-hits
		x-content-type-options x-dns-prefetch-control x-download-options x-envoy-* x-fd-int-*
		x-frame-options x-goog-upload-header-* x-guploader-uploadid x-hostname x-kong-* x-msedge-ref
		x-openai-proxy-wasm x-permitted-cross-domain-policies x-powered-by x-proxied-* x-robots-tag
		x-served-by x-sha x-timer x-ua-compatible x-varnish x-vercel-cache x-vercel-id
		x-xss-protection`
	// Values that differ with each response and mean nothing to a program: IDs, times,
	// measurements. The AWS SDK would set its clock by Date.
	ofOneAnswer = `
		*-processing-ms *-trace-id *-upstream-response-duration cf-auditlog-id date dg-additional-*
		dg-breaks-applied dg-pronunciations-applied inference-id num-chars num_chars
		prompt-token-len pydantic-ai-gateway-* sampling-token-len server-timing traceparent
		traceresponse tracestate x-amz-id-2 x-amzn-trace-id x-api-call-* x-api-received x-b3-*
		x-cloud-trace-context x-compute-* x-generated-tokens x-generation-id x-inference-*
		x-litellm-call-id x-max-retry-attempts-reached x-metrics-* x-prompt-tokens x-queue-time
		x-request-time x-request-time-secs x-response-time x-runtime x-time-per-token x-total-time
		x-validation-time`
	// The account that sent the request, and the region and the terms of the response.
	ofAccounts = `
		anthropic-organization-id anthropic-workspace-id azureai-* azureml-* dg-project-id
		openai-model openai-organization openai-project openai-version x-data-retention
		x-databricks-org-id x-litellm-key-spend x-litellm-version x-ms-aoai-* x-ms-deployment-name
		x-ms-is-spilled-over x-ms-rai-* x-ms-region x-ms-served-model x-zero-data-retention`
)

// ofFailures are IDs that are kept only with failures, since a user reports them to the
// provider. IDs that SDKs pass to programs (x-request-id, request-id) are always kept.
var ofFailures = strings.Fields(`*-correlation-id *-request-id *-requestid x-global-transaction-id`)

// ofLimits are the rate limits. A program reads them once it has reached one.
var ofLimits = strings.Fields(`*ratelimit* *rate-limit* x-endpoint-monthly-call-limit
	x-trial-endpoint-call-*`)

// urlHeaders are the headers whose value is a URL without a host, which may be signed.
var urlHeaders = strings.Fields(`location content-location operation-location azure-asyncoperation
	x-ms-rename-source`)

// bodySums are the headers with a checksum of the body, which a client verifies (RFC 1864,
// RFC 9530; S3, Google Cloud Storage, Azure and registries of containers).
var bodySums = strings.Fields(`content-digest content-md5 digest docker-content-digest repr-digest
	x-amz-checksum-* x-goog-hash x-ms-content-crc64`)

// withoutChecksums returns the headers of a response whose body has changed, without the
// checksums of the body.
func withoutChecksums(in interaction.Headers) interaction.Headers {
	return slices.DeleteFunc(in, func(h interaction.Header) bool {
		return isListed(bodySums, strings.ToLower(h.Name))
	})
}

// linkTarget matches the URL in a Link header (RFC 8288, section 3).
var linkTarget = memo.Regexp(`<([^<>]*)>`)

// keeps reports whether an entry of KeepHeaders matches a name, which is in lower case.
func (p *Policy) keeps(name string) bool {
	return p.matchesEntry(p.KeepHeaders, name, func(entry, name string) bool {
		return isListed([]string{entry}, name)
	})
}

// Drops reports whether a header of a response with this status is not written. The name
// is in lower case. While recording, the client must not get the header either.
func (p *Policy) Drops(name string, status int) bool {
	if p.keeps(name) {
		return false
	}
	if isListed(notKept, name) {
		return true
	}
	mayBeLimited := status == 403 || status == 429 || status >= 500
	if !mayBeLimited && isListed(ofLimits, name) {
		return true
	}
	isFailure := status >= 400
	return !isFailure && name != "x-request-id" && isListed(ofFailures, name)
}

// requestHeaders returns the headers of a request that are written, with their values
// redacted.
func (p *Policy) requestHeaders(req *interaction.Request) interaction.Headers {
	isHandshake := req.OpensWebSocket()
	out := rewrittenHeaders(req.Headers, func(name, value string) (string, bool) {
		isOfHandshake := name == upgradeHeader || name == subprotocolHeader
		if isOfHandshake && isHandshake || !p.keepsInRequest(name) {
			return "", false
		}
		return p.header(name, value, scope{fields: anywhere}), true
	})
	if isHandshake {
		out = append(out, p.handshakeHeaders(req.Headers)...)
		sortHeaders(out)
	}
	return out
}

// keepsInRequest reports whether a request header of this name is written. The user must
// give the whole name of a credential: a pattern does not select it.
func (p *Policy) keepsInRequest(name string) bool {
	isWholeEntry := p.matchesEntry(p.KeepHeaders, name, strings.EqualFold)
	if isWholeEntry || isListed(requestHeaders, name) {
		return true
	}
	mayBeCredential := isSecret(name) || meanings.Get(name).session
	return !mayBeCredential && p.keeps(name)
}

// responseHeaders returns the headers or trailers of a response that are written, with
// their values redacted. A secret in a header of a secret's name becomes known.
func (p *Policy) responseHeaders(
	headers interaction.Headers, status int, in scope,
) interaction.Headers {
	return rewrittenHeaders(headers, func(name, value string) (string, bool) {
		switch {
		case p.Drops(name, status):
			return "", false
		case name == "set-cookie":
			return p.cookie(value)
		case name == subprotocolHeader:
			return p.subprotocols([]string{value})[0], true
		case !p.matchesEntry(p.KeepHeaders, name, strings.EqualFold) && isSecretHeader(name, value):
			p.learnResponseHeader(value)
			return Placeholder, true
		}
		in.isResponse = false // the placeholders in headers have no type
		return p.header(name, value, in), true
	})
}

// rewrittenHeaders returns headers with each value replaced by what rewrite returns, and
// without the values that are not kept. They are sorted, and their names are in lower case.
func rewrittenHeaders(
	in interaction.Headers, rewrite func(name, value string) (text string, isKept bool),
) (out interaction.Headers) {
	for _, h := range in {
		name := strings.ToLower(h.Name) // copies nothing: a recorder has them in lower case
		var values []string
		for _, v := range h.Values {
			if text, isKept := rewrite(name, v); isKept {
				values = append(values, text)
			}
		}
		if values != nil {
			out = append(out, interaction.Header{Name: name, Values: values})
		}
	}
	sortHeaders(out)
	return out
}

// sortHeaders sorts headers by their names.
func sortHeaders(headers interaction.Headers) {
	group.Sort(headers, func(a, b interaction.Header) int { return strings.Compare(a.Name, b.Name) })
}

// isSecretHeader reports whether a response header has a secret by its name. If the name
// ends like that of a secret, any value is one; otherwise, as for X-Token-Expires, a value
// that looks like one.
func isSecretHeader(name, value string) bool {
	if isListed(ofLimits, strings.ToLower(name)) {
		return false // Azure's X-Ratelimit-Key is the deployment that has reached its limit
	}
	m := meanings.Get(name)
	if m.whole {
		return true
	}
	mayBeSecret := m.secret || m.session
	return mayBeSecret && (isKey(value) || isFake(value))
}

// cookie returns a Set-Cookie header (RFC 6265, section 4.1) with a placeholder for its
// value, which becomes known. A cookie that is not deleted expires in the year 2999.
func (p *Policy) cookie(header string) (text string, isKept bool) {
	pair, attributes, _ := strings.Cut(header, ";")
	name, value, _ := strings.Cut(pair, "=")
	value = strings.Trim(strings.TrimSpace(value), `"`)
	if chance.Cookies(name) && !p.matchesEntry(p.KeepHeaders, "set-cookie", strings.EqualFold) {
		return "", false
	}
	isDeletion := value == "" || value == "deleted"
	if !isDeletion {
		attributes = expires().ReplaceAllString(attributes, "${1}Fri, 31 Dec 2999 23:59:59 GMT")
	}
	if !isReadable(value) && value != Placeholder {
		p.learnResponseHeader(value)
	}
	return strings.TrimSuffix(name+"="+Placeholder+";"+p.text(attributes), ";"), true
}

var expires = memo.Regexp(`(?i)(\bexpires=)[^;]*`)

// header returns what is written for the value of a header that is kept.
func (p *Policy) header(name, value string, in scope) string {
	isURL := slices.Contains(urlHeaders, name) ||
		strings.HasPrefix(value, "http://") || strings.HasPrefix(value, "https://")
	switch {
	case p.replacesNamed(name):
		return Placeholder
	case isURL:
		value = p.redactURL(value)
	case name == "link":
		value = linkTarget().ReplaceAllStringFunc(value, func(target string) string {
			return "<" + p.redactURL(target[1:len(target)-1]) + ">"
		})
	}
	out, err := p.redact(value, in, carrier.Place{})
	if err != nil {
		return Placeholder
	}
	return out
}
