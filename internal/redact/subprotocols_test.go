package redact

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// handshake returns a request that opens a WebSocket and offers subprotocols.
func handshake(subprotocols ...string) *interaction.Request {
	req := &interaction.Request{Method: "GET", URL: "https://api.example/v1/realtime"}
	req.Headers = slices.Concat(
		headers("connection", "Upgrade"), headers("sec-websocket-extensions", "permessage-deflate"),
		headers("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
		interaction.Headers{{Name: subprotocolHeader, Values: subprotocols}},
		headers("sec-websocket-version", "13"), headers("upgrade", "WebSocket"))
	return req
}

// A key that a client has in its list of subprotocols is replaced, and known from then on.
func TestKeysInSubprotocols(t *testing.T) {
	t.Parallel()
	const (
		key    = "k7Qx2mPz9Vw4Lr8Tn3Yb6Hd5"
		jwt    = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJrN1F4Mm1QejlWdzRMcjhUbjNZYjYifQ.c2lnbmF0dXJlLXNpZ25hdHVyZQ"
		base64 = "azdReDJtUHo5Vnc0THI4VG4zWWI2SGQ1" // of the key
	)
	for _, c := range []struct{ name, offered, secret, want string }{
		{"OpenAI", "realtime, openai-insecure-api-key." + key + ", openai-beta.realtime-v1", key,
			"realtime, openai-insecure-api-key.[REDACTED], openai-beta.realtime-v1"},
		{"OpenAI, a dummy", "realtime, openai-insecure-api-key.test", "",
			"realtime, openai-insecure-api-key.[REDACTED]"},
		{"OpenAI, an ephemeral token", "realtime,openai-ephemeral-token.ek_" + key, "ek_" + key,
			"realtime,openai-ephemeral-token.[REDACTED]"},
		{"OpenAI, an account", "realtime, openai-organization.org-Ab1, openai-project.proj_1", "",
			"realtime, openai-organization.[REDACTED], openai-project.[REDACTED]"},
		{"xAI", "xai-client-secret." + key, key, "xai-client-secret.[REDACTED]"},
		{"another service", "acme-api-key." + key + ", acme.v1", key, "acme-api-key.[REDACTED], acme.v1"},
		{"another spelling", "acme-apikey." + key, key, "acme-apikey.[REDACTED]"},
		{"Deepgram", "token, " + key, key, "token, [REDACTED]"},
		{"Deepgram, a dummy", "token, test", "", "token, [REDACTED]"},
		{"Deepgram, a JWT", "bearer, " + jwt, jwt, "bearer, [REDACTED]"},
		{"an access token", "access_token," + key, key, "access_token,[REDACTED]"},
		{"a header", "Authorization, Bearer%20" + key, key, "Authorization, [REDACTED]"},
		{"Cloudflare", "cf-aig-authorization." + key, key, "cf-aig-authorization.[REDACTED]"},
		{"Kubernetes", "base64url.bearer.authorization.k8s.io." + base64 + ", base64.binary.k8s.io", key,
			"base64url.bearer.authorization.k8s.io.[REDACTED], base64.binary.k8s.io"},
		{"like Kubernetes", "base64url.bearer.authorization.example.com." + jwt, jwt,
			"base64url.bearer.authorization.example.com.[REDACTED]"},
		{"Jupyter", "v1.token.websocket.jupyter.org, v1.token.websocket.jupyter.org." + key, key,
			"v1.token.websocket.jupyter.org, v1.token.websocket.jupyter.org.[REDACTED]"},
		{"lnd", "Grpc-Metadata-Macaroon+" + key, key, "Grpc-Metadata-Macaroon+[REDACTED]"},
		{"AppSync", "graphql-ws, header-eyJ4LWFwaS1rZXkiOiJkYTItazdReDJtUHo5Vnc0THI4VG4zWWI2SGQ1In0", "da2-" + key,
			"graphql-ws, header-[REDACTED]"},
		{"bearer", "solidping.v2, bearer." + key, key, "solidping.v2, bearer.[REDACTED]"},
		{"auth", "nosh, auth." + key, key, "nosh, auth.[REDACTED]"},
		{"a name and a token", "agent-office.token." + key, key, "agent-office.token.[REDACTED]"},
		{"a token behind a dash", "mcp-token, token-" + key, key, "mcp-token, token-[REDACTED]"},
		{"a ticket", "bc-stream, " + key, key, "bc-stream, [REDACTED]"},
		{"a UUID", "ws, 8f14e45f-ceea-467f-a8d5-3b1c7e9d2a60", "", "ws, [REDACTED]"},
		{"a JWT alone", jwt, jwt, "[REDACTED]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var p Policy
			req := handshake(c.offered)
			p.RedactHead(req)
			if got := fmt.Sprint(req.Headers); got != fmt.Sprintf("[{%s [%s]} {upgrade [websocket]}]", subprotocolHeader, c.want) {
				t.Fatalf("headers %s, want %s", got, c.want)
			}
			if c.secret != "" && p.Check("a text", []byte("it is "+c.secret+" here")) == nil {
				t.Error("the key is not known")
			}
			again := &interaction.Request{Method: "GET", URL: req.URL, Headers: cloneHeaders(req.Headers)}
			p.RedactHead(again)
			if fmt.Sprint(again.Headers) != fmt.Sprint(req.Headers) {
				t.Errorf("redacted again: %v", again.Headers)
			}
			it := &interaction.Interaction{Request: *req}
			if found := Findings(it); found != nil {
				t.Errorf("findings as written: %q", found)
			}
			it.Request.Headers[0].Values = []string{c.offered}
			if found := Findings(it); found == nil {
				t.Error("no finding in a file that has the key")
			}
		})
	}
}

