package canon

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

const (
	realtimeURL     = "https://api.openai.com/v1/realtime?model=gpt-realtime"
	translationsURL = "https://api.openai.com/v1/realtime/translations?model=gpt-realtime-translate"
	liveURL         = "https://generativelanguage.googleapis.com/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent"
	vertexLiveURL   = "https://us-central1-aiplatform.googleapis.com/ws/google.cloud.aiplatform.v1beta1.LlmBidiService/BidiGenerateContent"
	sonicURL        = "https://bedrock-runtime.us-east-1.amazonaws.com/model/amazon.nova-sonic-v1%3A0/invoke-with-bidirectional-stream"
	deepgramURL     = "https://api.deepgram.com/v1/listen?model=nova-3"
	assemblyURL     = "https://streaming.assemblyai.com/v3/ws?sample_rate=16000"
	agentURL        = "https://api.elevenlabs.io/v1/convai/conversation?agent_id=a"
	scribeURL       = "https://api.elevenlabs.io/v1/speech-to-text/realtime?model_id=scribe_v2_realtime"
)

// handshakeOf returns the request that opens a WebSocket as coder/websocket sends
// it, with more headers as pairs of a name and a value.
func handshakeOf(url string, headers ...string) *interaction.Request {
	req := &interaction.Request{Method: "GET", URL: url}
	headers = append([]string{
		"connection", "Upgrade", "upgrade", "websocket",
		"sec-websocket-version", "13", "sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==",
	}, headers...)
	for pair := range slices.Chunk(headers, 2) {
		req.Headers = append(req.Headers, interaction.Header{Name: pair[0], Values: pair[1:]})
	}
	return req
}

// formOf returns the form of a request without options.
func formOf(req *interaction.Request) *Form { return (&Options{}).Form(req) }

func TestHandshakeIsNoPlainGET(t *testing.T) {
	t.Parallel()
	for _, url := range []string{realtimeURL, responsesURL, liveURL, "https://chat.example/socket"} {
		opening := formOf(handshakeOf(url))
		plain := formOf(&interaction.Request{Method: "GET", URL: url})
		if opening.Wire != WebSocketWire || plain.Wire == WebSocketWire {
			t.Errorf("%s: the wires are %s and %s", url, opening.Wire, plain.Wire)
		}
		if opening.Key() == plain.Key() {
			t.Errorf("%s: a handshake and a plain GET are equal:\n%s", url, opening.Text())
		}
		for _, line := range slices.Concat(opening.Lines(), opening.Drift) {
			isOfSocket := strings.Contains(line.Path, "websocket") || strings.Contains(line.Path, "connection") ||
				strings.Contains(line.Path, "upgrade")
			if isOfSocket {
				t.Errorf("%s: the form has %s", url, line.Path)
			}
		}
		if opening.Repeatable() {
			t.Errorf("%s: a handshake is sent a second time", url)
		}
	}
}

// Headers by which other methods and protocols upgrade are no handshake of a WebSocket.
func TestOtherUpgradesAreNoHandshakes(t *testing.T) {
	t.Parallel()
	upgrade := func(method, value string) *interaction.Request {
		return &interaction.Request{Method: method, URL: realtimeURL, Headers: interaction.Headers{
			{Name: "Upgrade", Values: []string{value}},
		}}
	}
	tests := []struct {
		method, value string
		want          bool
	}{
		{"GET", "websocket", true},
		{"GET", "WebSocket", true},
		{"GET", "h2c, websocket", true},
		{"GET", "h2c", false},
		{"GET", "websockets", false},
		{"POST", "websocket", false},
	}
	for _, tt := range tests {
		got := formOf(upgrade(tt.method, tt.value)).Wire == WebSocketWire
		if got != tt.want {
			t.Errorf("%s with Upgrade: %s is a handshake: %v, want %v", tt.method, tt.value, got, tt.want)
		}
	}
}

