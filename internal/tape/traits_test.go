package tape

import (
	"bytes"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// traitLevels has a change to a request for each level of traits, the most
// important level first. A request with the change "red" differs from one with
// the change "blue" in that level only.
var traitLevels = []struct {
	name   string
	change func(req *interaction.Request, value string)
}{
	{"an issued ID", func(req *interaction.Request, value string) {
		id := map[string]string{"red": firstID, "blue": secondID}[value]
		req.Body = bytes.ReplaceAll(req.Body, []byte("call_id"), []byte(id))
	}},
	{"the function that sends the request", func(req *interaction.Request, value string) {
		req.Within = "tool/" + value
	}},
	{"the host", func(req *interaction.Request, value string) {
		req.URL = strings.Replace(req.URL, "api.openai.com", value+".example.com", 1)
	}},
	{"the start of the path", func(req *interaction.Request, value string) {
		req.URL = strings.Replace(req.URL, "/v1/", "/"+value+"/v1/", 1)
	}},
	{"the query", func(req *interaction.Request, value string) { req.URL += "?team=" + value }},
	{"a header", func(req *interaction.Request, value string) {
		*req = withHeader(*req, "x-amzn-bedrock-agentcore-runtime-user-id", value)
	}},
	{"a field that MatchOnly leaves out", func(req *interaction.Request, value string) {
		req.Body = bytes.Replace(req.Body, []byte(`"hi"`), []byte(`"`+value+`"`), 1)
	}},
	{"a seed", func(req *interaction.Request, value string) {
		addMember(req, `"seed":`+map[string]string{"red": "1", "blue": "2"}[value])
	}},
	{"bookkeeping", func(req *interaction.Request, value string) {
		addMember(req, `"metadata":{"team":"`+value+`"}`)
	}},
	{"white space", func(req *interaction.Request, value string) {
		if value == "red" {
			req.Body = bytes.Replace(req.Body, []byte(`:`), []byte(`: `), 1)
		}
	}},
}

// addMember adds a member to the body of a request.
func addMember(req *interaction.Request, member string) {
	req.Body = append(bytes.TrimSuffix(req.Body, []byte("}")), ","+member+"}"...)
}

// A request that agrees with one recording in one level of traits, and with
// another recording in the level below, gets the first one, in the order of
// docs/MATCHING.md. The other one comes first in the cassette.
func TestNearestRecordingByLevel(t *testing.T) {
	t.Parallel()
	for i, lower := range traitLevels[1:] {
		upper := traitLevels[i]
		t.Run(upper.name+" before "+lower.name, func(t *testing.T) {
			t.Parallel()
			changed := func(upperValue, lowerValue string) interaction.Request {
				req := followUp("call_id")
				upper.change(&req, upperValue)
				lower.change(&req, lowerValue)
				return req
			}
			config := configOf(cassetteOf(t,
				exchange(prompt("first"), answerWith(firstID)),
				exchange(prompt("second"), answerWith(secondID)),
				exchange(changed("blue", "red"), says("one")),
				exchange(changed("red", "blue"), says("two")),
			))
			config.Options = &canon.Options{Only: map[string][]string{"llm": {"model"}}}
			config.Plain = false
			run := open(t, config, new(redact.Policy), PlayAll, false)
			send(t, run, prompt("first"))
			send(t, run, prompt("second"))
			wantPlayed(t, run, []int{3}, changed("red", "red"))
		})
	}
}

// The start of the path comes before the query, also if the path is escaped in
// another way.
func TestStartOfThePathBeforeTheQuery(t *testing.T) {
	t.Parallel()
	to := func(path, team string) interaction.Request {
		req := prompt("hi")
		req.URL = "https://api.openai.com/" + path + "/v1/chat/completions?team=" + team
		return req
	}
	run := replay(t, exchange(to("blue", "red"), says("one")), exchange(to("re%64", "blue"), says("two")))
	wantPlayed(t, run, []int{1}, to("red", "red"))
}

// Values that a client makes for each call do not choose a recording: else one
// call more at the start would shift all responses.
func TestValuesOfOneCallDoNotChoose(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                 string
		first, second, third string // JSON
		field                string
	}{
		{"a counter", `-1`, `0.5`, `2`, "position"},
		{"a counter in a text", `"item 1"`, `"item 2"`, `"item 3"`, "position"},
		{"no value yet, then a counter", `null`, `5`, `6`, "position"},
		{"a time", `"Mon, 02 Jan 2026 15:04:05 GMT"`, `"Tue, 03 Feb 2026 15:04:05 GMT"`, `"Wed, 04 Mar 2026 15:04:05 GMT"`, "at"},
		{
			"a UUID", `"5f0c1c3e-8d0b-4a51-9a57-0a2f3b4c5d6e"`,
			`"a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d"`, `"0f9e8d7c-6b5a-4c3d-a2b1-f0e9d8c7b6a5"`, "key",
		},
		{"a trace ID", `"abc"`, `"def"`, `"ghi"`, "trace_id"},
		{
			"a user that is drawn for each call", `"5f0c1c3e-8d0b-4a51-9a57-0a2f3b4c5d6e"`,
			`"a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d"`, `"0f9e8d7c-6b5a-4c3d-a2b1-f0e9d8c7b6a5"`, "user",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			req := func(value string) interaction.Request {
				return prompt("hi", `"metadata":{"`+tt.field+`":`+value+`}`)
			}
			limited := func(value string) interaction.Request { // other bytes than recorded
				return prompt("hi", `"metadata":{"`+tt.field+`":`+value+`}`, `"max_tokens":9`)
			}
			run := replay(t, exchange(req(tt.first), says("one")), exchange(req(tt.second), says("two")))
			wantPlayed(t, run, []int{0, 1}, limited(tt.second), limited(tt.third))
		})
	}
}

