package sessions_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/websocket"
	"github.com/promptecho/promptecho/internal/stream"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/internal/testing/socket"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// A mutated family is one whose messages the test changes, field by field.
type mutatedFamily struct {
	name     string
	url      string // of the WebSocket; without it, open opens the session
	open     func(*promptecho.Recorder) (acknowledged, error)
	messages []string
	isBinary bool

	// ignored has the fields that do not matter: a change of one of them matches, and is noted.
	// generated has those that clients generate for each message, which need no note.
	ignored, generated []string

	// equal has changes that mean the same as the recorded message, so they match and need no
	// note. In unnamed are changes after which a message is one of another API, so that the report
	// names no field.
	equal, unnamed []string
}

// acknowledged is a session whose server acknowledges each message.
type acknowledged interface {
	Send(message string) error
	Recv() (string, error)
	Close()
}

var audio = base64.StdEncoding.EncodeToString([]byte("not really audio, but some bytes"))

var mutatedFamilies = []mutatedFamily{
	{
		name: "realtime",
		url:  "https://api.openai.com/v1/realtime?model=gpt-realtime",
		messages: []string{
			`{"type":"session.update","event_id":"event_1","session":{"type":"realtime","instructions":"be kind",` +
				`"output_modalities":["text","audio"],"temperature":0.8,"max_output_tokens":100,"tool_choice":"auto",` +
				`"audio":{"input":{"format":{"type":"audio/pcm","rate":24000},"turn_detection":{"type":"server_vad"}}},` +
				`"tools":[{"type":"function","name":"f","description":"d","parameters":{"type":"object","properties":{"a":{"type":"string"}}}},` +
				`{"type":"function","name":"g","parameters":{"type":"object"}}]}}`,
			`{"type":"conversation.item.create","previous_item_id":"root","item":{"id":"item_a","type":"message","role":"user",` +
				`"content":[{"type":"input_text","text":"hi"},{"type":"input_text","text":"you"}]}}`,
			`{"type":"input_audio_buffer.append","audio":"` + audio + `"}`,
			`{"type":"response.create","response":{"instructions":"short","conversation":"none","metadata":{"a":"b"},"input":[]}}`,
		},
		ignored:   []string{"session/temperature", "session/max_output_tokens", "response/metadata"},
		generated: []string{"event_id", "item/id"},
		equal:     []string{"move session/tools/*"}, // their order means nothing
	},
	{
		name: "responses",
		url:  "https://api.openai.com/v1/responses",
		messages: []string{
			`{"type":"response.create","stream_id":"lane_1","model":"gpt-5","instructions":"be kind","temperature":0.5,"metadata":{"a":"b"},` +
				`"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]},{"role":"user","content":"you"}],` +
				`"tools":[{"type":"function","name":"f","parameters":{"type":"object"}}],"store":false}`,
			`{"type":"response.steer","response_id":"resp_1","stream_id":"lane_1","input":[{"role":"user","content":"faster"}]}`,
			`{"type":"response.cancel","response_id":"resp_1","stream_id":"lane_1"}`,
		},
		ignored:   []string{"metadata", "store", "temperature"},
		generated: []string{"stream_id"},
		equal:     []string{"remove input/0/type"}, // the default
		unnamed:   []string{"remove type"},         // then it is the body of a plain request
	},
	{
		name: "live",
		url:  "https://generativelanguage.googleapis.com/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent",
		messages: []string{
			`{"setup":{"model":"models/gemini-live","generationConfig":{"temperature":0.5,"responseModalities":["TEXT"]},` +
				`"systemInstruction":{"parts":[{"text":"be kind"}]},"tools":[{"functionDeclarations":[{"name":"f","description":"d"}]}]}}`,
			`{"clientContent":{"turns":[{"role":"user","parts":[{"text":"hi"},{"text":"you"}]}],"turnComplete":true}}`,
			`{"realtimeInput":{"audio":{"mimeType":"audio/pcm","data":"` + audio + `"}}}`,
			`{"toolResponse":{"functionResponses":[{"id":"call_1","name":"f","response":{"result":"sunny"}}]}}`,
		},
		ignored: []string{"setup/generationConfig/temperature"},
		equal:   []string{"remove clientContent/turns/0/role"}, // the default
	},
	{
		name: "sonic",
		open: openSonic,
		messages: []string{
			`{"event":{"sessionStart":{"inferenceConfiguration":{"maxTokens":1024,"topP":0.9,"temperature":0.7}}}}`,
			`{"event":{"promptStart":{"promptName":"p1","textOutputConfiguration":{"mediaType":"text/plain"},` +
				`"audioOutputConfiguration":{"voiceId":"matthew","sampleRateHertz":24000}}}}`,
			`{"event":{"contentStart":{"promptName":"p1","contentName":"c1","type":"TEXT","interactive":true,"role":"SYSTEM"}}}`,
			`{"event":{"textInput":{"promptName":"p1","contentName":"c1","content":"be kind"}}}`,
			`{"event":{"audioInput":{"promptName":"p1","contentName":"c2","content":"` + audio + `"}}}`,
			`{"event":{"contentEnd":{"promptName":"p1","contentName":"c1"}}}`,
			`{"event":{"promptEnd":{"promptName":"p1"}}}`,
			`{"event":{"sessionEnd":{}}}`,
		},
		ignored:   []string{"event/sessionStart/inferenceConfiguration"},
		generated: []string{"event/*/promptName", "event/*/contentName"},
	},
	{
		name: "unknown JSON",
		url:  "https://chat.test/socket",
		messages: []string{
			`{"kind":"hello","id":7,"user":{"name":"ann","tags":["a","b"],"is_admin":false,"boss":null}}`,
			`{"kind":"say","text":"hi"}`,
			`["a list",1]`,
		},
	},
	{
		name:     "unknown bytes",
		url:      "https://chat.test/socket",
		isBinary: true,
		messages: []string{"\x00\x01\x02\xff", "plain text", `{"a":1}`},
	},
	{
		name: "WrapStream",
		open: openWrapped,
		messages: []string{
			`{"kind":"hello","user":{"name":"ann","tags":["a","b"],"is_admin":false,"boss":null},"id":7}`,
			`{"kind":"say","text":"hi"}`,
		},
	},
}

