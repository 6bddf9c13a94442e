package fakeprovider

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// cohere is the vendor of the Cohere endpoints.
var cohere = &vendor{
	speaks: func(r *http.Request) bool {
		return strings.HasPrefix(r.URL.Path, "/v2/") || strings.Contains(r.Header.Get("X-Fern-Sdk-Name"), "cohere")
	},
	key: func(h http.Header) string { key, _ := bearer(h); return key },
	keyless: Problem{
		Status:  http.StatusUnauthorized,
		Message: "no api key supplied",
	},
	badJSON: func(error) Problem {
		return Problem{Status: http.StatusBadRequest, Message: "invalid request: the body is no JSON object"}
	},
	headers: func(c *call, h http.Header, _ int) {
		h.Set("Cache-Control", "no-cache, no-store, no-transform, must-revalidate, private, max-age=0")
		h.Set("X-Debug-Trace-Id", fmt.Sprintf("standin%06d", c.n))
		h.Set("X-Endpoint-Monthly-Call-Limit", "1000")
		h.Set("Num_chars", strconv.Itoa(len(c.raw)))
	},
	refuse: func(c *call, _ http.Header, p Problem) []byte {
		if p.Message == "" {
			p.Message = cohereProblem(p.Status)
		}
		return encode(object{{"id", cohereID(c)}, {"message", p.Message}})
	},
}

// cohereProblem is what is said with a status if nothing else is.
func cohereProblem(status int) string {
	switch {
	case status == http.StatusNotFound:
		return "404 page not found (stand-in)"
	case status == http.StatusMethodNotAllowed:
		return "method not allowed (stand-in)"
	case status == http.StatusUnauthorized:
		return "invalid api token (stand-in, on demand)"
	case status == http.StatusTooManyRequests:
		return "You are past the per minute request limit, please wait and try again later. (stand-in, on demand)"
	case status >= 500:
		return "internal server error, this has been reported to our developers (stand-in, on demand)"
	}
	return "Refused with status " + strconv.Itoa(status) + " (stand-in, on demand)"
}

func cohereID(c *call) string { return fmt.Sprintf("standin0-0000-4000-8000-%012d", c.n) }

// cohereVersion is the version of the API that a path names: "1" or "2".
func cohereVersion(path string) string {
	folder := strings.TrimSuffix(strings.TrimSuffix(path, lastPart(path)), "/")
	return strings.TrimPrefix(lastPart(folder), "v")
}

// cohereModel checks the model. In version 1 a request without one has a default.
func cohereModel(c *call) *Problem {
	switch model := c.body.text("model"); model {
	case noModel:
		return &Problem{Status: http.StatusNotFound, Message: "model '" + model +
			"' not found, make sure the correct model ID was used and that you have access to the model."}
	case "":
		if cohereVersion(c.path) == "1" {
			return nil
		}
		return &Problem{Status: http.StatusBadRequest, Message: "invalid request: model is required"}
	}
	return nil
}
