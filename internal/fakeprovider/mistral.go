package fakeprovider

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// mistral is the vendor of Mistral's endpoints, whose paths are those of OpenAI.
var mistral = &vendor{
	speaks: isMistral,
	key:    func(h http.Header) string { key, _ := bearer(h); return key },
	keyless: Problem{
		Status:  http.StatusUnauthorized,
		Message: "Unauthorized",
	},
	badJSON: func(error) Problem {
		return Problem{
			Status:  http.StatusUnprocessableEntity,
			Kind:    "json_invalid",
			Message: "JSON decode error",
			Param:   "0",
		}
	},
	headers: func(c *call, h http.Header, _ int) {
		h.Set("Mistral-Correlation-Id", mistralID(c))
		h.Set("X-Kong-Request-Id", mistralID(c))
	},
	refuse: refuseMistral,
}

// isMistral reports whether a request is for Mistral: by its host, which is
// api.mistral.ai or another of that domain, or by a path that has a step "mistral",
// as that of a gateway or of a base URL on this machine may have
// (http://127.0.0.1:8080/mistral/v1/chat/completions). The model does not tell:
// others serve Mistral's models, too.
func isMistral(r *http.Request) bool {
	for _, host := range []string{r.Host, r.URL.Host} {
		if host == "mistral.ai" || strings.HasSuffix(host, ".mistral.ai") {
			return true
		}
	}
	return slices.Contains(strings.Split(r.URL.Path, "/"), "mistral")
}

func mistralID(c *call) string { return fmt.Sprintf("standin0-0000-4000-8000-%012d", c.n) }

// refuseMistral is the body of an error. It has one of three layouts:
//
//	a key that is wrong, a path or a method:  {"detail": "Unauthorized"}
//	a body that its schema refuses (422):     {"detail": [{"type", "loc", "msg", "input"}]}
//	others:                                   {"object": "error", "message", "type", "param", "code"}
func refuseMistral(c *call, _ http.Header, p Problem) []byte {
	usual := mistralProblem(p.Status)
	if p.Kind == "" {
		p.Kind = usual.Kind
		p.Code = cmp.Or(p.Code, usual.Code)
	}
	p.Message = cmp.Or(p.Message, usual.Message)
	switch p.Status {
	case http.StatusUnauthorized, http.StatusNotFound, http.StatusMethodNotAllowed:
		return encode(object{{"detail", p.Message}})
	case http.StatusUnprocessableEntity:
		return encode(object{{"detail", []object{{
			{"type", p.Kind},
			{"loc", mistralPlace(p.Param)},
			{"msg", p.Message},
			{"input", c.body},
		}}}})
	}
	return encode(object{
		{"object", "error"},
		{"message", p.Message},
		{"type", p.Kind},
		{"param", orNull(p.Param)},
		{"code", orNull(p.Code)},
		{"raw_status_code", p.Status},
	})
}

// mistralPlace is where in the body a problem is: messages.0.content is
// ["body", "messages", 0, "content"].
func mistralPlace(param string) []any {
	place := []any{"body"}
	if param == "" {
		return place
	}
	for _, step := range strings.Split(param, ".") {
		if i, err := strconv.Atoi(step); err == nil {
			place = append(place, i)
		} else {
			place = append(place, step)
		}
	}
	return place
}

// mistralProblem is what is said with a status if nothing else is.
func mistralProblem(status int) Problem {
	switch {
	case status == http.StatusUnauthorized:
		return Problem{Message: "Unauthorized"}
	case status == http.StatusNotFound:
		return Problem{Message: "Not Found"}
	case status == http.StatusMethodNotAllowed:
		return Problem{Message: "Method Not Allowed"}
	case status == http.StatusUnprocessableEntity:
		return Problem{Kind: "value_error", Message: "Value error (stand-in, on demand)"}
	case status == http.StatusTooManyRequests:
		return Problem{Kind: "rate_limited", Code: "1300",
			Message: "Rate limit exceeded (stand-in, on demand)"}
	case status >= 500:
		return Problem{Kind: "internal_server_error", Code: "1000",
			Message: "Internal server error (stand-in, on demand)"}
	}
	return Problem{Kind: "invalid_request_error", Message: "Refused with status " +
		strconv.Itoa(status) + " (stand-in, on demand)"}
}

// mistralModel checks the model that a request names.
func mistralModel(c *call) *Problem {
	switch c.body.text("model") {
	case "":
		return mistralMissing("model")
	case noModel:
		return &Problem{
			Status:  http.StatusBadRequest,
			Kind:    "invalid_model",
			Code:    "1500",
			Message: "Invalid model: " + noModel,
		}
	}
	return nil
}

func mistralMissing(param string) *Problem {
	return &Problem{
		Status:  http.StatusUnprocessableEntity,
		Kind:    "missing",
		Message: "Field required",
		Param:   param,
	}
}

// mistralEmbeddings is Mistral's embeddings.
var mistralEmbeddings = family{
	vectors: true,
	name:    "mistral.embeddings",
	vendor:  mistral,
	owns:    suffix("/embeddings"),
	read:    readMistralEmbeddings,
	write:   writeMistralEmbeddings,
}

func readMistralEmbeddings(c *call) (prompt, *Problem) {
	if p := mistralModel(c); p != nil {
		return prompt{}, p
	}
	inputs := embeddingInputs(c.body.get("input"))
	if len(inputs) == 0 {
		return prompt{}, mistralMissing("input")
	}
	return prompt{inputs: inputs}, nil
}

func writeMistralEmbeddings(c *call, p prompt, replies []Reply) *answer {
	size := c.body.number("output_dimension")
	if size == 0 {
		size = mistralDimensions(c.body.text("model"))
	}
	data := embeddingData(c, vectors(p.inputs, size, replies[0]))
	count := replies[0].Usage.Input
	return &answer{body: encode(object{
		{"id", mistralAnswerID(c)},
		{"object", "list"},
		{"data", data},
		{"model", c.body.text("model")},
		{"usage", object{
			{"prompt_tokens", count},
			{"completion_tokens", 0},
			{"total_tokens", count},
		}},
	})}
}

// mistralDimensions is the size of a model's vectors
// (https://docs.mistral.ai/capabilities/embeddings/).
func mistralDimensions(model string) int {
	if strings.HasPrefix(model, "codestral") {
		return 1536
	}
	return 1024
}

// mistralAnswerID is the ID of an answer.
func mistralAnswerID(c *call) string { return fmt.Sprintf("standin%025d", c.n) }
