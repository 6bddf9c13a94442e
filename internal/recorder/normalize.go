package recorder

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/nethttp/urls"
	"github.com/promptecho/promptecho/internal/tape"
)

// redactHead makes the call from a request and redacts all of it but the body, which it leaves
// out.
func (r *Recorder) redactHead(req *http.Request, in *incoming) {
	sent := r.config.urlOf(req)
	in.Request = interaction.Request{
		Method:  cmp.Or(req.Method, http.MethodGet),
		URL:     sent,
		Headers: slices.DeleteFunc(interaction.HeadersOf(req.Header), interaction.Header.IsDefault),
	}
	r.redact.RedactHead(&in.Request)
	in.Request.URL = urls.KeepSpelling(sent, in.Request.URL)
}

// urlOf returns the URL of a request as it is matched and written. A local server has its
// alias in it.
func (c *Config) urlOf(req *http.Request) string {
	u := request.URL(req)
	if a := c.aliases.of(&u); a != nil {
		c.hit(a.name)
		u.Scheme, u.Host = "http", a.name
	}
	return u.String()
}

// within tells a call what its context says: the function that runs with it, and the name.
func (r *Recorder) within(ctx context.Context, c *tape.Call) {
	if c.Outer, _ = ctx.Value(runningKey{r}).(*tape.Recording); c.Outer != nil {
		c.Request.Within = c.Outer.Head().Request.Function
	}
	c.Request.Name, _ = ctx.Value(nameKey{}).(string)
	c.Cancelable = ctx.Done() != nil
}

// WithName returns a context with which calls have a name; see promptecho.WithName.
func WithName(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, nameKey{}, strings.ToValidUTF8(name, "\uFFFD"))
}

type nameKey struct{}

// runningKey is the key of the recording of the function that runs with a context of this recorder.
type runningKey struct{ rec *Recorder }