func TestHandshakesMatch(t *testing.T) {
	t.Parallel()
	const protocol = "sec-websocket-protocol"
	const unknownURL = "https://chat.example/socket"
	tests := []struct {
		name string
		a, b *interaction.Request
		same bool
	}{
		{"another key", handshakeOf(realtimeURL, "sec-websocket-key", "a"), handshakeOf(realtimeURL), true},
		{"compression", handshakeOf(unknownURL, "sec-websocket-extensions", "permessage-deflate"), handshakeOf(unknownURL), true},
		{"another model", handshakeOf(realtimeURL), handshakeOf(strings.ReplaceAll(realtimeURL, "gpt-realtime", "gpt-other")), false},
		{"another intent", handshakeOf("https://h/v1/realtime?intent=transcription"), handshakeOf("https://h/v1/realtime"), false},
		{"another call", handshakeOf("https://h/v1/realtime?call_id=a"), handshakeOf("https://h/v1/realtime?call_id=b"), false},
		{"another deployment", handshakeOf("https://r.openai.azure.com/openai/realtime?deployment=a"), handshakeOf("https://r.openai.azure.com/openai/realtime?deployment=b"), false},
		{"another version of the API", handshakeOf("https://r.openai.azure.com/openai/realtime?deployment=a&api-version=1"), handshakeOf("https://r.openai.azure.com/openai/realtime?deployment=a&api-version=2"), true},
		{"another host", handshakeOf(realtimeURL), handshakeOf("https://gateway.example/openai/v1/realtime?model=gpt-realtime"), true},
		{"another host of an unknown service", handshakeOf(unknownURL), handshakeOf("https://other.example/socket"), false},
		{"another beta", handshakeOf(realtimeURL, "openai-beta", "realtime=v1"), handshakeOf(realtimeURL), false},
		{"subprotocols in another order", handshakeOf(realtimeURL, protocol, "realtime, v1"), handshakeOf(realtimeURL, protocol, "v1", protocol, "realtime"), true},
		{"another subprotocol", handshakeOf(realtimeURL, protocol, "realtime"), handshakeOf(realtimeURL), false},
		{"subprotocols of an unknown service in another order", handshakeOf(unknownURL, protocol, "a,b"), handshakeOf(unknownURL, protocol, "b, a"), true},
		{"another subprotocol of an unknown service", handshakeOf(unknownURL, protocol, "a"), handshakeOf(unknownURL, protocol, "b"), false},
		{"Live, another version of the API", handshakeOf(liveURL), handshakeOf(strings.Replace(liveURL, "v1beta", "v1alpha", 1)), true},
		{"Live, a key in the query", handshakeOf(liveURL + "?key=k"), handshakeOf(liveURL), true},
		{"Live, with a token", handshakeOf(liveURL), handshakeOf(liveURL + "Constrained"), true},
		{"Responses, another host", handshakeOf(responsesURL), handshakeOf("https://api.x.ai/v1/responses"), true},
		{"Deepgram, another setting", handshakeOf(deepgramURL), handshakeOf(deepgramURL + "&punctuate=true"), false},
		{"Deepgram, another host", handshakeOf(deepgramURL), handshakeOf("https://deepgram.example/v1/listen?model=nova-3"), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, b := formOf(tt.a), formOf(tt.b)
			if same := a.Key() == b.Key(); same != tt.same {
				t.Errorf("equal %v, want %v\n--- a\n%s\n--- b\n%s", same, tt.same, a.Text(), b.Text())
			}
		})
	}
}

