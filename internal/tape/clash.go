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

// A ServerClash is a request that local servers answered differently. On other ports,
// replay could not tell the servers apart.
type ServerClash struct {
	Endpoint  string   // of the request
	Addresses []string // of the servers: scheme, host and port
}

// ServerClash returns the first request that local servers answered differently, or nil
// if there is none. allowUnused says whose recordings may stay unused. The tape must be closed.
func (t *Tape) ServerClash(allowUnused canon.Selectors) *ServerClash {
	local := group.By(t.recordings, func(rec *Recording) (uint64, bool) {
		return keyOf(rec.Form()), (!rec.resumed || rec.used.Load()) && rec.isAnswer() && rec.Form().Local
	})
	for _, recs := range local {
		origin := (*Recording).askedAt
		if slices.ContainsFunc(recs, func(rec *Recording) bool { return !rec.fresh && !rec.used.Load() }) {
			if !allowUnused.Select(recs[0].Form().Name()) {
				continue // a run that leaves some unused completes nothing
			}
			origin = func(rec *Recording) string { return rec.Form().Origin }
		}
		clash := &ServerClash{Endpoint: recs[0].Form().Endpoint}
		for _, rec := range apart(recs, func(rec *Recording) (string, bool) { return server(origin(rec)), true }) {
			scheme := "http://"
			if strings.HasPrefix(rec.Head().Request.URL, "https:") {
				scheme = "https://"
			}
			clash.Addresses = append(clash.Addresses, scheme+origin(rec))
		}
		if clash.Addresses != nil {
			return clash
		}
	}
	return nil
}

// askedAt returns the origin for which a recording answers in this run. Local servers may
// have had other ports when it was recorded.
func (rec *Recording) askedAt() string {
	if rec.playedFor != nil {
		return rec.playedFor.form.Origin
	}
	return rec.Form().Origin
}

// server returns what tells local servers apart. All names of this machine count as one.
func server(origin string) string {
	host, port, err := net.SplitHostPort(origin)
	if err != nil { // it names no port
		host = strings.Trim(origin, "[]")
	}
	switch host {
	case "127.0.0.1", "::1", "0.0.0.0", "::":
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}

// CookiePath is where the cookies of a request stand among its fields.
const CookiePath = "header/cookie/"

// An UnsaidClash is a field that is not written but decides the answer. Two requests that
// are the same to replay differ in it, and were answered differently.
type UnsaidClash struct {
	Path          string      // of the field
	Form          *canon.Form // of the requests
	First, Second int         // the places of the two in the order recorded, from 1
}

// UnsaidClashes returns the fields that are not written but decide an answer, each once.
// The tape must be closed.
func (t *Tape) UnsaidClashes() (clashes []UnsaidClash) {
	places := map[*Recording]int{}
	for _, rec := range t.recordings {
		if rec.Complete() {
			places[rec] = len(places) + 1
		}
	}
	same := group.By(t.recordings, func(rec *Recording) (requestKey, bool) {
		// A request that was refused is sent again with a new token.
		return rec.requestKey(), rec.unsaid != nil && rec.isAnswer() && rec.Head().Response.Status != http.StatusUnauthorized
	})
	told := map[string]bool{}
	for _, recs := range same {
		paths := Unsaid{}
		for _, rec := range recs {
			maps.Copy(paths, rec.unsaid)
		}
		for _, path := range slices.Sorted(maps.Keys(paths)) {
			two := apart(recs, func(rec *Recording) (uint64, bool) {
				hash, ok := rec.unsaid[path]
				return hash, ok || !strings.HasPrefix(path, CookiePath) // an answer may have set it
			})
			if two != nil && !told[path] && !t.isGiven(path) {
				told[path] = true
				clashes = append(clashes, UnsaidClash{path, recs[0].Form(), places[two[0]], places[two[1]]})
			}
		}
	}
	return clashes
}

// isGiven reports whether a path is that of a cookie that an answer sets: with each answer, it may be another one.
func (t *Tape) isGiven(path string) bool {
	name, ok := strings.CutPrefix(path, CookiePath)
	sets := func(rec *Recording) bool {
		headers := rec.Head().Response.Headers
		i := slices.IndexFunc(headers, func(h interaction.Header) bool { return h.Name == "set-cookie" })
		return i >= 0 && slices.ContainsFunc(headers[i].Values, func(v string) bool { return strings.HasPrefix(v, name+"=") })
	}
	return ok && slices.ContainsFunc(t.recordings, sets)
}

// isAnswer reports whether a recording has an answer that counts. An answer that says to
// send the request again does not count.
func (rec *Recording) isAnswer() bool {
	if !rec.Complete() {
		return false
	}
	resp := &rec.Head().Response
	return resp.Status != 0 && !resp.Passing() && resp.End != interaction.EndError && resp.End != interaction.EndCanceled
}

// apart divides recordings into groups of equal keys and compares their answers with
// those of the first group. It returns one recording of each group that differs, and
// before them one of the first group. It returns nothing if all groups have the same
// answers. Answers are compared in their order. One that says the same as the one before
// is left out, since one of two servers may be polled more often.
func apart[K comparable](list []*Recording, key func(*Recording) (k K, ok bool)) (found []*Recording) {
	groups := group.By(list, key)
	if len(groups) < 2 {
		return nil
	}
	for i := range groups {
		groups[i] = slices.CompactFunc(groups[i], func(a, b *Recording) bool { return sameAnswer(a, b) && a.leadsTo() == b.leadsTo() })
	}
	first := groups[0]
	for _, other := range groups[1:] {
		for i, rec := range other[:min(len(first), len(other))] {
			if !agree(first[i], rec) || first[i].leadsTo() != rec.leadsTo() {
				if found == nil {
					found = append(found, first[i])
				}
				found = append(found, rec)
				break
			}
		}
	}
	return found
}

// leadsTo returns the address to which a redirect leads, without the server's own
// address.
func (rec *Recording) leadsTo() string {
	it := rec.Head()
	to := it.Response.Headers.Get("location")
	if u, err := url.Parse(it.Request.URL); err == nil {
		to = strings.TrimPrefix(to, u.Scheme+"://"+u.Host)
	}
	return to
}
