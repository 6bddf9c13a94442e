package fakeprovider

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// aws is the vendor of the Bedrock endpoints.
var aws = &vendor{
	speaks: func(r *http.Request) bool {
		return strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-") ||
			strings.HasPrefix(r.URL.Path, "/model/")
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
		p = completeAWS(p)
		h.Set("X-Amzn-Errortype", p.Kind+":http://internal.amazon.com/coral/com.amazon.bedrock/")
		return encode(object{{"message", p.Message}})
	},
}

func awsInvalid(message string) *Problem {
	return &Problem{Status: http.StatusBadRequest, Kind: "ValidationException", Message: message}
}

// awsProblems are the errors of Bedrock by status; the first with a kind gives the
// status of that kind
// (https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html).
var awsProblems = []Problem{
	{
		Status:  http.StatusBadRequest,
		Kind:    "ValidationException",
		Message: "Refused with status 400 (stand-in, on demand)",
	},
	{
		Status: http.StatusForbidden,
		Kind:   "AccessDeniedException",
		Message: "You don't have access to the model with the specified model ID. " +
			"(stand-in, on demand)",
	},
	{
		Status: http.StatusUnauthorized,
		Kind:   "AccessDeniedException",
		Message: "You don't have access to the model with the specified model ID. " +
			"(stand-in, on demand)",
	},
	{
		Status:  http.StatusNotFound,
		Kind:    "UnknownOperationException",
		Message: "Unknown operation (stand-in)",
	},
	{
		Status:  http.StatusMethodNotAllowed,
		Kind:    "UnsupportedOperationException",
		Message: "Method not allowed (stand-in)",
	},
	{
		Status:  http.StatusRequestTimeout,
		Kind:    "ModelTimeoutException",
		Message: "The request took too long to process. (stand-in, on demand)",
	},
	{
		Status:  http.StatusFailedDependency,
		Kind:    "ModelErrorException",
		Message: "The model had an error. (stand-in, on demand)",
	},
	{
		Status:  http.StatusFailedDependency,
		Kind:    "ModelStreamErrorException",
		Message: "The model had an error. (stand-in, on demand)",
	},
	{
		Status:  http.StatusTooManyRequests,
		Kind:    "ThrottlingException",
		Message: "Too many requests, please wait before trying again. (stand-in, on demand)",
	},
	{
		Status:  http.StatusServiceUnavailable,
		Kind:    "ServiceUnavailableException",
		Message: "Bedrock is unable to process your request. (stand-in, on demand)",
	},
}

// completeAWS fills in what an error leaves empty: by its status, or by its kind
// if it has no status.
func completeAWS(p Problem) Problem {
	kind := "ValidationException"
	message := "Refused with status " + strconv.Itoa(p.Status) + " (stand-in, on demand)"
	if p.Status == 0 || p.Status >= 500 {
		kind = "InternalServerException"
		message = "The system encountered an unexpected error. (stand-in, on demand)"
	}
	for _, known := range awsProblems {
		hasKind := p.Status == 0 && p.Kind == known.Kind
		if p.Status == known.Status || hasKind {
			p.Status = known.Status
			kind = known.Kind
			message = known.Message
			break
		}
	}
	p.Status = cmp.Or(p.Status, http.StatusInternalServerError)
	p.Kind = cmp.Or(p.Kind, kind)
	p.Message = cmp.Or(p.Message, message)
	return p
}

// awsException is the message of an event stream for an error. The name of the
// error begins with a small letter there, and an error of the model has a name of
// its own
// (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html).
func awsException(p Problem) []byte {
	p = completeAWS(p)
	if p.Kind == "ModelErrorException" {
		p.Kind = "ModelStreamErrorException"
	}
	name := strings.ToLower(p.Kind[:1]) + p.Kind[1:]
	return eventException(name, encode(object{{"message", p.Message}}))
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

// bedrockInvoke recognises InvokeModel, plain and streamed, of models whose ID has
// one of these texts. The ID may be that of an inference profile, us.amazon.nova-lite,
// or an ARN.
func bedrockInvoke(models ...string) func(string) bool {
	invokes := bedrockPath("invoke", "invoke-with-response-stream")
	return func(path string) bool {
		if !invokes(path) {
			return false
		}
		_, id, _ := strings.Cut(path, "/model/")
		for _, model := range models {
			if strings.Contains(id, model) {
				return true
			}
		}
		return false
	}
}

// bedrockStreams reports whether a path asks for a stream.
func bedrockStreams(path string) bool { return strings.HasSuffix(path, "-stream") }

// bedrockModel is the model that a path names; an ARN has slashes.
func bedrockModel(c *call) (string, *Problem) {
	_, id, _ := strings.Cut(c.path, "/model/")
	id = id[:strings.LastIndex(id, "/")]
	if id == noModel {
		return "", awsInvalid("The provided model identifier is invalid.")
	}
	return id, nil
}

// bedrockFields checks the model and the required fields of a request in the format of
// a model.
func bedrockFields(c *call, required ...string) *Problem {
	if _, p := bedrockModel(c); p != nil {
		return p
	}
	for _, name := range required {
		if c.body.get(name) == nil {
			return awsInvalid("Malformed input request: #: required key [" + name +
				"] not found, please reformat your input and try again.")
		}
	}
	return nil
}

// bedrockEmbeds checks what [bedrockFields] does, and that no stream is asked for,
// which no model of embeddings has.
func bedrockEmbeds(c *call, required ...string) *Problem {
	if bedrockStreams(c.path) {
		return awsInvalid("The model is unsupported for streaming.")
	}
	return bedrockFields(c, required...)
}
