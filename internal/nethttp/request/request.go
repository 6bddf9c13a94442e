// Package request reads requests of net/http. It knows no matching, and it leaves a
// request as it is, other than reading and closing its body.
package request

import (
	"bufio"
	"bytes"
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/nethttp/urls"
)

// CloseBody closes the body of a request that is not sent.
func CloseBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}

// URL returns the URL that a request asks for. Its host is the one of the request line,
// or else the Host header, or else that of the address (RFC 9112, section 3.2). A host
// name in another script is in Punycode (RFC 3492).
func URL(req *http.Request) url.URL {
	u := *req.URL
	u.Host = cmp.Or(req.Host, u.Host)
	if u.Opaque != "" { // the request line; see url.URL.RequestURI
		path := u.Opaque
		rest, hasHost := strings.CutPrefix(path, "//")
		if hasHost {
			end := strings.IndexByte(rest+"/", '/')
			u.Host = rest[:end]
			path = rest[end:]
		}
		u.Opaque = ""
		u.Path = path
		u.RawPath = ""
		plain, err := url.PathUnescape(path)
		if err == nil {
			u.Path = plain
			u.RawPath = path
		}
	}
	u.Host = asciiHost(u.Host)
	return u
}

// MatchServer returns the first selector that names the server of a URL, and "" if none
// does; see [urls.Server]. The address decides, and not a Host header.
func MatchServer(selectors []string, u *url.URL) string {
	if strings.HasPrefix(u.Opaque, "//") {
		return ""
	}
	for _, selector := range selectors {
		server, err := urls.ParseServer(selector)
		if err != nil {
			continue
		}
		server.Host = asciiHost(server.Host)
		asked := URL(&http.Request{URL: u})
		if server.Names(&asked) {
			return selector
		}
	}
	return ""
}

// asciiHost returns the name of a host in Punycode, if it has letters of another script.
func asciiHost(host string) string {
	isOtherScript := func(c rune) bool { return c > unicode.MaxASCII }
	if strings.ContainsFunc(host, isOtherScript) {
		return punycode(host)
	}
	return host
}

// punycode returns the name of a host in Punycode. The standard library has no function
// for that, but writes the Host header of a request so.
func punycode(host string) string {
	var sent bytes.Buffer
	out := http.Request{URL: &url.URL{Host: strings.ToLower(host)}}
	_ = out.Write(&sent) // if it fails, ReadRequest fails
	in, err := http.ReadRequest(bufio.NewReader(&sent))
	if err != nil {
		return host
	}
	return in.Host
}

// RewriteAddresses replaces the addresses of servers in the values of a header. rewrite
// returns the new address, or "" if the address stays.
func RewriteAddresses(values []string, rewrite func(*url.URL) string) {
	for i, value := range values {
		if !strings.Contains(value, "://") {
			continue
		}
		values[i] = address().ReplaceAllStringFunc(value, func(match string) string {
			old := strings.TrimPrefix(match, "<")
			u, err := url.Parse(old)
			if err != nil {
				return match
			}
			bracket := strings.TrimSuffix(match, old)
			return bracket + cmp.Or(rewrite(u), old)
		})
	}
}

// address matches the address of a server at the beginning of a URL, as Location, Link
// (RFC 8288) and other headers have it.
var address = memo.Regexp(`(?:^|<)https?://[^/?#<>"\s]+`)