// A session has one name, whether of its handshake or of its messages.
func TestSessionsAreKnown(t *testing.T) {
	t.Parallel()
	tests := []struct {
		url, message           string
		endpoint, model, other string // other is the endpoint of the message if it differs
	}{
		{realtimeURL, `{"type":"response.create"}`, "openai.realtime", "gpt-realtime", ""},
		{"https://r.openai.azure.com/openai/v1/realtime?model=m", `{"type":"response.create"}`, "openai.realtime", "m", ""},
		{"https://r.openai.azure.com/openai/realtime?deployment=d&api-version=1", `{"type":"response.create"}`, "openai.realtime", "d", ""},
		{"wss://api.x.ai/v1/realtime?model=grok", `{"type":"input_audio_buffer.commit"}`, "openai.realtime", "grok", ""},
		{translationsURL, `{"type":"session.close"}`, "openai.realtime.translations", "gpt-realtime-translate", ""},
		{"wss://api.openai.com/v1/live/sessions", `{"type":"session.start","session":{}}`, "openai.live", "", ""},
		{"wss://api.openai.com/v1/live/sessions/sess_1/attach", `{"type":"session.close"}`, "openai.live", "", ""},
		{responsesURL, `{"type":"response.create","input":"Hi"}`, "openai.responses", "", ""},
		{responsesURL, `{"type":"response.steer","input":"Hi","previous_response_id":"r"}`, "openai.responses", "", "openai.responses.events"},
		{responsesURL, `{"type":"response.inject","input":[],"response_id":"r"}`, "openai.responses", "", "openai.responses.events"},
		{liveURL, `{"setup":{}}`, "gemini.live", "", ""},
		{vertexLiveURL, `{"clientContent":{}}`, "gemini.live", "", ""},
		{deepgramURL, `{"type":"CloseStream"}`, "deepgram.listen", "nova-3", ""},
		{"https://api.deepgram.com/v2/listen?model=flux", `{"type":"CloseStream"}`, "deepgram.listen", "flux", ""},
		{"https://api.deepgram.com/v1/speak?model=aura", `{"type":"Speak","text":"Hi"}`, "deepgram.speak", "aura", ""},
		{"https://agent.deepgram.com/v1/agent/converse", `{"type":"Settings"}`, "deepgram.agent", "", ""},
		{assemblyURL, `{"type":"Terminate"}`, "assemblyai.streaming", "", ""},
		{agentURL, `{"type":"pong","event_id":1}`, "elevenlabs.agent", "", ""},
		{scribeURL, `{"message_type":"input_audio_chunk","audio_base_64":""}`, "elevenlabs.transcribe", "scribe_v2_realtime", ""},
	}
	for _, tt := range tests {
		opening := formOf(handshakeOf(tt.url))
		if opening.Endpoint != tt.endpoint || opening.Model != tt.model || !opening.Known {
			t.Errorf("the handshake of %s is %s of %q", tt.url, opening.Endpoint, opening.Model)
		}
		want := tt.endpoint
		if tt.other != "" {
			want = tt.other
		}
		sent := form(t, Options{}, tt.url, tt.message)
		if sent.Endpoint != want || sent.Repeatable() {
			t.Errorf("%s of %s is %s, want %s, and not repeatable", tt.message, tt.url, sent.Endpoint, want)
		}
	}

	opening := formOf(&interaction.Request{Method: "POST", URL: sonicURL, Body: []byte{0, 1, 2}, Headers: interaction.Headers{
		{Name: "content-type", Values: []string{"application/vnd.amazon.eventstream"}},
	}})
	bare := formOf(&interaction.Request{Method: "POST", URL: sonicURL})
	if opening.Endpoint != "bedrock.sonic" || opening.Model != "amazon.nova-sonic-v1:0" || opening.Wire != "stream" {
		t.Errorf("the request of Nova Sonic is %s of %s, %s", opening.Endpoint, opening.Model, opening.Wire)
	}
	if opening.Key() != bare.Key() {
		t.Errorf("the body of a two-way request counts\n--- with\n%s\n--- without\n%s", opening.Text(), bare.Text())
	}
	if other := formOf(handshakeOf("https://chat.example/v3/ws")); other.Known {
		t.Errorf("a WebSocket of another service is %s", other.Endpoint)
	}
	for _, url := range []string{"https://api.deepgram.com/v1/speak", "https://api.deepgram.com/v1/listen"} {
		if f := form(t, Options{}, url, `{"text":"Hi","url":"https://h/a.wav"}`); f.Known {
			t.Errorf("a POST to %s is the message of a session: %s", url, f.Endpoint)
		}
	}
}

// A message of a client over Responses has the form of the request that says the same.
func TestResponseCreateIsTheRequestForAStream(t *testing.T) {
	t.Parallel()
	request := form(t, Options{}, responsesURL, `{"model":"m","input":"Hi","stream":true,"background":false,"max_output_tokens":9}`)
	message := form(t, Options{}, responsesURL, `{"type":"response.create","stream_id":"lane-1","generate":true,"truncation":"disabled",
		"model":"m","max_output_tokens":9,"input":[{"role":"user","content":[{"type":"input_text","text":"Hi"}]}],"store":false}`)
	if message.Text() != request.Text() {
		t.Errorf("--- message\n%s\n--- request\n%s", message.Text(), request.Text())
	}
	if message.Model != "m" || !slices.Equal(message.Generated, []string{"body/stream_id"}) {
		t.Errorf("model %q, generated %v", message.Model, message.Generated)
	}
}

