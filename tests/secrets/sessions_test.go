package secrets_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/nethttp/websocket"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testing/encode"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/socket"
)

// A sessionPlace is a place of a session that can hold a text.
type sessionPlace struct {
	name     string
	sent     func(text string) []websocket.Message // by the client
	received func(text string) []websocket.Message // from the server, once all is sent
	url      func(text string) string
	header   func(h http.Header, text string) // of the request
	answer   func(h http.Header, text string) // of the response
	closes   bool                             // the client closes the session, with the text

	holds    func(text string) bool // reports whether the text can be at the place; nil stands for any
	ofDigits bool                   // only the secret of digits can be at the place
}

// sessionPlaces are all places of a session.
var sessionPlaces = []sessionPlace{
	{name: "sent JSON", sent: oneMessage(func(text string) string {
		return `{"type": "note", "note": {"text":"` + encode.JSON(text) + `"}}`
	})},
	{name: "sent JSON name", sent: oneMessage(func(text string) string {
		return `{"notes":{"` + encode.JSON(text) + `":"x"}}`
	})},
	{name: "sent JSON number", ofDigits: true, holds: isDigits, sent: oneMessage(func(text string) string {
		return `{"notes":[1,` + text + `]}`
	})},
	{name: "sent text", sent: oneMessage(func(text string) string { return "a note: " + text })},
	{name: "sent bytes", sent: func(text string) []websocket.Message {
		return []websocket.Message{{Opcode: websocket.Binary, Data: []byte("\x00\xff\x01" + text + "\x02")}}
	}},
	{name: "received JSON", received: oneMessage(func(text string) string {
		return `{"type":"note","note":{"text":"` + encode.JSON(text) + `"}}`
	})},
	{name: "received text", received: oneMessage(func(text string) string { return "a note: " + text })},
	{name: "received bytes", received: func(text string) []websocket.Message {
		return []websocket.Message{{Opcode: websocket.Binary, Data: []byte("\x00\xff\x01" + text + "\x02")}}
	}},
	{name: "pieces of received JSON", received: func(text string) []websocket.Message {
		var all []websocket.Message
		for len(text) > 0 {
			n := min(len(text), 7)
			all = append(all, socket.Text(`{"type":"response.output_text.delta","item_id":"item_1","delta":"`+
				encode.JSON(text[:n])+`"}`))
			text = text[n:]
		}
		return all
	}},
	{name: "pieces of received text", received: func(text string) []websocket.Message {
		half := len(text) / 2
		return []websocket.Message{socket.Text(text[:half]), socket.Text(text[half:])}
	}},
	{name: "reason of the server", holds: isReason, received: func(text string) []websocket.Message {
		return []websocket.Message{socket.Closing(text)}
	}},
	{name: "reason of the client", holds: isReason, closes: true},
	{name: "query", url: func(text string) string { return "?" + url.Values{"note": {text}}.Encode() }},
	{name: "header", holds: isOneLine, header: func(h http.Header, text string) { h.Set("X-Note", text) }},
	{name: "subprotocol", holds: isOneLine, header: func(h http.Header, text string) {
		h.Set("Sec-WebSocket-Protocol", "chat, openai-insecure-api-key."+text)
	}},
	{name: "header of the response", holds: isOneLine, answer: func(h http.Header, text string) {
		h.Set("X-Note", text)
	}},
	{name: "chosen subprotocol", holds: isOneLine, answer: func(h http.Header, text string) {
		h.Set("Sec-WebSocket-Protocol", text)
	}},
}

// oneMessage returns a function that returns a text message.
func oneMessage(content func(text string) string) func(text string) []websocket.Message {
	return func(text string) []websocket.Message { return []websocket.Message{socket.Text(content(text))} }
}

// isReason reports whether a text can be the reason of a close frame (RFC 6455, section 5.5).
func isReason(text string) bool { return len(text) <= 123 && isOneLine(text) }

// A secret at any place of a session, in any encoding, is in no file, report or log, and the session replays. The
// program has the secret from Secret, and it is encoded once or twice. With FULL=1, a third of all encodings
// is tried at each place.
func TestNothingOfASecretOfASessionIsWritten(t *testing.T) {
	// Not parallel: it sets the environment.
	for i, secret := range secretsOfPlaces {
		t.Setenv(variableOf(i), secret)
	}
	every := full.Cases(61, 3) // the first case of each place, and one in so many
	number := 0
	for _, place := range sessionPlaces {
		for i, c := range casesOf(secretPlace{name: place.name, holds: place.holds, ofDigits: place.ofDigits}) {
			number++
			isChosen := i == 0 || number%every == 0
			if !isChosen {
				continue
			}
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				s := sessionCase{secretCase: c, place: place}
				s.check(t)
			})
		}
	}
}

