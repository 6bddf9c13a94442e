package recorder

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/finding/advice"
	"github.com/promptecho/promptecho/internal/nethttp/urls"
)

// A Config holds the values of the options. The zero value has no options set.
type Config struct {
	mode             Mode
	flag             chosenMode // the mode of a flag of the command, which overrides mode
	upstream         http.RoundTripper
	matching         canon.Options
	aliases          aliases
	live             canon.Selectors // calls that always go upstream
	frozen           canon.Selectors // calls that never go upstream, even if they are live
	passing          []string        // selectors of servers whose requests pass through
	keepHeaders      []string
	hashedParameters []string // the parameters of queries whose hash is recorded
	keepUploads      bool
	redactNames      []string

	redactPatterns []*regexp.Regexp

	pace          float64
	allowUnused   canon.Selectors
	allowRepeats  canon.Selectors
	allowRaced    bool
	onRecordError RecordErrorPolicy
	log           func(note string)
	parseOptions  func(line string) (func(*Config), error) // see OptionsAtTop
	recognize     func(http.RoundTripper) bool             // see RecognizeRecorders; may be nil
	words         *advice.Words                            // see Words; nil for a test in Go
	err           error                                    // of the first invalid option
	settings      []setting                                // the options, flags and variables set
	hits          sync.Map                                 // the values that had an effect
}

// plain reports whether no option changes the matching of requests, or selects requests by
// their form. Then the match keys in the cassette are valid for this run.
func (c *Config) plain() bool {
	redactsMore := len(c.redactNames)+len(c.redactPatterns) > 0
	return c.matching.Plain() && !redactsMore && c.selectsNone()
}

// selectsNone reports whether the options Live and Frozen are not set.
func (c *Config) selectsNone() bool { return len(c.live)+len(c.frozen) == 0 }

// isRecorder reports whether a transport is a recorder of package promptecho.
func (c *Config) isRecorder(rt http.RoundTripper) bool {
	return c.recognize != nil && c.recognize(rt)
}

// everything is the selector of all requests and calls.
const everything = "*"

// A setting is an option, or one of its values if it takes several. Flags and
// environment variables are settings only if they have no effect.
type setting struct {
	option advice.Name // "" for a flag or an environment variable
	args   []string    // the arguments up to the value; nil if reports give the name alone
	flag   string      // a flag or an environment variable as it was set
	value  string
	why    string // why it has no effect, if that is known when it is set
}

// text returns the setting as its user wrote it: a flag or a variable, an option's name, or a
// call of the option.
func (s *setting) text(words *advice.Words) string {
	switch {
	case s.option == "":
		return s.flag
	case s.args == nil:
		return words.Name(s.option)
	}
	return words.Call(advice.Option{Name: s.option, Args: s.args})
}

// A purpose is what the value of an option has to be found in to have an
// effect.
type purpose int

const (
	forAnything purpose = iota // whether it had an effect cannot be known
	forField                   // a field of a request
	forCall                    // a call
	forLiveCall                // a call that is not frozen
	forText                    // a text of a request
	forServer                  // the address of a request
	forWriting                 // something that is written in another way
)

var purposes = map[advice.Name]purpose{
	advice.Match:        forField,
	advice.MatchOnly:    forField,
	advice.Ignore:       forField,
	advice.Unordered:    forField,
	advice.Mask:         forText,
	advice.MaskTimes:    forText,
	advice.MaskUUIDs:    forText,
	advice.MaskTempDirs: forText,
	advice.Alias:        forServer,
	advice.PassThrough:  forServer,
	advice.KeepHeaders:  forWriting,
	advice.Redact:       forWriting,
	advice.RedactFields: forWriting,
	advice.AllowUnused:  forCall,
	advice.AllowRepeats: forCall,
	advice.Frozen:       forCall,
	advice.Live:         forLiveCall,
}

const setTwice = "it is set twice, and the last one counts"

// note notes an option, or one of its values.
func (c *Config) note(option advice.Name, args []string, value string) {
	isSame := func(s setting) bool { return s.option == option && slices.Equal(s.args, args) }
	why := ""
	if slices.ContainsFunc(c.settings, isSame) {
		why = setTwice
	}
	c.settings = append(c.settings, setting{option: option, args: args, value: value, why: why})
}

// noteNoEffect notes a flag or an environment variable that has no effect. flag is
// how it was set.
func (c *Config) noteNoEffect(flag, why string) {
	c.settings = append(c.settings, setting{flag: flag, why: why})
}

// set notes an option with one value. If isInvalid, Open refuses the value, and
// why says what is wrong with it.
func (c *Config) set(option advice.Name, isInvalid bool, why string) {
	if isInvalid {
		c.failFor(option, nil, errors.New(why))
	}
	c.note(option, nil, "")
}

// failFor keeps the first error of an option.
func (c *Config) failFor(option advice.Name, args []string, err error) {
	s := setting{option: option, args: args}
	c.fail(s.text(c.inWords()), err)
}

// fail keeps the first error. what is the option or the flag, as it is in the
// program.
func (c *Config) fail(what string, err error) {
	if c.err == nil && err != nil {
		c.err = prefixed("%s: %w", what, err)
	}
}

// Words sets the words of reports for the language of the suite. It comes before
// the options, whose errors have such words.
func (c *Config) Words(words *advice.Words) { c.words = words }

// inWords returns the words of reports.
func (c *Config) inWords() *advice.Words { return cmp.Or(c.words, advice.InGo) }

// add notes each value of an option that takes any number of them, and fails if
// there is none or an empty one. The option is called with the arguments of
// before, and then with the values. check returns what is wrong with a value; it
// may be nil.
func (c *Config) add(option advice.Name, before, values []string, check func(string) error) {
	for _, v := range values {
		args := slices.Concat(before, []string{v})
		if check != nil {
			c.failFor(option, args, check(v))
		}
		c.note(option, args, v)
	}
	if len(values) == 0 || slices.Contains(values, "") {
		args := append([]string{}, before...)
		c.failFor(option, args, errors.New("it names nothing"))
	}
}

// hit notes that a value of an option was of use.
func (c *Config) hit(value string) bool { c.hits.LoadOrStore(value, true); return true }

// A RecordErrorPolicy is a promptecho.RecordErrorPolicy, which has the
// documentation.
type RecordErrorPolicy int

// The policies for failures that were recorded.
const (
	Warn RecordErrorPolicy = iota
	Fail
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

// nameOf returns the address of a server in the cassette, or "" if the server has no alias.
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