// Which change of a message is equal, equal but reported, or a miss.
func TestMessagesMatch(t *testing.T) {
	t.Parallel()
	type verdict string
	const (
		equal verdict = "equal"
		noted verdict = "equal, and reported"
		miss  verdict = "a miss"
	)
	tests := []struct {
		name, url, a, b string
		want            verdict
	}{
		{"event_id", realtimeURL, `{"type":"response.cancel","event_id":"evt_1"}`, `{"type":"response.cancel","event_id":"evt_2"}`, noted},
		{"no event_id", realtimeURL, `{"type":"response.cancel","event_id":"evt_1"}`, `{"type":"response.cancel"}`, noted},
		{"another event", realtimeURL, `{"type":"response.cancel"}`, `{"type":"response.create"}`, miss},
		{"the client's ID of an item", realtimeURL,
			`{"type":"conversation.item.create","item":{"id":"item_1","type":"message","role":"user","content":[{"type":"input_text","text":"Hi"}]}}`,
			`{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"Hi"}],"id":"item_2"}}`, noted},
		{"another text", realtimeURL,
			`{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"Hi"}]}}`,
			`{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"Ho"}]}}`, miss},
		{"another place of an item", realtimeURL,
			`{"type":"conversation.item.create","item":{"type":"message"},"previous_item_id":"root"}`,
			`{"type":"conversation.item.create","item":{"type":"message"},"previous_item_id":"item_x"}`, miss},
		{"an item that the server sent", realtimeURL,
			`{"type":"conversation.item.create","item":{"type":"function_call","object":"realtime.item","status":"completed","name":"f","arguments":"{ \"a\": 1}"}}`,
			`{"type":"conversation.item.create","item":{"type":"function_call","name":"f","arguments":"{\"a\":1}"}}`, equal},
		{"another result", realtimeURL,
			`{"type":"conversation.item.create","item":{"type":"function_call_output","call_id":"c","output":"1"}}`,
			`{"type":"conversation.item.create","item":{"type":"function_call_output","call_id":"c","output":"2"}}`, miss},
		{"the result of another call", realtimeURL,
			`{"type":"conversation.item.create","item":{"type":"function_call_output","call_id":"c","output":"1"}}`,
			`{"type":"conversation.item.create","item":{"type":"function_call_output","call_id":"d","output":"1"}}`, miss},
		{"another item is deleted", realtimeURL, `{"type":"conversation.item.delete","item_id":"a"}`, `{"type":"conversation.item.delete","item_id":"b"}`, miss},
		{"instructions", realtimeURL, `{"type":"session.update","session":{"instructions":"a"}}`, `{"type":"session.update","session":{"instructions":"b"}}`, miss},
		{"no turn detection", realtimeURL, `{"type":"session.update","session":{"turn_detection":null}}`, `{"type":"session.update","session":{}}`, miss},
		{"tracing", realtimeURL, `{"type":"session.update","session":{"voice":"v","tracing":"auto"}}`, `{"type":"session.update","session":{"voice":"v"}}`, noted},
		{"metadata", realtimeURL, `{"type":"response.create","response":{"voice":"v","metadata":{"run":"a"}}}`, `{"type":"response.create","response":{"voice":"v","metadata":{"run":"b"}}}`, noted},
		{"temperature", realtimeURL, `{"type":"session.update","session":{"voice":"v","temperature":0.8}}`, `{"type":"session.update","session":{"voice":"v","temperature":0.6}}`, noted},
		{"tools in another order", realtimeURL,
			`{"type":"session.update","session":{"tools":[{"type":"function","name":"a"},{"type":"function","name":"b"}]}}`,
			`{"type":"session.update","session":{"tools":[{"type":"function","name":"b"},{"type":"function","name":"a"}]}}`, equal},
		{"members in another order", realtimeURL, `{"type":"input_audio_buffer.clear","event_id":"e"}`, `{"event_id":"e","type":"input_audio_buffer.clear"}`, equal},

		{"Translations, event_id", translationsURL, `{"type":"session.close","event_id":"a"}`, `{"type":"session.close","event_id":"b"}`, noted},
		{"Translations, language", translationsURL, `{"type":"session.update","session":{"audio":{"output":{"language":"de"}}}}`, `{"type":"session.update","session":{"audio":{"output":{"language":"fr"}}}}`, miss},

		{"another lane", responsesURL, `{"type":"response.create","input":"Hi","stream_id":"a"}`, `{"type":"response.create","input":"Hi","stream_id":"b"}`, noted},
		{"another input", responsesURL, `{"type":"response.create","input":"Hi"}`, `{"type":"response.create","input":"Ho"}`, miss},
		{"without an answer", responsesURL, `{"type":"response.create","input":"Hi","generate":false}`, `{"type":"response.create","input":"Hi"}`, miss},
		{"another temperature", responsesURL, `{"type":"response.create","input":"Hi","temperature":1}`, `{"type":"response.create","input":"Hi"}`, noted},
		{"steering as a text and as a list", responsesURL,
			`{"type":"response.steer","previous_response_id":"r","input":"Hi"}`,
			`{"type":"response.steer","previous_response_id":"r","input":[{"type":"message","role":"user","content":"Hi"}]}`, equal},
		{"steering another response", responsesURL, `{"type":"response.steer","previous_response_id":"r","input":"Hi"}`, `{"type":"response.steer","previous_response_id":"s","input":"Hi"}`, miss},
		{"steering is no new response", responsesURL, `{"type":"response.steer","previous_response_id":"r","input":"Hi"}`, `{"type":"response.create","previous_response_id":"r","input":"Hi"}`, miss},

		{"names in snake case", liveURL,
			`{"clientContent":{"turns":[{"parts":[{"text":"Hi"}]}],"turnComplete":true}}`,
			`{"client_content":{"turns":[{"role":"user","parts":[{"text":"Hi"}]}],"turn_complete":true}}`, equal},
		{"another turn", liveURL, `{"clientContent":{"turns":[{"parts":[{"text":"Hi"}]}]}}`, `{"clientContent":{"turns":[{"parts":[{"text":"Ho"}]}]}}`, miss},
		{"the turn goes on", liveURL, `{"clientContent":{"turnComplete":true}}`, `{"clientContent":{"turnComplete":false}}`, miss},
		{"temperature of Live", liveURL, `{"setup":{"model":"models/m","generationConfig":{"temperature":1,"topP":1}}}`, `{"setup":{"model":"models/m","generationConfig":{"temperature":0,"topP":1}}}`, noted},
		{"another model of Live", liveURL, `{"setup":{"model":"models/m"}}`, `{"setup":{"model":"models/n"}}`, miss},
		{"the model as Vertex AI names it", liveURL, `{"setup":{"model":"models/m"}}`, `{"setup":{"model":"projects/p/locations/l/publishers/google/models/m"}}`, equal},
		{"labels", liveURL, `{"setup":{"model":"models/m","labels":{"a":"b"}}}`, `{"setup":{"model":"models/m","labels":{"a":"c"}}}`, noted},
		{"another system instruction", liveURL, `{"setup":{"systemInstruction":{"parts":[{"text":"a"}]}}}`, `{"setup":{"systemInstruction":{"parts":[{"text":"b"}]}}}`, miss},
		{"role of the system instruction", liveURL, `{"setup":{"systemInstruction":{"role":"user","parts":[{"text":"a"}]}}}`, `{"setup":{"system_instruction":{"parts":[{"text":"a"}]}}}`, equal},
		{"functions in another order", liveURL,
			`{"setup":{"tools":[{"functionDeclarations":[{"name":"a"},{"name":"b"}]}]}}`, `{"setup":{"tools":[{"function_declarations":[{"name":"b"},{"name":"a"}]}]}}`, equal},
		{"names in a result stay", liveURL,
			`{"toolResponse":{"functionResponses":[{"id":"1","name":"f","response":{"a_b":1}}]}}`, `{"toolResponse":{"functionResponses":[{"id":"1","name":"f","response":{"aB":1}}]}}`, miss},
		{"end of audio", liveURL, `{"realtimeInput":{"audioStreamEnd":true}}`, `{"realtime_input":{"audio_stream_end":true}}`, equal},
		{"another picture", liveURL, `{"realtimeInput":{"video":{"mimeType":"image/jpeg","data":"AAAA"}}}`, `{"realtimeInput":{"video":{"mimeType":"image/jpeg","data":"AAAB"}}}`, miss},

		{"names of a prompt and a content", sonicURL,
			`{"event":{"textInput":{"promptName":"p1","contentName":"c1","content":"Hi"}}}`, `{"event":{"textInput":{"promptName":"p2","contentName":"c2","content":"Hi"}}}`, noted},
		{"names of the end of a prompt", sonicURL, `{"event":{"promptEnd":{"promptName":"p1"}}}`, `{"event":{"promptEnd":{"promptName":"p2"}}}`, noted},
		{"another text for Sonic", sonicURL,
			`{"event":{"textInput":{"promptName":"p","contentName":"c","content":"Hi"}}}`, `{"event":{"textInput":{"promptName":"p","contentName":"c","content":"Ho"}}}`, miss},
		{"another role", sonicURL, `{"event":{"contentStart":{"promptName":"p","contentName":"c","type":"TEXT","role":"USER"}}}`, `{"event":{"contentStart":{"promptName":"p","contentName":"c","type":"TEXT","role":"SYSTEM"}}}`, miss},
		{"temperature of Sonic", sonicURL, `{"event":{"sessionStart":{"inferenceConfiguration":{"temperature":1,"topP":1}}}}`, `{"event":{"sessionStart":{"inferenceConfiguration":{"temperature":0,"topP":1}}}}`, noted},
		{"tools of Sonic in another order", sonicURL,
			`{"event":{"promptStart":{"toolConfiguration":{"tools":[{"toolSpec":{"name":"a"}},{"toolSpec":{"name":"b"}}]}}}}`,
			`{"event":{"promptStart":{"toolConfiguration":{"tools":[{"toolSpec":{"name":"b"}},{"toolSpec":{"name":"a"}}]}}}}`, equal},

		{"another message of Deepgram", deepgramURL, `{"type":"KeepAlive"}`, `{"type":"CloseStream"}`, miss},
		{"an event of ElevenLabs", agentURL, `{"type":"pong","event_id":1}`, `{"type":"pong","event_id":2}`, miss},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, b := form(t, Options{}, tt.url, tt.a), form(t, Options{}, tt.url, tt.b)
			if !a.Known || !b.Known {
				t.Fatalf("the endpoints are %s and %s", a.Endpoint, b.Endpoint)
			}
			got := miss
			switch {
			case a.Text() == b.Text() && slices.Equal(a.Drift, b.Drift):
				got = equal
			case a.Text() == b.Text():
				got = noted
			}
			if got != tt.want {
				t.Errorf("the change is %s, want %s\n--- a\n%s\n%v\n--- b\n%s\n%v", got, tt.want, a.Text(), a.Drift, b.Text(), b.Drift)
			}
		})
	}
}