// A sent message with a changed field is a miss that names the field and the line, unless the field
// does not matter. It may be changed, removed, added or moved.
func TestEachChangeOfAMessageIsFound(t *testing.T) {
	t.Parallel()
	for _, f := range mutatedFamilies {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			file := newCassette(t)
			f.run(t, record(t, file, promptecho.Upstream(acknowledge{})), f.messages)
			lines := sentLines(t, file)
			if len(lines) != len(f.messages) {
				t.Fatalf("the cassette has sent messages in the lines %v:\n%s", lines, must.Read(t, file))
			}
			table := map[string]bool{}
			all := f.mutations()
			step := full.Cases(3, 1)
			for i := 0; i < len(all); i += step {
				f.try(t, file, lines, all[i], table)
			}
			t.Logf("%s: %d changes; these match: %q", f.name, len(all), slices.Sorted(maps.Keys(table)))
		})
	}
}

// A mutation is a change of a message.
type mutation struct {
	message int
	change  string // what it does: "change session/type"
	path    string // of the field
	text    string // the message with the change
}

// mutations returns the changes of all messages.
func (f *mutatedFamily) mutations() (all []mutation) {
	for i, message := range f.messages {
		if f.isBinary {
			all = append(all, byteMutations(i, message)...)
			continue
		}
		mutate(decode(message), "", func(change, path string, root any) {
			text, err := json.Marshal(root)
			if err != nil {
				panic(err)
			}
			all = append(all, mutation{i, change, path, string(text)})
		}, func(v any) any { return v })
	}
	return all
}

func decode(message string) (root any) {
	if err := json.Unmarshal([]byte(message), &root); err != nil {
		panic(err)
	}
	return root
}