// A sessionCase is a secret in an encoding at a place of a session.
type sessionCase struct {
	*secretCase
	place sessionPlace
}

// check records a session, records it again in a test that fails, replays it, and replays one that is not recorded.
// It looks for the secret after each step.
func (c *sessionCase) check(t *testing.T) {
	c.dir = t.TempDir()
	file := filepath.Join(c.dir, "c.yaml")
	server := &socket.Server{Header: http.Header{}, Serve: c.serve}
	if c.place.answer != nil {
		c.place.answer(server.Header, c.text)
	}
	open := func(mode promptecho.Mode) *promptecho.Recorder {
		r := must.Open(t, file,
			promptecho.InMode(mode),
			promptecho.Upstream(server),
			promptecho.KeepHeaders("X-Note"),
			promptecho.Log(func(note string) { fmt.Fprintln(&c.shown, note) }))
		r.Secret(c.variable)
		return r
	}

	r := open(promptecho.ModeAll)
	recorded := c.talk(t, r)
	c.lookFor(t, "while recording", 1)
	must.Close(t, r)
	c.lookFor(t, "after recording", 1)
	if c.place.header != nil {
		want := http.Header{}
		c.place.header(want, c.text)
		for name := range want {
			if got := server.Last.Header.Get(name); got != want.Get(name) {
				t.Errorf("the server gets %s: %q", name, got)
			}
		}
	}

	r = open(promptecho.ModeAll)
	c.talk(t, r)
	c.lookFor(t, "while recording again", 2)
	for _, text := range must.Finish(r, report.Outcome{Failed: true}).Errors {
		c.shown.WriteString(text)
	}
	c.lookFor(t, "after a failed test", 2)

	r = open(promptecho.ModeNone)
	replayed := c.talk(t, r)
	must.Close(t, r)
	if len(replayed) != len(recorded) {
		t.Errorf("replayed %d messages, recorded %d:\n%q\n%q", len(replayed), len(recorded), replayed, recorded)
	}
	serverSaysSecret := c.place.received != nil || c.place.closes // the server repeats the reason
	if !serverSaysSecret && strings.Join(replayed, "\n") != strings.Join(recorded, "\n") {
		t.Errorf("replayed %q\nrecorded %q", replayed, recorded)
	}
	c.lookFor(t, "after replay", 2)

	r = open(promptecho.ModeNone)
	for _, text := range c.talk(t, r, socket.Text(`{"type":"other","note":{"text":"`+encode.JSON(c.text)+`"}}`)) {
		if c.place.received == nil && c.place.answer == nil {
			c.shown.WriteString(text)
		}
	}
	err := r.Close()
	if err == nil || !strings.Contains(err.Error(), "has no recording") {
		t.Errorf("no miss is reported: %v", err)
	}
	fmt.Fprintln(&c.shown, err)
	c.lookFor(t, "after a miss", 2)
}

// serve is the server: it answers the messages of the client, of which the last one is "done".
func (c *sessionCase) serve(end *socket.End) {
	for {
		m, err := end.Receive()
		switch {
		case err != nil:
			return
		case m.Opcode == websocket.Close:
			_ = end.Send(m)
			return
		case string(m.Data) != "done":
			continue
		}
		if c.place.received != nil {
			for _, answer := range c.place.received(c.text) {
				_ = end.Send(answer)
			}
		}
		_ = end.Send(socket.Text(`{"type":"done"}`))
	}
}

// talk opens a session, and sends the messages of the case after the first ones. It returns what it has received.
func (c *sessionCase) talk(t *testing.T, r *promptecho.Recorder, first ...websocket.Message) (received []string) {
	t.Helper()
	address := "http://notes.example/v1/notes"
	if c.place.url != nil {
		address += c.place.url(c.text)
	}
	end, _, refusal := socket.Open(t, r, address, func(req *http.Request) {
		if c.place.header != nil {
			c.place.header(req.Header, c.text)
		}
	})
	if end == nil {
		return []string{refusal}
	}
	defer end.Close()
	sent := first
	if c.place.sent != nil {
		sent = append(sent, c.place.sent(c.text)...)
	}
	for _, m := range append(sent, socket.Text("done")) {
		_ = end.Send(m) // it fails after a miss
	}
	for {
		m, err := end.Receive()
		if err != nil {
			return append(received, err.Error())
		}
		received = append(received, string(m.Data))
		switch {
		case m.Opcode == websocket.Close:
			return received
		case !bytes.Equal(m.Data, []byte(`{"type":"done"}`)):
			continue
		}
		reason := "bye"
		if c.place.closes {
			reason = c.text
		}
		_ = end.Send(socket.Closing(reason))
	}
}

// A conversation is what a client sends in a session, and what the server has to say after all of it.
type conversation struct {
	file     string
	sent     []websocket.Message
	received []websocket.Message
	shown    strings.Builder
	opts     []promptecho.Option
}

