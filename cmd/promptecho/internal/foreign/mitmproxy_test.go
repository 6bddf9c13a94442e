package foreign

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// tnet writes a value as a tnetstring: bytes are a []byte, a mapping is a list of pairs.
func tnet(v any) string {
	typed := func(data string, kind byte) string { return strconv.Itoa(len(data)) + ":" + data + string(kind) }
	list := func(values []any) (data string) {
		for _, v := range values {
			data += tnet(v)
		}
		return data
	}
	switch v := v.(type) {
	case nil:
		return "0:~"
	case bool:
		return typed(strconv.FormatBool(v), '!')
	case int:
		return typed(strconv.Itoa(v), '#')
	case float64:
		return typed(strconv.FormatFloat(v, 'f', -1, 64), '^')
	case string:
		return typed(v, ';')
	case []byte:
		return typed(string(v), ',')
	case []any:
		return typed(list(v), ']')
	case []pair:
		var members []any
		for _, p := range v {
			members = append(members, p.key, p.value)
		}
		return typed(list(members), '}')
	}
	panic(fmt.Sprintf("%T", v))
}

// with returns pairs in which those of the same key are replaced, or added at the end.
func with(pairs []pair, more ...pair) []pair {
	out := append([]pair{}, pairs...)
	for _, p := range more {
		isThere := false
		for i := range out {
			if out[i].key == p.key {
				out[i] = p
				isThere = true
			}
		}
		if !isThere {
			out = append(out, p)
		}
	}
	return out
}

// flowHeaderPairs returns headers as flows have them.
func flowHeaderPairs(h http.Header) []any {
	list := []any{}
	for name, values := range sent(h) {
		for _, v := range values {
			list = append(list, []any{[]byte(name), []byte(v)})
		}
	}
	return list
}

// writeMitmproxy writes as mitmproxy 8 does.
func writeMitmproxy(t testing.TB, samples []*sample) (out string) {
	for i, s := range samples {
		u, err := url.Parse(s.url)
		if err != nil {
			t.Fatal(err)
		}
		port := 443
		if p := u.Port(); p != "" {
			port, _ = strconv.Atoi(p)
		}
		rest := strings.TrimPrefix(s.url, u.Scheme+"://"+u.Host)
		req := with(flowRequest, pair{"host", u.Hostname()}, pair{"port", port}, pair{"method", []byte(s.method)},
			pair{"scheme", []byte(u.Scheme)}, pair{"path", []byte(rest)}, pair{"content", append([]byte{}, s.body...)},
			pair{"headers", flowHeaderPairs(s.headers)}, pair{"timestamp_start", 1.7e9 + float64(i)})
		resp := with(flowResponse, pair{"status_code", s.status}, pair{"headers", flowHeaderPairs(s.respHeaders)},
			pair{"content", append([]byte{}, s.answer...)}, pair{"http_version", []byte(s.proto)}, pair{"timestamp_start", nil}, pair{"timestamp_end", nil})
		out += tnet(with(flow, pair{"request", req}, pair{"response", resp}))
	}
	return out
}

// The parts of a flow, with the members that are read and some others.
var (
	flowRequest = []pair{{"path", []byte("/v1/x?a=1")}, {"authority", []byte{}}, {"scheme", []byte("https")}, {"method", []byte("POST")},
		{"port", 443}, {"host", "h.example"}, {"timestamp_end", 1700000000.25}, {"timestamp_start", 1700000000.0}, {"trailers", nil},
		{"content", []byte("hi")}, {"headers", []any{[]any{[]byte("Range"), []byte("bytes=0-1")}}}, {"http_version", []byte("HTTP/1.1")}}
	flowResponse = []pair{{"reason", []byte("OK")}, {"status_code", 200}, {"timestamp_end", 1700000001.5}, {"timestamp_start", 1700000000.5},
		{"trailers", nil}, {"content", []byte("ok")}, {"headers", []any{[]any{[]byte("Content-Type"), []byte("text/plain")}}}, {"http_version", []byte("HTTP/1.1")}}
	flow = []pair{{"websocket", nil}, {"response", flowResponse}, {"request", flowRequest}, {"version", 17}, {"type", "http"}, {"id", "1"},
		{"error", nil}, {"client_conn", []pair{{"id", "2"}}}, {"metadata", []pair{}}, {"comment", ""}}
)

// changedFlow is a flow with these members of the request and of the response.
func changedFlow(request, response []pair, more ...pair) string {
	return tnet(with(with(flow, pair{"request", with(flowRequest, request...)}, pair{"response", with(flowResponse, response...)}), more...))
}

func flowHeaderList(lines ...string) (list []any) {
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		list = append(list, []any{[]byte(name), []byte(value)})
	}
	return list
}