// mutate yields each change of a value and of what is in it. in returns the whole message with
// another value in the place of this one.
func mutate(v any, path string, yield func(change, path string, root any), in func(any) any) {
	join := func(name string) string { return strings.TrimPrefix(path+"/"+name, "/") }
	switch v := v.(type) {
	case map[string]any:
		added := maps.Clone(v)
		added["zz_new"] = "more"
		yield("add "+join("zz_new"), join("zz_new"), in(added))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			without := maps.Clone(v)
			delete(without, name)
			yield("remove "+join(name), join(name), in(without))
			renamed := maps.Clone(without)
			renamed["zz_"+name] = v[name]
			yield("move "+join(name), join(name), in(renamed))
			mutate(v[name], join(name), yield, func(changed any) any {
				with := maps.Clone(v)
				with[name] = changed
				return in(with)
			})
		}
	case []any:
		yield("add "+join("+"), path, in(append(slices.Clone(v), "more")))
		if len(v) > 1 {
			reversed := slices.Clone(v)
			slices.Reverse(reversed)
			yield("move "+join("*"), path, in(reversed))
		}
		for i := range v {
			yield("remove "+join(strconv.Itoa(i)), path, in(slices.Delete(slices.Clone(v), i, i+1)))
			mutate(v[i], join(strconv.Itoa(i)), yield, func(changed any) any {
				with := slices.Clone(v)
				with[i] = changed
				return in(with)
			})
		}
	case string:
		yield("change "+path, path, in(v+"AAAA"))
	case float64:
		yield("change "+path, path, in(v+1))
	case bool:
		yield("change "+path, path, in(!v))
	case nil:
		yield("change "+path, path, in(true))
	}
}

// byteMutations returns changes of a message of bytes.
func byteMutations(i int, message string) []mutation {
	flipped := []byte(message)
	flipped[len(flipped)/2] ^= 1
	return []mutation{
		{i, "change", "", string(flipped)},
		{i, "remove", "", message[1:]},
		{i, "add", "", message + "\x00"},
		{i, "move", "", message[1:] + message[:1]},
	}
}

// try replays the session with a mutation.
func (f *mutatedFamily) try(t *testing.T, file string, lines []int, m mutation, table map[string]bool) {
	messages := slices.Clone(f.messages)
	messages[m.message] = m.text
	name := fmt.Sprintf("%s, message %d, %s", f.name, m.message, m.change)
	var notes []string
	var misses []*promptecho.MissError
	var report string
	var received int
	synctest.Test(t, func(t *testing.T) {
		rec := replay(t, file, promptecho.Log(func(note string) { notes = append(notes, note) }))
		received = f.talk(t, rec, messages)
		err := rec.Close()
		if err != nil {
			report = err.Error()
		}
		misses = rec.Misses()
	})

	isMatch := len(misses) == 0 && received == len(messages)
	key := fmt.Sprintf("%d: %s", m.message, m.change)
	switch {
	case isMatch && report != "":
		t.Errorf("%s matches, and the run fails: %s", name, report)
	case isMatch:
		isEqual := canonicalJSON(m.text) == canonicalJSON(f.messages[m.message])
		isNoted := strings.Contains(strings.Join(notes, "\n"), lastOf(m.path))
		if !isEqual && !isNoted {
			key += " (no note)"
		}
		table[key] = true
		if !isEqual && !f.allows(m.change, m.path, isNoted) {
			t.Errorf("%s matches\nnotes %q", name, notes)
		}
	case len(misses) != 1:
		t.Errorf("%s: %d messages received, %d misses: %s", name, received, len(misses), report)
	case strings.HasPrefix(m.change, "change ") && f.allows(m.change, m.path, true):
		t.Errorf("%s is a miss, and should match:\n%s", name, report)
	default:
		miss := misses[0]
		if miss.Line != lines[m.message] {
			t.Errorf("%s: the miss has line %d, want %d:\n%s", name, miss.Line, lines[m.message], report)
		}
		isNamed := strings.Contains(report, lastOf(m.path)) || slices.Contains(f.unnamed, m.change)
		if !isNamed {
			t.Errorf("%s: the report does not name %q:\n%s", name, m.path, report)
		}
	}
}

