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
	answer func(c *call) (*answer, *problem)
}

// vendor is what all endpoints of one provider share.
type vendor struct {
	speaks  func(r *http.Request) bool                     // does a request to an unknown path look like its own?
	key     func(h http.Header) string                     // the credential, "" if missing
	keyless problem                                        // what it says without one
	badJSON func(err error) problem                        // what it says to a body that is not a JSON object
	headers func(c *call, h http.Header, status int)       // what it sends with every response
	refuse  func(c *call, h http.Header, p problem) []byte // an error's body, and headers that depend on it
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

// problem is an error before it is spelled. A vendor fills in what is empty.
type problem struct {
	status  int
	kind    string
	message string
	param   string
	code    string
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