// The key may be in another line of the header than its name.
func TestKeyInAnotherLineOfSubprotocols(t *testing.T) {
	t.Parallel()
	var p Policy
	req := handshake("token", "k7Qx2mPz9Vw4Lr8Tn3Yb6", "v1")
	p.RedactHead(req)
	if got := fmt.Sprint(req.Headers[0].Values); got != "[token [REDACTED] v1]" {
		t.Error(got)
	}
}

// The names of subprotocols stay as they are: those of the registry of IANA
// (https://www.iana.org/assignments/websocket/websocket.xml), of frameworks and of APIs.
func TestNamesOfSubprotocolsAreKept(t *testing.T) {
	t.Parallel()
	names := strings.Fields(`MBWS.huawei.com MBLWS.huawei.com soap wamp wamp.2.json wamp.2.msgpack
		v10.stomp v12.stomp ocpp1.2 ocpp1.6 ocpp2.0.1 rfb sip notificationchannel-netapi-rest.openmobilealliance.org
		wpcp amqp mqtt jsflow rwpcp xmpp ship mielecloudconnect msrp bfcp sap-softphone-ws
		v10.pcp.sap.com opcua+uacp opcua+uajson v1.opcua.com+uacp uawsp xmpp-framing tuf+json
		bacnet.bsc.org dc.bsc.bacnet.org hub.bsc.bacnet.org bosch.binary.v1 com.microsoft.minecraft.wsencrypt
		graphql-ws graphql-transport-ws aws-appsync-event-ws actioncable-v1-json actioncable-unsupported
		realtime openai-beta.realtime-v1 json.webpubsub.azure.v1 protobuf.reliable.webpubsub.azure.v1
		json.reliable.webpubsub.azure.v1 base64.binary.k8s.io v5.channel.k8s.io channel.k8s.io
		v1.kernel.websocket.jupyter.org v1.token.websocket.jupyter.org ogmios.v1:compact binary base64
		janus-protocol lws-mirror-protocol signalr vite-hmr vite-ping sveltekit.v1 mcp acp.v1 chat superchat
		USPEECH usp.speech.v2 sockjs-node tunnel.v2 duck.v1 token bearer x-auth.v1 session.v2`)
	for _, name := range names {
		var p Policy
		req := handshake("chat, " + name)
		p.RedactHead(req)
		if got := req.Headers.Get(subprotocolHeader); got != "chat, "+name {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A request that does not open a WebSocket keeps nothing of a handshake.
func TestOnlyHandshakesKeepSubprotocols(t *testing.T) {
	t.Parallel()
	var p Policy
	post := handshake("chat")
	post.Method = "POST"
	other := &interaction.Request{Method: "GET", URL: post.URL, Headers: headers("upgrade", "h2c")}
	for _, req := range []*interaction.Request{post, other} {
		p.RedactHead(req)
		if len(req.Headers) > 0 {
			t.Errorf("headers %v", req.Headers)
		}
	}
}

// The subprotocol that a server has chosen may be the one with the key.
func TestChosenSubprotocolWithKey(t *testing.T) {
	t.Parallel()
	const key = "k7Qx2mPz9Vw4Lr8Tn3Yb6Hd5"
	for _, c := range []struct{ chosen, stored, offered, want string }{
		{"realtime", "realtime", "realtime, openai-insecure-api-key.test", "realtime"},
		{"openai-insecure-api-key." + key, "openai-insecure-api-key.[REDACTED]",
			"realtime, openai-insecure-api-key.test", "openai-insecure-api-key.test"},
		{key, Placeholder, "token, test", "test"},
		{key, Placeholder, "bc-stream, " + key, key},
		{"token-" + key, "token-[REDACTED]", "mcp-token, token-other", "token-other"},
		{"token-" + key, "token-[REDACTED]", "chat", "token-[REDACTED]"},
	} {
		var p Policy
		it := &interaction.Interaction{Request: *handshake("realtime, token, " + key)}
		it.Response = interaction.Response{Status: 101, Headers: headers(subprotocolHeader, c.chosen)}
		p.Interaction(it)
		stored := it.Response.Headers.Get(subprotocolHeader)
		if stored != c.stored {
			t.Errorf("%s: stored %s, want %s", c.chosen, stored, c.stored)
		}
		if got := new(Policy).OfferedSubprotocol(stored, []string{c.offered}); got != c.want {
			t.Errorf("%s offered: the client gets %s, want %s", c.offered, got, c.want)
		}
	}
}
