package redact

import (
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// Each place of an edited cassette that holds a credential is named, and its value is not shown.
func TestFindings(t *testing.T) {
	t.Parallel()
	key := "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
	it := &interaction.Interaction{
		Request: interaction.Request{
			URL:     "https://u:" + key + "@h/" + key + "?key=" + key + "&limit=1",
			Headers: headers("x-api-key", key, "content-type", "application/json", "accept", key),
			Body:    []byte(`{"client_secret":"x","content":"` + key + `"}`),
		},
		Response: interaction.Response{
			Headers:  headers("set-cookie", "a="+key, "x-request-id", "req_1"),
			Trailers: headers("x-token", key),
			Body:     []byte("see " + key),
			Events:   []interaction.Event{{{Name: "data", Value: "fine"}}, {{Name: "data", Value: key}}, {{Name: "data", Value: `{"text":"` + key[:9] + `"}`}}, {{Name: "data", Value: `{"text":"` + key[9:] + `"}`}}},
			Error:    key,
		},
	}
	const token = "GitHub token"
	want := []string{
		"request.url: a user name or password before the host", `request.url: the parameter "key"`, "request.url: " + token, "request.url: " + token, "request.url: " + token,
		`request.headers: the header "x-api-key"`, "request.headers: " + token, "request.headers: " + token,
		`request.body: the field "client_secret"`, "request.body: " + token,
		`response.headers: the header "set-cookie"`, "response.headers: " + token,
		`response.trailers: the header "x-token"`, "response.trailers: " + token,
		"response.body: " + token, "response.events[1]: " + token, "response.events (split over several events): " + token, "response.error: " + token,
	}
	got := Findings(it)
	if !slices.Equal(got, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if strings.Contains(strings.Join(got, ""), key) {
		t.Error("the findings show the value")
	}

	// What is recorded has none.
	var p Policy
	p.Request(&it.Request)
	p.Response(&it.Request, &it.Response)
	if got := Findings(it); len(got) > 0 {
		t.Errorf("in a clean interaction: %q", got)
	}
}
