package foreign

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testing/socket"
)

// Captured traffic that no other program would send is not imported, and does not make a cassette partial.
func TestTrafficOfBrowsersIsLeftAlone(t *testing.T) {
	t.Parallel()
	const (
		page      = "part of a page: document, script, style, image, font"
		preflight = "preflight of CORS, which only browsers send"
	)
	wants := func(destination string) string {
		return `"headers": [{"name": "Sec-Fetch-Dest", "value": "` + destination + `"}], ` + harBody
	}
	for _, tt := range []struct{ request, more, want string }{
		{wants("image"), "", page},
		{wants("document"), `, "_resourceType": "fetch"`, page},
		{wants("empty"), `, "_resourceType": "script"`, ""},
		{harBody, `, "_resourceType": "stylesheet"`, page},
		{harBody, `, "_resourceType": "ping"`, page},
		{harBody, `, "_resourceType": "xhr"`, ""},
		{harBody, `, "_resourceType": "other"`, ""},
		{harBody, "", ""},
		{`"method": "OPTIONS", "headers": [{"name": "Access-Control-Request-Method", "value": "POST"}]`, "", preflight},
		{harBody, `, "_resourceType": "preflight"`, preflight},
		{`"method": "OPTIONS", "bodySize": 0`, "", ""},
		{`"method": "CONNECT", "bodySize": 0`, "", "CONNECT to a proxy: what went through the tunnel was not read"},
		{`"url": "data:text/plain,hi"`, "", "the URL is not one of HTTP"},
		{`"url": "chrome-extension://a/b.js"`, "", "the URL is not one of HTTP"},
	} {
		c, err := Read("c", []byte(harOf(harEntryOf(tt.request, harAnswer, tt.more))), nil)
		if err != nil || c == nil || len(c.LeftOut) > 0 {
			t.Errorf("%s%s: %+v, %v", tt.request, tt.more, c, err)
			continue
		}
		why := ""
		if len(c.Skipped) > 0 {
			why = c.Skipped[0].Text
		}
		if why != tt.want || (why == "") != (len(c.Interactions) == 1) {
			t.Errorf("%s%s: left alone because of %q, want %q", tt.request, tt.more, why, tt.want)
		}
	}
	c, err := Read("c", []byte(tnet(with(flow, pair{"type", "dns"}))+tnet(flow)), nil)
	if err != nil || len(c.Interactions) != 1 || fmt.Sprint(c.Skipped) != "[{a flow of dns, not of HTTP 1}]" {
		t.Errorf("%+v, %v", c, err)
	}
}

