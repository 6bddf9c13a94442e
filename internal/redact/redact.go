// Package redact decides what may be written. Request headers pass by an allow-list, so a
// secret in a header nobody has heard of is never written; of answers' headers, noise is left
// out, and secrets are replaced by name and by value; URLs lose
// their user and the query values that are not known to be harmless; secret fields, known
// secrets, what looks like a secret, and what the user names are replaced. A live request
// and a stored one are redacted alike, so that redaction never decides a match.
package redact

import (
	"bytes"
	"strings"

	"github.com/promptecho/promptecho/internal/coding"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
)

// Interaction redacts both sides of an interaction in place, and returns what [Policy.Response] does.
func (p *Policy) Interaction(it *interaction.Interaction) (proof int) {
	p.Request(&it.Request)
	return p.Response(&it.Request, &it.Response)
}

// Request redacts a request in place. The secrets that it carries become known first, so
// that an echo of them is found in what answers it. A redacted request stays as it is.
func (p *Policy) Request(req *interaction.Request) {
	p.RedactHead(req)
	p.RedactBody(req)
}

// RedactHead redacts everything of a request but its body in place; [Policy.RedactBody]
// does the rest. Of two requests with the same URL it makes the same URL, as long as no
// secret becomes known between them.
func (p *Policy) RedactHead(req *interaction.Request) {
	p.learn(req)
	req.Headers = p.requestHeaders(req.Headers)
	req.URL = string(untyped([]byte(p.url(req.URL))))
}

// RedactBody redacts the body of a request in place whose head is redacted. A compressed
// one becomes what it says: it is only ever read and compared.
func (p *Policy) RedactBody(req *interaction.Request) {
	if plain, ok := coding.Decompress(req.Body); ok {
		req.Body = plain
	}
	known := p.Count()
	asked, _ := sides(req)
	if keyOfNode().MatchString(req.URL) && toNode().Match(req.Body) {
		req.URL = string(replaceMatches(keyOfNode(), []byte(req.URL), p.learning(asked)))
	}
	req.Body = untyped(redactSignatures(p.body(req.Body, asked)))
	if p.Count() > known { // it may stand before the place where it was found
		p.RedactNew(req)
	}
}

// Nodes of Ethereum have the key in the path (Infura, Alchemy), and so has a gateway before them. The methods are those of
// https://ethereum.org/developers/docs/apis/json-rpc.
var (
	toNode    = memo.Regexp(`"method"\s*:\s*"(?:eth|net|web3|debug|trace|alchemy)_`)
	keyOfNode = memo.Regexp(`/v[23]/([\w-]{32})(?:[/?#]|$)`)
)

// RedactNew redacts the secrets in a request that have become known since it was redacted.
func (p *Policy) RedactNew(req *interaction.Request) {
	req.URL = string(p.Bytes([]byte(req.URL)))
	req.Body = p.Bytes(req.Body)
}

// metadataTokenPath is where AWS instance metadata gives a session's token, as plain text
// (IMDSv2).
const metadataTokenPath = "/latest/api/token"

// Response redacts the response to a redacted request in place. Its trailers are
// headers. An answer that is nothing but a secret is replaced as a whole.
//
// If nothing had to be replaced in the texts that are split over the events of a stream, it returns how many secrets are known:
// as long as no more are, [Policy.CheckInteraction] need not put them together again. Else it returns -1.
func (p *Policy) Response(req *interaction.Request, resp *interaction.Response) (proof int) {
	known, body := p.Count(), resp.Body
	if resp.Status == 200 && len(resp.Body) > 0 && strings.HasSuffix(req.URL, metadataTokenPath) {
		resp.Body = []byte(Placeholder)
	}
	_, answered := sides(req)
	resp.Headers = p.answerHeaders(resp.Headers, resp.Status, answered)
	resp.Trailers = p.answerHeaders(resp.Trailers, resp.Status, answered)
	resp.Line = p.text(resp.Line)
	if _, compressed := coding.Decompress(body); !compressed { // which nobody could read if a part of it was replaced
		resp.Body = p.hideIn(p.answered(resp.Body, answered), answered)
	}
	if !bytes.Equal(body, resp.Body) {
		resp.Headers, resp.Trailers = withoutSums(resp.Headers), withoutSums(resp.Trailers)
	}
	resp.Error = p.Message(resp.Error) // of a transport, which names the URL
	resp.Text = string(p.hideIn([]byte(resp.Text), answered))
	if isClean := p.events(resp.Events, answered); p.Count() > known {
		return p.Response(req, resp)
	} else if !isClean {
		return -1
	}
	return known
}
