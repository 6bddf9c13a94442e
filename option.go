package promptecho

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/chance"
	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/nethttp/urls"
)

// An Option changes what a recorder does. Options are applied in order; those that
// take several values add to earlier ones. A nil Option does nothing.
//
// An option that has no effect is reported. [Open] returns an error if an option cannot
// mean anything: an unknown kind of call, an invalid expression, no value at all. When the run
// is over, an option that selected nothing, that is set twice or that another one overrides is
// reported to have had no effect: by echotest with the result of the test, by [Recorder.Close]
// on standard error, or to [Log]. Not reported is [Ignore] of a header, since that may never be
// written. Tests that share an option need not all use it. It is reported once: under
// echotest.Main if no test of the package needed it, otherwise after the first run in which it
// had no effect. The run fails if a call that was meant to be [Frozen] was not.
type Option func(*config)

// each returns an option that adds values to a list of the config. check says why a value is
// none.
func each[L ~[]string](
	kind optionKind, values []string, check func(string) error, list func(*config) *L,
) Option {
	return func(c *config) {
		*list(c) = append(*list(c), values...)
		c.add(kind, nil, values, check)
	}
}

// InMode sets the record mode in code. It replaces the default and is an
// upper limit: neither the flag nor the environment can turn on sending or writing if this mode
// does not allow them. So a cassette that was edited by hand is
// safe from PROMPTECHO_MODE=all with InMode(ModeNone). In CI a mode other than
// none needs PROMPTECHO_MODE or the flag as well.
func InMode(m Mode) Option {
	return func(c *config) {
		_, err := parseMode(string(m), "InMode")
		c.set(optionInMode, err != nil, strings.TrimPrefix(fmt.Sprint(err), "promptecho: InMode: "))
		c.mode = m
	}
}

// Upstream sets the transport that sends a request that is not in the cassette. The
// default, also for nil, is a clone of [http.DefaultTransport] with connections of its own. [Open]
// returns an error if the transport is a recorder.
func Upstream(rt http.RoundTripper) Option {
	return func(c *config) { c.set(optionUpstream, false, ""); c.upstream = rt }
}

// MatchOnly makes the named fields the only fields of the body that are compared, in the requests
// that the selector names: "llm" for those to model APIs, "tool/search" for the calls of a
// function, "*" for all; see [Live]. A change of any other field of the body is reported, and
// the request is still replayed. Everything outside the body (the endpoint, whether the
// answer streams, host, path, query and headers) is compared as without MatchOnly. So select
// only requests whose fields you know: in others, nothing of the body would be compared.
// If several MatchOnly select a request, the fields of all of them are compared.
//
// Paths are those of the request as it is sent, and of a miss report, such as "model" or
// "messages/0/content"; "*" stands for one segment, "**" for any number, and a path stands
// for everything below it.
//
// If several options select a field, [Ignore] decides before [Match], [Match] before
// [MatchSampling], and that before MatchOnly. [Mask] changes values wherever they match.
func MatchOnly(selector string, paths ...string) Option {
	return func(c *config) {
		if c.matching.Only == nil {
			c.matching.Only = map[string][]string{}
		}
		c.matching.Only[selector] = append(c.matching.Only[selector], paths...)
		c.add(optionMatchOnly, []string{strconv.Quote(selector)}, paths, func(p string) error {
			if fieldpath.Outside(p) {
				return fmt.Errorf("this path is outside the body: use Match(%q) for it, or %q for a body field of that name", p, "body/"+p)
			}
			return canon.CheckSelector(selector)
		})
	}
}

// Match compares fields that are otherwise ignored: "host", "path" (the part before the one that
// identifies the API), "query/NAME" and "header/NAME" of a known model API, headers of any other
// API, and fields of the body whose changes are only reported, such as "temperature" or
// "metadata/tenant". The paths are as in [MatchOnly]. A header that is named is written to
// the cassette, so it must not be secret. Of a query parameter that would be replaced as a secret, a
// short hash is written.
func Match(paths ...string) Option {
	return func(c *config) {
		c.matching.Match = append(c.matching.Match, paths...)
		c.add(optionMatch, nil, paths, nil)
		for _, p := range paths {
			switch kind, name, _ := strings.Cut(strings.TrimPrefix(p, "/"), "/"); kind {
			case "header":
				name, _, _ = strings.Cut(name, "/")
				c.keepHeaders = append(c.keepHeaders, name)
			case "query":
				c.toldApart = append(c.toldApart, name)
			}
		}
	}
}

