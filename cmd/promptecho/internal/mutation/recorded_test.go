package mutation

import (
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// recordedBody returns an interaction whose response is whole.
func recordedBody(url, request, body string) *interaction.Interaction {
	return &interaction.Interaction{
		Request:  interaction.Request{Method: "POST", URL: url, Body: []byte(request)},
		Response: interaction.Response{Status: 200, Body: []byte(body)},
	}
}

// recordedStream returns an interaction whose response is a stream of server-sent events.
func recordedStream(url, request string, payloads ...string) *interaction.Interaction {
	it := recordedBody(url, request, "")
	it.Response.Stream = "sse"
	for _, p := range payloads {
		it.Response.Events = append(it.Response.Events, interaction.Event{{Name: "data", Value: p}})
	}
	return it
}

// recordedSession returns a session. A message of the client begins with ">", one of the server
// with "<". A message with a space, such as "<close exit status 0", has another kind than a text.
func recordedSession(url, request string, messages ...string) *interaction.Interaction {
	it := recordedBody(url, request, "")
	it.Response.Stream = interaction.Messages
	if strings.HasPrefix(url, "wss:") {
		it.Request.Method = "GET"
		it.Request.Headers = interaction.Headers{{Name: "Upgrade", Values: []string{"websocket"}}}
		it.Response.Status = 101
		it.Response.Stream = interaction.WebSocket
	}
	for _, text := range messages {
		m := interaction.Message{Sent: text[0] == '>', Data: text[1:]}
		if how, ok := strings.CutPrefix(m.Data, "close "); ok {
			m.Kind = interaction.Close
			m.Data = how
		}
		it.Response.Events = append(it.Response.Events, m.Event())
	}
	return it
}

// payloadsOf returns the payloads of a response, each on a line of its own. A line is "-" for an
// event that is not delivered.
func payloadsOf(resp *interaction.Response) string {
	if resp.Stream == "" {
		return string(resp.Body)
	}
	var lines []string
	for _, event := range resp.Events {
		switch {
		case event.IsSent():
		case len(event) == 0:
			lines = append(lines, "-")
		default:
			lines = append(lines, payloadOf(event))
		}
	}
	return strings.Join(lines, "\n")
}

// payloadOf returns the payload of an event, or the value of an event that has none.
func payloadOf(event interaction.Event) string {
	for _, f := range event {
		if interaction.IsPayload(f.Name) {
			return f.Value
		}
	}
	return event[0].Value
}

// A change is one that a test expects.
type change struct {
	it   *interaction.Interaction
	kind Kind
	want string // what the payloads of the response have
}

// check checks that each change is made.
func check(t *testing.T, changes []change) {
	t.Helper()
	for _, c := range changes {
		got := payloadsOf(made(t, c.it, c.kind))
		if !strings.Contains(got, c.want) {
			t.Errorf("%s:\ngot  %s\nwant %s", c.kind, got, c.want)
		}
	}
}

// hasKind reports whether there is a mutation of a kind.
func hasKind(it *interaction.Interaction, kind Kind) bool {
	isOfKind := func(m *Mutation) bool { return m.Kind == kind }
	return slices.ContainsFunc(Of(it, Options{}), isOfKind)
}

// isSameResponse reports whether two responses are the same for a program.
func isSameResponse(a, b *interaction.Response) bool {
	return payloadsOf(a) == payloadsOf(b) && a.Status == b.Status && a.Error == b.Error
}
