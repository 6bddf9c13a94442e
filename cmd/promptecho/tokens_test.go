package main

import (
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// TestTokensOf: like counts are added up, and an answer that is polled for or asked for once
// more is paid for once.
func TestTokensOf(t *testing.T) {
	t.Parallel()
	it := func(method, url, body string, in, out int64) *interaction.Interaction {
		u := &interaction.Usage{InputTokens: in, OutputTokens: out, CachedTokens: in / 2}
		if in == 0 {
			u = nil
		}
		return &interaction.Interaction{Request: interaction.Request{Method: method, URL: url}, Response: interaction.Response{Body: []byte(body)}, Usage: u}
	}
	const api = "https://h/v1/responses"
	got := tokensOf([]*interaction.Interaction{
		it("POST", api, `{"id":"resp_1"}`, 10, 1),
		it("GET", api+"/resp_1", `{"id":"resp_1"}`, 10, 1), // the same once more
		it("POST", api, `{"id":"resp_2"}`, 0, 0),           // in the background
		it("GET", api+"/resp_2", `{"id":"resp_2"}`, 0, 0),
		it("GET", api+"/resp_2", `{"id":"resp_2"}`, 20, 2),
		it("GET", api+"/resp_2", `{"id":"resp_2"}`, 20, 2),
		it("GET", "https://h/v1/batches/batch_1", `{"id":"batch_1"}`, 4, 4), // it goes on
		it("GET", "https://h/v1/batches/batch_1", `{"id":"batch_1"}`, 40, 4),
		it("POST", api, `{"id":"resp_3"}`, 10, 1), // another answer of the same size
	})
	if want := (tokens{InputTokens: 80, OutputTokens: 8, CachedTokens: 40}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestTokensOfSessions: sessions of one address are paid for one by one.
func TestTokensOfSessions(t *testing.T) {
	t.Parallel()
	it := &interaction.Interaction{
		Request:  interaction.Request{Method: "GET", URL: "https://h/v1/realtime"},
		Response: interaction.Response{Status: 101, Stream: interaction.WebSocket},
		Usage:    &interaction.Usage{InputTokens: 10, OutputTokens: 1},
	}
	got := tokensOf([]*interaction.Interaction{it, it})
	if want := (tokens{InputTokens: 20, OutputTokens: 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
