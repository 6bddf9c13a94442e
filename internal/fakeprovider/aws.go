package fakeprovider

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// aws is the vendor of the Bedrock endpoints.
var aws = &vendor{
	speaks: func(r *http.Request) bool {
		return strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-") || strings.HasPrefix(r.URL.Path, "/model/")
	},
	// Signatures are not checked.
	key: func(h http.Header) string { return h.Get("Authorization") },
	keyless: Problem{
		Status:  http.StatusForbidden,
		Kind:    "MissingAuthenticationTokenException",
		Message: "Missing Authentication Token",
	},
	badJSON: func(error) Problem {
		return Problem{Status: http.StatusBadRequest, Kind: "SerializationException",
			Message: "Unable to parse the request body as a JSON object"}
	},
	headers: func(c *call, h http.Header, _ int) {
		h.Set("X-Amzn-Requestid", fmt.Sprintf("standin0-0000-4000-8000-%012d", c.n))
	},
	refuse: func(_ *call, h http.Header, p Problem) []byte {
		if p.Message == "" {
			p.Kind, p.Message = awsProblem(p.Status)
		}
		h.Set("X-Amzn-Errortype", p.Kind+":http://internal.amazon.com/coral/com.amazon.bedrock/")
		return encode(object{{"message", p.Message}})
	},
}

func awsInvalid(message string) *Problem {
	return &Problem{Status: http.StatusBadRequest, Kind: "ValidationException", Message: message}
}

// awsProblem is what is said with a status if nothing else is.
func awsProblem(status int) (kind, message string) {
	switch {
	case status == http.StatusNotFound:
		return "UnknownOperationException", "Unknown operation (stand-in)"
	case status == http.StatusMethodNotAllowed:
		return "UnsupportedOperationException", "Method not allowed (stand-in)"
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return "AccessDeniedException", "You don't have access to the " +
			"model with the specified model ID. (stand-in, on demand)"
	case status == http.StatusRequestTimeout:
		return "ModelTimeoutException", "The request took too long to process. (stand-in, on demand)"
	case status == http.StatusFailedDependency:
		return "ModelErrorException", "The model had an error. (stand-in, on demand)"
	case status == http.StatusTooManyRequests:
		return "ThrottlingException", "Too many requests, please wait before trying again. (stand-in, on demand)"
	case status == http.StatusServiceUnavailable:
		return "ServiceUnavailableException", "Bedrock is unable to process your request. (stand-in, on demand)"
	case status >= 500:
		return "InternalServerException", "The system encountered an unexpected error. (stand-in, on demand)"
	}
	return "ValidationException", "Refused with status " + strconv.Itoa(status) + " (stand-in, on demand)"
}

// bedrockPath recognises what is done with a model: /model/{id}/{action}.
func bedrockPath(actions ...string) func(string) bool {
	return func(path string) bool {
		for _, action := range actions {
			if strings.HasSuffix(path, "/"+action) && strings.Contains(path, "/model/") {
				return true
			}
		}
		return false
	}
}

// bedrockModel is the model that a path names; an ARN has slashes.
func bedrockModel(c *call) (string, *Problem) {
	_, id, _ := strings.Cut(c.path, "/model/")
	id = id[:strings.LastIndex(id, "/")]
	if id == noModel {
		return "", awsInvalid("The provided model identifier is invalid.")
	}
	return id, nil
}
