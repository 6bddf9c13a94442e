package recorder

import (
	"net/http"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
)

// The pause that a server asks for is read from the headers that SDKs read, for statuses that ask for one.
func TestRetryAfterIsReadAsSDKsDo(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status int
		header map[string]string
		want   time.Duration
	}{
		{429, map[string]string{"Retry-After": "2"}, 2 * time.Second},
		{503, map[string]string{"Retry-After": "0.5"}, 500 * time.Millisecond},
		{529, map[string]string{"Retry-After": "1"}, time.Second},
		{429, map[string]string{"Retry-After-Ms": "30", "Retry-After": "2"}, 30 * time.Millisecond},
		{429, map[string]string{"X-Ms-Retry-After-Ms": "40"}, 40 * time.Millisecond},
		{429, map[string]string{"Retry-After": "soon"}, 0},
		{429, nil, 0},
		{200, map[string]string{"Retry-After": "2"}, 0},
	} {
		header := http.Header{}
		for name, value := range tt.header {
			header.Set(name, value)
		}
		head := headOf(&http.Response{StatusCode: tt.status, Header: header})
		if got := time.Duration(head.RetryAfterMS) * time.Millisecond; got != tt.want || head.Status != tt.status {
			t.Errorf("%d, %v: %v, want %v", tt.status, tt.header, got, tt.want)
		}
	}

	const inTwoMinutes = 2 * time.Minute
	date := http.Header{"Retry-After": {time.Now().UTC().Add(inTwoMinutes).Format(http.TimeFormat)}}
	if got := retryAfter(date); got <= 0 || got > inTwoMinutes {
		t.Errorf("a date in two minutes is %v", got)
	}
}

// An account without quota is known by a status or a code, and not by one that asks to wait.
func TestExhaustedAccountIsKnownByItsCode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status int
		body   string
		want   bool
	}{
		{402, ``, true},
		{429, `{"error":{"code":"insufficient_quota"}}`, true},
		{429, `{"error":{"code":"rate_limit_exceeded"}}`, false},
		{400, `{"error":{"code":"insufficient_quota"}}`, false},
		{200, `{"text":"\"insufficient_quota\""}`, false},
	} {
		resp := &interaction.Response{Status: tt.status, Body: []byte(tt.body)}
		if got := isExhausted(resp); got != tt.want {
			t.Errorf("%d %s: %v", tt.status, tt.body, got)
		}
	}
}
