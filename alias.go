package promptecho

import (
	"net/url"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/urls"
)

// An alias is a name that a local server has in the cassette.
type alias struct {
	origin  string // see urls.Origin
	address string // scheme, host and port
	name    string
}

// aliases are all the aliases that the options give. If several are for one server, the
// last one counts.
type aliases []*alias

// of returns the alias of the server that a URL names, or nil if it has none.
func (as aliases) of(u *url.URL) *alias {
	for _, a := range slices.Backward(as) {
		if a.origin == urls.Origin(u) {
			return a
		}
	}
	return nil
}

// nameOf returns the address that stands in the cassette for that of a server; "" if it has no
// alias.
func (as aliases) nameOf(u *url.URL) string {
	if a := as.of(u); a != nil {
		return "http://" + a.name
	}
	return ""
}

// addressOf is the reverse of nameOf. It is for an answer that is replayed, because the servers
// have other ports now.
func (as aliases) addressOf(u *url.URL) string {
	for _, a := range slices.Backward(as) {
		if u.Scheme == "http" && strings.EqualFold(u.Host, a.name) {
			return a.address
		}
	}
	return ""
}
