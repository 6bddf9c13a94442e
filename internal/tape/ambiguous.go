package tape

import (
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/interaction"
)

// AmbiguousServers are local servers that answered one request differently.
// They have other ports in the next run, so replay could not tell them apart.
type AmbiguousServers struct {
	Endpoint  string   // of the request
	Addresses []string // of the servers: scheme, host and port
}

// AmbiguousServers returns the first request that local servers answered
// differently, or nil if there is none. Recordings that allowUnused selects may
// stay unused. The tape must be closed.
func (t *Tape) AmbiguousServers(allowUnused canon.Selectors) *AmbiguousServers {
	byForm := group.By(t.recordings, func(rec *Recording) (key uint64, ok bool) {
		isOfThisRun := !rec.resumed || rec.Used()
		return keyOf(rec.Form()), isOfThisRun && rec.isFinal() && rec.Form().Local
	})
	for _, recs := range byForm {
		origin := (*Recording).originInThisRun
		hasUnused := slices.ContainsFunc(recs, func(rec *Recording) bool {
			return !rec.Fresh() && !rec.Used()
		})
		if hasUnused {
			if !allowUnused.Select(recs[0].Form().Name()) {
				continue // the run is incomplete, so the responses prove nothing
			}
			// An unused recording has no origin in this run, so all origins are
			// compared as they were recorded.
			origin = func(rec *Recording) string { return rec.Form().Origin }
		}

		differing := differingAnswers(recs, func(rec *Recording) (server string, ok bool) {
			return serverOf(origin(rec)), true
		})
		if differing == nil {
			continue
		}
		found := &AmbiguousServers{Endpoint: recs[0].Form().Endpoint}
		for _, rec := range differing {
			scheme := "http://"
			if strings.HasPrefix(rec.Head().Request.URL, "https:") {
				scheme = "https://"
			}
			found.Addresses = append(found.Addresses, scheme+origin(rec))
		}
		return found
	}
	return nil
}

// originInThisRun returns the origin for which a recording answers in this run.
// Local servers may have had other ports when it was recorded.
func (rec *Recording) originInThisRun() string {
	if rec.run.playedFor != nil {
		return rec.run.playedFor.form.Origin
	}
	return rec.Form().Origin
}

// serverOf returns what tells local servers apart. All names of this machine
// count as one.
func serverOf(origin string) string {
	host, port, err := net.SplitHostPort(origin)
	if err != nil { // it has no port
		host = strings.Trim(origin, "[]")
	}
	switch host {
	case "127.0.0.1", "::1", "0.0.0.0", "::":
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}

// CookiePath is the path of the cookies of a request among its fields.
const CookiePath = "header/cookie/"

// An AmbiguousField is a field that is not written but decides the response.
// Two requests that are the same to replay differ in it, and were answered
// differently.
type AmbiguousField struct {
	Path          string      // of the field
	Form          *canon.Form // of the requests
	First, Second int         // the places of the two in the order recorded, from 1
}

// AmbiguousFields returns the fields that are not written but decide a
// response, each once. The tape must be closed.
func (t *Tape) AmbiguousFields() []AmbiguousField {
	places := map[*Recording]int{}
	for _, rec := range t.recordings {
		if rec.Complete() {
			places[rec] = len(places) + 1
		}
	}

	sameRequest := group.By(t.recordings, func(rec *Recording) (key requestKey, ok bool) {
		if rec.run.unrecorded == nil || !rec.isFinal() {
			return key, false
		}
		// A request that was refused is sent again with a new token.
		isRefused := rec.Head().Response.Status == http.StatusUnauthorized
		return rec.requestKey(), !isRefused
	})

	var all []AmbiguousField
	isFound := map[string]bool{}
	for _, recs := range sameRequest {
		paths := Unrecorded{}
		for _, rec := range recs {
			maps.Copy(paths, rec.run.unrecorded)
		}
		for _, path := range slices.Sorted(maps.Keys(paths)) {
			differing := differingAnswers(recs, func(rec *Recording) (hash uint64, ok bool) {
				hash, ok = rec.run.unrecorded[path]
				// A request without a cookie may be the one whose response sets
				// it.
				return hash, ok || !strings.HasPrefix(path, CookiePath)
			})
			if differing == nil || isFound[path] || t.isSetByResponse(path) {
				continue
			}
			isFound[path] = true
			all = append(all, AmbiguousField{
				Path:   path,
				Form:   recs[0].Form(),
				First:  places[differing[0]],
				Second: places[differing[1]],
			})
		}
	}
	return all
}

// isSetByResponse reports whether a path is that of a cookie that a response
// sets. Its value may differ with each response.
func (t *Tape) isSetByResponse(path string) bool {
	name, isCookie := strings.CutPrefix(path, CookiePath)
	if !isCookie {
		return false
	}
	setsIt := func(value string) bool { return strings.HasPrefix(value, name+"=") }
	return slices.ContainsFunc(t.recordings, func(rec *Recording) bool {
		for _, h := range rec.Head().Response.Headers {
			if h.Name == "set-cookie" {
				return slices.ContainsFunc(h.Values, setsIt)
			}
		}
		return false
	})
}

// isFinal reports whether a recording has a response that counts: it came to
// its end, and does not ask to send the request again.
func (rec *Recording) isFinal() bool {
	if !rec.Complete() {
		return false
	}
	resp := &rec.Head().Response
	isBroken := resp.End == interaction.EndError
	return resp.Status != 0 && !resp.IsTransientFailure() && !isBroken
}

// differingAnswers divides recordings into groups of equal keys and compares
// their responses with those of the first group. It returns one recording of
// each group that differs, and before them one of the first group; nil if all
// groups have the same responses.
//
// Responses are compared in their order. One that is equal to the one before it
// is left out, since one of two servers may be polled more often.
func differingAnswers[K comparable](
	list []*Recording, key func(*Recording) (k K, ok bool),
) []*Recording {
	groups := group.By(list, key)
	if len(groups) < 2 {
		return nil
	}
	for i := range groups {
		groups[i] = slices.CompactFunc(groups[i], func(a, b *Recording) bool {
			return sameResponse(a, b) && a.redirectTarget() == b.redirectTarget()
		})
	}

	var differing []*Recording
	first := groups[0]
	for _, other := range groups[1:] {
		for i := range min(len(first), len(other)) {
			a, b := first[i], other[i]
			if agree(a, b) && a.redirectTarget() == b.redirectTarget() {
				continue
			}
			if differing == nil {
				differing = append(differing, a)
			}
			differing = append(differing, b)
			break
		}
	}
	return differing
}

// redirectTarget returns the address to which a redirect leads, without the
// server's own address.
func (rec *Recording) redirectTarget() string {
	it := rec.Head()
	target := it.Response.Headers.Get("location")
	u, err := url.Parse(it.Request.URL)
	if err != nil {
		return target
	}
	return strings.TrimPrefix(target, u.Scheme+"://"+u.Host)
}
