package provider

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image/png"
	"net/http"
	"strings"
	"testing"
)

// form is a multipart body with the boundary that the harness announces.
func form(file string, fields ...string) string {
	var b strings.Builder
	for i := 0; i+1 < len(fields); i += 2 {
		b.WriteString("--b\r\nContent-Disposition: form-data; name=\"" + fields[i] + "\"\r\n\r\n" + fields[i+1] + "\r\n")
	}
	if file != "" {
		b.WriteString("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\n\r\n" + file + "\r\n")
	}
	return b.String() + "--b--\r\n"
}

func TestCompletions(t *testing.T) {
	h := start(t)
	kind := func(e event) string {
		v, err := decode([]byte(e.data))
		if err != nil {
			return e.data
		}
		if why, ok := at(v, "choices", 0, "finish_reason").(string); ok {
			return why
		}
		if len(v.(object).list("choices")) == 0 {
			return "usage"
		}
		return "text"
	}
	for _, c := range []struct{ path, body, text, order string }{
		{"/v1/completions", `{"model":"m","prompt":"hello"}`, "[stand-in] You said: hello (", "text+ stop [DONE]"},
		{"/v1/completions", `{"model":"m","prompt":["a","b"],"stream_options":{"include_usage":true}}`, "[stand-in] You said: a (", "text+ stop text+ stop usage [DONE]"},
		{"/v1/completions", `{"model":"m","prompt":"hello","max_tokens":1,"echo":true}`, "hello[stand-in]", "text+ length [DONE]"},
		{"/v1/completions", `{"model":"m","prompt":"a","suffix":"z","stop":"..."}`, "[stand-in] You said: a", "text+ stop [DONE]"},
		{"/v1/completions", `{"model":"m","prompt":[1,2],"n":2}`, "[stand-in] You said: 1 2 (", "text+ stop text+ stop [DONE]"},
		{"/v1/fim/completions", `{"model":"m","prompt":"a","suffix":"z"}`, "[stand-in] You said: a...z (", "text+ stop [DONE]"},
	} {
		o := h.ask(c.path, c.body)
		text, _ := at(o, "choices", 0, "text").(string)
		if said, ok := at(o, "choices", 0, "message", "content").(string); ok {
			text = said
		}
		if !strings.HasPrefix(text, c.text) {
			t.Errorf("%s: %s", c.body, encode(o))
		}
		if got := order(h.streamed(c.path, withStream(c.body)), kind); got != c.order {
			t.Errorf("%s: got %s, want %s", c.body, got, c.order)
		}
	}
}

func TestModerations(t *testing.T) {
	h := start(t)
	for _, c := range []struct {
		input string
		want  string
	}{
		{`"Do not hurt me"`, "[true]"},
		{`["be kind","attack"]`, "[false,true]"},
		{`[{"type":"text","text":"kill"},{"type":"image_url","image_url":{"url":"x"}}]`, "[true]"},
	} {
		var flags []any
		for _, r := range objects(h.ask("/v1/moderations", `{"input":`+c.input+`}`).list("results")) {
			flags = append(flags, r.get("flagged"))
			if r.sub("categories").get("violence") != r.get("flagged") || len(r.sub("category_scores")) != 13 {
				t.Errorf("%s: %s", c.input, encode(r))
			}
		}
		if got := string(encode(flags)); got != c.want {
			t.Errorf("%s: %s", c.input, got)
		}
	}
}

