// What keeps a request from being sent upstream.

package recorder

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/tape"
)

// checkSendable returns why a request cannot go upstream; nil if it can. The run
// fails for it, because the client may swallow the error. missing is the error of
// a key that the request needs, or nil.
func (r *Recorder) checkSendable(req *http.Request, missing error) error {
	err := r.whyUnsendable(req, missing)
	if err != nil && err != tape.ErrClosed {
		r.log.Error(err)
	}
	return err
}

// whyUnsendable is checkSendable for a request that need not be sent.
func (r *Recorder) whyUnsendable(req *http.Request, missing error) error {
	if r.life.closed.Load() {
		return tape.ErrClosed
	}
	if missing != nil {
		return missing
	}
	if why := request.ServedBy(req.Context()).Unsendable; why != "" {
		return r.refusedf(finding.Unsendable, "%s: %s has to be sent, but %s", r.mode, r.nameOf(req), why)
	}
	return nil
}

// missingKey returns an error if a key that a request upstream needs is empty.
func (r *Recorder) missingKey() error {
	missing := r.life.missing.Load()
	if missing == nil {
		return nil
	}
	return r.refusedf(finding.KeyMissing, "%s has to send a request, but %s", r.mode, *missing)
}

const hasPlaceholder = "a placeholder for a secret, from an answer that was replayed"

// placeholderIn returns where a request has the placeholder of a credential that
// a replayed response gave, such as "header authorization"; "" if nowhere. An
// upstream would refuse such a request.
func (r *Recorder) placeholderIn(req *http.Request) string {
	where := credentialPlaceholder(req)
	if where == "" || !r.tape.HasPlayedPlaceholder() { // else the program made it
		return ""
	}
	return where
}

// credentialPlaceholder returns where a request has a placeholder in place of a
// credential; "" if nowhere. A cookie is hardly a credential if the request has
// another one.
func credentialPlaceholder(req *http.Request) string {
	isReplaced := func(name string, values []string) bool {
		return redact.MayHoldCredential(name) && slices.ContainsFunc(values, redact.HasPlaceholder)
	}

	for _, name := range slices.Sorted(maps.Keys(req.Header)) {
		if name != "Cookie" && isReplaced(name, req.Header[name]) {
			return "header " + strings.ToLower(name)
		}
	}

	query := req.URL.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if isReplaced(name, query[name]) {
			return "parameter " + name
		}
	}

	if req.Header.Get("Authorization") != "" {
		return ""
	}
	for _, c := range req.Cookies() {
		isLogin := namesAccount().MatchString(strings.ToLower(c.Name)) || redact.MayHoldCredential(c.Name)
		if isLogin && !isSharedCookie(c) && redact.HasPlaceholder(c.Value) {
			return "cookie " + c.Name
		}
	}
	return ""
}
