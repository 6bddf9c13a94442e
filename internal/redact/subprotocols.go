package redact

import (
	"cmp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
)

// The headers of a request that opens a WebSocket and that are written (RFC 6455, section
// 4.1). All others have a random key, or say what an implementation is able to do.
const (
	upgradeHeader = "upgrade"

	// subprotocolHeader has a list of subprotocols. A browser can set no other header, so
	// clients have their key in one of them, or in one behind the name "token".
	subprotocolHeader = "sec-websocket-protocol"
)

// webSocket is the value of the header Upgrade of a request that opens a WebSocket.
const webSocket = "websocket"

// handshakeHeaders returns those headers of a request that are written only if the request
// opens a WebSocket, redacted.
func (p *Policy) handshakeHeaders(in interaction.Headers) (out interaction.Headers) {
	for _, h := range in {
		switch strings.ToLower(h.Name) {
		case upgradeHeader:
			out = append(out, interaction.Header{Name: upgradeHeader, Values: []string{webSocket}})
		case subprotocolHeader:
			values := p.subprotocols(h.Values)
			out = append(out, interaction.Header{Name: subprotocolHeader, Values: values})
		}
	}
	return out
}

// subprotocols returns the values of the header with the subprotocols. Each credential is
// replaced. The number of subprotocols stays the same.
func (p *Policy) subprotocols(values []string) []string {
	if p.replacesNamed(subprotocolHeader) {
		return []string{Placeholder}
	}
	return eachSubprotocol(values, func(previous, protocol string) string {
		name, credential := cutCredential(previous, protocol)
		if credential == "" {
			return p.text(protocol)
		}
		return p.text(name) + Placeholder
	})
}

// learnSubprotocols makes the credentials known that a list of subprotocols has.
func (p *Policy) learnSubprotocols(values []string) {
	eachSubprotocol(values, func(previous, protocol string) string {
		_, credential := cutCredential(previous, protocol)
		isAccount := accountPrefix().MatchString(protocol)
		if credential != "" && !isRedacted(credential) && !isAccount {
			p.learnFound(credential, true)
			p.learnCredentials(unescaped(credential))
		}
		return protocol
	})
}

// eachSubprotocol returns the values of a header with each subprotocol replaced by the
// result of change, which also gets the one before it.
func eachSubprotocol(values []string, change func(previous, protocol string) string) []string {
	out := make([]string, 0, len(values))
	previous := ""
	for _, value := range values {
		list := strings.Split(value, ",")
		for i, item := range list {
			protocol := strings.TrimSpace(item)
			if protocol != "" {
				list[i] = strings.Replace(item, protocol, change(previous, protocol), 1)
				previous = protocol
			}
		}
		out = append(out, strings.Join(list, ","))
	}
	return out
}

// cutCredential splits a subprotocol into a name and the credential behind it, which is ""
// if there is none. previous is the subprotocol before it.
//
//	subprotocols                                     credential
//	token, KEY                                       KEY
//	openai-insecure-api-key.KEY                      KEY
//	xai-client-secret.KEY                            KEY
//	base64url.bearer.authorization.k8s.io.TOKEN      TOKEN
//	auth.f3Kq9ZrT2mXw                                f3Kq9ZrT2mXw, since it looks like a key
//	f3Kq9ZrT2mXw                                     all of it
//	graphql-transport-ws                             none
func cutCredential(previous, protocol string) (name, credential string) {
	if slices.Contains(schemesOfPairs, strings.ToLower(previous)) {
		return "", protocol
	}
	name = credentialPrefix().FindString(protocol)
	hasCredential := name != "" && name != protocol
	if hasCredential {
		return name, protocol[len(name):]
	}
	name = likelyPrefix().FindString(protocol)
	for _, rest := range []string{protocol[len(name):], protocol} {
		if rest != "" && isOfNoProtocol(rest) {
			return strings.TrimSuffix(protocol, rest), rest
		}
	}
	return protocol, ""
}

// isOfNoProtocol reports whether a text looks like a key, or is random otherwise. No
// subprotocol is named like that.
func isOfNoProtocol(text string) bool { return isKey(text) || isFake(text) || isUUID(text) }

// schemesOfPairs are subprotocols that are followed by a credential: Deepgram's "token" and
// "bearer" (https://developers.deepgram.com/docs/using-the-sec-websocket-protocol), and
// others that browsers use in the same way.
var schemesOfPairs = strings.Fields(`token bearer basic authorization jwt access_token access-token
	api_key api-key apikey x-api-key`)

var (
	// credentialPrefix matches what is before a credential, whatever that looks like:
	//
	//	*api-key.            openai-insecure-api-key. of OpenAI, Azure, ElevenLabs and others
	//	*client-secret.      xAI
	//	*token.              openai-ephemeral-token. and others
	//	*authorization.      cf-aig-authorization. of Cloudflare's gateway
	//	bearer.              of many servers
	//	base64url.bearer.authorization.HOST.
	//	                     Kubernetes, and what imitates it
	//	v1.token.websocket.jupyter.org.
	//	                     Jupyter
	//	Grpc-Metadata-Macaroon+
	//	                     lnd
	//	openai-organization. openai-project.
	//	                     OpenAI: an account, see accountPrefix
	credentialPrefix = memo.Regexp(`(?i)^(?:base64url\.bearer\.authorization\.k8s\.io\.|` +
		`base64url\.bearer\.authorization\.(?-i:(?:[a-z0-9-]{1,24}\.)+)|` +
		`v1\.token\.websocket\.jupyter\.org\.|` +
		`grpc-metadata-macaroon\+|` +
		`(?:[\w.-]+-)?(?:api-?key|client-secret|ephemeral-token)\.|` +
		`[\w-]+-authorization\.|bearer\.|` +
		accountPrefixExpr + `)`)

	// accountPrefix matches what is before an account. It is replaced, so that a test runs
	// with another account, and is not looked for in other texts.
	accountPrefix = memo.Regexp(`(?i)^` + accountPrefixExpr)

	// likelyPrefix matches what is before a credential if that looks like one. AWS AppSync
	// has headers in base64 behind "header-".
	likelyPrefix = memo.Regexp(`(?i)^(?:[\w.-]*[._-])?` +
		`(?:key|token|bearer|secret|auth|authorization|jwt|ticket|password|session|header)[.+=:_-]`)
)

const accountPrefixExpr = `openai-(?:organization|project)\.`

// OfferedSubprotocol returns the subprotocol that a client has offered in this run, for one
// that a server has chosen when the session was recorded. They differ if the recorded one
// has a placeholder: a client accepts only what it has offered (RFC 6455, section 4.1).
func (p *Policy) OfferedSubprotocol(chosen string, offered []string) string {
	before, after, hasPlaceholder := strings.Cut(chosen, Placeholder)
	if !hasPlaceholder {
		return chosen
	}
	var equal, similar string
	eachSubprotocol(offered, func(previous, protocol string) string {
		redacted := protocol
		if name, credential := cutCredential(previous, protocol); credential != "" {
			redacted = name + Placeholder
		}
		isSimilar := strings.HasPrefix(protocol, before) && strings.HasSuffix(protocol, after)
		if equal == "" && p.text(redacted) == chosen {
			equal = protocol
		}
		if similar == "" && isSimilar {
			similar = protocol
		}
		return protocol
	})
	return cmp.Or(equal, similar, chosen)
}
