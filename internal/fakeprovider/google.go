package fakeprovider

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// google is the vendor of the Gemini endpoints, on Vertex AI too. It takes
// requests without a credential: given an HTTP client of the user's, some of its
// SDKs leave that to the client.
var google = &vendor{
	speaks: func(r *http.Request) bool {
		return r.Header.Get("X-Goog-Api-Key") != "" || strings.HasPrefix(r.URL.Path, "/v1beta")
	},
	key: unasked,
	badJSON: func(err error) Problem {
		why := "expected an object"
		if err != nil {
			why = err.Error()
		}
		return *googleInvalid("Invalid JSON payload received. " + why)
	},
	headers: func(c *call, h http.Header, _ int) {
		h.Set("Server-Timing", fmt.Sprintf("gfet4t7; dur=%d", 100+c.n%100))
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "SAMEORIGIN")
		h.Set("X-Xss-Protection", "0")
	},
	refuse: refuseGoogle,
}

const googleJSON = "application/json; charset=UTF-8"

// googleBody is a plain response.
func googleBody(o object) *answer {
	return &answer{kind: googleJSON, body: append(pretty(o, "  "), '\n')}
}

func googleInvalid(message string) *Problem {
	return &Problem{Status: http.StatusBadRequest, Kind: "INVALID_ARGUMENT", Message: message}
}

// googleModel is the model that a path names, "models/" left away.
func googleModel(c *call) (string, *Problem) {
	name, method := lastPart(c.path), ""
	if i := strings.LastIndex(name, ":"); i >= 0 {
		name, method = name[:i], name[i+1:]
	}
	if name == noModel {
		return "", &Problem{Status: http.StatusNotFound, Kind: "NOT_FOUND",
			Message: "models/" + name + " is not found for API " +
				"version v1beta, or is not supported for " + method + "."}
	}
	return name, nil
}

func refuseGoogle(_ *call, h http.Header, p Problem) []byte {
	h.Set("Content-Type", googleJSON)
	return append(pretty(googleError(p), "  "), '\n')
}

// googleError is the body of an error.
func googleError(p Problem) object {
	p.Status = cmp.Or(p.Status, http.StatusInternalServerError)
	kind, message := googleProblem(p.Status)
	return object{{"error", object{
		{"code", p.Status},
		{"message", cmp.Or(p.Message, message)},
		{"status", cmp.Or(p.Kind, kind)},
	}}}
}

// googleProblem is what is said with a status if nothing else is.
func googleProblem(status int) (kind, message string) {
	switch {
	case status == http.StatusNotFound:
		return "NOT_FOUND", "Requested entity was not found. (stand-in)"
	case status == http.StatusMethodNotAllowed:
		return "UNIMPLEMENTED", "Operation is not implemented, or supported, or enabled. (stand-in)"
	case status == http.StatusUnauthorized:
		return "UNAUTHENTICATED", "Request had invalid authentication credentials. (stand-in, on demand)"
	case status == http.StatusForbidden:
		return "PERMISSION_DENIED", "The caller does not have permission (stand-in, on demand)"
	case status == http.StatusTooManyRequests:
		return "RESOURCE_EXHAUSTED", "You exceeded your current quota. (stand-in, on demand)"
	case status == http.StatusServiceUnavailable:
		return "UNAVAILABLE", "The model is overloaded. Please try again later. (stand-in, on demand)"
	case status == http.StatusGatewayTimeout:
		return "DEADLINE_EXCEEDED", "The deadline expired before the operation could complete. (stand-in, on demand)"
	case status >= 500:
		return "INTERNAL", "An internal error has occurred. (stand-in, on demand)"
	}
	return "INVALID_ARGUMENT", "Refused with status " + strconv.Itoa(status) + " (stand-in, on demand)"
}
