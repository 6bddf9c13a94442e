package fakeprovider

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// openai is the vendor of the OpenAI endpoints.
var openai = &vendor{
	key: func(h http.Header) string {
		if key, ok := bearer(h); ok {
			return key
		}
		return h.Get("Api-Key") // Azure
	},
	keyless: Problem{
		Status: http.StatusUnauthorized,
		Kind:   "invalid_request_error",
		Message: "You didn't provide an API key. You need to provide your API key in an Authorization header " +
			"using Bearer auth (i.e. Authorization: Bearer YOUR_KEY). Any key will do: this is a stand-in.",
	},
	badJSON: func(error) Problem {
		return Problem{
			Status: http.StatusBadRequest,
			Kind:   "invalid_request_error",
			Message: "We could not parse the JSON body of your request. " +
				"(HINT: This likely means you aren't using your HTTP library correctly. " +
				"The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",
		}
	},
	headers: openaiHeaders,
	refuse:  refuseOpenAI,
}

func openaiHeaders(c *call, h http.Header, status int) {
	h.Set("Openai-Version", "2020-10-01")
	h.Set("Openai-Processing-Ms", strconv.Itoa(40+c.n%60))
	h.Set("X-Request-Id", fmt.Sprintf("req_standin%06d", c.n))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Set-Cookie", fmt.Sprintf("__cf_bm=standin%06d; path=/; HttpOnly; Secure; SameSite=None", c.n))
	if status != http.StatusOK {
		return
	}
	h.Set("Openai-Organization", "org-standin")
	h.Set("Openai-Project", "proj_standin")
	h.Set("X-Ratelimit-Limit-Requests", "10000")
	h.Set("X-Ratelimit-Limit-Tokens", "2000000")
	h.Set("X-Ratelimit-Remaining-Requests", strconv.Itoa(max(0, 10000-c.n)))
	h.Set("X-Ratelimit-Remaining-Tokens", strconv.Itoa(max(0, 2000000-len(c.raw)/4)))
	h.Set("X-Ratelimit-Reset-Requests", "6ms")
	h.Set("X-Ratelimit-Reset-Tokens", "0s")
}

// refuseOpenAI is the body of an error, in the layouts that are seen.
func refuseOpenAI(c *call, _ http.Header, p Problem) []byte {
	indent := "  "
	if p.Status == http.StatusUnauthorized || p.Status == http.StatusNotFound {
		indent = "    "
	}
	return append(pretty(object{{"error", openaiError(c, p)}}, indent), '\n')
}

// openaiError is the error object of a response or of an event. Kind and code of
// a problem that has no kind are those of its status.
func openaiError(c *call, p Problem) object {
	usual := openaiProblem(c, cmp.Or(p.Status, http.StatusInternalServerError))
	if p.Kind == "" {
		p.Kind = usual.Kind
		p.Code = cmp.Or(p.Code, usual.Code)
	}
	return object{
		{"message", cmp.Or(p.Message, usual.Message)},
		{"type", p.Kind},
		{"param", orNull(p.Param)},
		{"code", orNull(p.Code)},
	}
}

// openaiProblem is what is said with a status if nothing else is.
func openaiProblem(c *call, status int) Problem {
	invalid := func(message string) Problem {
		return Problem{Kind: "invalid_request_error", Message: message}
	}
	switch {
	case status == http.StatusNotFound:
		return invalid(fmt.Sprintf("Invalid URL (%s %s)", c.method, c.path))
	case status == http.StatusMethodNotAllowed:
		return invalid(fmt.Sprintf("Not allowed to %s on %s. "+
			"(HINT: Perhaps you meant to use a different HTTP method?)",
			c.method, c.path))
	case status == http.StatusUnauthorized:
		return Problem{Kind: "invalid_request_error", Code: "invalid_api_key",
			Message: "Incorrect API key provided: stand-in, on demand."}
	case status == http.StatusTooManyRequests:
		return Problem{Kind: "requests", Code: "rate_limit_exceeded",
			Message: "Rate limit reached for requests (stand-in, on demand). Please try again later."}
	case status == http.StatusServiceUnavailable:
		return Problem{Kind: "service_unavailable_error",
			Message: "The engine is currently overloaded, please try again later (stand-in, on demand)."}
	case status >= 500:
		return Problem{Kind: "server_error",
			Message: "The server had an error while processing your request. Sorry about that! (stand-in, on demand)"}
	}
	return invalid(fmt.Sprintf("Refused with status %d (stand-in, on demand).", status))
}

// openaiModel checks the model that a request names. At Azure, the path may name
// it: /openai/deployments/NAME/chat/completions.
func openaiModel(c *call) *Problem {
	_, deployment, isAzure := strings.Cut(c.path, "/deployments/")
	if isAzure && c.body.text("model") == "" {
		name, _, _ := strings.Cut(deployment, "/")
		c.body = c.body.with("model", name)
	}
	switch c.body.text("model") {
	case "":
		return &Problem{Status: http.StatusBadRequest, Kind: "invalid_request_error",
			Message: "you must provide a model parameter"}
	case noModel:
		return &Problem{Status: http.StatusNotFound, Kind: "invalid_request_error", Code: "model_not_found",
			Message: "The model `" + noModel + "` does not exist or you do not have access to it."}
	}
	return nil
}

func missing(param string) *Problem {
	return &Problem{Status: http.StatusBadRequest, Kind: "invalid_request_error",
		Message: "Missing required parameter: '" + param + "'.", Param: param, Code: "missing_required_parameter"}
}

// openaiChoice reads a tool_choice in the spellings of chat and responses.
func openaiChoice(v any) choice {
	switch v := v.(type) {
	case string:
		if v == "any" { // Mistral
			v = "required"
		}
		return choice{mode: v}
	case object:
		if name := v.sub("function").text("name") + v.text("name"); name != "" {
			return choice{mode: "named", name: name}
		}
		if v.text("type") == "allowed_tools" {
			return choice{mode: v.text("mode") + v.sub("allowed_tools").text("mode")}
		}
	}
	return choice{mode: "auto"}
}
