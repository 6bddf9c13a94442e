package foreign

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"
)

// writeHAR writes as Polly.JS, the only writer that keeps the bytes of all bodies.
func writeHAR(t testing.TB, samples []*sample) string {
	type object = map[string]any
	headers := func(h http.Header) (list []object) {
		for name, values := range sent(h) {
			for _, v := range values {
				list = append(list, object{"name": name, "value": v})
			}
		}
		return list
	}
	body := func(data []byte) object {
		if utf8.Valid(data) {
			return object{"text": string(data), "size": len(data)}
		}
		return object{"text": base64.StdEncoding.EncodeToString(data), "encoding": "base64", "size": len(data)}
	}
	var entries []object
	for _, s := range samples {
		entries = append(entries, object{
			"request":  object{"method": s.method, "url": s.url, "headers": headers(s.headers), "postData": body(s.body)},
			"response": object{"status": s.status, "httpVersion": s.proto, "headers": headers(s.respHeaders), "content": body(s.answer)},
		})
	}
	text, err := json.MarshalIndent(object{"log": object{"version": "1.2", "creator": object{"name": "Polly.JS"}, "entries": entries}}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// harOf is a HAR file with these entries, each in a line of its own from line 2 on.
func harOf(entries ...string) string {
	return `{"log": {"version": "1.2", "pages": [{"id": "p"}], "creator": {"name": "made up"}, "entries": [` +
		"\n" + strings.Join(entries, ",\n") + "\n]}, \"_more\": 1}\n"
}

// harEntryOf is an entry with these members of the request and of the response.
func harEntryOf(request, response, more string) string {
	return `{"startedDateTime": "2026-01-02T03:04:05.678Z", "time": 10, "request": {"method": "POST", ` +
		`"url": "https://h.example/v1/x", "headers": [{"name": "x-a", "value": "b"}], ` + request +
		`}, "response": {"status": 200, "httpVersion": "HTTP/1.1", "headers": [], ` + response + `}` + more + `}`
}

const (
	harAnswer = `"content": {"size": 2, "mimeType": "text/plain", "text": "ok"}`
	harBody   = `"postData": {"mimeType": "text/plain", "text": "hi"}`
)

// promptecho import reads HAR files as browsers, proxies and test tools write them.
func TestHARFormats(t *testing.T) {
	t.Parallel()
	compressed := base64.StdEncoding.EncodeToString([]byte(gzipped("ok")))
	for _, tt := range []struct{ name, entry, want string }{
		{"Chrome: names of HTTP/2 in the headers, a decompressed answer with the header of its coding", `{
"startedDateTime": "2026-01-02T03:04:05.678Z", "time": 31.5, "_resourceType": "fetch", "_priority": "High",
"request": {"method": "POST", "url": "https://h.example/v1/x#top", "httpVersion": "http/2.0", "bodySize": 2,
"headers": [{"name": ":authority", "value": "h.example"}, {"name": "range", "value": "bytes=0-1"}],
"postData": {"mimeType": "text/plain", "text": "hi"}},
"response": {"status": 200, "statusText": "", "httpVersion": "http/2.0", "headers": [{"name": "content-type", "value": "text/plain"},
{"name": "content-encoding", "value": "br"}, {"name": "content-length", "value": "1"}],
"content": {"size": 2, "mimeType": "text/plain", "text": "ok"}, "redirectURL": "", "_error": null},
"timings": {"blocked": 5, "dns": -1, "ssl": -1, "connect": -1, "send": 1, "wait": 20.9, "receive": 3}}`,
			"POST https://h.example/v1/x \"hi\"\nasked range: bytes=0-1\n200 HTTP/2.0\"ok\" \nanswered content-type: text/plain\n21 ms\n"},
		{"a binary answer that is not compressed any more", harEntryOf(harBody,
			`"content": {"mimeType": "audio/mpeg", "text": "//8=", "encoding": "base64"}, "headers": [{"name": "Content-Encoding", "value": "gzip"}]`, ""),
			"POST https://h.example/v1/x \"hi\"\nasked x-a: b\n200 \"\\xff\\xff\" \nanswered content-type: audio/mpeg\n"},
		{"Polly.JS: an answer that is still compressed, in a list", harEntryOf(harBody,
			`"content": {"mimeType": "text/plain", "text": "[\"`+compressed+`\"]", "encoding": "base64"}, "headers": [{"name": "Content-Encoding", "value": "gzip"}]`, ""),
			"POST https://h.example/v1/x \"hi\"\nasked x-a: b\n200 \"ok\" \nanswered content-type: text/plain\n"},
		{"a stream as one text", harEntryOf(harBody, `"content": {"mimeType": "text/event-stream", "text": "data: 1\n\ndata: 2\n\n"}`, ""),
			"POST https://h.example/v1/x \"hi\"\nasked x-a: b\n200 \"data: 1\\n\\ndata: 2\\n\\n\" sse\nanswered content-type: text/event-stream\n1: " + streamLoss + "\n"},
		{"a form of which only the fields are known", harEntryOf(
			`"postData": {"mimeType": "application/x-www-form-urlencoded", "params": [{"name": "a", "value": "1 2"}, {"name": "b", "value": ""}]}`, harAnswer, ""),
			"POST https://h.example/v1/x \"a=1+2&b=\"\nasked x-a: b\n200 \"ok\" \nanswered content-type: text/plain\n" +
				"1: the body of the request is not known byte for byte: only its content was kept, and it is rebuilt\n"},
		{"an answer that is shorter than its size", harEntryOf(harBody, `"content": {"size": 3, "mimeType": "text/plain", "text": "ok"}`, ""),
			"POST https://h.example/v1/x \"hi\"\nasked x-a: b\n200 \"ok\" \nanswered content-type: text/plain\n" +
				"1: the body of the answer is shorter than its size in the file: its end may be missing\n"},
		{"bytes that are not text", harEntryOf(harBody, `"content": {"mimeType": "text/plain", "text": "o\ud800"}`, ""),
			"POST https://h.example/v1/x \"hi\"\nasked x-a: b\n200 \"o\uFFFD\" \nanswered content-type: text/plain\n" +
				"1: the body of the answer has the character U+FFFD: some of its bytes were not text, and were replaced\n"},
		{"a redirect without a body", harEntryOf(harBody, `"status": 302, "content": {"size": 0, "mimeType": ""}`, ""),
			"POST https://h.example/v1/x \"hi\"\nasked x-a: b\n302 \"\" \n"},
		{"an answer that was cut off", harEntryOf(harBody, harAnswer+`, "_error": "net::ERR_INCOMPLETE_CHUNKED_ENCODING"`, ""),
			"POST https://h.example/v1/x \"hi\"\nasked x-a: b\nfailed: net::ERR_INCOMPLETE_CHUNKED_ENCODING\n200 \"ok\" \nanswered content-type: text/plain\n"},
		{"no request headers", harEntryOf(`"headers": [], `+harBody, harAnswer, ""),
			"POST https://h.example/v1/x \"hi\"\nasked ?\n200 \"ok\" \nanswered content-type: text/plain\n1: " + unknownLoss + "\n"},
	} {
		c, err := Read("c", []byte("\ufeff"+harOf(tt.entry)), nil)
		if err != nil || c == nil || c.Tool != "HAR" {
			t.Errorf("%s: %+v, %v", tt.name, c, err)
			continue
		}
		if got := describe(t, c); got != tt.want {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// An interaction of a HAR file that is not complete is left out, with the reason and its line.
func TestHAREntriesThatAreLeftOut(t *testing.T) {
	t.Parallel()
	socket := `, "_resourceType": "websocket"`
	for _, tt := range []struct{ entry, want string }{
		{harEntryOf(harBody, `"content": {"size": 9, "mimeType": "text/plain"}`, ""), "the body of the answer is not in the file"},
		{harEntryOf(harBody, `"content": {"text": null, "comment": "Response bodies are not included."}`, ""),
			`the body of the answer is not in the file: "Response bodies are not included."`},
		{harEntryOf(harBody, `"content": {"text": "?", "encoding": "base64"}`, ""), "the body of the answer: it is not the base64 that it says"},
		{harEntryOf(harBody, `"content": {"_file": "a.json"}`, ""), "the body of the answer: the file is not known"},
		{harEntryOf(harBody, `"status": 0, "content": {}, "_error": "net::ERR_FAILED"`, ""), `the request was not answered: "net::ERR_FAILED"`},
		{harEntryOf(`"bodySize": 7`, harAnswer, ""), "the body of the request is not in the file"},
		{harEntryOf(`"postData": {"mimeType": "multipart/form-data", "params": [{"name": "a", "fileName": "b.wav"}]}`, harAnswer, ""),
			"the request has a form, whose fields are in the file, but not what was sent"},
		{harEntryOf(`"bodySize": 0`, `"status": 101, "content": {}`, socket), "the messages of the WebSocket are not in the file"},
		{harEntryOf(`"bodySize": 0`, `"status": 403, "content": {}, "_error": "x"`, socket), `the WebSocket was not opened: "x"`},
	} {
		c, err := Read("c", []byte(harOf(harEntryOf(harBody, harAnswer, ""), tt.entry)), nil)
		if err != nil || c == nil || len(c.LeftOut) != 1 || len(c.Interactions) != 1 {
			t.Errorf("%s: %+v, %v", tt.entry, c, err)
			continue
		}
		_, why, _ := strings.Cut(c.LeftOut[0].Why, " to h.example: ")
		if c.LeftOut[0].Line != 3 || why != tt.want || c.LeftOut[0].Code == "" {
			t.Errorf("%s:\ngot  %+v\nwant %s", tt.entry, c.LeftOut[0], tt.want)
		}
	}
}

// A HAR file that is broken is an error with its line and field.
func TestHARErrors(t *testing.T) {
	t.Parallel()
	whole := harOf(harEntryOf(harBody, harAnswer, ""))
	for _, tt := range []struct{ text, want string }{
		{whole[:len(whole)-80], "c:2:"},
		{harOf(harEntryOf(harBody, harAnswer, ""), `{"request": {"method": 3}}`), "c:3:"},
		{harOf(harEntryOf(`"url": "https://h.example/%zz", `+harBody, harAnswer, "")), `c:2:1: the request has no valid URL: invalid URL escape "%zz"`},
		{harOf(harEntryOf(harBody, `"status": 99, `+harAnswer, "")), "c:2:1: the answer has no valid status: 99"},
		{`{"log": {"creator": {}, "entries": 3}}`, "c:1:"},
		{`{"log": {"creator": {}, "entries": [}}`, "c:1:"},
	} {
		// The last of two members with one name counts.
		c, err := Read("c", []byte(tt.text), nil)
		if c != nil || err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s\ngot  %+v, %v\nwant %s", tt.text, c, err, tt.want)
		}
	}
}

// Bodies that Playwright has written into files of their own are read, from an archive or a folder.
func TestHAROfPlaywright(t *testing.T) {
	t.Parallel()
	har := harOf(harEntryOf(`"postData": {"mimeType": "text/plain", "_file": "q.txt"}`, `"content": {"mimeType": "text/plain", "_file": "a.txt"}`, ""),
		harEntryOf(`"bodySize": -1`, `"status": 101, "content": {"_file": "m.jsonl"}`, `, "_resourceType": "websocket"`))
	files := map[string]string{
		"q.txt": "hi", "a.txt": "ok", "har.har": har,
		"m.jsonl": `{"type": "send", "time": 1796043335660.5, "opcode": 1, "data": "{}"}` + "\n" + `{"type": "receive", "time": 1796043335670.5, "opcode": 2, "data": "/w=="}` + "\n",
	}
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for name, text := range files {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte(text))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	folder := func(name string) ([]byte, error) {
		text, ok := files[name]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	}
	for name, data := range map[string][]byte{"an archive": archive.Bytes(), "a folder": []byte(har)} {
		c, err := Read("c", data, folder)
		if err != nil || c == nil || len(c.Interactions) != 2 {
			t.Fatalf("%s: %+v, %v", name, c, err)
		}
		first, session := c.Interactions[0], c.Interactions[1].Response
		if string(first.Request.Body) != "hi" || string(bodyOf(t, first)) != "ok" {
			t.Errorf("%s: %q, %q", name, first.Request.Body, bodyOf(t, first))
		}
		if len(session.Events) != 2 || session.Events[1][0].Value != "\xff" || session.Delays[1].MS != 10 {
			t.Errorf("%s: %+v", name, session)
		}
	}
	if c, err := Read("c", []byte("PK\x03\x04 of another kind"), folder); c != nil || err != nil {
		t.Errorf("%+v, %v", c, err)
	}
}

// Whatever a file of captured traffic holds, it is refused, or read as requests and answers.
func FuzzHAR(f *testing.F) {
	f.Add([]byte(harEntryOf(harBody, harAnswer, "")))
	f.Add([]byte(harEntryOf(`"bodySize": 7`, `"content": {"_file": "a"}, "_error": "x"`, `, "_resourceType": "image"`)))
	f.Add([]byte(harEntryOf(`"headers": [{"name": ":a", "value": "b"}]`, `"status": 101`, `, "_webSocketMessages": [{"type": "send", "time": 1e300, "opcode": 2, "data": "AAEC"}]`)))
	f.Add([]byte(harEntryOf(`"url": "wss://api.openai.com/v1/realtime"`, `"status": 101`, `, "_webSocketMessages": [{"type": "send", "time": 1, "opcode": 1, "data": "{\"type\":\"input_audio_buffer.append\",\"audio\":\"AAEC\"}"}]`)))
	f.Fuzz(func(t *testing.T, entry []byte) {
		checkCapture(t, []byte(harOf(string(entry), harEntryOf(harBody, harAnswer, ""))))
	})
}

// checkCapture reads a file, and checks that what it returns can be written.
func checkCapture(t *testing.T, data []byte) {
	c, err := Read("c", data, nil)
	if err != nil || c == nil {
		if c != nil {
			t.Error("an error and a cassette")
		}
		return
	}
	for _, l := range c.Losses {
		if l.Times > 2*len(c.Interactions) {
			t.Errorf("%d interactions: %+v", len(c.Interactions), c.Losses)
		}
	}
	for _, it := range c.Interactions {
		if it.Request.URL == "" || it.Request.Method == "" || it.Response.Status < 100 {
			t.Errorf("no request or answer: %+v", it)
		}
		if !it.Response.IsSession() {
			bodyOf(t, it)
		}
	}
	_, err = c.Contents("c", nil)
	if err != nil {
		t.Error(err)
	}
}
