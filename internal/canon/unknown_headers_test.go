package canon

import (
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A stored request with unknown headers has a key that no request with known headers has.
//
// A request finds it by the headers that it lists.
func TestUnknownHeadersHaveAKeyOfTheirOwn(t *testing.T) {
	t.Parallel()
	known := interaction.Request{
		Method: "POST",
		URL:    "https://api.openai.com/v1/chat/completions",
		Body:   []byte(`{"model":"m","messages":[{"role":"user","content":"hi"}]}`),
	}
	unknown := known
	unknown.UnknownHeaders = true
	key := func(req interaction.Request) string { return new(Options).Form(&req).Key() }
	if key(unknown) == key(known) {
		t.Error("unknown headers are the same as none")
	}

	withHeader := known
	withHeader.Headers = interaction.Headers{{Name: "openai-beta", Values: []string{"a"}}}
	if key(withHeader.KnownAs(&unknown)) != key(unknown) {
		t.Error("a request with headers does not find the recording that lists none")
	}
}
