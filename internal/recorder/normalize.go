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

// normalize returns what of a request is compared and written. All of it but the
// body is redacted; the tape redacts the body, unless it finds the request by its
// bytes.
func (r *Recorder) normalize(in *incoming) tape.Call {
	url := r.config.urlOf(in.req)
	c := tape.Call{Request: interaction.Request{
		Method:  cmp.Or(in.req.Method, http.MethodGet),
		URL:     url,
		Headers: slices.DeleteFunc(interaction.HeadersOf(in.req.Header), interaction.Header.IsDefault),
	}}
	r.redact.RedactHead(&c.Request)
	c.Request.URL = urls.KeepSpelling(url, c.Request.URL)
	c.Request.Body = in.body.Kept(r.config.keepUploads)
	r.addContext(in.req.Context(), &c)
	return c
}

// urlOf returns the URL of a request as it is matched and written. A local server
// has its alias in it.
func (c *Config) urlOf(req *http.Request) string {
	u := request.URL(req)
	if a := c.aliases.of(&u); a != nil {
		c.hit(a.name)
		u.Host = a.name
		if u.Scheme != interaction.GRPCScheme {
			u.Scheme = "http"
		}
	}
	return u.String()
}

// addContext adds to a call what its context says: the wrapped function that
// runs with it, the name, and whether it can be canceled.
func (r *Recorder) addContext(ctx context.Context, c *tape.Call) {
	outer, isInside := ctx.Value(runningKey{r}).(*tape.Recording)
	if isInside {
		c.Outer = outer
		c.Request.Within = outer.Head().Request.Function
	}
	c.Request.Name, _ = ctx.Value(nameKey{}).(string)
	c.Cancelable = ctx.Done() != nil
}

// runningKey is the key of the recording of the wrapped function that runs with a
// context of this recorder.
type runningKey struct{ rec *Recorder }

// WithName returns a context with which calls have a name; see promptecho.WithName.
func WithName(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, nameKey{}, strings.ToValidUTF8(name, "\uFFFD"))
}

type nameKey struct{}
