package websocket

import (
	"net/http"
	"reflect"
	"testing"
)

// TestAcceptKey: the example of RFC 6455, section 1.3.
func TestAcceptKey(t *testing.T) {
	t.Parallel()
	got := AcceptKey("dGhlIHNhbXBsZSBub25jZQ==")
	if got != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" {
		t.Error(got)
	}
}

// TestIsHandshake: names of headers and tokens are compared in any case.
func TestIsHandshake(t *testing.T) {
	t.Parallel()
	const name, list = "Sec-Websocket-Version", "Connection"
	for _, tt := range []struct {
		what   string
		method string
		header http.Header
		want   bool
	}{
		{"as coder/websocket", "GET", http.Header{"Upgrade": {"websocket"}, list: {"Upgrade"}, name: {"13"}}, true},
		{"as gorilla/websocket", "GET", http.Header{"Upgrade": {"websocket"}, list: {"Upgrade"}, "Sec-WebSocket-Version": {"13"}}, true},
		{"no method, which is GET", "", http.Header{"Upgrade": {"websocket"}, list: {"Upgrade"}, name: {"13"}}, true},
		{"as browsers", "GET", http.Header{"Upgrade": {"websocket"}, list: {"keep-alive, Upgrade"}, name: {"13"}}, true},
		{"any case", "GET", http.Header{"upgrade": {"WebSocket"}, "CONNECTION": {"upGRADE"}, name: {"13"}}, true},
		{"several lines", "GET", http.Header{"Upgrade": {"h2c", "websocket"}, list: {"keep-alive", "x,\tupgrade ,y"}, name: {"8, 13"}}, true},
		{"POST", "POST", http.Header{"Upgrade": {"websocket"}, list: {"Upgrade"}, name: {"13"}}, false},
		{"another protocol", "GET", http.Header{"Upgrade": {"h2c"}, list: {"Upgrade"}, name: {"13"}}, false},
		{"a part of a token", "GET", http.Header{"Upgrade": {"websockets"}, list: {"Upgrade"}, name: {"13"}}, false},
		{"no Upgrade", "GET", http.Header{list: {"Upgrade"}, name: {"13"}}, false},
		{"no Connection", "GET", http.Header{"Upgrade": {"websocket"}, name: {"13"}}, false},
		{"another Connection", "GET", http.Header{"Upgrade": {"websocket"}, list: {"keep-alive"}, name: {"13"}}, false},
		{"another version", "GET", http.Header{"Upgrade": {"websocket"}, list: {"Upgrade"}, name: {"8"}}, false},
		{"no version", "GET", http.Header{"Upgrade": {"websocket"}, list: {"Upgrade"}}, false},
		{"no headers", "GET", nil, false},
	} {
		got := IsHandshake(&http.Request{Method: tt.method, Header: tt.header})
		if got != tt.want {
			t.Errorf("%s: %v", tt.what, got)
		}
	}
}

// TestHeaders: a client finds in the response what it needs to accept it.
func TestHeaders(t *testing.T) {
	t.Parallel()
	const sample, accept = "dGhlIHNhbXBsZSBub25jZQ==", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
	for _, name := range []string{"Sec-Websocket-Key", "Sec-WebSocket-Key", "sec-websocket-key"} {
		req := &http.Request{Header: http.Header{name: {" " + sample}}}
		want := http.Header{
			"Upgrade":              {"websocket"},
			"Connection":           {"Upgrade"},
			"Sec-Websocket-Accept": {accept},
		}
		if got := Headers(req); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}
