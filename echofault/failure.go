package echofault

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/promptecho/promptecho/internal/exchange"
)

// failure returns an error response in the form of the provider of a request, as far as SDKs
// read it. name is the name of the request.
func failure(req *http.Request, name string, status int, message string) *http.Response {
	header := http.Header{"Content-Type": {"application/json"}, "Retry-After": {"0"}}
	exchange.SetNoDelay(req, header, true, func() bool { return true })
	var body map[string]any
	switch vendorOf(req.URL.Path, name) {
	case "anthropic": // https://docs.anthropic.com/en/api/errors
		of := map[string]any{"type": kindOf(status).anthropic, "message": message}
		body = map[string]any{"type": "error", "error": of}
	case "gemini", "vertex": // https://google.aip.dev/193
		of := map[string]any{"code": status, "message": message, "status": kindOf(status).google}
		body = map[string]any{"error": of}
	case "bedrock", "sagemaker": // https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html
		header["X-Amzn-Errortype"] = []string{kindOf(status).aws}
		body = map[string]any{"message": message}
	case "cohere":
		body = map[string]any{"message": message}
	case "ollama":
		body = map[string]any{"error": message}
	default: // OpenAI's, which the others follow
		kind, code, _ := strings.Cut(kindOf(status).openai, " ")
		of := map[string]any{"type": kind, "message": message, "param": nil, "code": nil}
		if code != "" {
			of["code"] = code
		}
		body = map[string]any{"error": of}
	}
	text, _ := json.Marshal(body) // strings and numbers always marshal
	return exchange.Whole(req, status, header, text)
}

// vendorOf returns the provider that answers a request.
func vendorOf(path, name string) string {
	if strings.HasSuffix(path, "/invoke") || strings.HasSuffix(path, "/invoke-with-response-stream") {
		return "bedrock" // the name has the provider of the model
	}
	vendor, _, _ := strings.Cut(strings.TrimPrefix(name, "llm/"), ".")
	return vendor
}

// A kind is what providers call the errors of a status.
type kind struct {
	openai    string // the type and, if there is one, the code
	anthropic string
	google    string // a google.rpc.Code
	aws       string // an exception of Bedrock's runtime
}

// kindOf returns the kind of a status. One without a name of its own has that of its
// class.
func kindOf(status int) kind {
	if k, ok := kinds[status]; ok {
		return k
	}
	return kinds[status/100*100]
}

var kinds = map[int]kind{
	400: {"invalid_request_error", "invalid_request_error", "INVALID_ARGUMENT", "ValidationException"},
	401: {"invalid_request_error invalid_api_key", "authentication_error", "UNAUTHENTICATED", "AccessDeniedException"},
	403: {"invalid_request_error", "permission_error", "PERMISSION_DENIED", "AccessDeniedException"},
	404: {"invalid_request_error", "not_found_error", "NOT_FOUND", "ResourceNotFoundException"},
	408: {"invalid_request_error", "timeout_error", "DEADLINE_EXCEEDED", "ModelTimeoutException"},
	409: {"invalid_request_error", "conflict_error", "ABORTED", "ConflictException"},
	413: {"invalid_request_error", "request_too_large", "INVALID_ARGUMENT", "ValidationException"},
	424: {"invalid_request_error", "invalid_request_error", "FAILED_PRECONDITION", "ModelErrorException"},
	429: {"requests rate_limit_exceeded", "rate_limit_error", "RESOURCE_EXHAUSTED", "ThrottlingException"},
	500: {"server_error", "api_error", "INTERNAL", "InternalServerException"},
	503: {"service_unavailable_error", "api_error", "UNAVAILABLE", "ServiceUnavailableException"},
	504: {"server_error", "timeout_error", "DEADLINE_EXCEEDED", "InternalServerException"},
	529: {"server_error", "overloaded_error", "UNAVAILABLE", "ServiceUnavailableException"},
}
