package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/modelswap"
	"github.com/promptecho/promptecho/internal/redact"
)

// swapFor returns which models take the place of others in a mode; nil if none do.
func swapFor(m Mode) (*modelswap.Swap, error) {
	if m != ModeCompare && m != ModeOtherModel {
		return nil, nil
	}
	s, err := modelswap.FromEnvironment()
	if err != nil {
		return nil, prefixed("%w", err)
	}
	if s == nil && m == ModeOtherModel {
		return nil, prefixed("mode %s needs %s: use promptecho compare -model NEW",
			m, modelswap.ModelVariable)
	}
	return s, nil
}

// otherModel names the model with whose answers this run compares the recorded ones; "" if it does
// not.
func (r *Recorder) otherModel() string {
	if r.swap == nil || !r.plan.compare {
		return ""
	}
	return r.swap.Names()
}

// sentModel returns the model that a call is sent to, and whether another one takes its place.
func (r *Recorder) sentModel(form *canon.Form) (model string, isOther bool) {
	if r.isForOther(form) {
		model, _ = r.swap.For(form.Model, form.IsChat())
		return model, true
	}
	return form.Model, false
}

// isForOther reports whether a call is asked of another model.
func (r *Recorder) isForOther(form *canon.Form) bool {
	_, isAsked := r.swap.For(form.Model, form.IsChat())
	return isAsked && form.Repeatable()
}

// missingKeyFor returns an error if a request needs a key that is empty. One that goes to another
// provider needs none of the test's.
func (r *Recorder) missingKeyFor(form *canon.Form) error {
	goesElsewhere := r.swap != nil && r.swap.Base != nil && r.isForOther(form)
	if goesElsewhere {
		return nil
	}
	return r.missingKey()
}

// readdressed returns a request that asks another model. out is the request as it would be sent,
// which is not used after that.
func (r *Recorder) readdressed(out *http.Request, form *canon.Form) (*http.Request, error) {
	model, _ := r.swap.For(form.Model, form.IsChat())
	if r.swap.Base == nil && isSigned(out) {
		return nil, errors.New("its signature (AWS) is that of the request to its own model: " +
			"set AWS_BEARER_TOKEN_BEDROCK, an API key of Bedrock, for this run")
	}

	var body []byte
	if out.Body != nil {
		var err error
		body, err = io.ReadAll(out.Body)
		out.Body.Close()
		if err != nil {
			return nil, fmt.Errorf("reading the request: %w", err)
		}
	}
	to := canon.Destination{Model: model, Base: r.swap.Base}
	u, body, err := form.Readdress(out.URL, body, to)
	if err != nil {
		return nil, err
	}

	other := out.Clone(out.Context())
	other.URL = u
	other.ContentLength = int64(len(body))
	other.Header.Del("Content-Length")
	other.TransferEncoding = nil
	other.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	other.Body, _ = other.GetBody()
	if r.swap.Base != nil {
		other.Host = u.Host
		r.setProviderKey(other)
	}
	return other, nil
}

// isSigned reports whether a request has a signature of AWS, which is that of its path and body.
func isSigned(req *http.Request) bool {
	return strings.HasPrefix(req.Header.Get("Authorization"), "AWS4-")
}

// accountHeaders are headers without a secret that name an account of a provider.
var accountHeaders = []string{"Openai-Organization", "Openai-Project"}

// keyHeaders are headers in which providers take a key as it is.
var keyHeaders = []string{"X-Api-Key", "X-Goog-Api-Key"}

// setProviderKey removes the credentials of a request, which another provider must not get, and
// adds the key of that provider if there is one: in the header of keyHeaders in which the request
// had one, in that of Azure, or else in Authorization.
func (r *Recorder) setProviderKey(req *http.Request) {
	keyHeader := ""
	for _, name := range keyHeaders {
		if req.Header.Get(name) != "" {
			keyHeader = name
		}
	}
	maps.DeleteFunc(req.Header, func(name string, _ []string) bool {
		return redact.MayHoldCredential(name) || slices.Contains(accountHeaders, name)
	})
	query := req.URL.Query()
	before := len(query)
	maps.DeleteFunc(query, func(name string, _ []string) bool { return redact.MayHoldCredential(name) })
	if len(query) < before {
		req.URL.RawQuery = query.Encode()
	}

	key := ""
	if r.swap.Key != "" {
		key = os.Getenv(r.swap.Key)
		r.redact.AddSecret(key)
	}
	switch {
	case key == "":
	case keyHeader != "":
		req.Header.Set(keyHeader, key)
	case isAzure(req.URL):
		req.Header.Set("Api-Key", key)
	default:
		req.Header.Set("Authorization", "Bearer "+key)
	}
}

// isAzure reports whether a request goes to Azure OpenAI or Foundry, which take a key in the header
// api-key (https://learn.microsoft.com/azure/ai-foundry/openai/reference).
func isAzure(u *url.URL) bool {
	host := u.Hostname()
	return strings.HasSuffix(host, ".azure.com") || strings.HasSuffix(host, ".azure.us")
}