// IDs that a client makes up for each run are listed, so that what the server
// repeats of them can be replaced.
func TestGeneratedIDsOfMessages(t *testing.T) {
	t.Parallel()
	tests := []struct {
		url, message string
		want         []string
	}{
		{realtimeURL, `{"type":"conversation.item.create","event_id":"e","item":{"id":"i","type":"message"}}`, []string{"body/event_id", "body/item/id"}},
		{realtimeURL, `{"type":"conversation.item.delete","item_id":"i"}`, nil},
		{responsesURL, `{"type":"response.create","input":"Hi","stream_id":"s"}`, []string{"body/stream_id"}},
		{sonicURL, `{"event":{"textInput":{"promptName":"p","contentName":"c","content":"Hi"}}}`, []string{"body/event/textInput/contentName", "body/event/textInput/promptName"}},
		{liveURL, `{"clientContent":{"turns":[{"parts":[{"text":"Hi"}]}]}}`, nil},
	}
	for _, tt := range tests {
		if got := form(t, Options{}, tt.url, tt.message).Generated; !slices.Equal(got, tt.want) {
			t.Errorf("%s: generated %v, want %v", tt.message, got, tt.want)
		}
	}
}

func TestCutAudio(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, url, message string
		without, audio     string
		ok                 bool
	}{
		{"Realtime", realtimeURL, `{"type":"input_audio_buffer.append","audio":"AAEC"}`, `{"type":"input_audio_buffer.append","audio":""}`, "\x00\x01\x02", true},
		{"white space and order", realtimeURL, `{ "audio" : "AAEC" , "type" : "input_audio_buffer.append" }`, `{ "audio" : "" , "type" : "input_audio_buffer.append" }`, "\x00\x01\x02", true},
		{"padding", realtimeURL, `{"type":"input_audio_buffer.append","audio":"AA=="}`, `{"type":"input_audio_buffer.append","audio":""}`, "\x00", true},
		{"an escaped slash", realtimeURL, `{"type":"input_audio_buffer.append","audio":"\/\/\/\/"}`, `{"type":"input_audio_buffer.append","audio":""}`, "\xff\xff\xff", true},
		{"a piece of no bytes", realtimeURL, `{"type":"input_audio_buffer.append","audio":""}`, `{"type":"input_audio_buffer.append","audio":""}`, "", true},
		{"settings of audio", realtimeURL, `{"type":"session.update","session":{"audio":{"output":{"voice":"v"}}}}`, "", "", false},
		{"audio of an item", realtimeURL, `{"type":"conversation.item.create","item":{"content":[{"type":"input_audio","audio":"AAEC"}]}}`, "", "", false},
		{"no base64", realtimeURL, `{"type":"input_audio_buffer.append","audio":"a!"}`, "", "", false},
		{"no JSON", realtimeURL, `{"type":"input_audio_buffer.append","audio":"AAEC"`, "", "", false},
		{"a second value", realtimeURL, `{"audio":"AAEC"} x`, "", "", false},
		{"Translations", translationsURL, `{"type":"session.input_audio_buffer.append","audio":"AAEC"}`, `{"type":"session.input_audio_buffer.append","audio":""}`, "\x00\x01\x02", true},
		{"Live", liveURL, `{"realtimeInput":{"audio":{"data":"AAEC","mimeType":"audio/pcm;rate=16000"}}}`, `{"realtimeInput":{"audio":{"data":"","mimeType":"audio/pcm;rate=16000"}}}`, "\x00\x01\x02", true},
		{"Live, URL-safe and unpadded", liveURL, `{"realtimeInput":{"audio":{"data":"-_8"}}}`, `{"realtimeInput":{"audio":{"data":""}}}`, "\xfb\xff", true},
		{"Live, snake case", vertexLiveURL, `{"realtime_input":{"audio":{"mime_type":"audio/pcm","data":"AAEC"}}}`, `{"realtime_input":{"audio":{"mime_type":"audio/pcm","data":""}}}`, "\x00\x01\x02", true},
		{"Live, chunks", liveURL, `{"realtimeInput":{"mediaChunks":[{"data":"AAEC","mimeType":"audio/pcm"},{"mimeType":"audio/pcm","data":"AwQF"}]}}`,
			`{"realtimeInput":{"mediaChunks":[{"data":"","mimeType":"audio/pcm"},{"mimeType":"audio/pcm","data":""}]}}`, "\x00\x01\x02\x03\x04\x05", true},
		{"Live, a picture", liveURL, `{"realtimeInput":{"mediaChunks":[{"data":"AAEC","mimeType":"image/jpeg"}]}}`, "", "", false},
		{"Live, a picture and audio", liveURL, `{"realtimeInput":{"mediaChunks":[{"mimeType":"image/jpeg","data":"AAEC"},{"mimeType":"audio/pcm","data":"AwQF"}]}}`,
			`{"realtimeInput":{"mediaChunks":[{"mimeType":"image/jpeg","data":"AAEC"},{"mimeType":"audio/pcm","data":""}]}}`, "\x03\x04\x05", true},
		{"Live, a text", liveURL, `{"clientContent":{"turns":[{"parts":[{"inlineData":{"mimeType":"audio/wav","data":"AAEC"}}]}]}}`, "", "", false},
		{"Sonic", sonicURL, `{"event":{"audioInput":{"promptName":"p","contentName":"c","content":"AAEC"}}}`, `{"event":{"audioInput":{"promptName":"p","contentName":"c","content":""}}}`, "\x00\x01\x02", true},
		{"Sonic, a text", sonicURL, `{"event":{"textInput":{"content":"AAEC"}}}`, "", "", false},
		{"Sonic, a text about audio", sonicURL, `{"event":{"textInput":{"content":"AAEC","role":"audioInput"}}}`, "", "", false},
		{"ElevenLabs", agentURL, `{"user_audio_chunk":"AAEC"}`, `{"user_audio_chunk":""}`, "\x00\x01\x02", true},
		{"ElevenLabs, transcription", scribeURL, `{"message_type":"input_audio_chunk","audio_base_64":"AAEC","commit":false}`, `{"message_type":"input_audio_chunk","audio_base_64":"","commit":false}`, "\x00\x01\x02", true},
		{"an unknown service", "https://chat.example/socket", `{"audio":"AAEC"}`, "", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			without, audio, ok := CutAudio(tt.url, []byte(tt.message))
			if string(without) != tt.without || string(audio) != tt.audio || ok != tt.ok {
				t.Errorf("got %s, %q, %v; want %s, %q, %v", without, audio, ok, tt.without, tt.audio, tt.ok)
			}
		})
	}
}