// allows reports whether a change may match.
func (f *mutatedFamily) allows(change, path string, isNoted bool) bool {
	isOfPattern := func(pattern string) bool {
		isBelow := fieldpath.Match(pattern+"/*", "body/"+path)
		return isBelow || fieldpath.Match(pattern, "body/"+path)
	}
	switch {
	case slices.Contains(f.equal, change), slices.ContainsFunc(f.generated, isOfPattern):
		return true
	}
	return isNoted && slices.ContainsFunc(f.ignored, isOfPattern)
}

func canonicalJSON(text string) string {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	out, _ := json.Marshal(v)
	return string(out)
}

// lastOf returns the last name of a path that is no number.
func lastOf(path string) string {
	segments := strings.Split(path, "/")
	for i := len(segments) - 1; i >= 0; i-- {
		if _, err := strconv.Atoi(segments[i]); err != nil {
			return segments[i]
		}
	}
	return ""
}

// sentLines returns the lines of the sent messages of a cassette with one session.
func sentLines(t *testing.T, file string) (lines []int) {
	t.Helper()
	isSent := regexp.MustCompile(`^ *- \{?(sent|sent_bytes):`)
	for i, line := range strings.Split(must.Read(t, file), "\n") {
		if isSent.MatchString(line) {
			lines = append(lines, i+1)
		}
	}
	return lines
}

// run has the session, which must be complete.
func (f *mutatedFamily) run(t *testing.T, rec *promptecho.Recorder, messages []string) {
	t.Helper()
	n := f.talk(t, rec, messages)
	if n != len(messages) {
		t.Fatalf("%d messages were received", n)
	}
	must.Close(t, rec)
}

// talk sends each message when the one before is acknowledged, and returns how many were.
func (f *mutatedFamily) talk(t *testing.T, rec *promptecho.Recorder, messages []string) (n int) {
	t.Helper()
	open := f.open
	if open == nil {
		open = f.dial
	}
	s, err := open(rec)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i, message := range messages {
		if s.Send(message) != nil {
			return n
		}
		got, err := s.Recv()
		isAcknowledged := err == nil && got == acknowledgement(i)
		if !isAcknowledged {
			return n
		}
		n++
	}
	return n
}

func acknowledgement(n int) string { return fmt.Sprintf(`{"ack":%d}`, n) }

// dial opens a WebSocket.
func (f *mutatedFamily) dial(rec *promptecho.Recorder) (acknowledged, error) {
	c, err := socket.Dialer{Client: rec.Client()}.Dial(context.Background(), f.url)
	return &acknowledgedSocket{c, f.isBinary}, err
}

type acknowledgedSocket struct {
	*socket.Conn
	isBinary bool
}

func (s *acknowledgedSocket) Send(message string) error {
	if s.isBinary {
		return s.SendBytes([]byte(message))
	}
	return s.Conn.Send(message)
}

func (s *acknowledgedSocket) Recv() (string, error) {
	m, err := s.Receive()
	return string(m.Data), err
}

func (s *acknowledgedSocket) Close() { s.Drop() }

// acknowledge is an upstream for WebSockets and for the stream of Nova Sonic.
type acknowledge struct{}

func (acknowledge) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodPost {
		return acknowledgeEvents(req)
	}
	return socket.Transport(func(_ *http.Request, c *socket.Conn) {
		for n := 0; ; n++ {
			m, err := c.Receive()
			isOver := err != nil || m.Opcode == websocket.Close
			if isOver {
				return
			}
			_ = c.Send(acknowledgement(n))
		}
	}).RoundTrip(req)
}

const eventStream = "application/vnd.amazon.eventstream"

