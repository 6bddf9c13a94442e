package fakeprovider

import (
	"net/http"
	"strconv"
	"strings"
)

// ollama is the vendor of the Ollama endpoints. It asks for no key.
var ollama = &vendor{
	speaks: func(r *http.Request) bool {
		return strings.HasPrefix(r.URL.Path, "/api/") && strings.HasPrefix(r.UserAgent(), "ollama")
	},
	key: unasked,
	badJSON: func(err error) Problem {
		why := "expected an object"
		if err != nil {
			why = err.Error()
		}
		return Problem{Status: http.StatusBadRequest, Message: why}
	},
	headers: func(*call, http.Header, int) {},
	refuse: func(c *call, h http.Header, p Problem) []byte {
		switch {
		case p.Message != "":
		case p.Status == http.StatusNotFound:
			h.Set("Content-Type", "text/plain")
			return []byte("404 page not found")
		case p.Status == http.StatusMethodNotAllowed:
			h.Set("Content-Type", "text/plain")
			return []byte("405 method not allowed")
		default:
			p.Message = "refused with status " + strconv.Itoa(p.Status) + " (stand-in, on demand)"
		}
		h.Set("Content-Type", ollamaJSON)
		return encode(object{{"error", p.Message}})
	},
}

const (
	ollamaJSON = "application/json; charset=utf-8"
	ndjson     = "application/x-ndjson"
)

func ollamaModel(c *call) *Problem { return ollamaModelProblem(c.body.text("model")) }

func ollamaModelProblem(model string) *Problem {
	switch model {
	case "":
		return &Problem{Status: http.StatusBadRequest, Message: "model is required"}
	case noModel, noModel + ":latest":
		return &Problem{Status: http.StatusNotFound, Message: "model '" + model + "' not found"}
	}
	return nil
}