// However a program cuts its audio, its messages have one form, and the audio is the same.
func TestAudioCutDifferentlyIsTheSame(t *testing.T) {
	t.Parallel()
	audio := bytes.Repeat([]byte("promptecho\x00\xff"), 50)
	send := func(size int) (forms []string, joined []byte) {
		for piece := range slices.Chunk(audio, size) {
			message := []byte(`{"type":"input_audio_buffer.append","event_id":"e","audio":"` + base64.StdEncoding.EncodeToString(piece) + `"}`)
			without, cut, ok := CutAudio(realtimeURL, message)
			if !ok {
				t.Fatalf("no audio in %s", message)
			}
			forms = append(forms, form(t, Options{}, realtimeURL, string(without)).Key())
			joined = append(joined, cut...)
		}
		return slices.Compact(forms), joined
	}
	want, _ := send(len(audio))
	for _, size := range []int{1, 2, 3, 4, 100, 599} {
		forms, joined := send(size)
		if !slices.Equal(forms, want) || !bytes.Equal(joined, audio) {
			t.Errorf("cut by %d: forms %v, want %v; the audio is the same: %v", size, forms, want, bytes.Equal(joined, audio))
		}
	}
}

func TestAudioFrames(t *testing.T) {
	t.Parallel()
	piece := formOf(&interaction.Request{Method: "POST", URL: deepgramURL})
	if piece.Endpoint != "deepgram.listen" {
		t.Errorf("a piece of audio is %s", piece.Endpoint)
	}
	upload := formOf(&interaction.Request{Method: "POST", URL: deepgramURL, Body: []byte("RIFF")})
	if upload.Known {
		t.Errorf("a POST of a recording is %s", upload.Endpoint)
	}
	for url, want := range map[string]bool{
		deepgramURL: true, assemblyURL: true, "https://agent.deepgram.com/v1/agent/converse": true,
		"https://api.deepgram.com/v1/speak": false, realtimeURL: false, agentURL: false, "https://chat.example/socket": false,
	} {
		if got := formOf(handshakeOf(url)).AudioFrames(); got != want {
			t.Errorf("%s: binary messages are audio: %v, want %v", url, got, want)
		}
	}
}

