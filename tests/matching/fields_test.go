package matching_test

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Mask, Ignore and MatchOnly leave out the texts and fields that they name with all below, and nothing else.
func TestMaskIgnoreAndMatchOnlyLeaveOutWhatTheyName(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := must.Record(t, file, "on 2026-01-02")
	maskDates := promptecho.Mask(`\d{4}-\d\d-\d\d`, "DATE")
	tests := []struct {
		name  string
		opt   promptecho.Option
		asked string
		want  int
	}{
		{name: "no option, another date", asked: "on 2026-01-03", want: http.StatusTeapot},
		{name: "a masked date", opt: maskDates, asked: "on 2026-01-03", want: http.StatusOK},
		{name: "a masked date in another text", opt: maskDates, asked: "off 2026-01-03", want: http.StatusTeapot},
		{
			name:  "an ignored field",
			opt:   promptecho.Ignore("messages/*/content"),
			asked: "anything",
			want:  http.StatusOK,
		},
		{
			name:  "what is below an ignored field",
			opt:   promptecho.Ignore("messages"),
			asked: "anything",
			want:  http.StatusOK,
		},
		{
			name:  "a field next to an ignored one",
			opt:   promptecho.Ignore("messages/0/role"),
			asked: "anything",
			want:  http.StatusTeapot,
		},
		{
			name:  "only the model",
			opt:   promptecho.MatchOnly("*", "model"),
			asked: "anything",
			want:  http.StatusOK,
		},
		{
			name:  "only the model and the messages",
			opt:   promptecho.MatchOnly("*", "model", "messages"),
			asked: "anything",
			want:  http.StatusTeapot,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), tt.opt, promptecho.AllowUnused())
			if status, body := must.Ask(t, r, base, tt.asked); status != tt.want {
				t.Errorf("status %d, want %d: %s", status, tt.want, body)
			}
			r.Close()
		})
	}
}

// The host and unknown headers of a call to a model decide only with Match.
func TestHostAndHeadersMatchOnlyOnDemand(t *testing.T) {
	t.Parallel()
	const body = `{"model":"m","messages":[]}`
	url := provider.New(t).URL + "/v1/messages"
	const otherHost = "https://api.anthropic.com/v1/messages"
	tests := []struct {
		name string
		opt  promptecho.Option
		url  string
		want int
	}{
		{name: "Match of the header", opt: promptecho.Match("header/X-Tenant"), url: url, want: http.StatusTeapot},
		{name: "a header that is only kept", opt: promptecho.KeepHeaders("X-Tenant"), url: url, want: http.StatusOK},
		{name: "Match of the host", opt: promptecho.Match("host"), url: otherHost, want: http.StatusTeapot},
		{name: "no option", url: otherHost, want: http.StatusOK},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "c.yaml")
			r := must.Open(t, file, tt.opt, promptecho.InMode(promptecho.ModeAll))
			must.Post(t, r, url, body, "X-Tenant", "blue")
			must.Close(t, r)
			r = must.Open(t, file, tt.opt, promptecho.InMode(promptecho.ModeNone))
			if status, answer := must.Post(t, r, tt.url, body, "X-Tenant", "red"); status != tt.want {
				t.Errorf("%d %s", status, answer)
			}
			r.Close()
		})
	}
}
