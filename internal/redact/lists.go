package redact

import (
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

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
	"soapaction",
	"x-amz-target",
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
	"content-length", // of answers without a body; the recorder drops the others
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

// isSecret reports whether a header or parameter of this name holds a secret:
// whether one of its words says so. "x-api-key" and "accessToken" do, "keyword",
// "author" and "pageToken" do not.
func isSecret(name string) bool { return secretNames.Get(name) }

// The names of headers, parameters and variables are few, and every request has
// the same.
var secretNames = memo.Strings[bool]{Func: saysSecret}

func saysSecret(name string) bool {
	secret := false
	for _, word := range words(name) {
		switch word {
		case "key", "apikey", "token", "secret", "auth", "authorization", "authentication", "cookie", "credential",
			"credentials", "password", "passwd", "pwd", "signature", "sig":
			secret = true
		case "page", "next", "continuation", "sync", "idempotency", "partition", "sort":
			return false // a place in a list, or the caller's own name for a call
		}
	}
	return secret
}

// words splits a name at "-", "_", "." and where its case rises.
func words(name string) []string {
	var out []string
	start := 0
	for i := range len(name) {
		c := name[i]
		rises := i > 0 && 'A' <= c && c <= 'Z' && 'a' <= name[i-1] && name[i-1] <= 'z'
		if rises || c == '-' || c == '_' || c == '.' {
			out = append(out, strings.ToLower(name[start:i]))
			start = i
			if !rises {
				start++
			}
		}
	}
	return append(out, strings.ToLower(name[start:]))
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