func TestImages(t *testing.T) {
	h := start(t)
	const path = "/v1/images/generations"
	seen := map[string]bool{}
	for _, body := range []string{`{"prompt":"a","n":2}`, `{"prompt":"b"}`} {
		for _, one := range objects(h.ask(path, body).list("data")) {
			data, err := base64.StdEncoding.DecodeString(one.text("b64_json"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := png.Decode(bytes.NewReader(data)); err != nil {
				t.Error(err)
			}
			seen[one.text("b64_json")] = true
		}
	}
	for _, body := range []string{form("IMAGE", "prompt", "a"), form("OTHER", "prompt", "a")} {
		seen[at(h.ask("/v1/images/edits", body), "data", 0, "b64_json").(string)] = true
	}
	seen[at(h.ask("/v1/images/edits", `{"prompt":"a","images":[{"file_id":"f"}]}`), "data", 0, "b64_json").(string)] = true
	if len(seen) != 6 {
		t.Errorf("%d different pictures", len(seen))
	}
	if url, _ := at(h.ask(path, `{"prompt":"a","response_format":"url"}`), "data", 0, "url").(string); !strings.HasPrefix(url, "https://images.stand-in.invalid/") {
		t.Errorf("url %q", url)
	}
	name := func(e event) string { return e.name }
	if got := order(h.streamed(path, `{"prompt":"a","stream":true,"partial_images":2}`), name); got != "image_generation.partial_image+ image_generation.completed" {
		t.Errorf("stream: %s", got)
	}
	if got := order(h.streamed("/v1/images/edits", form("I", "prompt", "a", "stream", "true", "partial_images", "1")), name); got != "image_edit.partial_image image_edit.completed" {
		t.Errorf("stream of an edit: %s", got)
	}
}

func TestTranscriptions(t *testing.T) {
	h := start(t)
	const path, heard = "/v1/audio/transcriptions", "[stand-in] I heard a file of 5 bytes, checksum b67736f4."
	if got := h.ask(path, form("SOUND", "model", "m", "prompt", "hey")).text("text"); got != heard+" You said: hey" {
		t.Errorf("json: %s", got)
	}
	for _, c := range [][2]string{
		{"text", heard + "\n"}, {"srt", "1\n00:00:00,000"}, {"vtt", "WEBVTT\n"}, {"verbose_json", `{"task":"transcribe"`},
	} {
		if got := h.post(path, form("SOUND", "model", "m", "response_format", c[0])).text; !strings.HasPrefix(got, c[1]) {
			t.Errorf("%s: %s", c[0], got)
		}
	}
	text := ""
	events := h.streamed(path, form("SOUND", "model", "m", "stream", "true"))
	for _, e := range events[:len(events)-1] {
		text += e.json(t).text("delta")
	}
	if last := events[len(events)-2].json(t); text != heard || last.text("text") != heard || events[len(events)-1].data != "[DONE]" {
		t.Errorf("stream of %q ends with %s", text, encode(last))
	}
}

func TestSpeech(t *testing.T) {
	h := start(t)
	ask := func(rest string) result {
		return h.post("/v1/audio/speech", `{"model":"m","voice":"v","input":"hello"`+rest+`}`)
	}
	pcm := ask(`,"response_format":"pcm"`)
	for _, c := range []struct{ rest, kind, start string }{
		{"", "audio/mpeg", "ID3"},
		{`,"response_format":"flac"`, "audio/flac", "ID3"},
		{`,"response_format":"wav"`, "audio/wav", "RIFF\x4c\x01\x00\x00WAVEfmt "},
	} {
		r := ask(c.rest)
		if r.Header.Get("Content-Type") != c.kind || !strings.HasPrefix(r.text, c.start) || !strings.HasSuffix(r.text, pcm.text) {
			t.Errorf("%s: %v %q", c.rest, r.Header, r.text)
		}
	}
	if h.post("/v1/audio/speech", `{"model":"m","voice":"v","input":"hullo","response_format":"pcm"}`).text == pcm.text {
		t.Error("another text sounds the same")
	}
	sound := ""
	events := h.streamed("/v1/audio/speech", `{"model":"m","input":"hello","voice":"v","stream_format":"sse"}`)
	for _, e := range events {
		data, err := base64.StdEncoding.DecodeString(e.json(t).text("audio"))
		if err != nil {
			t.Fatal(err)
		}
		sound += string(data)
	}
	if sound != pcm.text || events[len(events)-1].json(t).text("type") != "speech.audio.done" {
		t.Errorf("%d events, %d bytes", len(events), len(sound))
	}
}

func TestAzure(t *testing.T) {
	h := start(t)
	const at = "/openai/deployments/one/"
	chat := h.ask(at+"chat/completions?api-version=1", `{"model":"x","messages":[{"role":"user","content":"hi"}]}`)
	embedding := h.ask(at+"embeddings?api-version=1", `{"input":"hi"}`)
	if chat.text("model") != "one" || embedding.text("model") != "one" {
		t.Errorf("models %s and %s", chat.text("model"), embedding.text("model"))
	}
	if r := h.post("/openai/deployments/no-such-model/chat/completions", `{}`); r.StatusCode != http.StatusNotFound {
		t.Errorf("no such model: %d", r.StatusCode)
	}
}

func TestTokenCounts(t *testing.T) {
	h := start(t)
	const message = `"messages":[{"role":"user","content":"a b"}]`
	used := h.ask(messagesPath, `{"model":"m","max_tokens":9,`+message+`}`).sub("usage").get("input_tokens")
	for _, n := range []any{
		h.ask("/v1/messages/count_tokens", `{"model":"m",`+message+`}`).get("input_tokens"),
		h.ask(vertexModels+"anthropic/models/count-tokens:rawPredict", `{"model":"m",`+message+`}`).get("input_tokens"),
		h.ask("/v1/responses/input_tokens", `{"model":"m","input":"a b"}`).get("input_tokens"),
	} {
		if n != used || n == json.Number("0") {
			t.Errorf("%v tokens, used %v", n, used)
		}
	}
}

func TestTextGeneration(t *testing.T) {
	h := start(t)
	body := `{"inputs":"hello","parameters":{"details":true,"max_new_tokens":2}}`
	plain := h.ask("/generate", body)
	events := h.streamed("/generate_stream", body)
	last := events[len(events)-1].json(t)
	if plain.text("generated_text") != "[stand-in] You" || last.text("generated_text") != "[stand-in] You" ||
		plain.sub("details").text("finish_reason") != "length" || last.sub("details").number("generated_tokens") != 2 {
		t.Errorf("plain %s, last event %s", encode(plain), encode(last))
	}
	if len(events) != 2 || at(events[0].json(t), "token", "text") != "[stand-in]" {
		t.Errorf("events %v", events)
	}
	var vectors [][]float64
	if err := json.Unmarshal([]byte(h.post("/models/org/m", `{"inputs":["a","b"]}`).text), &vectors); err != nil || len(vectors) != 2 || len(vectors[0]) != 384 {
		t.Errorf("%d vectors, %v", len(vectors), err)
	}
}

func TestMCP(t *testing.T) {
	h := start(t)
	send := func(method, body string) result {
		req, err := http.NewRequest(method, h.URL+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := h.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var buf bytes.Buffer
		_, err = buf.ReadFrom(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return result{resp, buf.String()}
	}
	rpc := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":"x","method":"` + method + `","params":` + params + `}`
	}
	for _, c := range []struct {
		method, body string
		status       int
		want         string
	}{
		{"POST", rpc("initialize", `{"protocolVersion":"2025-06-18"}`), 200, `{"jsonrpc":"2.0","id":"x","result":{"protocolVersion":"2025-06-18",`},
		{"POST", rpc("initialize", `{"protocolVersion":"2099-01-01"}`), 200, `"protocolVersion":"2025-11-25"`},
		{"POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202, ""},
		{"POST", rpc("ping", `{}`), 200, `"result":{}`},
		{"POST", rpc("tools/list", `{}`), 200, `"tools":[{"name":"echo",`},
		{"POST", rpc("tools/call", `{"name":"echo","arguments":{"text":"hi"}}`), 200, `"text":"[stand-in] hi"`},
		{"POST", rpc("tools/call", `{"name":"echo","arguments":{}}`), 200, `"isError":true`},
		{"POST", rpc("tools/call", `{"name":"other"}`), 200, `"code":-32602`},
		{"POST", rpc("server/discover", `{}`), 200, `"code":-32601`},
		{"POST", `[]`, 400, "malformed payload"},
		{"GET", "", 405, "Method Not Allowed"},
		{"DELETE", "", 204, ""},
	} {
		r := send(c.method, c.body)
		if r.StatusCode != c.status || !strings.Contains(r.text, c.want) || c.want == "" && r.text != "" {
			t.Errorf("%s %s: got %d %s", c.method, c.body, r.StatusCode, r.text)
		}
		if welcomed := strings.Contains(c.body, `"initialize"`); welcomed != (r.Header.Get("Mcp-Session-Id") != "") {
			t.Errorf("%s: session %q", c.body, r.Header.Get("Mcp-Session-Id"))
		}
	}
}

func TestExtraRefusals(t *testing.T) {
	h := start(t)
	for _, c := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"/v1/completions", `{"prompt":"x"}`, 400, "model parameter"},
		{"/v1/completions", `{"model":"m"}`, 400, `"param": "prompt"`},
		{"/v1/fim/completions", `{"model":"m"}`, 400, `"param": "prompt"`},
		{"/v1/fim/completions", `{}`, 400, "model parameter"},
		{"/v1/agents/completions", `{}`, 404, "Invalid URL"},
		{"/v1/responses/input_tokens", `{}`, 400, "model parameter"},
		{"/v1/responses/input_tokens", `{"model":"m","previous_response_id":"x"}`, 400, "previous_response_not_found"},
		{"/v1/moderations", `{}`, 400, `"param": "input"`},
		{"/v1/moderations", `{"model":"no-such-model","input":"x"}`, 404, "model_not_found"},
		{"/v1/images/generations", `{}`, 400, `"param": "prompt"`},
		{"/v1/images/generations", `{"model":"no-such-model"}`, 404, "model_not_found"},
		{"/v1/images/edits", form("", "prompt", "x"), 400, `"param": "image"`},
		{"/v1/images/edits", "--b\r\nno form", 400, "could not parse"},
		{"/v1/audio/transcriptions", form("", "model", "m"), 400, `"param": "file"`},
		{"/v1/audio/transcriptions", form("SOUND"), 400, "model parameter"},
		{"/v1/audio/speech", `{}`, 400, "model parameter"},
		{"/v1/audio/speech", `{"model":"m"}`, 400, `"param": "input"`},
		{"/v1/audio/speech", `{"model":"m","input":"x","response_format":"y"}`, 400, `"param": "response_format"`},
		{"/v1/messages/count_tokens", `{}`, 400, "Field required"},
		{"/v1/messages/count_tokens", `{"model":"no-such-model"}`, 404, "not_found_error"},
		{vertexModels + "anthropic/models/no-such-model:rawPredict", `{}`, 404, "not_found_error"},
		{vertexModels + "anthropic/models/m:rawPredict", `{}`, 400, "anthropic_version: Field required"},
		{vertexModels + "anthropic/models/m:rawPredict", `{"anthropic_version":"v","max_tokens":1}`, 400, "at least one message"},
		{"/generate", `{}`, 422, "`inputs` cannot be empty"},
		{"/generate", `[`, 422, "Failed to parse"},
		{"/models/org/no-such-model", `{}`, 404, "does not exist"},
	} {
		if r := h.post(c.path, c.body); r.StatusCode != c.status || !strings.Contains(r.text, c.want) {
			t.Errorf("%s %s: got %d %s", c.path, c.body, r.StatusCode, r.text)
		}
	}
}

// Every vendor has a word for every status.
func TestFailEveryVendor(t *testing.T) {
	h := start(t)
	for _, e := range endpoints {
		for _, status := range []int{400, 401, 403, 404, 405, 408, 418, 424, 429, 500, 503, 504, 529} {
			h.Fail(1, status, http.Header{"Retry-After": {"1"}})
			r := h.post(e.path, e.body)
			if r.StatusCode != status || r.Header.Get("Retry-After") != "1" || r.text == "" {
				t.Errorf("%s %d: got %d %v %s", e.name, status, r.StatusCode, r.Header, r.text)
			}
		}
	}
}

// A key is asked for where the real ones have no other way to know who calls.
func TestKeys(t *testing.T) {
	h := start(t)
	for _, e := range endpoints {
		req, err := http.NewRequest(http.MethodPost, h.URL+e.path, strings.NewReader(e.body))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(e.body, "--b") {
			req.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		}
		resp, err := h.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		_, v := familyOf(req)
		want := v.keyless.status
		if want == 0 {
			want = http.StatusOK
		}
		if resp.StatusCode != want {
			t.Errorf("%s without a key: %d", e.name, resp.StatusCode)
		}
	}
}

func TestUnknownPathsByVendor(t *testing.T) {
	h := start(t)
	for _, c := range []struct{ path, header, want string }{
		{"/v1beta/nothing", "", `"status": "NOT_FOUND"`},
		{"/nothing", "X-Goog-Api-Key: k", `"status": "NOT_FOUND"`},
		{"/nothing", "Authorization: AWS4-HMAC-SHA256 x", `{"message":`},
		{"/api/nothing", "User-Agent: ollama/0.17", "404 page not found"},
		{"/nothing", "X-Fern-Sdk-Name: github.com/cohere-ai/cohere-go", `"message":"404 page not found`},
		{"/api/nothing", "", "Invalid URL"},
	} {
		req, err := http.NewRequest(http.MethodPost, h.URL+c.path, strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		if name, value, ok := strings.Cut(c.header, ": "); ok {
			req.Header.Set(name, value)
		}
		resp, err := h.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var buf bytes.Buffer
		_, _ = buf.ReadFrom(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != http.StatusNotFound || !strings.Contains(buf.String(), c.want) {
			t.Errorf("%s with %q: got %d %s", c.path, c.header, resp.StatusCode, buf.String())
		}
	}
}
