package redact

import "strings"

// requestHeaders may be written: they decide the answer or help a reader, and
// none can hold a credential. What decides a match is canon's business.
var requestHeaders = []string{
	"accept",
	"anthropic-beta",
	"anthropic-version",
	"api-revision",
	"content-type",
	"mcp-protocol-version",
	"openai-beta",
	"x-amzn-bedrock-accept",
	"x-amzn-bedrock-guardrailidentifier",
	"x-amzn-bedrock-guardrailversion",
	"x-amzn-bedrock-performanceconfig-latency",
	"x-amzn-bedrock-trace",
}

// responseHeaders may be written: SDKs read them (openai-go, anthropic-sdk-go,
// genai, bedrockruntime, azcore, cohere-go). Not date (it teaches the AWS SDK
// a wrong clock), not what describes the bytes on the wire, not set-cookie,
// not the ids of organisations and projects.
var responseHeaders = []string{
	"azure-asyncoperation",
	"content-disposition",
	"content-encoding",
	"content-type",
	"location",
	"mcp-session-id", // its client sends it back; it is no credential (MCP, transports)
	"mistral-correlation-id",
	"num-tokens",
	"num_tokens",
	"openai-poll-after-ms",
	"operation-location",
	"request-id",
	"retry-after",
	"retry-after-ms",
	"x-amz-retry-after",
	"x-amzn-bedrock-*",
	"x-amzn-errortype",
	"x-amzn-query-error",
	"x-amzn-requestid",
	"x-api-warning",
	"x-goog-upload-chunk-granularity",
	"x-goog-upload-status",
	"x-ms-error-code",
	"x-ms-request-id",
	"x-promptecho-provider",
	"x-request-id",
	"x-should-retry",
}

// harmlessQuery lists the query parameters of model APIs whose values say what
// is asked for and never who asks.
var harmlessQuery = []string{
	"$alt", "after", "alt", "api-version", "before", "beta", "enum-encoding", "filter", "include*", "limit",
	"model", "offset", "order", "page", "page_size", "pagesize", "pagetoken", "purpose", "starting_after",
	"stream", "uploadtype", "version",
}

// isSecret reports whether a header or parameter of this name holds a secret.
func isSecret(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case "pagetoken", "idempotency-key":
		return false
	}
	for _, part := range []string{"key", "token", "secret", "auth", "cookie", "credential", "password", "passwd", "signature"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return name == "sig"
}

// isCredential reports whether a query parameter of this name holds a secret
// or belongs to a signed URL.
func isCredential(name string) bool {
	if isSecret(name) {
		return true
	}
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "x-amz-") || strings.HasPrefix(name, "x-goog-") ||
		name == "upload_id" || name == "code" || name == "session"
}