// Messages that a timer sends are told from all others.
func TestKeepAliveMessages(t *testing.T) {
	t.Parallel()
	tests := []struct {
		url, message string
		want         bool
	}{
		{deepgramURL, `{"type":"KeepAlive"}`, true},
		{deepgramURL, `{"type":"CloseStream"}`, false},
		{"https://agent.deepgram.com/v1/agent/converse", `{ "type" : "KeepAlive" }`, true},
		{assemblyURL, `{"type":"KeepAlive"}`, true},
		{realtimeURL, `{"type":"KeepAlive"}`, false},
		{"https://chat.example/socket", `{"type":"KeepAlive"}`, false},
	}
	for _, tt := range tests {
		if got := form(t, Options{}, tt.url, tt.message).KeepsAlive(); got != tt.want {
			t.Errorf("%s of %s keeps alive: %v, want %v", tt.message, tt.url, got, tt.want)
		}
	}
}

// A client decodes the error as one of the server, whatever the text has.
func TestErrorEvent(t *testing.T) {
	t.Parallel()
	const text = "no \"recording\"\n\x00\xff"
	for _, url := range []string{realtimeURL, translationsURL, responsesURL} {
		var event struct {
			Type  string
			Error struct{ Type, Code, Message string }
		}
		err := json.Unmarshal(formOf(handshakeOf(url)).ErrorEvent(text), &event)
		if err != nil {
			t.Fatalf("%s: %v", url, err)
		}
		isRight := event.Type == "error" && event.Error.Type == "promptecho_miss" && event.Error.Code == "promptecho_miss"
		if !isRight || event.Error.Message != "no \"recording\"\n\x00\uFFFD" {
			t.Errorf("%s: got %+v", url, event)
		}
	}
	for _, url := range []string{liveURL, deepgramURL, "https://chat.example/socket"} {
		if event := formOf(handshakeOf(url)).ErrorEvent(text); event != nil {
			t.Errorf("%s has an event for errors: %s", url, event)
		}
	}
}

