package serve

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/promptecho/promptecho/internal/urls"
)

// A target is what a listener stands for.
type target struct {
	scheme, host string // of the upstream; as urls.Origin has it
	dialed       bool   // a client of this process takes the listener for the upstream itself
}

func (t target) String() string { return t.scheme + "://" + t.host }

// A listener stands for an upstream.
type listener struct {
	net.Listener
	target
	address string // http://127.0.0.1:41001
	path    string // of a request's, what is the address's; see New
}

type listenerKey struct{}

// serves reports whether a request may come from a program that was led here. The others are
// pages that the developer's browser has open: what such a page asks would be recorded, and
// under a name that was made to lead here it would read the answers. A browser names the page
// in Origin, or says that it is from elsewhere (https://www.w3.org/TR/fetch-metadata/). Names
// below .internal are nobody's (containers call their host so).
func (l *listener) serves(r *http.Request) bool {
	ours := func(host string) bool {
		return urls.IsThisMachine(host) || host == l.host || strings.HasSuffix((&url.URL{Host: host}).Hostname(), ".internal")
	}
	if r.Host != "" && !ours(r.Host) {
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return r.Header.Get("Sec-Fetch-Site") != "cross-site"
	}
	u, err := url.Parse(origin)
	if err != nil || origin == "null" {
		return false
	}
	return u.Scheme != "http" && u.Scheme != "https" || ours(u.Host) // applications have schemes of their own
}

// targetOf returns the target that a URL names.
func targetOf(u *url.URL) target {
	return target{scheme: u.Scheme, host: urls.Origin(u)}
}
