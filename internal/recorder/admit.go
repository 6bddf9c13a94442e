package recorder

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/tape"
)

// pass sends a request through of which nothing is kept, unless a key that it needs is missing.
func (r *Recorder) pass(req *http.Request, missing error) (*http.Response, error) {
	if err := r.admit(req, missing); err != nil {
		request.CloseBody(req)
		return r.refuse(req, err)
	}
	r.log.Reached.Store(true)
	return r.upstream.RoundTrip(req)
}

// admit returns why a request cannot go upstream, which may be a key that is missing; nil if it can.
func (r *Recorder) admit(req *http.Request, err error) error {
	if err = r.barred(req, err); err != nil && err != tape.ErrClosed {
		r.log.Error(err) // the client may swallow the answer
	}
	return err
}

// barred is admit for a request that need not go upstream: nothing is said of it.
func (r *Recorder) barred(req *http.Request, err error) error {
	if r.life.closed.Load() {
		return tape.ErrClosed
	}
	if why := request.ServedBy(req.Context()).Unsendable; err == nil && why != "" {
		err = refusedError(fmt.Sprintf("%s: %s: %s has to be sent, but %s", r.file, r.mode, r.nameOf(req), why))
	}
	return err
}

// missingKey returns an error if a key that a request upstream needs is empty.
func (r *Recorder) missingKey() error {
	if missing := r.life.missing.Load(); missing != nil {
		return refusedError(fmt.Sprintf("%s: %s has to send a request, but %s", r.file, r.mode, *missing))
	}
	return nil
}

const standsIn = "a placeholder for a secret, from an answer that was replayed"

// standIn returns where a request has what stands for a credential that a replayed answer gave, "" if nowhere.
func (r *Recorder) standIn(req *http.Request) string {
	if where := standInOf(req); where != "" && r.tape.HasPlayedStandIn() { // else the program made it
		return where
	}
	return ""
}

// standInOf returns where a request has what stands for a credential, "" if nowhere. Beside another credential, a cookie
// is hardly one.
func standInOf(req *http.Request) string {
	isCredential := func(name string, values []string) bool {
		return redact.MayHoldCredential(name) && slices.ContainsFunc(values, redact.StandsIn)
	}
	for _, name := range slices.Sorted(maps.Keys(req.Header)) {
		if name != "Cookie" && isCredential(name, req.Header[name]) {
			return "header " + strings.ToLower(name)
		}
	}
	query := req.URL.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if isCredential(name, query[name]) {
			return "parameter " + name
		}
	}
	if req.Header.Get("Authorization") != "" {
		return ""
	}
	for _, c := range req.Cookies() {
		isLogin := saysWho().MatchString(strings.ToLower(c.Name)) || redact.MayHoldCredential(c.Name)
		if isLogin && !tellsNobody(c) && redact.StandsIn(c.Value) {
			return "cookie " + c.Name
		}
	}
	return ""
}

// opensSocket reports whether a request opens a WebSocket (RFC 6455, section 4.1).
func opensSocket(req *http.Request) bool {
	return strings.EqualFold(req.Header.Get("Upgrade"), "websocket")
}