// FuzzCutAudio checks that a message is never changed but in its audio.
func FuzzCutAudio(f *testing.F) {
	f.Add([]byte(`{"type":"input_audio_buffer.append","audio":"AAEC"}`))
	f.Add([]byte(`{"realtimeInput":{"mediaChunks":[{"data":"AAEC","mimeType":"audio/pcm"},{"mimeType":"image/png","data":"AAEC"}]}}`))
	f.Add([]byte(`{"audio":"AA==","audio":"AQ=="}`))
	f.Add([]byte(`[{"audio":"AAEC"}]`))
	f.Fuzz(func(t *testing.T, message []byte) {
		for _, url := range []string{realtimeURL, liveURL, sonicURL} {
			without, _, ok := CutAudio(url, message)
			if !ok {
				continue
			}
			if json.Valid(message) && !json.Valid(without) {
				t.Errorf("%q becomes %q", message, without)
			}
			if again, audio, ok := CutAudio(url, without); !ok || len(audio) != 0 || !bytes.Equal(again, without) {
				t.Errorf("%q has audio after it was cut: %q, %q, %v", message, without, audio, ok)
			}
		}
	})
}

func BenchmarkCutAudio(b *testing.B) {
	audio := base64.StdEncoding.EncodeToString(make([]byte, 9600)) // 200 ms of 24 kHz
	for name, message := range map[string]string{
		"audio":   `{"type":"input_audio_buffer.append","audio":"` + audio + `"}`,
		"without": `{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"` + strings.Repeat("word ", 100) + `"}]}}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				CutAudio(realtimeURL, []byte(message))
			}
		})
	}
}
