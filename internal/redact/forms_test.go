package redact

import (
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact/carrier"
)

// TestForms: in a form, what stands under a secret name is replaced, what stands under a name
// that may be anything if it is a key, and what the user names, who is told which it was.
func TestForms(t *testing.T) {
	t.Parallel()
	const key = "k9Fq2xZr81LmPq7T"
	var hits []string
	p := Policy{Names: []string{"Tenant", "owner", "customer[phone]"}, OnMatch: func(name string) bool {
		hits = append(hits, name)
		return true
	}}
	in, _ := scopesOf(&interaction.Request{Method: "POST", URL: "https://h/v1/things"})
	for body, want := range map[string]string{
		"a=1&client_secret=x&b=2":                                        "a=1&client_secret=[REDACTED]&b=2",
		"=&token=" + key + "&page=2":                                     "=&token=[REDACTED]&page=2",
		"token=word&Key=" + key + " &code=" + key:                        "token=word&Key=[REDACTED] &code=[REDACTED]",
		"auth%5Bpassword%5D=x&a[client_secret]=y":                        "auth%5Bpassword%5D=[REDACTED]&a[client_secret]=[REDACTED]",
		"customer%5Bphone%5D=1&customer[phone]=2&a[tenant]=acme&phone=3": "customer%5Bphone%5D=[REDACTED]&customer[phone]=[REDACTED]&a[tenant]=[REDACTED]&phone=3",
		"tenant=acme&tenants=acme":                                       "tenant=[REDACTED]&tenants=acme",
		"--b\r\nContent-Disposition: form-data; name=\"TENANT\"\r\n\r\nacme\r\n--b\r\nContent-Disposition: form-data; name=\"code\"\r\n\r\nwhat it says\r\n--b--": "--b\r\nContent-Disposition: form-data; name=\"TENANT\"\r\n\r\n[REDACTED]\r\n--b\r\nContent-Disposition: form-data; name=\"code\"\r\n\r\nwhat it says\r\n--b--",
	} {
		if got := formOf(t, &p, body, in); got != want {
			t.Errorf("%q becomes %q", body, got)
		}
	}
	if slices.Sort(hits); strings.Join(hits, " ") != "Tenant Tenant Tenant customer[phone] customer[phone]" {
		t.Errorf("of the user's names these changed something: %q", hits)
	}
}

// formOf returns what is written for a form.
func formOf(t *testing.T, p *Policy, body string, in scope) string {
	t.Helper()
	mediaType := ""
	if !strings.HasPrefix(body, "--") {
		mediaType = "application/x-www-form-urlencoded"
	}
	out, err := p.redact(body, in, carrier.Place{MediaType: mediaType})
	if err != nil {
		t.Error(err)
	}
	return out
}