// run records or replays the conversation, and returns what the client has received and the error of the run.
func (c *conversation) run(t *testing.T, mode promptecho.Mode, prepare func(*http.Request)) ([]string, error) {
	t.Helper()
	place := sessionPlace{received: func(string) []websocket.Message { return c.received }}
	s := sessionCase{secretCase: &secretCase{}, place: place}
	opts := append([]promptecho.Option{
		promptecho.InMode(mode),
		promptecho.Upstream(&socket.Server{Serve: s.serve}),
		promptecho.Log(func(note string) { fmt.Fprintln(&c.shown, note) }),
	}, c.opts...)
	r := must.Open(t, c.file, opts...)
	s.place.header = func(http.Header, string) {}
	if prepare != nil {
		s.place.header = func(h http.Header, _ string) { prepare(&http.Request{Header: h}) }
	}
	received := s.talk(t, r, c.sent...)
	err := r.Close()
	if err != nil {
		fmt.Fprintln(&c.shown, err)
	}
	return received, err
}

// wantHidden fails the test if a file or what the user reads has a secret.
func (c *conversation) wantHidden(t *testing.T, secret string) {
	t.Helper()
	found := secretCase{secret: secret, dir: filepath.Dir(c.file)}
	found.shown.WriteString(c.shown.String())
	found.lookFor(t, "after the run", 1)
}

// A secret under its name in a message is in no file, in any shape, and the session replays with it and with another
// one.
func TestNamedSecretInMessageIsNotWritten(t *testing.T) {
	t.Parallel()
	eachNamedSecret(t, func(t *testing.T, s namedSecret) {
		c := conversation{file: filepath.Join(t.TempDir(), "c.yaml")}
		c.sent = []websocket.Message{socket.Text(s.body(s.value)), socket.Text("and on")}
		c.received = []websocket.Message{socket.Text("you said " + s.value), socket.Text(s.body(s.value))}
		recorded, err := c.run(t, promptecho.ModeAll, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.wantHidden(t, s.value)
		replayed, err := c.run(t, promptecho.ModeNone, nil)
		if err != nil || len(replayed) != len(recorded) {
			t.Errorf("replay: %v\n%q\nrecorded\n%q", err, replayed, recorded)
		}
		const other = "Jw5mTq9Rz2Xk7Vb4Nc8L"
		c.sent[0] = socket.Text(s.body(other))
		_, err = c.run(t, promptecho.ModeNone, nil)
		if err != nil {
			t.Errorf("replay with another secret: %v", err)
		}
		c.wantHidden(t, other)
	})
}

// A secret that only a later message or a later request reveals is not written, and the session replays.
func TestSecretOfSessionLearnedLaterIsNotWritten(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{
		"Zq8vN3xKw7Rt2Lm9Yb4Hc6Jd1Fs5Gp0A",
		"8f14e45f-ceea-467f-a8d5-3b1c7e9d2a60",
		"9f8e7d6c5b4a39281706f5e4d3c2b1a0",
		"eyJhbGciOiJIUzI1NiJ9x.eyJzdWIiOiJrN1F4Mm1QejlWdzRMcjhUbjNZYjYifQ.c2lnbmF0dXJlLXNpZ25h",
		"azdReDJtUHo5Vnc0THI4VG4zWWI2SGQ1MTI=",
	} {
		early := map[string]string{
			"JSON":       `{"type":"note","device":"` + secret + `","text":"a note"}`,
			"in a text":  `{"type":"note","text":"my device is ` + secret + `, use it"}`,
			"plain text": "my device is " + secret,
		}
		for name, first := range early {
			t.Run(name+"/"+secret, func(t *testing.T) {
				t.Parallel()
				c := conversation{file: filepath.Join(t.TempDir(), "c.yaml")}
				c.sent = []websocket.Message{socket.Text(first), socket.Text(`{"type":"login","access_token":"` + secret + `"}`)}
				c.received = []websocket.Message{socket.Text(first)}
				recorded, err := c.run(t, promptecho.ModeAll, nil)
				if err != nil {
					t.Fatal(err)
				}
				c.wantHidden(t, secret)
				replayed, err := c.run(t, promptecho.ModeNone, nil)
				if err != nil || len(replayed) != len(recorded) {
					t.Errorf("replay: %v\n%q\nrecorded\n%q\n%s", err, replayed, recorded, must.Read(t, c.file))
				}
				c.wantHidden(t, secret)
			})
		}
	}
}

// The server may choose the subprotocol that has the key of the client. In replay, the client gets the one that it
// has offered itself.
func TestSubprotocolWithKeyIsChosen(t *testing.T) {
	t.Parallel()
	const name = "Sec-WebSocket-Protocol"
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, run := range []struct {
		mode promptecho.Mode
		key  string
	}{
		{promptecho.ModeAll, "Zq8vN3xKw7Rt2Lm9Yb4Hc6Jd1Fs5Gp0A"},
		{promptecho.ModeNone, "Zq8vN3xKw7Rt2Lm9Yb4Hc6Jd1Fs5Gp0A"},
		{promptecho.ModeNone, "test"},
	} {
		chosen := "openai-insecure-api-key." + run.key
		server := &socket.Server{Header: http.Header{}, Serve: func(end *socket.End) {
			_ = end.Send(socket.Text("your key is " + run.key))
		}}
		server.Header.Set(name, chosen)
		r := must.Open(t, file, promptecho.InMode(run.mode), promptecho.Upstream(server))
		end, header, refusal := socket.Open(t, r, "http://h/v1/realtime", func(req *http.Request) {
			req.Header.Set(name, "realtime, "+chosen)
		})
		if end == nil {
			t.Fatal(refusal)
		}
		if got := header.Get(name); got != chosen {
			t.Errorf("the client gets the subprotocol %q, want %q", got, chosen)
		}
		_, err := end.Receive()
		if err != nil {
			t.Error(err)
		}
		_, _ = end.Receive() // the end
		end.Close()
		must.Close(t, r)
		if text := must.Read(t, file); strings.Contains(text, "Zq8vN3") || !strings.Contains(text, "upgrade: websocket") {
			t.Errorf("the cassette:\n%s", text)
		}
	}
}

// A secret that only a later session reveals is replaced in an earlier one.
func TestSecretOfLaterSessionIsReplacedInEarlierOne(t *testing.T) {
	t.Parallel()
	const secret = "Zq8vN3xKw7Rt2Lm9Yb4Hc6Jd1Fs5Gp0A"
	c := conversation{file: filepath.Join(t.TempDir(), "c.yaml")}
	first := socket.Text(`{"type":"note","text":"my device is ` + secret + `, use it"}`)
	place := sessionPlace{sent: func(string) []websocket.Message { return []websocket.Message{first} }}
	place.received = func(string) []websocket.Message { return []websocket.Message{first} }
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		s := sessionCase{secretCase: &secretCase{}, place: place}
		r := must.Open(t, c.file, promptecho.InMode(mode), promptecho.Upstream(&socket.Server{Serve: s.serve}))
		s.talk(t, r)
		s.place.header = func(h http.Header, _ string) { h.Set("Authorization", "Bearer "+secret) }
		s.place.url = func(string) string { return "?part=2" }
		s.talk(t, r)
		must.Close(t, r)
		c.wantHidden(t, secret)
	}
}

