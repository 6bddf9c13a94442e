package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact/carrier"
	"github.com/promptecho/promptecho/internal/testing/encode"
	"github.com/promptecho/promptecho/internal/testing/full"
)

// bodyPlaces are bodies with a text at a place.
var bodyPlaces = []struct{ name, format string }{
	{"a string", `{"text":%s}`},
	{"an element", `[1,"a",%s]`},
	{"a string of a string", `{"arguments":%s}`},
	{"a message", `{"messages":[{"role":"user","content":[{"type":"text","text":%s}]}]}`},
	{"a name", `{%s:1}`},
	{"a form", "a=1&text=%s"},
	{"XML", "<r><a>%s</a></r>"},
	{"an attribute", `<r a="%s"/>`},
	{"a text", "It says %s there"},
	{"lines", "{\"n\":1}\n{\"text\":%s}\n"},
	{"a part", "--b0undary\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\n%s\r\n--b0undary--\r\n"},
}

// written returns how a text is written at a place.
func written(place, text string) string {
	switch {
	case strings.HasPrefix(place, "{") || strings.HasPrefix(place, "["):
		b, _ := json.Marshal(text)
		return fmt.Sprintf(place, b)
	case strings.HasPrefix(place, "a="):
		return fmt.Sprintf(place, url.QueryEscape(text))
	case strings.HasPrefix(place, "<"):
		return fmt.Sprintf(place, encode.XML(text))
	}
	return fmt.Sprintf(place, text)
}

// A known secret that is encoded once or twice, anywhere in a request or answer, is written in no
// encoding.
func TestNothingOfASecretIsLeft(t *testing.T) {
	t.Parallel()
	secrets := []string{"Zq3vT8mKx2Lw9pRb4NcY7dHsUe5JfAg6QhWk1MiOo0XzCvBn", `Zq3v&T8mKx<2Lw9"pRb4/+~`, "8f14e45f-ceea-467f-a8d5-3b1c7e9d2a60"}
	every := full.Cases(17, 1)
	n := 0
	for _, secret := range secrets {
		for _, place := range bodyPlaces {
			for _, inner := range encode.All {
				for _, outer := range encode.All {
					n++
					if n%every != 0 {
						continue
					}
					text := outer.Encode("see " + inner.Encode(secret) + " there")
					checkNothingIsLeft(t, secret, place.name+", "+outer.Name+" of "+inner.Name, written(place.format, text))
				}
			}
		}
	}
}

func checkNothingIsLeft(t *testing.T, secret, what, body string) {
	t.Helper()
	p := new(Policy)
	p.AddSecret(secret)
	it := &interaction.Interaction{
		Request:  interaction.Request{Method: "POST", URL: "https://h.example/x", Body: []byte(body)},
		Response: interaction.Response{Status: 200, Body: []byte(body)},
	}
	result := p.Interaction(it)
	if err := p.CheckInteraction("f.yaml", it, result); err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	for side, out := range map[string]string{"request": string(it.Request.Body), "answer": string(it.Response.Body)} {
		if out == body || encode.Holds(out, secret) {
			t.Errorf("%s: the %s has the secret: %.300q", what, side, out)
		}
		if json.Valid([]byte(body)) && !json.Valid([]byte(out)) {
			t.Errorf("%s: the %s is not JSON any more: %.300q", what, side, out)
		}
	}
	again := *it
	again.Request.Body, again.Response.Body = bytes.Clone(it.Request.Body), bytes.Clone(it.Response.Body)
	p.Interaction(&again)
	if !bytes.Equal(again.Request.Body, it.Request.Body) || !bytes.Equal(again.Response.Body, it.Response.Body) {
		t.Errorf("%s: redacted again, it changes:\n%.300q\n%.300q", what, it.Response.Body, again.Response.Body)
	}
	if CountPlaceholders(string(it.Response.Body)) == 0 {
		t.Errorf("%s: no placeholder is counted in %.300q", what, it.Response.Body)
	}
	if !p.MayContain([]byte(body)) {
		t.Errorf("%s: MayContain overlooks it: %.300q", what, body)
	}
}

// A request with an unknown secret in base64 is answered by the recording with a placeholder in its
// place.
func TestPlaceholderInBase64MatchesSecret(t *testing.T) {
	t.Parallel()
	const late = "Zq3vT8mKx2Lw9pRb4NcY7dHsUe5JfAg6"
	in64 := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	recorded := `header "Basic ` + in64("bot:[REDACTED]") + `"`
	if !HasWildcard(recorded) {
		t.Errorf("%s hides nothing", recorded)
	}
	if !new(Policy).Reveal(recorded, `header "Basic `+in64("bot:"+late)+`"`) {
		t.Error("the secret does not match")
	}
	for _, other := range []string{"ada:" + late, "bot:hello", "bot:" + late + " and more"} {
		if new(Policy).Reveal(recorded, `header "Basic `+in64(other)+`"`) {
			t.Errorf("%s matches", other)
		}
	}
}

// FuzzRedact: whatever an answer is, redaction ends, JSON stays JSON, nothing of a known secret
// is left, and what is redacted stays as it is.
func FuzzRedact(f *testing.F) {
	const secret = "Zq3vT8mKx2Lw9pRb4NcY7dHsUe5JfAg6"
	for _, place := range bodyPlaces {
		for _, e := range encode.All {
			f.Add(written(place.format, e.Encode(secret)))
		}
	}
	f.Fuzz(func(t *testing.T, body string) {
		p := new(Policy)
		p.AddSecret(secret)
		out, err := p.redact(body, scope{fields: anywhere, isResponse: true}, carrier.Place{})
		if err != nil {
			t.Skip(err)
		}
		if strings.Contains(out, secret) {
			t.Errorf("%q has the secret", out)
		}
		if json.Valid([]byte(body)) && !json.Valid([]byte(out)) {
			t.Errorf("%q becomes %q, which is not JSON", body, out)
		}
		again, err := p.redact(out, scope{fields: anywhere, isResponse: true}, carrier.Place{})
		if err != nil || again != out {
			t.Errorf("%q becomes %q: %v", out, again, err)
		}
	})
}

// TestPatternThatMatchesPlaceholdersEnds: an expression of the user that matches a placeholder,
// too, replaces each text once.
func TestPatternThatMatchesPlaceholdersEnds(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]string{
		`h(.)`:       `{"text":"h[REDACTED] and h[REDACTED]"}`,
		`(.)`:        `{"text":"[REDACTED][REDACTED][REDACTED][REDACTED][REDACTED][REDACTED][REDACTED][REDACTED][REDACTED]"}`,
		`[A-Z]+|hi`:  `{"text":"[REDACTED] and ho"}`,
		`.*`:         `{"text":"[REDACTED]"}`,
		`h\w and h.`: `{"text":"[REDACTED]"}`,
	} {
		p := &Policy{Patterns: []*regexp.Regexp{regexp.MustCompile(expr)}}
		out, err := p.redact(`{"text":"hi and ho"}`, scope{fields: anywhere, isResponse: true}, carrier.Place{})
		if err != nil || out != want {
			t.Errorf("%s: %s, %v", expr, out, err)
		}
	}
}