// MatchSampling compares the sampling parameters (temperature, top_p, max_tokens, seed
// and the like), too.
func MatchSampling() Option {
	return func(c *config) { c.set(optionMatchSampling, false, ""); c.matching.Sampling = true }
}

// Ignore leaves fields out of matching and of reports. The paths are as in [MatchOnly];
// outside the body they are "host", "path", "query/NAME" and "header/NAME".
func Ignore(paths ...string) Option {
	return each(optionIgnore, paths, nil, func(c *config) *[]string { return &c.matching.Ignore })
}

// Mask replaces what a regular expression matches in the texts of a request, recorded and
// incoming, before they are compared: in strings of the body, and in host, path, query
// values and headers, if they are stored as text and not as a hash. The content of a file
// is never masked. The placeholder may refer to groups as in
// [regexp.Regexp.ReplaceAllString]. What is sent and what is written does not change.
// [Open] returns an error if the expression is invalid.
func Mask(expr, placeholder string) Option {
	return func(c *config) {
		re, err := regexp.Compile(expr)
		c.matching.Masks = append(c.matching.Masks, chance.Mask{Regexp: re, Placeholder: placeholder})
		c.add(optionMask, nil, []string{expr}, func(string) error { return err })
	}
}

// MaskTimes masks dates and times in texts, as [Mask] does: as RFC 3339 and the layouts of
// package time have them, as [time.Time.String] and people write them ("2 January 2026",
// "Monday", "3:04 PM"), and Unix times of ten digits and more. A test that depends on a
// date is better off with [Recorder.Now], which does not change what is compared. The name of a
// model, and the version of an API, stay as they are.
func MaskTimes() Option { return maskWith(optionMaskTimes, chance.Times) }

// MaskUUIDs masks UUIDs in texts, as [Mask] does, but not in the name of a model or a version.
func MaskUUIDs() Option { return maskWith(optionMaskUUIDs, chance.UUIDs) }

// MaskTempDirs masks, as [Mask] does, what belongs to one machine in a path, so that a test
// replays on another one: the folder for temporary files with the random digits that
// [testing.T.TempDir], [os.MkdirTemp] and [os.CreateTemp] append to a name, the folder of the
// checkout, and the home folder of the user, on Linux, macOS and Windows. The other folders and
// the names of files are still compared, whichever separators they stand between. The checkout
// of another machine is known by the name of its folder, which must be that of this machine or
// the last element of the module's path.
//
// A temporary name with a space, as os.MkdirTemp("", "my dir*") makes, keeps its digits: in a
// sentence, the path may end at the space, and digits in the words after it are compared. Use a
// name without a space, or add a [Mask].
func MaskTempDirs() Option { return maskWith(optionMaskTempDirs, chance.MachinePaths) }

func maskWith(kind optionKind, masks func() []chance.Mask) Option {
	return func(c *config) {
		list := masks()
		for i := range list {
			list[i].Option = kind.call()
		}
		c.matching.Masks = append(c.matching.Masks, list...)
		c.note(kind, kind.call(), kind.call())
	}
}

// Alias names a local server: a request to the origin (host and port, such as those of an
// httptest.Server, with or without the scheme http://) is matched and written as one to http://NAME. All local
// hosts without a name count as one origin, since their names and ports change from
// machine to machine. So name those that must not answer for each other. Headers
// of answers that lead to the server (Location, Link) are written with the name, too, and
// replayed with the origin. [Open] returns an
// error if the origin or the name is invalid.
func Alias(origin, name string) Option {
	return func(c *config) {
		u, err := parseOrigin(origin)
		switch {
		case err != nil:
			c.fail("Alias", err)
		case !plainName.MatchString(name):
			c.fail("Alias", fmt.Errorf("%q is not a name of letters, digits, \"-\" and \".\"", name))
		default:
			a := &alias{origin: urls.Origin(u), address: u.Scheme + "://" + u.Host, name: strings.ToLower(name)}
			c.aliases = append(c.aliases, a)
			c.matching.Aliases = append(c.matching.Aliases, a.name)
			code := optionAlias.call(strconv.Quote(a.address), strconv.Quote(a.name))
			c.note(optionAlias, code, a.name)
		}
	}
}

