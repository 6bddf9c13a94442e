package promptecho

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
)

// An alias is a name that a local server has in the cassette.
type alias struct {
	origin  string // see canon.Origin
	address string // scheme, host and port
	name    string
	asked   atomic.Bool // by a request of this run
}

// aliases are all that the options give, of which the last one for a server counts.
type aliases []*alias

// of returns the alias of the server that a URL names, nil if it has none.
func (as aliases) of(u *url.URL) *alias {
	if len(as) == 0 {
		return nil
	}
	origin := canon.Origin(u)
	for _, a := range slices.Backward(as) {
		if a.origin == origin {
			return a
		}
	}
	return nil
}

// nameServers gives the servers that headers of an answer lead to the names that they have
// in the cassette.
func (as aliases) nameServers(hs interaction.Headers) {
	for _, h := range hs {
		as.readdress(h.Values, func(u *url.URL) string {
			if a := as.of(u); a != nil {
				return "http://" + a.name
			}
			return ""
		})
	}
}

// addressServers is the reverse of nameServers, for an answer that is replayed: today the
// servers have other ports.
func (as aliases) addressServers(h http.Header) {
	for _, values := range h {
		as.readdress(values, func(u *url.URL) string {
			for _, a := range slices.Backward(as) {
				if u.Scheme == "http" && strings.EqualFold(u.Host, a.name) {
					return a.address
				}
			}
			return ""
		})
	}
}

// readdress replaces the addresses in the values of a header by what to gives for them,
// unless that is empty.
func (as aliases) readdress(values []string, to func(*url.URL) string) {
	for i, v := range values {
		if len(as) == 0 || !strings.Contains(v, "://") {
			continue
		}
		values[i] = serverAddress().ReplaceAllStringFunc(v, func(m string) string {
			text := strings.TrimPrefix(m, "<")
			u, err := url.Parse(text)
			if err != nil {
				return m
			}
			return m[:len(m)-len(text)] + cmp.Or(to(u), text)
		})
	}
}

// serverAddress matches a server that a header of an answer leads to: Location, Link (RFC
// 8288) and the like begin with it.
var serverAddress = memo.Regexp(`(?:^|<)https?://[^/?#<>"\s]+`)
