package redact

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
)

// requestHeaders may be written: they select what is answered or help a reader, and none
// can hold a secret. What decides a match is canon's business.
var requestHeaders = strings.Fields(`
	*-beta accept accept-language anthropic-version api-revision content-range content-type depth
	dropbox-api-arg if-match if-modified-since if-none-match if-range if-unmodified-since last-event-id
	mcp-protocol-version mcp-session-id notion-version prefer range soapaction stripe-version upload-offset
	x-amz-copy-source x-amz-target x-amzn-bedrock-accept x-amzn-bedrock-guardrailidentifier
	x-amzn-bedrock-guardrailversion x-amzn-bedrock-performanceconfig-latency x-amzn-bedrock-trace
	x-amzn-sagemaker-* x-github-api-version x-goog-fieldmask x-goog-upload-command x-goog-upload-offset
	x-http-method-override x-ms-continuation x-ms-range`)

// responseHeaders may be written: SDKs read them (openai-go, anthropic-sdk-go, genai,
// bedrockruntime, azcore, cohere-go). Content-Length is that of answers without a body;
// the recorder drops the others. Link leads to the next page, and Range says how far a
// resumable upload has come. MCP-Session-Id is no secret, and its client sends it back
// (MCP, transports).
//
// Not Date (it teaches the AWS SDK a wrong clock), not what describes the bytes on the
// wire, not Set-Cookie, not the ids of organisations and projects.
var responseHeaders = strings.Fields(`
	accept-ranges azure-asyncoperation content-disposition content-encoding content-length
	content-location content-range content-type etag last-modified link location mcp-session-id
	mistral-correlation-id num-tokens num_tokens openai-poll-after-ms operation-location range
	request-id retry-after retry-after-ms tus-resumable upload-length upload-offset x-amz-retry-after
	x-amzn-bedrock-* x-amzn-errortype x-amzn-query-error x-amzn-requestid x-api-warning
	x-goog-upload-chunk-granularity x-goog-upload-control-url x-goog-upload-size-received
	x-goog-upload-status x-goog-upload-url x-ms-error-code x-ms-request-id x-promptecho-provider
	x-request-id x-should-retry`)

// urlHeaders are those whose value is a URL, which can be signed.
var urlHeaders = strings.Fields(`location content-location operation-location azure-asyncoperation x-goog-upload-url
	x-goog-upload-control-url`)

// linkTarget is the URL of a Link header (RFC 8288, section 3).
var linkTarget = memo.Regexp(`<([^<>]*)>`)

// headers returns the headers that may be written: those on the list and what the user
// keeps, with everything replaced in them that must not be.
func (p *Policy) headers(in interaction.Headers, allowed []string) interaction.Headers {
	var out interaction.Headers
	for _, h := range in {
		name := strings.ToLower(h.Name) // no copy: a recorder's are lower-case
		if kept := p.hit(p.KeepHeaders, name); !kept && !listed(allowed, name) {
			continue
		}
		values := make([]string, len(h.Values))
		for i, v := range h.Values {
			values[i] = p.header(name, v)
		}
		out = append(out, interaction.Header{Name: name, Values: values})
	}
	slices.SortStableFunc(out, func(a, b interaction.Header) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func (p *Policy) header(name, value string) string {
	switch {
	case p.isNamed(name):
		return Placeholder
	case slices.Contains(urlHeaders, name):
		value = p.url(value)
	case name == "link":
		target := func(url []byte) string { return p.url(string(url)) }
		value = string(replaceMatches(linkTarget(), []byte(value), target))
	}
	return p.text(value)
}