// parseOrigin reads the origin of a server. A text without a scheme is one of http.
func parseOrigin(text string) (*url.URL, error) {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	isServed := err == nil && (u.Scheme == "http" || u.Scheme == "https")
	if !isServed || u.Hostname() == "" || u.User != nil || strings.HasSuffix(u.Host, ":") {
		return nil, fmt.Errorf("%q is not an origin such as http://127.0.0.1:8080", strings.TrimPrefix(text, "http://"))
	}
	return u, nil
}

// Unordered says that the order of the elements means nothing in the lists at these paths,
// such as parameters that a program takes from a Go map: they match in any order. A note
// reports an order that differs from the recording's, and a list is sent and written as it is. The
// paths are as in [MatchOnly], except that a path stands only for the list itself, and not
// for lists below it. In messages and in most other lists the order decides the answer.
func Unordered(paths ...string) Option {
	return each(optionUnordered, paths, nil, func(c *config) *[]string { return &c.matching.Unordered })
}

// KeepHeaders writes headers with these names to the cassette: of requests, although they
// are not on the list of harmless ones, and of responses, although they are noise to most programs
// (docs/SECURITY.md, "Headers of answers"). "x-ratelimit-*" stands for all names that begin with
// "x-ratelimit-", and "*-limit" for all that end in "-limit". The program does not get a header
// that is not written, even in the recording run, whose log names it if the run fails. What promptecho
// knows as a secret is replaced in them as elsewhere. A header whose name says that it holds a credential
// ("x-session-token") is written only if its whole name is given: give it only if the header does not really hold one.
// The headers are not compared.
func KeepHeaders(names ...string) Option {
	return each(optionKeepHeaders, group.Each(names, strings.ToLower), nil, func(c *config) *[]string { return &c.keepHeaders })
}

// KeepUploads stores uploads completely. Without it, an upload of more than 256 KB (a part of a
// form, base64 in JSON, a body that is not text) is stored as its length, SHA-256 and media type,
// and compared by them. Answers are always stored completely. The option does not change what
// matches: use it to look at an upload, or to edit it. A stored upload is held in memory.
func KeepUploads() Option {
	return func(c *config) { c.set(optionKeepUploads, false, ""); c.keepUploads = true }
}

// Redact replaces more than promptecho does by itself: names of customers, personal data. An
// argument is a regular expression, as package regexp has them; what it matches is replaced by
// "[REDACTED]". If the expression has a group, only what the first group matches is replaced.
// So Redact("Acme") replaces this name wherever it occurs. [RedactFields] replaces by the
// names of fields. Both apply to everything that is written, and before requests are compared,
// so two requests that differ only in what is redacted are the same. What is sent and received
// does not change. [Open] returns an error if an expression is invalid.
func Redact(exprs ...string) Option {
	return func(c *config) {
		c.add(optionRedact, nil, exprs, func(expr string) error {
			re, err := regexp.Compile(expr)
			if err == nil && re.MatchString("") {
				err = errors.New("it matches the empty text, and so everything")
			}
			c.redactPatterns = append(c.redactPatterns, re)
			return err
		})
	}
}

