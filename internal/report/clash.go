package report

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
)

// A Contest is a recording that answered another request than its own. Either it was
// played for a request that differs in what does not match, and its own request came
// later. Or it was played after a recording that was recorded later, for the same request
// in another spelling.
type Contest struct {
	Line  int         // where the recording starts
	Field canon.Trait // what differs in the request that took it
	Local bool        // it is of a local server

	Got  int // the line of what its own request got instead; 0 for a new recording
	Late int // the line of what was recorded later and played before it; 0 if there is none
}

// String says what happened, and what to do about it.
func (c Contest) String() string {
	if c.Late > 0 {
		return fmt.Sprintf("played after line %d, which was recorded later for the same request in another spelling. Record both again", c.Late)
	}
	got := "a new recording"
	if c.Got > 0 {
		got = fmt.Sprintf("line %d", c.Got)
	}
	words, selector := c.inWhat()
	text := fmt.Sprintf("played for a request that differs in %s; then this very request came, and got %s. Record both again", words, got)
	if selector != "" {
		text += fmt.Sprintf(", or tell the two apart with promptecho.Match(%q)", selector)
	}
	return text
}

// inWhat says in what the request that took a recording differs, and gives the selector
// by which an option can name that. The selector is "" if no option can.
func (c Contest) inWhat() (words, selector string) {
	switch {
	case c.Field.Spelled():
		return "its spelling", ""
	case c.Field.Path == "host" && c.Local:
		return "its local host", ""
	}
	selector = canon.Selector(c.Field.Path)
	return selector, selector
}

// Taken says that another request took the recording of this one, which is why this one
// has none.
func (c Contest) Taken() string {
	words, _ := c.inWhat()
	return fmt.Sprintf("the recording of this very request was played before, for one that differs in %s and is not recorded", words)
}

// ServerClash says that local servers, given by their addresses such as
// "http://127.0.0.1:8080", answered the same request differently. On other ports replay
// could not tell them apart.
func (r *Run) ServerClash(o *Outcome, endpoint string, addresses []string) string {
	var hosts, options []string
	drawn := false
	for i, address := range addresses {
		_, host, _ := strings.Cut(address, "://")
		hosts = append(hosts, host)
		name := fmt.Sprintf("server%d", i+1)
		if words := [...]string{"one", "two", "three", "four", "five"}; i < len(words) {
			name = words[i]
		}
		if hasDrawnPort(address) {
			drawn = true
			options = append(options, fmt.Sprintf("  promptecho.Alias(server.URL, %q), // server: the one at %s", name, address))
		} else {
			options = append(options, fmt.Sprintf("  promptecho.Alias(%q, %q),", address, name))
		}
	}
	last := len(hosts) - 1
	text := fmt.Sprintf("%s: %s and %s answered the same request (%s) differently. Local hosts are one origin, since their ports change from run to run: give names to those that differ",
		r.File, strings.Join(hosts[:last], ", "), hosts[last], endpoint)
	if drawn {
		text += " (server stands for the variable that has the httptest.Server)"
	}
	return fmt.Sprintf("%s:\n%s\nand record again:\n%s", text, strings.Join(options, "\n"), r.command(o))
}

// hasDrawnPort reports whether a local server has a port that the system gave it. Such a
// port is another one in the next run. Linux gives ports from 32768 on, other systems
// from 49152 (RFC 6335, section 6).
func hasDrawnPort(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := u.Hostname()
	port, err := strconv.Atoi(u.Port())
	return err == nil && port >= 32768 && (host == "localhost" || host == "::1" || strings.HasPrefix(host, "127."))
}

// CookiePath is the path of the cookies among the fields of a request.
const CookiePath = "header/cookie/"

// FieldClash says that two interactions, given by their numbers, have different answers
// to requests that differ only in the field at path, which is not written. mayWrite is
// false if the field must not be written at all, since it may be a credential.
func (r *Run) FieldClash(o *Outcome, first, second int, endpoint, path string, mayWrite bool) string {
	name := strings.Replace(path, "/", " ", 1)
	if cookie, ok := strings.CutPrefix(path, CookiePath); ok {
		name = "cookie " + cookie
	} else if param, ok := strings.CutPrefix(path, "query/"); ok {
		name = "query parameter " + param
	}
	way := fmt.Sprintf("It may be a credential, which is never written: use two cassettes, one per account. If it means nothing, give promptecho.Ignore(%q)", path)
	if mayWrite {
		way = fmt.Sprintf("This writes it to the cassette and makes it match:\n  promptecho.Match(%q),\nor, if it means nothing, promptecho.Ignore(%[1]q). Then record again:\n%s", path, r.command(o))
	}
	return fmt.Sprintf("%s: interactions %d and %d are of the same request (%s) and have different answers. They were asked with another %s, which is not written, so replay could not tell them apart. %s",
		r.File, first, second, endpoint, name, way)
}
