// The options of a recorder. Each method sets one of them; package promptecho
// has a function of the same name with its documentation.

package recorder

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/chance"
	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/finding/advice"
	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/nethttp/urls"
)

// InMode sets the record mode in code.
func (c *Config) InMode(m Mode) {
	_, err := parseMode(string(m))
	c.set(advice.InMode, err != nil, fmt.Sprint(err))
	c.mode = m
}

// InModeOf sets the record mode that a flag of the command asks for. It
// overrides all other ways to choose a mode; by names the flag.
func (c *Config) InModeOf(by, mode string) {
	m, err := parseMode(mode)
	c.flag = chosenMode{mode: m, by: by}
	c.fail(by, err)
}

// Upstream sets the transport that sends requests; nil is the default.
func (c *Config) Upstream(rt http.RoundTripper) {
	c.set(advice.Upstream, false, "")
	c.upstream = rt
}

// MatchOnly makes paths the only fields of the body that are compared, in the
// requests that the selector names.
func (c *Config) MatchOnly(selector string, paths ...string) {
	if c.matching.Only == nil {
		c.matching.Only = map[string][]string{}
	}
	c.matching.Only[selector] = append(c.matching.Only[selector], paths...)
	c.add(advice.MatchOnly, []string{selector}, paths, func(p string) error {
		if fieldpath.Outside(p) {
			return fmt.Errorf("this path is outside the body: use "+
				"Match(%q) for it, or %q for a body field of that name",
				p, "body/"+p)
		}
		return canon.CheckSelector(selector)
	})
}

// Match compares fields that are otherwise ignored.
func (c *Config) Match(paths ...string) {
	c.matching.Match = append(c.matching.Match, paths...)
	c.add(advice.Match, nil, paths, nil)
	for _, p := range paths {
		kind, name, _ := strings.Cut(strings.TrimPrefix(p, "/"), "/")
		switch kind {
		case "header":
			name, _, _ = strings.Cut(name, "/")
			c.keepHeaders = append(c.keepHeaders, name)
		case "query":
			c.hashedParameters = append(c.hashedParameters, name)
		}
	}
}

// MatchSampling compares the sampling parameters.
func (c *Config) MatchSampling() {
	c.set(advice.MatchSampling, false, "")
	c.matching.Sampling = true
}

// Ignore leaves fields out of matching and of reports.
func (c *Config) Ignore(paths ...string) {
	c.matching.Ignore = append(c.matching.Ignore, paths...)
	c.add(advice.Ignore, nil, paths, nil)
}

// Mask replaces what a regular expression matches before texts are compared.
func (c *Config) Mask(expr, placeholder string) {
	re, err := regexp.Compile(expr)
	c.matching.Masks = append(c.matching.Masks, chance.Mask{Regexp: re, Placeholder: placeholder})
	c.add(advice.Mask, nil, []string{expr}, func(string) error { return err })
}

// MaskTimes masks dates and times.
func (c *Config) MaskTimes() { c.maskWith(advice.MaskTimes, chance.Times()) }

// MaskUUIDs masks UUIDs.
func (c *Config) MaskUUIDs() { c.maskWith(advice.MaskUUIDs, chance.UUIDs()) }

// MaskTempDirs masks what of a path belongs to one machine.
func (c *Config) MaskTempDirs() { c.maskWith(advice.MaskTempDirs, chance.MachinePaths()) }

func (c *Config) maskWith(kind advice.Name, masks []chance.Mask) {
	for i := range masks {
		masks[i].Option = string(kind)
	}
	c.matching.Masks = append(c.matching.Masks, masks...)
	c.note(kind, []string{}, string(kind))
}

// Alias names a local server.
func (c *Config) Alias(origin, name string) {
	u, err := parseOrigin(origin)
	if err != nil {
		c.failFor(advice.Alias, nil, err)
		return
	}
	if !plainName().MatchString(name) {
		c.failFor(advice.Alias, nil, fmt.Errorf("%q is not a name of letters, digits, \"-\" and \".\"", name))
		return
	}
	a := &alias{
		origin:  urls.Origin(u),
		address: u.Scheme + "://" + u.Host,
		name:    strings.ToLower(name),
	}
	c.aliases = append(c.aliases, a)
	c.matching.Aliases = append(c.matching.Aliases, a.name)
	c.note(advice.Alias, []string{a.address, a.name}, a.name)
}

// parseOrigin reads the origin of a server. A text without a scheme is one of http.
func parseOrigin(text string) (*url.URL, error) {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	isHTTP := err == nil && (u.Scheme == "http" || u.Scheme == "https")
	isServer := isHTTP && u.Hostname() != "" && !strings.HasSuffix(u.Host, ":")
	if !isServer || u.User != nil {
		return nil, fmt.Errorf("%q is not an origin such as http://127.0.0.1:8080",
			strings.TrimPrefix(text, "http://"))
	}
	return u, nil
}

