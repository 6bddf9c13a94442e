package fakeprovider

import (
	"net/http"
	"net/url"
	"strings"
)

// family is one kind of endpoint: its answers, in its spelling.
type family struct {
	name   string
	vendor *vendor
	owns   func(path string) bool

	// method is the HTTP method of its requests, "" for POST. A family of another
	// method owns its paths for that method alone.
	method string

	// takes reports whether a request with this body is one for this family. It is
	// nil if the path says enough.
	takes func(body []byte) bool

	// plans reports whether the model says what it will do before it calls tools;
	// nil if it never does.
	plans func(choice) bool

	// decode reads the body of a request, for the family's read. It is nil for a
	// JSON object.
	decode func(contentType string, body []byte) (object, *Problem)

	// vectors is set if vectors of texts are wanted, and not an answer of a model.
	vectors bool

	// read reads a request. It returns a problem if the provider would refuse it.
	read func(c *call) (prompt, *Problem)

	// write writes replies, one for each choice that the prompt asks for.
	write func(c *call, p prompt, replies []Reply) *answer
}

// vendor is what all endpoints of one provider share.
type vendor struct {
	speaks  func(r *http.Request) bool                     // does a request look like its own, whatever its path?
	key     func(h http.Header) string                     // the credential, "" if missing
	keyless Problem                                        // what it says without one
	badJSON func(err error) Problem                        // what it says to a body that is not a JSON object
	headers func(c *call, h http.Header, status int)       // what it sends with every response
	refuse  func(c *call, h http.Header, p Problem) []byte // an error's body, and headers that depend on it
}

// call is one request, as the families see it.
type call struct {
	n      int // which request of this server it is, from 1
	method string
	path   string // without escapes
	query  url.Values
	raw    []byte
	body   object
	recall *memory
}

// answer is what a family says: a body, or the events of a stream, framed.
type answer struct {
	kind   string // content type, "" is JSON or server-sent events
	header http.Header
	body   []byte
	events [][]byte
}

// noModel is the name of a model that no vendor has.
const noModel = "no-such-model"

// suffix returns a function that recognises paths with one of these endings.
func suffix(ends ...string) func(string) bool {
	return func(path string) bool {
		for _, end := range ends {
			if strings.HasSuffix(path, end) {
				return true
			}
		}
		return false
	}
}

// always is the plans of a family whose tools can be forced, too.
func always(choice) bool { return true }

// unlessForced is the plans of a family that only calls tools that are forced.
func unlessForced(c choice) bool { return c.mode != "required" && c.mode != "named" }
