package codec

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// Every asset that is written is named in the text, although the events of a stream are written in
// several layouts before one is chosen.
func TestAssetsOfAStreamAreNamedInItsText(t *testing.T) {
	picture := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("picture ", 4096)))
	it := &interaction.Interaction{
		Request: interaction.Request{Method: "POST", URL: "https://api.example/v1"},
		Response: interaction.Response{Status: 200, Stream: "sse", Events: []interaction.Event{
			{{Name: "data", Value: `{"text": "spaces after colons", "n": 1}`}},
			{{Name: "data", Value: `{"text": "as most events have", "n": 2}`}},
			{{Name: "data", Value: fmt.Sprintf(`{"b64":%q}`, picture)}},
		}},
	}
	text, assets, err := Encode(it)
	if err != nil {
		t.Fatal(err)
	}
	for name := range assets {
		if !strings.Contains(string(text), name) {
			t.Errorf("%s is not named", name)
		}
	}
}
