package promptecho

import (
	"errors"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/request"
	"github.com/promptecho/promptecho/internal/tape"
	"github.com/promptecho/promptecho/internal/urls"
)

// PassThrough lets requests to some servers go upstream in every record mode, in CI too: a
// database of this test run, an MCP server whose tools are to run while the model is replayed,
// a collector of traces. They are not recorded, matched, counted or compared; go test -v says
// how many there were.
//
// A server is named as in [Live], "http/127.0.0.1:6333", with the port unless it is the one of
// the scheme; "http/*.langfuse.com" stands for all names below a domain, and
// "http/api.openai.com/v1/traces" for everything below a path. All requests to it pass;
// a redirect to another place does not. Live, in contrast, records what it lets
// through, and only where the mode records.
//
// [Open] returns an error for a selector that names no host.
func PassThrough(servers ...string) Option {
	return func(c *config) {
		c.add("PassThrough(", servers, onServer, func(s string) error {
			place, ok := strings.CutPrefix(s, "http/")
			host, _, _ := strings.Cut(place, "/")
			c.passing = append(c.passing, place)
			if name := strings.TrimPrefix(host, "*."); !ok || name == "" || strings.ContainsAny(name, "*@ ") {
				return errors.New("it is no server such as \"http/127.0.0.1:6333\" or \"http/*.example.com\": models and functions are what a cassette is for; Live runs them for real")
			}
			return nil
		})
	}
}

// passesTo reports whether requests to a URL pass.
func (c *config) passesTo(u *url.URL) bool {
	_, ok := c.passes(&http.Request{URL: u})
	return ok
}

// passes reports whether a request goes to a server that [PassThrough] names, and which
// selector names it.
func (c *config) passes(req *http.Request) (selector string, ok bool) {
	if len(c.passing) == 0 || req.URL.Opaque != "" {
		return "", false
	}
	origin := func(host string) string {
		u := request.URL(&http.Request{URL: &url.URL{Scheme: req.URL.Scheme, Host: host}})
		return urls.Origin(&u)
	}
	to := origin(req.URL.Host) // where it goes, whatever its header says
	i := slices.IndexFunc(c.passing, func(place string) bool {
		host, below, _ := strings.Cut(place, "/")
		domain, isDomain := strings.CutPrefix(host, "*.")
		return (!isDomain && to == origin(host) || isDomain && strings.HasSuffix(to, "."+origin(domain))) &&
			strings.HasPrefix(path.Clean("/"+req.URL.Path)+"/", strings.TrimSuffix("/"+below, "/")+"/")
	})
	if i < 0 {
		return "", false
	}
	return "http/" + c.passing[i], true
}

// passThrough sends a request upstream of which nothing is kept.
func (r *Recorder) passThrough(req *http.Request, selector string) (*http.Response, error) {
	if r.life.closed() {
		request.CloseBody(req)
		return nil, r.told(r.nameOf(req), tape.ErrClosed)
	}
	r.log.Reach()
	r.log.Pass(selector)
	r.config.hit(selector)
	return r.upstream.RoundTrip(req)
}