var plainName = memo.Regexp(`^[A-Za-z0-9_.-]+$`)

// Unordered lets lists match in any order.
func (c *Config) Unordered(paths ...string) {
	c.matching.Unordered = append(c.matching.Unordered, paths...)
	c.add(advice.Unordered, nil, paths, nil)
}

// KeepHeaders writes headers with these names to the cassette.
func (c *Config) KeepHeaders(names ...string) {
	low := group.Each(names, strings.ToLower)
	c.keepHeaders = append(c.keepHeaders, low...)
	c.add(advice.KeepHeaders, nil, low, nil)
}

// KeepUploads stores uploads completely.
func (c *Config) KeepUploads() {
	c.set(advice.KeepUploads, false, "")
	c.keepUploads = true
}

// Redact replaces what regular expressions match in all that is written.
func (c *Config) Redact(exprs ...string) {
	c.add(advice.Redact, nil, exprs, func(expr string) error {
		re, err := regexp.Compile(expr)
		if err == nil && re.MatchString("") {
			err = errors.New("it matches the empty text, and so everything")
		}
		c.redactPatterns = append(c.redactPatterns, re)
		return err
	})
}

// RedactFields replaces the values of fields, parameters and headers of these
// names.
func (c *Config) RedactFields(names ...string) {
	c.redactNames = append(c.redactNames, names...)
	c.add(advice.RedactFields, nil, names, nil)
}

// Pace replays the recorded delays times x.
func (c *Config) Pace(x float64) {
	c.set(advice.Pace, !(x >= 0), fmt.Sprint(x, " is not a valid time factor: use 0 or more"))
	c.pace = x
}

// AllowUnused accepts unused recordings of the requests that the selectors
// match, or of all requests if there are no selectors.
func (c *Config) AllowUnused(selectors ...string) {
	selectors = orAll(selectors)
	c.allowUnused = append(c.allowUnused, selectors...)
	c.add(advice.AllowUnused, nil, selectors, canon.CheckSelector)
}

// AllowRaced accepts unused recordings of requests that overlapped others.
func (c *Config) AllowRaced() {
	c.set(advice.AllowRaced, false, "")
	c.allowRaced = true
}

// AllowRepeats replays the last recording of a request again if the same request is
// sent more often. It applies to the requests that the selectors match, or to all
// requests if there are no selectors.
func (c *Config) AllowRepeats(selectors ...string) {
	selectors = orAll(selectors)
	c.allowRepeats = append(c.allowRepeats, selectors...)
	c.add(advice.AllowRepeats, nil, selectors, canon.CheckSelector)
}

// orAll returns selectors, or if there are none, the one that selects everything.
func orAll(selectors []string) []string {
	if len(selectors) == 0 {
		return []string{everything}
	}
	return selectors
}

// Log sets what is called with every note when the recorder is closed.
func (c *Config) Log(f func(note string)) {
	c.set(advice.Log, f == nil, "it is nil")
	c.log = f
}

// Live makes the selected calls for real.
func (c *Config) Live(selectors ...string) {
	c.live = append(c.live, selectors...)
	c.add(advice.Live, nil, selectors, canon.CheckSelector)
}

// Frozen keeps the selected calls from being made.
func (c *Config) Frozen(selectors ...string) {
	c.frozen = append(c.frozen, selectors...)
	c.add(advice.Frozen, nil, selectors, canon.CheckSelector)
}

// PassThrough lets requests to these servers go upstream in every mode.
func (c *Config) PassThrough(servers ...string) {
	c.passing = append(c.passing, servers...)
	c.add(advice.PassThrough, nil, servers, func(s string) error {
		if _, err := urls.ParseServer(s); err != nil {
			return errors.New("it is not a server such as \"127.0.0.1:6333\" or \"*.example.com\": " +
				"models and functions belong in the cassette; Live calls them for real")
		}
		return nil
	})
}

// OnRecordError says what happens to failures that were recorded.
func (c *Config) OnRecordError(p RecordErrorPolicy) {
	why := fmt.Sprintf("unknown policy %d: use Warn, Fail or Keep", p)
	c.set(advice.OnRecordError, p < Warn || p > Keep, why)
	c.onRecordError = p
}

// OptionsAtTop sets how the options at the top of a cassette are read, those of
// programs in other languages. parse returns what applies the options of a line.
func (c *Config) OptionsAtTop(parse func(line string) (func(*Config), error)) {
	c.parseOptions = parse
}

// RecognizeRecorders sets what reports whether a transport is a recorder of package
// promptecho, whose type this package cannot name. Without it no transport is one.
func (c *Config) RecognizeRecorders(recognize func(http.RoundTripper) bool) { c.recognize = recognize }