// The limit of all recorded requests, and that of all requests of the replay,
// whose bytes differ from those that were recorded.
const (
	limit      = `"max_tokens":8`
	otherLimit = `"max_tokens":9`
)

// A value that tells who asks, or which kind of request this is, chooses a
// recording.
func TestValuesThatChoose(t *testing.T) {
	t.Parallel()
	for name, members := range map[string][2]string{
		"the number of a user":    {`"metadata":{"user":"12"}`, `"metadata":{"user":"34"}`},
		"a team":                  {`"metadata":{"team":"red"}`, `"metadata":{"team":"blue"}`},
		"a text with a counter":   {`"metadata":{"phase":"plan 1"}`, `"metadata":{"phase":"act 1"}`},
		"a seed":                  {`"seed":1`, `"seed":2`},
		"a member without value":  {`"n":1`, `"n":1,"seed":null`},
		"a text, or a list of it": {`"stop":"x"`, `"stop":["x"]`},
		"an escaped letter":       {`"user":"é"`, `"user":"\u00e9"`},
		"an escaped slash":        {`"user":"a/b"`, `"user":"a\/b"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := replay(t,
				exchange(prompt("hi", members[0], limit), says("one")),
				exchange(prompt("hi", members[1], limit), says("two")),
			)
			wantPlayed(t, run, []int{1, 0},
				prompt("hi", members[1], otherLimit), prompt("hi", members[0], otherLimit))
		})
	}
}

// White space that a client writes after a colon chooses a recording.
func TestWhiteSpaceChooses(t *testing.T) {
	t.Parallel()
	spaced := func(req interaction.Request) interaction.Request {
		req.Body = bytes.ReplaceAll(req.Body, []byte(`":`), []byte(`": `))
		return req
	}
	run := replay(t,
		exchange(prompt("hi", limit), says("one")), exchange(spaced(prompt("hi", limit)), says("two")),
	)
	wantPlayed(t, run, []int{1, 0}, spaced(prompt("hi", otherLimit)), prompt("hi", otherLimit))
}

// The name of an uploaded file chooses a recording, although it does not match.
func TestFileNameChooses(t *testing.T) {
	t.Parallel()
	upload := func(name, boundary string) interaction.Request {
		const text = "--B\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n" +
			"--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"NAME.txt\"\r\n\r\nhello\r\n--B--\r\n"
		req := interaction.Request{
			Method: "POST",
			URL:    "https://api.openai.com/v1/files",
			Body:   []byte(strings.NewReplacer("B\r\n", boundary+"\r\n", "--B", "--"+boundary, "NAME", name).Replace(text)),
		}
		return withHeader(req, "content-type", "multipart/form-data; boundary="+boundary)
	}
	run := replay(t, exchange(upload("a", "xyz"), says("one")), exchange(upload("b", "xyz"), says("two")))
	wantPlayed(t, run, []int{1, 0}, upload("b", "uvw"), upload("a", "uvw"))
}

// A member that the user ignores does not choose.
func TestIgnoredMemberDoesNotChoose(t *testing.T) {
	t.Parallel()
	config := configOf(cassetteOf(t,
		exchange(prompt("hi", `"metadata":{"team":"red"}`, limit), says("one")),
		exchange(prompt("hi", limit), says("two")),
	))
	config.Options = &canon.Options{Ignore: []string{"metadata"}}
	config.Plain = false
	run := open(t, config, new(redact.Policy), PlayAll, false)
	wantPlayed(t, run, []int{0}, prompt("hi", otherLimit))
}