// promptecho import reads the flows that mitmproxy and mitmdump write.
func TestMitmproxyFormats(t *testing.T) {
	t.Parallel()
	asked := "POST https://h.example/v1/x?a=1 \"hi\"\nasked range: bytes=0-1\n"
	answered := "200 \"ok\" \nanswered content-type: text/plain\n500 ms\n"
	for _, tt := range []struct{ name, flow, want string }{
		{"a plain one", tnet(flow), asked + answered},
		{"an answer that is compressed, over HTTP/2, with trailers", changedFlow(nil, []pair{{"content", []byte(gzipped("ok"))}, {"http_version", []byte("HTTP/2.0")},
			{"headers", flowHeaderList(":status: 200", "content-type: text/plain", "content-encoding: gzip")}, {"trailers", flowHeaderList("x-sum: 1")}}),
			asked + "200 HTTP/2.0\"ok\" \nanswered content-type: text/plain\ntrailer x-sum: 1\n500 ms\n"},
		{"a transparent proxy, which knows an address", changedFlow([]pair{{"host", "192.0.2.7"}, {"headers", flowHeaderList("Host: h.example", "Range: bytes=0-1")}}, nil),
			strings.Replace(asked, "asked", "asked host: h.example\nasked", 1) + answered},
		{"a name in :authority", changedFlow([]pair{{"host", "192.0.2.7"}, {"authority", []byte("h.example")}}, nil), asked + answered},
		{"a large answer before the version", changedFlow(nil, []pair{{"content", []byte(strings.Repeat(".", 2<<20))}}),
			asked + strings.Replace(answered, "ok", strings.Repeat(".", 2<<20), 1)},
		{"another port", changedFlow([]pair{{"port", 8443}}, nil), strings.Replace(asked, "h.example", "h.example:8443", 1) + answered},
		{"an address of IPv6", changedFlow([]pair{{"host", "2001:db8::1"}}, nil), strings.Replace(asked, "h.example", "[2001:db8::1]", 1) + answered},
		{"a stream", changedFlow(nil, []pair{{"content", []byte("data: 1\n\n")}, {"headers", flowHeaderList("content-type: text/event-stream")}}),
			asked + "200 \"data: 1\\n\\n\" sse\nanswered content-type: text/event-stream\n500 ms\n1: " + streamLoss + "\n"},
		{"an answer that was cut off", changedFlow(nil, nil, pair{"error", []pair{{"msg", "server disconnected"}, {"timestamp", 1.0}}}),
			asked + "failed: server disconnected\n" + answered},
	} {
		c, err := Read("c", []byte(tt.flow), nil)
		if err != nil || c == nil || c.Tool != "mitmproxy" {
			t.Errorf("%s: %+v, %v", tt.name, c, err)
			continue
		}
		if got := describe(t, c); got != tt.want {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// A flow that is not complete is left out, with the reason and its number.
func TestFlowsThatAreLeftOut(t *testing.T) {
	t.Parallel()
	failure := pair{"error", []pair{{"msg", "Connection killed."}}}
	last := tnet(flow)
	for _, tt := range []struct{ flow, want string }{
		{changedFlow([]pair{{"content", nil}}, nil), "POST to h.example: mitmproxy passed the body of the request on without keeping it"},
		{changedFlow(nil, []pair{{"content", nil}}), "POST to h.example: mitmproxy passed the body of the answer on without keeping it, or the connection failed"},
		{tnet(with(flow, pair{"response", nil}, failure)), `POST to h.example: the request was not answered: "Connection killed."`},
		{changedFlow(nil, []pair{{"status_code", 101}}), "POST to h.example: the connection changed to another protocol, and what followed is not in the flow"},
		{tnet([]pair{{"type", "websocket"}, {"version", 7}}), "the messages of a WebSocket are apart from its request; " +
			"let a new mitmproxy convert the file first: mitmdump -nr c -w NEW"},
		{last[:len(last)-9], "the file ends inside this flow"},
	} {
		c, err := Read("c", []byte(tnet(flow)+tt.flow), nil)
		if err != nil || c == nil || len(c.LeftOut) != 1 || len(c.Interactions) != 1 {
			t.Errorf("%s: %+v, %v", tt.want, c, err)
			continue
		}
		if c.LeftOut[0].Line != 2 || c.LeftOut[0].Why != tt.want || c.LeftOut[0].Code == "" {
			t.Errorf("got  %+v\nwant %s", c.LeftOut[0], tt.want)
		}
	}
}

// A flow file that is broken, or of an old mitmproxy, is an error that says what to do.
func TestMitmproxyErrors(t *testing.T) {
	t.Parallel()
	const old = "c:1:1: flow 1 is of an old version of mitmproxy; let a new one convert the file first: mitmdump -nr c -w NEW"
	for _, tt := range []struct{ text, want string }{
		{tnet(with(flow, pair{"version", []any{0, 18}})), old},
		{tnet(with(flow, pair{"version", 4})), old},
		{tnet(flow)[:300], "c:1:1: flow 1: it is longer than the rest of the file"},
		{tnet(flow) + "x", "c:2:1: flow 2: want the length of a value, a colon, the value and its type"},
		{tnet(flow) + "9999999999999:", "c:2:1: flow 2: want the length"},
		{changedFlow([]pair{{"path", []byte("/%zz")}}, nil), `c:1:1: flow 1: the request has no valid URL: invalid URL escape "%zz"`},
	} {
		c, err := Read("c", []byte(tt.text), nil)
		if c != nil || err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("got  %+v, %v\nwant %s", c, err, tt.want)
		}
	}
}

// Whatever a flow file holds, it is refused, or read as requests and answers.
func FuzzMitmproxy(f *testing.F) {
	f.Add([]byte(tnet(flow)))
	f.Add([]byte(changedFlow(nil, nil, pair{"websocket", flowSession})))
	f.Add([]byte(tnet(with(flow, pair{"type", "dns"})) + tnet(with(flow, pair{"response", nil}))))
	f.Add([]byte("9:7:version;2:21#"))
	f.Fuzz(func(t *testing.T, data []byte) {
		checkCapture(t, data)
		checkCapture(t, append([]byte(tnet(flow)), data...))
	})
}
