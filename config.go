package promptecho

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/urls"
)

// config holds what the options set.
type config struct {
	mode        Mode
	flag        chosenMode // the mode that a flag of the command sets, which decides
	upstream    http.RoundTripper
	matching    canon.Options
	aliases     aliases
	live        canon.Selectors // what is asked for real
	frozen      canon.Selectors // what is never asked, not even if it is live
	passing     []string        // selectors of servers
	keepHeaders []string
	toldApart   []string // parameters of queries
	keepUploads bool
	redactNames []string

	redactPatterns []*regexp.Regexp

	pace          float64
	allowUnused   canon.Selectors
	allowRepeats  canon.Selectors
	allowRaced    bool
	onRecordError RecordErrorPolicy
	log           func(note string)
	err           error    // the first option that could not be applied
	stated        []stated // what the options are
	hits          sync.Map // those of their values that changed something in a request or its answer
}

// plain reports whether the options change nothing about what makes two requests the
// same, and select none by its form. Then the match keys in the file are those of this run.
func (c *config) plain() bool {
	return c.matching.Plain() && len(c.redactNames) == 0 && len(c.redactPatterns) == 0 && c.selectsNone()
}

// selectsNone reports whether no call is live or frozen.
func (c *config) selectsNone() bool { return len(c.live)+len(c.frozen) == 0 }

// everything is the selector of all requests and calls.
const everything = "*"

// A stated is an option, or one of the values that it takes. Nothing that is stated has no
// effect in silence.
type stated struct {
	code  string // as it stands in the program
	value string
	on    effect
	why   string // why it has no effect, if that is known from the beginning
}

// An effect is what a value of an option must have been of use for.
type effect int

const (
	onAnything effect = iota // nobody can tell
	onField                  // a path of a field
	onCall                   // a selector
	onLive                   // a selector of what is not frozen
	onText                   // an expression that masks
	onServer                 // an address
	onWriting                // what is written in another way
)

const setTwice = "it is set twice, and the last one counts"

// state keeps an option.
func (c *config) state(code, value string, on effect) {
	why := ""
	if slices.ContainsFunc(c.stated, func(s stated) bool { return s.code == code }) {
		why = setTwice
	}
	c.stated = append(c.stated, stated{code, value, on, why})
}

// set keeps an option with one value, which may be one that it cannot have.
func (c *config) set(option string, wrong bool, why string) {
	if wrong {
		c.fail(option, errors.New(why))
	}
	c.state(option, "", onAnything)
}

func (c *config) fail(option string, err error) {
	if c.err == nil && err != nil {
		c.err = fmt.Errorf("promptecho: %s: %w", option, err)
	}
}

// add keeps an option with values. The option is given up to these: "Ignore(". check says why a
// value is none; it may be nil.
func (c *config) add(option string, values []string, on effect, check func(string) error) {
	for _, v := range values {
		code := fmt.Sprintf("%s%q)", option, v)
		if check != nil {
			c.fail(code, check(v))
		}
		c.state(code, v, on)
	}
	if len(values) == 0 || slices.Contains(values, "") {
		c.fail(strings.TrimSuffix(option, ", ")+")", errors.New("it names nothing"))
	}
}

// hit notes that a value of an option was of use.
func (c *config) hit(value string) bool { c.hits.LoadOrStore(value, true); return true }

// A RecordErrorPolicy is an argument of [OnRecordError].
type RecordErrorPolicy int

// The policies for failures that were recorded.
const (
	// Warn writes such failures, except a refused key (401, 403), and reports them. A run that failed does not write them. In mode all,
	// no failure takes the place of a recorded success: the cassette stays as it was, and
	// Close returns an error.
	Warn RecordErrorPolicy = iota

	// Fail writes nothing and makes Close return an error.
	Fail

	// Keep writes such failures silently: the failure is what the test is about.
	Keep
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
