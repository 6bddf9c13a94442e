// Package redact replaces secrets with placeholders before an interaction is
// written to a cassette.
//
//   - Request headers are written only if they are on a list. A secret in an
//     unknown header is therefore never written.
//   - Response headers are written unless they are on a list of noise. Secrets
//     in them are found by the name of the header and by the value.
//   - A URL loses its user, and the query values that are not known to be
//     harmless.
//   - In bodies, the package replaces secret fields, known secrets, values that
//     look like secrets, and what the user's options select.
//
// A live request and a recorded one are redacted by the same code, so redaction
// never decides whether they match.
package redact

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/nethttp/coding"
	"github.com/promptecho/promptecho/internal/redact/carrier"
)

// Interaction redacts the request and the response of an interaction in place,
// and returns the result of [Policy.Response]. An error of the request is in
// that result, too.
func (p *Policy) Interaction(it *interaction.Interaction) Result {
	err := p.Request(&it.Request)
	result := p.Response(&it.Request, &it.Response)
	if err != nil {
		result.err = err
	}
	return result
}

// Request redacts a request in place. Before that, the secrets in its URL and
// headers become known, so that a response that repeats them is redacted, too.
// Redacting a redacted request changes nothing.
func (p *Policy) Request(req *interaction.Request) error {
	p.RedactHead(req)
	return p.RedactBody(req)
}

// RedactHead redacts the head of a request, which is its URL and its headers, in
// place. [Policy.RedactBody] redacts the body. Equal URLs are equal after
// redaction, as long as no secret becomes known in between.
//
// The policy keeps the last head and its redacted form: most requests of a test
// have equal heads, and redacting a head takes as long as the rest of a small
// replayed call. It does not keep a head with a signature, such as AWS's. Each
// signature has to be learned, since the policy forgets old ones.
func (p *Policy) RedactHead(req *interaction.Request) {
	known, signaturesBefore := p.counts()
	last := p.lastHead.Load()
	isHandshake := req.OpensWebSocket() // its key is another one each time
	if last != nil && !isHandshake && last.matches(req, known) {
		req.URL = last.redactedURL
		req.Headers = cloneHeaders(last.redactedHeaders)
		return
	}

	next := &head{url: req.URL, headers: cloneHeaders(req.Headers)}
	p.learnFromRequest(req)
	known, signaturesAfter := p.counts()
	req.Headers = p.requestHeaders(req)
	req.URL = typedInRequest().ReplaceAllString(p.redactURL(req.URL), Placeholder)
	isSigned := signaturesAfter != signaturesBefore
	if isSigned || isHandshake {
		return
	}
	next.redactedURL = req.URL
	next.redactedHeaders = cloneHeaders(req.Headers)
	next.known = known
	p.lastHead.Store(next)
}

// RedactBody redacts the body of a request in place. The head must be redacted
// already. A compressed body is decompressed: the recording of a request is only
// read and compared, never sent.
//
// If the body cannot be searched to its end, it becomes a placeholder, and
// RedactBody returns an error.
func (p *Policy) RedactBody(req *interaction.Request) error {
	if plain, ok := coding.Decompress(req.Body); ok {
		req.Body = plain
	}
	knownBefore := p.Count()
	requestScope, _ := scopesOf(req)
	p.redactKeyInNodePath(req)
	body, err := p.redactBytes(req.Body, requestScope, mediaType(req.Headers))
	if err != nil {
		req.Body = []byte(Placeholder)
		return fmt.Errorf("the body of the request %s: %w", req, err)
	}
	req.Body = body
	foundSecrets := p.Count() > knownBefore
	if foundSecrets {
		// The URL, and the text before the place where the secret was found, may
		// have it, too.
		return p.RedactNew(req)
	}
	return nil
}

// redactKeyInNodePath replaces the API key in the URL of a request to an Ethereum
// node, and makes it known. It does nothing for another request.
func (p *Policy) redactKeyInNodePath(req *interaction.Request) {
	m := keyInNodePath().FindStringSubmatchIndex(req.URL)
	if m == nil || !ethereumCall().Match(req.Body) {
		return
	}
	start, end := m[2], m[3]
	p.learnFound(req.URL[start:end], true)
	req.URL = req.URL[:start] + Placeholder + req.URL[end:]
}