// With -host, only requests to these hosts are imported, of captures and of cassettes.
func TestOnlyWantedHosts(t *testing.T) {
	t.Parallel()
	entries := harOf(harEntryOf(harBody, harAnswer, ""), harEntryOf(`"url": "https://api.other.example:8443/", `+harBody, `"content": {}`, ""))
	vcr := pyFile("body: hi\nheaders: {}", "headers: {}\nbody: {string: ok}")
	for _, tt := range []struct {
		text          string
		hosts         []string
		want, skipped int
	}{
		{entries, []string{"H.example"}, 1, 1},
		{entries, []string{"*.example"}, 1, 0},
		{entries, []string{"api.other.example:8443", "x"}, 0, 1},
		{entries, []string{"example"}, 0, 2},
		{vcr, []string{"h.example"}, 1, 0},
		{vcr, []string{"other.example"}, 0, 1},
	} {
		c, err := Options{Hosts: tt.hosts}.Read("c", []byte(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		skipped := 0
		for _, s := range c.Skipped {
			skipped += s.Times
		}
		if len(c.Interactions) != tt.want || skipped != tt.skipped {
			t.Errorf("%s: %d interactions, %d skipped; want %d, %d", tt.hosts, len(c.Interactions), skipped, tt.want, tt.skipped)
		}
	}
}

// Requests come in the order in which they were sent, and those that overlapped others are marked.
func TestTrafficIsInTheOrderOfRequests(t *testing.T) {
	t.Parallel()
	at := func(name, start string, duration int) string {
		return strings.Replace(strings.Replace(harEntryOf(`"url": "https://h.example/`+name+`", `+harBody, harAnswer, ""),
			"2026-01-02T03:04:05.678Z", start, 1), `"time": 10`, fmt.Sprintf(`"time": %d`, duration), 1)
	}
	read := func(entries ...string) (order string) {
		c, err := Read("c", []byte(harOf(entries...)), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range c.Interactions {
			order += strings.TrimPrefix(it.Request.URL, "https://h.example/")
			if it.Concurrent != nil {
				order += "*"
			}
		}
		return order
	}
	b, c := at("b", "2026-01-02T03:04:01.000Z", 100), at("c", "2026-01-02T04:04:01.050+01:00", 10)
	if got := read(at("d", "2026-01-02T03:04:02Z", 5), c, at("a", "2026-01-02T03:04:00Z", 10), b); got != "ab*c*d" {
		t.Errorf("the order is %s", got)
	}
	if got := read(c, b, at("a", "yesterday", 1)); !strings.HasPrefix(strings.ReplaceAll(got, "*", ""), "cba") {
		t.Errorf("without times the order is %s", got)
	}
}

// flowSession is a conversation over a WebSocket, as mitmproxy has it.
var flowSession = []pair{{"messages", []any{
	[]any{1, false, []byte(`{"type":"session.created"}`), 1700000001.0, false, false},
	[]any{1, true, []byte(`{"type":"input_audio_buffer.append","audio":"AAEC"}`), 1700000001.25, false, false},
	[]any{1, true, []byte(`{"type":"input_audio_buffer.append","audio":"AwQ="}`), 1700000001.5, false, false},
	[]any{1, true, []byte(`{ "type": "response.create" }`), 1700000001.5, false, false},
	[]any{2, false, []byte{0xff}, 1700000002.5, false, false},
}}, {"closed_by_client", true}, {"close_code", 1000}, {"close_reason", "bye"}, {"timestamp_end", 1700000003.0}}

// A WebSocket of captured traffic becomes the session that a recorder would have written.
func TestWebSocketBecomesASession(t *testing.T) {
	t.Parallel()
	har := harOf(harEntryOf(`"url": "wss://api.openai.com/v1/realtime?model=m", "method": "GET", "headers": [{"name": "Upgrade", "value": "websocket"}]`,
		`"status": 101, "content": {"size": -1}`, `, "_resourceType": "websocket", "_webSocketMessages": [
		{"type": "receive", "time": 1700000001.0, "opcode": 1, "data": "{\"type\":\"session.created\"}"},
		{"type": "send", "time": 1700000001.25, "opcode": 1, "data": "{\"type\":\"input_audio_buffer.append\",\"audio\":\"AAEC\"}"},
		{"type": "send", "time": 1700000001.5, "opcode": 1, "data": "{\"type\":\"input_audio_buffer.append\",\"audio\":\"AwQ=\"}"},
		{"type": "send", "time": 1700000001.5, "opcode": 1, "data": "{ \"type\": \"response.create\" }"},
		{"type": "receive", "time": 1700000001.6, "opcode": -1, "data": "an error of Chrome"},
		{"type": "receive", "time": 1700000002.5, "opcode": 2, "data": "/w=="}]`))
	handshake := []pair{{"host", "api.openai.com"}, {"path", []byte("/v1/realtime?model=m")}, {"method", []byte("CONNECT")}, {"content", []byte{}}}
	flow := changedFlow(handshake, []pair{{"status_code", 200}}, pair{"websocket", flowSession})

	sum := sha256.Sum256([]byte{0, 1, 2, 3, 4})
	audio := `audio {"bytes":5,"sha256":"` + hex.EncodeToString(sum[:]) + `"`
	want := []string{
		`received {"type":"session.created"}`, `sent {"type":"input_audio_buffer.append","audio":""} ` + audio,
		`sent {"type":"response.create"}`, "received_bytes \xff",
	}
	for name, tt := range map[string]struct {
		text, end string
		closing   []string
	}{
		"HAR":       {har, interaction.EndClosed, nil},
		"mitmproxy": {flow, "", []string{"sent_close 1000 bye", "received_close 1000"}},
	} {
		c, err := Read("c", []byte(tt.text), nil)
		if err != nil || c == nil || len(c.Interactions) != 1 {
			t.Errorf("%s: %+v, %v", name, c, err)
			continue
		}
		it := c.Interactions[0]
		if !it.Request.OpensWebSocket() || it.Request.URL != "https://api.openai.com/v1/realtime?model=m" || it.Response.Status != 101 || it.Response.End != tt.end {
			t.Errorf("%s: %+v", name, it)
		}
		wanted := append(append([]string{}, want...), tt.closing...)
		for i, event := range it.Response.Events {
			got := ""
			for _, f := range event {
				got += " " + f.Name + " " + f.Value
			}
			if i >= len(wanted) || !strings.HasPrefix(got, " "+wanted[i]) {
				t.Errorf("%s: message %d is%s", name, i, got)
			}
		}
		if len(it.Response.Events) != len(wanted) {
			t.Errorf("%s: %d messages, want %d", name, len(it.Response.Events), len(wanted))
		}
		if d := it.Response.Delays; d[1].MS != 250 || d[2].MS != 250 || d[3].MS != 1000 {
			t.Errorf("%s: delays %+v", name, d)
		}
	}
}

// saved returns the text of the cassette as it is written.
func saved(t *testing.T, c *Cassette) string {
	t.Helper()
	contents, err := c.Contents("c", nil)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "saved.yaml")
	if err := contents.Save(file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A session that was captured replays: the client gets its messages, however it cuts its audio.
func TestCapturedSessionReplays(t *testing.T) {
	t.Parallel()
	handshake := []pair{{"host", "api.openai.com"}, {"path", []byte("/v1/realtime?model=m")}, {"method", []byte("GET")}, {"content", []byte{}}}
	c, err := Read("c", []byte(changedFlow(handshake, []pair{{"status_code", 101}}, pair{"websocket", flowSession})), nil)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(file, []byte(saved(t, c)), 0o600); err != nil {
		t.Fatal(err)
	}
	rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeNone))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := socket.Dialer{Client: rec.Client()}.Dial(t.Context(), "https://api.openai.com/v1/realtime?model=m")
	if err != nil {
		t.Fatal(err)
	}
	receive := func(want string) {
		m, err := conn.Receive()
		if err != nil || string(m.Data) != want {
			t.Errorf("got %q, %v, want %q", m.Data, err, want)
		}
	}
	receive(`{"type":"session.created"}`)
	for _, text := range []string{`{"type":"input_audio_buffer.append","audio":"AAECAwQ="}`, `{"type":"response.create"}`} {
		if err := conn.Send(text); err != nil {
			t.Fatal(err)
		}
	}
	receive("\xff")
	if err := conn.SendClose(1000, "bye"); err != nil {
		t.Error(err)
	}
	receive("\x03\xe8") // the code 1000
	conn.Drop()
	if err := rec.Close(); err != nil {
		t.Error(err)
	}
}

// A key in captured traffic is not in the cassette, wherever it was sent: URL, header, cookie or body.
func TestSecretsOfCapturesAreNotWritten(t *testing.T) {
	t.Parallel()
	const key = "sk-proj-Zk3vQ9pXw7RtLm2NcY8bHs5D"
	for place, tt := range map[string]struct{ query, header, body, answer, setCookie string }{
		"the URL":              {query: "?api_key=" + key},
		"Authorization":        {header: "Authorization: Bearer " + key},
		"a header of a key":    {header: "x-api-key: " + key},
		"a cookie":             {header: "Cookie: session=" + key},
		"the body":             {body: `{"model":"m","api_key":"` + key + `"}`},
		"the answer":           {header: "Authorization: Bearer " + key, answer: `{"echo":"` + key + `"}`},
		"a cookie that is set": {setCookie: "session=" + key + "; Path=/"},
	} {
		name, value, _ := strings.Cut(tt.header, ": ")
		har := harOf(harEntryOf(fmt.Sprintf(`"url": "https://h.example/v1/x%s", "headers": [{"name": %q, "value": %q}], "postData": {"text": %q}`, tt.query, name, value, tt.body),
			fmt.Sprintf(`"content": {"text": %q}, "headers": [{"name": "set-cookie", "value": %q}]`, tt.answer, tt.setCookie), ""))
		flow := changedFlow([]pair{{"path", []byte("/v1/x" + tt.query)}, {"headers", flowHeaderList(tt.header)}, {"content", []byte(tt.body)}},
			[]pair{{"content", []byte(tt.answer)}, {"headers", flowHeaderList("set-cookie: " + tt.setCookie)}})
		for format, text := range map[string]string{"HAR": har, "mitmproxy": flow} {
			c, err := Read("c", []byte(text), nil)
			if err != nil || len(c.Interactions) != 1 {
				t.Fatalf("%s in %s: %+v, %v", place, format, c, err)
			}
			written := saved(t, c)
			if strings.Contains(written, key) || !strings.Contains(written, "https://h.example/v1/x") {
				t.Errorf("%s in %s:\n%s", place, format, written)
			}
		}
	}
	c, err := Read("c", []byte(harOf(harEntryOf(`"url": "wss://api.openai.com/v1/realtime", "headers": [{"name": "Upgrade", "value": "websocket"},
		{"name": "Sec-WebSocket-Protocol", "value": "realtime, openai-insecure-api-key.`+key+`"}]`, `"status": 101`,
		`, "_webSocketMessages": [{"type": "send", "opcode": 1, "data": "{\"type\":\"session.update\",\"api_key\":\"`+key+`\"}"}]`))), nil)
	if err != nil {
		t.Fatal(err)
	}
	if written := saved(t, c); strings.Contains(written, key) || !strings.Contains(written, "session.update") {
		t.Errorf("a session:\n%s", written)
	}
}