// acknowledgeEvents acknowledges each event of an AWS event stream.
func acknowledgeEvents(req *http.Request) (*http.Response, error) {
	body, writer := io.Pipe()
	go func() {
		n := 0
		events := stream.Cutter{ContentType: eventStream, Frame: func([]byte) {
			_, _ = writer.Write(eventFrame(acknowledgement(n)))
			n++
		}}
		buf := make([]byte, 4096)
		for {
			size, err := req.Body.Read(buf)
			events.Add(buf[:size])
			if err != nil {
				writer.Close()
				return
			}
		}
	}()
	return &http.Response{
		StatusCode: http.StatusOK,
		Header:     http.Header{"Content-Type": {eventStream}},
		Body:       body,
		Request:    req,
	}, nil
}

// eventFrame returns an event of Bedrock's stream.
func eventFrame(message string) []byte {
	framing, err := stream.Lookup("aws-event-stream")
	if err != nil {
		panic(err)
	}
	payload := `{"bytes":"` + base64.StdEncoding.EncodeToString([]byte(message)) + `"}`
	frame, err := framing.Write(nil, interaction.Event{
		{Name: ":message-type", Value: "event"},
		{Name: ":event-type", Value: "chunk"},
		{Name: ":content-type", Value: "application/json"},
		{Name: "data", Value: payload},
	})
	if err != nil {
		panic(err)
	}
	return frame
}

// openSonic opens Bedrock's stream in two directions.
func openSonic(rec *promptecho.Recorder) (acknowledged, error) {
	body, writer := io.Pipe()
	const url = "https://bedrock-runtime.us-east-1.amazonaws.com/model/amazon.nova-sonic-v1%3A0/invoke-with-bidirectional-stream"
	req, err := http.NewRequest(http.MethodPost, url, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", eventStream)
	resp, err := rec.Client().Do(req)
	if err != nil {
		return nil, err
	}
	s := &sonicStream{body: resp.Body, writer: writer}
	s.cutter = stream.Cutter{ContentType: eventStream, Frame: func(frame []byte) { s.frames = append(s.frames, frame) }}
	return s, nil
}

type sonicStream struct {
	body   io.ReadCloser
	writer *io.PipeWriter
	cutter stream.Cutter
	frames [][]byte
}

func (s *sonicStream) Send(message string) error {
	_, err := s.writer.Write(eventFrame(message))
	return err
}

func (s *sonicStream) Recv() (string, error) {
	buf := make([]byte, 4096)
	for len(s.frames) == 0 {
		n, err := s.body.Read(buf)
		s.cutter.Add(buf[:n])
		if err != nil && len(s.frames) == 0 {
			return "", err
		}
	}
	frame := s.frames[0]
	s.frames = s.frames[1:]
	event, ok := stream.ReadSent(frame)
	if !ok {
		return "", errors.New("no event")
	}
	return event.Data, nil
}

func (s *sonicStream) Close() {
	s.writer.Close()
	s.body.Close()
}

// openWrapped opens a session of a wrapped function.
func openWrapped(rec *promptecho.Recorder) (acknowledged, error) {
	open := promptecho.WrapStream(rec, "tool/acknowledge",
		func(context.Context) (promptecho.Stream[json.RawMessage, json.RawMessage], error) {
			return &acknowledgingStream{ready: make(chan bool, 100)}, nil
		})
	s, err := open(context.Background())
	return wrappedStream{s}, err
}

type acknowledgingStream struct {
	ready chan bool
	n     int
}

func (s *acknowledgingStream) Send(json.RawMessage) error {
	s.ready <- true
	return nil
}

func (s *acknowledgingStream) CloseSend() error { return nil }

func (s *acknowledgingStream) Recv() (json.RawMessage, error) {
	<-s.ready
	s.n++
	return json.RawMessage(acknowledgement(s.n - 1)), nil
}

type wrappedStream struct {
	promptecho.Stream[json.RawMessage, json.RawMessage]
}

func (s wrappedStream) Send(message string) error { return s.Stream.Send(json.RawMessage(message)) }

func (s wrappedStream) Recv() (string, error) {
	message, err := s.Stream.Recv()
	return string(bytes.TrimSpace(message)), err
}

func (s wrappedStream) Close() { _ = s.CloseSend() }