// mediaType returns the value of the Content-Type header in lower case, or "".
func mediaType(headers interaction.Headers) string {
	for _, h := range headers {
		if strings.EqualFold(h.Name, "content-type") && len(h.Values) > 0 {
			return strings.ToLower(h.Values[0])
		}
	}
	return ""
}

// Ethereum nodes (Infura, Alchemy), and gateways in front of them, have the API
// key in the path of the URL. A request to a node is recognized by the method in
// its body: https://ethereum.org/developers/docs/apis/json-rpc lists them.
var (
	ethereumCall  = memo.Regexp(`"method"\s*:\s*"(?:eth|net|web3|debug|trace|alchemy)_`)
	keyInNodePath = memo.Regexp(`/v[23]/([\w-]{32})(?:[/?#]|$)`)
)

// RedactNew replaces the secrets in a request that have become known since it was
// redacted. A URL or body that cannot be searched to its end becomes a
// placeholder, and RedactNew returns an error.
func (p *Policy) RedactNew(req *interaction.Request) error {
	url, err := p.replaceKnown(req.URL)
	if err != nil {
		req.URL = Placeholder
		return err
	}
	req.URL = url
	body, err := p.replaceKnown(string(req.Body))
	if err != nil {
		req.Body = []byte(Placeholder)
		return err
	}
	if body != string(req.Body) {
		req.Body = []byte(body)
	}
	return nil
}

// replaceKnown returns a text of a request with the known secrets replaced. Each
// round searches the result of the round before, until nothing is found.
func (p *Policy) replaceKnown(text string) (string, error) {
	if p.knowsNone() {
		return text, nil
	}
	f := &finder{policy: p}
	for range maxRounds {
		edits, err := f.knownWalker().Edits(text, carrier.Place{})
		if err != nil || len(edits) == 0 {
			return text, err
		}
		text = carrier.Splice(text, edits)
	}
	return text, errKeepsChanging
}

// metadataTokenPath is the path at which the instance metadata service of AWS
// (IMDSv2) returns a session token as plain text.
const metadataTokenPath = "/latest/api/token"

// Response redacts the response to a redacted request in place. Trailers are
// redacted like headers.
//
// If the response cannot be searched to its end, its body becomes a placeholder,
// and the result has the error. Otherwise the result says how many secrets were
// known: [Policy.CheckInteraction] searches the response again only if more are
// known by then.
func (p *Policy) Response(req *interaction.Request, resp *interaction.Response) Result {
	for range maxRounds {
		known := p.Count()
		err := p.response(req, resp)
		if err != nil {
			resp.Body = []byte(Placeholder)
			resp.Text = ""
			resp.Events = nil
			return Result{err: err}
		}
		if p.Count() == known {
			return Result{known: known, clean: true}
		}
	}
	return Result{err: errKeepsChanging}
}

// response redacts a response once. A secret that it learns near the end of the
// response may also be near the beginning, so [Policy.Response] calls it until it
// learns nothing.
func (p *Policy) response(req *interaction.Request, resp *interaction.Response) error {
	body := resp.Body
	isMetadataToken := resp.Status == 200 && strings.HasSuffix(req.URL, metadataTokenPath)
	if isMetadataToken && len(resp.Body) > 0 {
		resp.Body = []byte(Placeholder)
	}
	_, responseScope := scopesOf(req)
	resp.Headers = p.responseHeaders(resp.Headers, resp.Status, responseScope)
	resp.Trailers = p.responseHeaders(resp.Trailers, resp.Status, responseScope)
	resp.Line = p.text(resp.Line)
	redacted, err := p.redactBytes(resp.Body, responseScope, mediaType(resp.Headers))
	if err != nil {
		return fmt.Errorf("response.body: %w", err)
	}
	resp.Body = redacted
	if !bytes.Equal(body, resp.Body) {
		resp.Headers = withoutChecksums(resp.Headers)
		resp.Trailers = withoutChecksums(resp.Trailers)
	}
	resp.Error = p.Message(resp.Error) // an error of the transport names the URL
	resp.Text, err = p.redact(resp.Text, responseScope, carrier.Place{})
	if err != nil {
		return fmt.Errorf("response.text: %w", err)
	}
	for _, events := range sidesOf(req, resp) {
		err := p.events(events)
		if err != nil {
			return err
		}
	}
	return nil
}