// RedactFields replaces the values of fields, query parameters and written headers of these
// names, in any letter case and wherever they occur: a text becomes "[REDACTED]", a number 0.
// Otherwise it is like [Redact].
func RedactFields(names ...string) Option {
	return each(optionRedactFields, names, nil, func(c *config) *[]string { return &c.redactNames })
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// Pace replays the recorded delays times x: 1 is as recorded, 0 (the default) is at once. If x
// is 0, clients that retried, polled or reconnected are also told to do so without waiting; if x is more
// than 0, they are told what was recorded. Pace waits with package time only, so a
// [testing/synctest] bubble replays real latencies in no time. [Open] returns an error if x is
// negative.
func Pace(x float64) Option {
	return func(c *config) {
		c.set(optionPace, !(x >= 0), fmt.Sprint(x, " is not a valid time factor: use 0 or more"))
		c.pace = x
	}
}

// AllowUnused accepts unused recordings of the requests that the selectors name; see [Live].
// Without selectors it accepts all unused recordings, and a recorder that no request reached.
func AllowUnused(selectors ...string) Option {
	return each(optionAllowUnused, orAll(selectors), canon.CheckSelector, func(c *config) *canon.Selectors { return &c.allowUnused })
}

// AllowRaced accepts an unused recording of a request that was recorded while another request was
// still waiting for its answer. What a program sends in the background (for a conversation's
// title, say) races with the end of its test, which comes sooner in replay.
func AllowRaced() Option {
	return func(c *config) { c.set(optionAllowRaced, false, ""); c.allowRaced = true }
}

// AllowRepeats replays the last recording of a request again when the request is sent more
// often than it was recorded, if one of the selectors names it; see [Live]. So a poll of
// "http/jobs.example.com" may repeat, while each call of a model needs a recording. Without
// selectors, every request may repeat.
func AllowRepeats(selectors ...string) Option {
	return each(optionAllowRepeats, orAll(selectors), canon.CheckSelector, func(c *config) *canon.Selectors { return &c.allowRepeats })
}

// orAll returns selectors, or if there are none, the one that selects everything.
func orAll(selectors []string) []string {
	if len(selectors) == 0 {
		return []string{everything}
	}
	return selectors
}

// Log calls f with every note when the recorder is closed: what was saved and where, what
// was not recorded and why, and which fields changed without a miss. Without it,
// [Recorder.Close] drops the notes. Package echotest logs them to its test anyway.
func Log(f func(note string)) Option {
	return func(c *config) { c.set(optionLog, f == nil, "it is nil"); c.log = f }
}

// Live runs the selected calls for real and replays the rest, to see what becomes of
// a recorded conversation when one part of it has changed. The outcome is written to
// NAME.derived.yaml next to the cassette NAME.yaml, which does not change. In mode none
// nothing is written.
//
// A selector is the name of a function that was passed to [Wrap], such as "tool/search", or
// of a request: "llm/openai.chat" or "http/api.example.com". "*" stands for the kind or for
// the rest, and a kind alone selects all of that kind. Misses and promptecho show call each
// request by this name. A server can be named as in [PassThrough], but without a path.
//
// A function can be live in every mode. A request is live only if the mode records what is
// not recorded (new_episodes, update); else it is replayed, with a note. If the cassette is absent
// or partial, or is recorded again, everything is recorded as without Live.
func Live(selectors ...string) Option {
	return each(optionLive, selectors, canon.CheckSelector, func(c *config) *canon.Selectors { return &c.live })
}

// Frozen keeps the selected calls from ever being made, in any record mode: they are replayed,
// and what is not recorded is a miss. Even mode all, which records everything else again,
// keeps and replays what the cassette has of them, and mode live replays it. It is for effects
// that must not happen twice, such as charging a card: record it once without this option, or
// write its recording by hand. The selectors are those of [Live]. A call that both Live and
// Frozen select is frozen. The run fails if a selector names nothing that was called or is
// recorded: the call it was meant to freeze could be made.
func Frozen(selectors ...string) Option {
	return each(optionFrozen, selectors, canon.CheckSelector, func(c *config) *canon.Selectors { return &c.frozen })
}

// PassThrough lets requests to some servers go upstream in every record mode, in CI too: a
// database of this test run, an MCP server whose tools are to run while the model is replayed,
// a collector of traces. They are not recorded, matched or compared; go test -v says
// how many there were.
//
// A server is an address ("127.0.0.1:6333"), a host with any port ("db.internal"), a URL
// ("https://db.example.com", with the port of its scheme), or a name as misses have it
// ("http/127.0.0.1:6333", "http/db.example.com", with the port unless it is the one of the scheme).
// "*.langfuse.com" stands for all names below a domain, and "api.openai.com/v1/traces" for what is
// below a path. Everything that goes there passes, and a redirect to another place does not. Live,
// in contrast, records what it lets through, and only where the mode records.
//
// [Open] returns an error for a selector that names no host.
func PassThrough(servers ...string) Option {
	check := func(s string) error {
		if _, err := urls.ParseServer(s); err != nil {
			return errors.New("it is not a server such as \"127.0.0.1:6333\" or \"*.example.com\": models and functions belong in the cassette; Live calls them for real")
		}
		return nil
	}
	return each(optionPassThrough, servers, check, func(c *config) *[]string { return &c.passing })
}

// OnRecordError says what happens to failures that were recorded: a status of 400 or
// more, or a stream that broke off, if no later success of the same request followed. The
// default is [Warn]. An error that a retry overcame is always kept, in sequence.
func OnRecordError(p RecordErrorPolicy) Option {
	return func(c *config) {
		c.set(optionOnRecordError, p < Warn || p > Keep, fmt.Sprintf("unknown policy %d: use Warn, Fail or Keep", p))
		c.onRecordError = p
	}
}
