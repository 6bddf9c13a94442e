package fit

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
)

// TestCassette: a cassette is not fit to be handed on if its recording is not complete, or if a
// value or an interaction has what looks like a credential. No finding shows it.
func TestCassette(t *testing.T) {
	t.Parallel()
	const key = "Zq8vN3xKw7Rt2Lm9Yb4Hc6Jd1Fs5Gp0A"
	clean := interaction.Interaction{Line: 4, Request: interaction.Request{Method: "GET", URL: "https://api.example.com/v1?n=1"}, Response: interaction.Response{Status: 200}}
	leaking := clean
	leaking.Line, leaking.Request.URL = 9, "https://api.example.com/v1?api_key="+key
	for _, tt := range []struct {
		file cassette.File
		code finding.Code // "" if it is fit
		want string       // the beginning of the text
	}{
		{cassette.File{Interactions: []*interaction.Interaction{&clean}}, "", ""},
		{cassette.File{Partial: true}, finding.RecordingPartial, "c.yaml: partial: "},
		{cassette.File{RecordedValues: interaction.RecordedValues{Env: map[string]string{"ACME_API_KEY": "x"}}}, finding.SecretInFile, "c.yaml: env ACME_API_KEY: "},
		{cassette.File{Interactions: []*interaction.Interaction{&clean, &leaking}}, finding.SecretInFile, "c.yaml:9: "},
	} {
		problems := Cassette("c.yaml", &tt.file)
		if (tt.code == "") != (problems == nil) {
			t.Errorf("want %q: %q", tt.want, problems)
		}
		for _, p := range problems {
			text := p.String()
			if p.Code != tt.code || !strings.HasPrefix(text, tt.want) || strings.Contains(text, key) {
				t.Errorf("want %s, %q: %s, %q", tt.code, tt.want, p.Code, text)
			}
		}
	}
}
