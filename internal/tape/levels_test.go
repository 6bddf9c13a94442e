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
