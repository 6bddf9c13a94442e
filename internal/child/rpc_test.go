package child

import "testing"

func TestClassOfALine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]class{
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`:         classRequest,
		`{"id":"a","method":"turn/start","params":{}}`:           classRequest,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`: classNotification,
		`{"jsonrpc":"2.0","id":null,"method":"x"}`:               classNotification,
		`{"jsonrpc":"2.0","id":1,"result":null}`:                 classResponse,
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                   classResponse,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1}}`:            classResponse,
		`{"type":"control_request","request_id":"1"}`:            classControl,
		`{"type":"assistant","message":{}}`:                      classMessage,
		`[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]`:       classMessage,
		`{"not":"closed"`:         classMessage,
		`some text with "method"`: classMessage,
	} {
		m := parse(text)
		if got := m.class(); got != want {
			t.Errorf("%s is a %s, want a %s", text, got, want)
		}
	}
}

func TestRefusalHasTheFormOfTheRequest(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"jsonrpc":"2.0","id":"a","method":"m"}`:     `{"jsonrpc":"2.0","id":"a","error":{"code":-32418,"message":"why"}}`,
		`{"id":7,"method":"m"}`:                       `{"id":7,"error":{"code":-32418,"message":"why"}}`,
		`{"type":"control_request","request_id":"r"}`: `{"type":"control_response","response":{"subtype":"error","request_id":"r","error":"why"}}`,
	} {
		m := parse(text)
		if got := string(m.refusal("why")); got != want+"\n" {
			t.Errorf("%s: got %s", text, got)
		}
		response := parse(want)
		if response.responseKey() != m.requestKey() || m.requestKey() == "" {
			t.Errorf("%s has the key %s, its response %s", text, m.requestKey(), response.responseKey())
		}
	}
}

func TestPingIsAnsweredWithItsMembers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`: `{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"method":"ping","id":"p"}`:               `{"id":"p","result":{}}`,
	} {
		m := parse(text)
		if !m.isPing() || string(m.pong()) != want+"\n" {
			t.Errorf("%s: got %s", text, m.pong())
		}
	}
}

func TestExitIsReadFromItsText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Exit{
		"exit status 0":   {Status: 0},
		"exit status 255": {Status: 255},
		"signal: killed":  {Status: -1, Signal: "killed"},
		"what is this":    {Status: 1},
	} {
		if got := ParseExit(text); got != want {
			t.Errorf("%s: got %+v, want %+v", text, got, want)
		}
	}
}