// A secret that is split over two sent messages is not written. Such a session does not replay: the first message is
// compared before the second one shows that the two have a secret. The miss says so.
func TestSecretSplitOverSentMessagesIsNotWritten(t *testing.T) {
	// Not parallel: it sets the environment.
	const secret = "Zq8vN3xKw7Rt2Lm9Yb4Hc6Jd1Fs5Gp0A"
	t.Setenv("PROMPTECHO_TEST_SPLIT", secret)
	for _, cut := range []int{1, 5, 9, 16, 25, 31} {
		for name, message := range map[string]func(piece string) string{
			"text": func(piece string) string { return piece },
			"JSON": func(piece string) string { return `{"type":"input_text.delta","delta":"` + piece + `"}` },
		} {
			t.Run(fmt.Sprint(name, " ", cut), func(t *testing.T) {
				c := conversation{file: filepath.Join(t.TempDir(), "c.yaml")}
				c.sent = []websocket.Message{
					socket.Text(message("it is " + secret[:cut])), socket.Text(message(secret[cut:] + " here")),
				}
				run := func(mode promptecho.Mode) error {
					s := sessionCase{secretCase: &secretCase{}}
					r := must.Open(t, c.file, promptecho.InMode(mode), promptecho.Upstream(&socket.Server{Serve: s.serve}),
						promptecho.Log(func(note string) { fmt.Fprintln(&c.shown, note) }))
					r.Secret("PROMPTECHO_TEST_SPLIT")
					s.talk(t, r, c.sent...)
					err := r.Close()
					if err != nil {
						fmt.Fprintln(&c.shown, err)
					}
					return err
				}
				if err := run(promptecho.ModeAll); err != nil {
					t.Fatal(err)
				}
				text := must.Read(t, c.file)
				for _, piece := range []string{secret[:cut], secret[cut:]} {
					if len(piece) > 1 && strings.Contains(text, piece) {
						t.Errorf("the cassette:\n%s", text)
					}
				}
				err := run(promptecho.ModeNone)
				if err == nil || !strings.Contains(err.Error(), "has no recording") {
					t.Errorf("replay: %v", err)
				}
				c.wantHidden(t, secret)
			})
		}
	}
}
