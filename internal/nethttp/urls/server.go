package urls

import (
	"errors"
	"net/netip"
	"net/url"
	"path"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// A Server is a selector of servers, which a user writes as a text.
//
//	text                            host           port                  path
//	127.0.0.1:6333                  127.0.0.1      6333                  any
//	db.example.com                  db.example.com any                   any
//	https://db.example.com/v1       db.example.com 443                   /v1 and below
//	*.example.com                   names below it any                   any
//	http/db.example.com, as misses  db.example.com that of the scheme    any
//	name a request
type Server struct {
	Host   string // in lower case, an address without brackets
	Domain bool   // selects all names below Host, and not Host itself
	Port   string // "" is any
	Path   string // "" is any; else with a leading slash and without a trailing one

	// OfScheme says that the port is the one of the request's scheme, whatever that is.
	OfScheme bool
}

// errNoServer is the error of a text that does not name a server.
var errNoServer = errors.New("it names no server")

// ParseServer parses the name of a server: an address, a host name, a URL, or "http/" and
// one of the first two. It refuses a name without a dot and a port, except localhost:
// such a name may be that of a function.
func ParseServer(text string) (Server, error) {
	parsed := parsedServers.Get(text)
	return parsed.server, parsed.err
}

type parsedServer struct {
	server Server
	err    error
}

var parsedServers = memo.Strings[parsedServer]{Func: func(text string) parsedServer {
	s, err := parseServer(text)
	return parsedServer{s, err}
}}

func parseServer(text string) (s Server, err error) {
	rest, isNamed := strings.CutPrefix(text, "http/")
	scheme, address, isURL := strings.Cut(rest, "://")
	isHTTP := scheme == "http" || scheme == "https"
	if isURL && (isNamed || !isHTTP) {
		return s, errNoServer
	}
	if !isURL {
		scheme, address = "", rest
	}
	if ip, err := netip.ParseAddr(address); err == nil && ip.Is6() {
		address = "[" + address + "]"
	}

	u, err := url.Parse("//" + strings.TrimPrefix(address, "*."))
	if err != nil || u.User != nil || strings.HasSuffix(u.Host, ":") {
		return s, errNoServer
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return s, errNoServer
	}
	s.Host = hostOf(u)
	s.Domain = strings.HasPrefix(address, "*.")
	s.Port = strings.TrimLeft(u.Port(), "0")
	s.Path = strings.TrimSuffix(path.Clean("/"+u.Path), "/")
	s.OfScheme = isNamed && s.Port == ""
	if isURL && s.Port == "" {
		s.Port = portOf(scheme)
	}

	if s.Host == "" || strings.ContainsAny(s.Host, "*= ") {
		return s, errNoServer
	}
	isPlainWord := !strings.ContainsAny(s.Host, ".:") && s.Host != "localhost"
	isMarked := isNamed || isURL || s.Port != "" // as a server
	if isPlainWord && !isMarked {
		return s, errNoServer
	}
	return s, nil
}

// hostOf returns the host of a URL in one spelling, without its port.
func hostOf(u *url.URL) string {
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		host = ip.Unmap().String()
	}
	return host
}

func portOf(scheme string) string {
	if scheme == "https" {
		return "443"
	}
	return "80"
}

// Names reports whether a URL leads to the server.
func (s Server) Names(u *url.URL) bool {
	port := strings.TrimLeft(u.Port(), "0")
	if u.Port() == "" {
		port = portOf(u.Scheme)
	}
	isPort := s.Port == "" || s.Port == port
	if s.OfScheme {
		isPort = port == portOf(u.Scheme)
	}
	isBelow := strings.HasPrefix(path.Clean("/"+u.Path)+"/", s.Path+"/")
	return s.hasHost(hostOf(u)) && isPort && isBelow
}

// NamesOrigin reports whether an origin, as [Origin] returns it, is that of the server. An
// origin has no port if its port is that of its scheme.
func (s Server) NamesOrigin(origin string) bool {
	u := &url.URL{Host: origin}
	port := u.Port()
	isPort := s.Port == "" || s.Port == port
	if port == "" {
		isPort = s.Port == "" || s.Port == "80" || s.Port == "443"
	}
	if s.OfScheme {
		isPort = port == ""
	}
	return s.hasHost(hostOf(u)) && isPort && s.Path == ""
}

func (s Server) hasHost(host string) bool {
	if s.Domain {
		return strings.HasSuffix(host, "."+s.Host)
	}
	return host == s.Host
}
