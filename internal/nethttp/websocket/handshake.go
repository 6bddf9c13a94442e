package websocket

import (
	"crypto/sha1"
	"encoding/base64"
	"net/http"
	"strings"
)

// acceptGUID is appended to the key of a handshake (RFC 6455, section 1.3).
const acceptGUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

// version is the version of the protocol that RFC 6455 defines.
const version = "13"

// AcceptKey returns the value of Sec-WebSocket-Accept for that of Sec-WebSocket-Key (RFC
// 6455, section 4.2.2).
func AcceptKey(key string) string {
	sum := sha1.Sum([]byte(key + acceptGUID))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// IsHandshake reports whether a request opens a WebSocket connection (RFC 6455, section
// 4.1). The key is not checked, and neither are subprotocols.
func IsHandshake(req *http.Request) bool {
	isGet := req.Method == http.MethodGet || req.Method == ""
	isUpgrade := hasToken(req.Header, "Upgrade", "websocket") &&
		hasToken(req.Header, "Connection", "upgrade")
	return isGet && isUpgrade && hasToken(req.Header, "Sec-WebSocket-Version", version)
}

// Headers returns the headers of a response with status 101 that accepts a handshake, without a
// subprotocol. No extension is accepted.
func Headers(req *http.Request) http.Header {
	keys := values(req.Header, "Sec-WebSocket-Key") // a client sends one
	key := strings.TrimSpace(strings.Join(keys, ","))

	h := http.Header{}
	h.Set("Upgrade", "websocket")
	h.Set("Connection", "Upgrade")
	h.Set("Sec-WebSocket-Accept", AcceptKey(key))
	return h
}

// hasToken reports whether a header has a token in its list, in any case.
func hasToken(h http.Header, name, token string) bool {
	for _, value := range values(h, name) {
		for element := range strings.SplitSeq(value, ",") {
			if strings.EqualFold(strings.TrimSpace(element), token) {
				return true
			}
		}
	}
	return false
}

// values returns the values of a header whose name may be in any case. Clients set
// "Sec-WebSocket-Key" in a header map as RFC 6455 spells it, which differs from the name
// that [http.Header.Get] looks for.
func values(h http.Header, name string) []string {
	var all []string
	for key, list := range h {
		if strings.EqualFold(key, name) {
			all = append(all, list...)
		}
	}
	return all
}
