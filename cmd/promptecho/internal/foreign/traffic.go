package foreign

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
)

// Browsers and proxies write all traffic that they see. Here is what is imported of it: requests that
// another program can send, too, in the order in which they were sent.

// A captured is a request and its answer in a file of captured traffic.
type captured struct {
	exchange
	start, end time.Time // zero if they are not known
	resource   string    // what a browser wanted, such as "image" or "fetch"; "" if not known

	isWebSocket bool
	messages    []timedMessage // of the WebSocket

	losses  []string     // what is not in the file, see Cassette.lose
	missing finding.Code // why it cannot be imported; "" if it can be
	why     string       // the same in words
}

// leaveOut notes why the request cannot be imported. The first reason counts.
func (x *captured) leaveOut(code finding.Code, why string) {
	if x.missing == "" {
		x.missing = code
		x.why = why
	}
}

// asHandshake makes a request one that opens a WebSocket over HTTP/1.1, as promptecho records it. A
// capture may have the URL as wss://, and over HTTP/2 the method is CONNECT (RFC 8441).
func (x *captured) asHandshake() {
	x.isWebSocket = true
	x.method = "GET"
	x.status = 101
	x.proto = ""
	x.request.body = nil
	x.response.body = nil
	rest, isSocket := strings.CutPrefix(x.url, "ws")
	if isSocket {
		x.url = "http" + rest
	}
	headers := interaction.HeadersOf(x.request.headers)
	if headers.Get("upgrade") == "" {
		headers = withHeader(headers, "upgrade", "websocket")
	}
	x.request.headers = headers.Map()
}

// resourcesOfPages are the types of requests by which a browser shows a page, as Chrome names them in
// a HAR. The other types are requests of scripts, and those that are not known.
var resourcesOfPages = []string{
	"beacon", "cspviolationreport", "csp-violation-report", "document", "font", "image", "imageset",
	"manifest", "media", "ping", "prefetch", "script", "signedexchange", "signed-exchange", "stylesheet",
	"texttrack",
}

// skipReason returns the reason why a request is not one of an API; "" if it may be one. A browser says
// in Sec-Fetch-Dest what it wants: "empty" is a request of a script
// (https://www.w3.org/TR/fetch-metadata/#sec-fetch-dest-header).
func (x *captured) skipReason() string {
	headers := interaction.HeadersOf(x.request.headers)
	isHTTP := strings.HasPrefix(x.url, "https://") || strings.HasPrefix(x.url, "http://")
	isPreflight := x.method == "OPTIONS" && headers.Get("access-control-request-method") != ""
	wanted := headers.Get("sec-fetch-dest")
	isOfPage := wanted != "" && wanted != "empty" && wanted != "websocket"
	if wanted == "" {
		isOfPage = slices.Contains(resourcesOfPages, x.resource)
	}
	switch {
	case x.method == "CONNECT" && !x.isWebSocket:
		return "CONNECT to a proxy: what went through the tunnel was not read"
	case !isHTTP:
		return "the URL is not one of HTTP"
	case isPreflight || x.resource == "preflight":
		return "preflight of CORS, which only browsers send"
	case isOfPage:
		return "part of a page: document, script, style, image, font"
	}
	return ""
}

// skips reports whether a captured request is not imported, and counts it then.
func (c *Cassette) skips(x *captured) bool {
	why := x.skipReason()
	if why == "" && !c.isWanted(x.url) {
		why = otherHost
	}
	if why == "" {
		return false
	}
	c.skip(why)
	return true
}

// name returns the method and the host, by which a reader finds the request. The path may have a secret.
func (x *captured) name() string {
	host := "an unknown host"
	u, err := url.Parse(x.url)
	if err == nil && u.Host != "" {
		host = u.Host
	}
	return x.method + " to " + host
}

// addTraffic adds captured requests in the order in which they were sent. On an error it returns the
// request that has it.
func (c *Cassette) addTraffic(list []*captured) (*captured, error) {
	hasUnknownTime := slices.ContainsFunc(list, func(x *captured) bool { return x.start.IsZero() })
	if !hasUnknownTime {
		slices.SortStableFunc(list, func(a, b *captured) int { return a.start.Compare(b.start) })
	}

	var added []*captured
	for _, x := range list {
		if x.missing != "" {
			c.LeftOut = append(c.LeftOut, LeftOut{x.line, x.missing, x.name() + ": " + x.why})
			continue
		}
		x.answered = x.end
		if x.answered.IsZero() {
			x.answered = x.start
		}
		err := c.add(&x.exchange)
		if err != nil {
			return x, err
		}
		added = append(added, x)
		for _, loss := range x.losses {
			c.lose("%s", loss)
		}
		if x.isWebSocket {
			addMessages(c.Interactions[len(c.Interactions)-1], x.messages)
		}
	}
	c.markConcurrent(added)
	slices.SortStableFunc(c.LeftOut, func(a, b LeftOut) int { return a.Line - b.Line })
	return nil, nil
}

// markConcurrent marks the interactions of captured requests that were under way at the same time.
// The requests are sorted by their starts, and their interactions are the last ones of the cassette.
//
// Each request is compared with the earlier request that ended last. If it overlaps any other earlier
// request, the two earlier ones overlap, too, and so are marked already.
//
// The marks have no moments. A recorder adds when requests and answers began and ended; the times of a
// capture are those of a browser or a proxy.
func (c *Cassette) markConcurrent(added []*captured) {
	interactions := c.Interactions[len(c.Interactions)-len(added):]
	lastToEnd := -1 // the index of the earlier request that ended last
	for i, x := range added {
		if lastToEnd >= 0 && added[lastToEnd].end.After(x.start) {
			interactions[lastToEnd].Concurrent = &interaction.Moments{}
			interactions[i].Concurrent = &interaction.Moments{}
		}
		if lastToEnd < 0 || x.end.After(added[lastToEnd].end) {
			lastToEnd = i
		}
	}
}

// secondsOf returns a time that is given in seconds since 1970; the zero time for 0.
func secondsOf(seconds float64) time.Time {
	const latest = 1 << 40 // some 35,000 years; larger ones overflow time.Time
	if !(seconds > 0 && seconds < latest) {
		return time.Time{}
	}
	return time.UnixMicro(int64(seconds * 1e6))
}
