package promptecho

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/request"
	"github.com/promptecho/promptecho/internal/tape"
)

// An incoming is a request, as it came and as it is matched.
type incoming struct {
	tape.Call
	body request.Body // as it came
}

// redactHead makes the call from a request and redacts all of it but the body, which it leaves
// out.
func (r *Recorder) redactHead(req *http.Request, in *incoming) {
	in.Request = interaction.Request{
		Method:  cmp.Or(req.Method, http.MethodGet),
		URL:     r.config.urlOf(req),
		Headers: slices.DeleteFunc(interaction.HeadersOf(req.Header), interaction.Header.IsDefault),
	}
	r.redact.RedactHead(&in.Request)
}

// urlOf returns the URL of a request as it is matched and written. A local server has its
// alias in it.
func (c *config) urlOf(req *http.Request) string {
	u := request.URL(req)
	if a := c.aliases.of(&u); a != nil {
		c.hit(a.name)
		u.Scheme, u.Host = "http", a.name
	}
	return u.String()
}
