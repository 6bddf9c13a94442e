// Package redact decides what may be written. Request headers pass by an allow-list, so a
// secret in a header nobody has heard of is never written; of answers' headers, noise is left
// out, and secrets are replaced by name and by value; URLs lose
// their user and the query values that are not known to be harmless; secret fields, known
// secrets, what looks like a secret, and what the user names are replaced. A live request
// and a stored one are redacted alike, so that redaction never decides a match.
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

// Interaction redacts both sides of an interaction in place, and returns what [Policy.Response] does.
func (p *Policy) Interaction(it *interaction.Interaction) Result {
	err := p.Request(&it.Request)
	result := p.Response(&it.Request, &it.Response)
	if err != nil {
		result.err = err
	}
	return result
}

// Request redacts a request in place. The secrets that it carries become known first, so
// that an echo of them is found in what answers it. A redacted request stays as it is.
func (p *Policy) Request(req *interaction.Request) error {
	p.RedactHead(req)
	return p.RedactBody(req)
}

// RedactHead redacts the head of a request, which is its URL and its headers, in place;
// [Policy.RedactBody] redacts the body. Requests with equal URLs have equal URLs when they
// are redacted, as long as no secret becomes known between them.
//
// The last head is remembered, because most requests of a test have equal heads, and
// redacting one takes as long as the rest of a small replayed call. A head with a
// signature, as AWS has it, is not remembered: each signature has to be learned, since
// the policy forgets it after a while.
func (p *Policy) RedactHead(req *interaction.Request) {
	known, signatures := p.counts()
	last := p.lastHead.Load()
	if last != nil && last.matches(req, known) {
		req.URL = last.redactedURL
		req.Headers = cloneHeaders(last.redactedHeaders)
		return
	}

	next := &head{url: req.URL, headers: cloneHeaders(req.Headers)}
	p.learnFromRequest(req)
	known, signaturesNow := p.counts()
	req.Headers = p.requestHeaders(req.Headers)
	req.URL = typedInRequest().ReplaceAllString(p.url(req.URL), Placeholder)
	isSigned := signaturesNow != signatures // one was learned
	if isSigned {
		return
	}
	next.redactedURL = req.URL
	next.redactedHeaders = cloneHeaders(req.Headers)
	next.known = known
	p.lastHead.Store(next)
}

// RedactBody redacts the body of a request in place whose head is redacted. A compressed
// one becomes what it says: it is only ever read and compared. The error says that the
// body cannot be searched to its end; the body is a placeholder then.
func (p *Policy) RedactBody(req *interaction.Request) error {
	if plain, ok := coding.Decompress(req.Body); ok {
		req.Body = plain
	}
	known := p.Count()
	asked, _ := scopesOf(req)
	if keyInNodePath().MatchString(req.URL) && ethereumCall().Match(req.Body) {
		m := keyInNodePath().FindStringSubmatchIndex(req.URL)
		p.learnFound(req.URL[m[2]:m[3]], true)
		req.URL = req.URL[:m[2]] + Placeholder + req.URL[m[3]:]
	}
	body, err := p.redactBytes(req.Body, asked, mediaType(req.Headers))
	if err != nil {
		req.Body = []byte(Placeholder)
		return fmt.Errorf("the body of the request %s: %w", req, err)
	}
	req.Body = body
	if p.Count() > known { // it may be in front of the place where it was found
		return p.RedactNew(req)
	}
	return nil
}

// mediaType returns the media type that headers say a body has.
func mediaType(headers interaction.Headers) string {
	for _, h := range headers {
		if strings.EqualFold(h.Name, "content-type") && len(h.Values) > 0 {
			return strings.ToLower(h.Values[0])
		}
	}
	return ""
}

// Nodes of Ethereum have the key in the path (Infura, Alchemy), and so has a gateway before them. The methods are those of
// https://ethereum.org/developers/docs/apis/json-rpc.
var (
	ethereumCall  = memo.Regexp(`"method"\s*:\s*"(?:eth|net|web3|debug|trace|alchemy)_`)
	keyInNodePath = memo.Regexp(`/v[23]/([\w-]{32})(?:[/?#]|$)`)
)

// RedactNew redacts the secrets in a request that have become known since it was redacted.
// Where it returns an error, a placeholder is in the place of the text.
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

// replaceKnown returns a text of a request with the known secrets replaced.
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

// metadataTokenPath is where AWS instance metadata gives a session's token, as plain text
// (IMDSv2).
const metadataTokenPath = "/latest/api/token"

// Response redacts the response to a redacted request in place. Its trailers are
// headers. A response that cannot be searched to its end has a placeholder for its body
// then, and the result has the error. An answer that is nothing but a secret is replaced as a whole. As long as no
// more secrets are known than the result says, [Policy.CheckInteraction] need not search
// the response again.
func (p *Policy) Response(req *interaction.Request, resp *interaction.Response) Result {
	for range maxRounds {
		known := p.Count()
		err := p.response(req, resp)
		if err != nil {
			resp.Body, resp.Text, resp.Events = []byte(Placeholder), "", nil
			return Result{err: err}
		}
		if p.Count() == known {
			return Result{known: known, clean: true}
		}
	}
	return Result{err: errKeepsChanging}
}

// response redacts a response once: what it learns near its end may be near its beginning.
func (p *Policy) response(req *interaction.Request, resp *interaction.Response) error {
	body := resp.Body
	if resp.Status == 200 && len(resp.Body) > 0 && strings.HasSuffix(req.URL, metadataTokenPath) {
		resp.Body = []byte(Placeholder)
	}
	_, answered := scopesOf(req)
	resp.Headers = p.answerHeaders(resp.Headers, resp.Status, answered)
	resp.Trailers = p.answerHeaders(resp.Trailers, resp.Status, answered)
	resp.Line = p.text(resp.Line)
	redacted, err := p.redactBytes(resp.Body, answered, mediaType(resp.Headers))
	if err != nil {
		return fmt.Errorf("response.body: %w", err)
	}
	resp.Body = redacted
	if !bytes.Equal(body, resp.Body) {
		resp.Headers, resp.Trailers = withoutSums(resp.Headers), withoutSums(resp.Trailers)
	}
	resp.Error = p.Message(resp.Error) // of a transport, which names the URL
	resp.Text, err = p.redact(resp.Text, answered, carrier.Place{})
	if err != nil {
		return fmt.Errorf("response.text: %w", err)
	}
	return p.events(resp.Events, answered)
}
