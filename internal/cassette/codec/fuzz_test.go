package codec

import (
	"os"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testing/seeds"
)

// FuzzBody: any bytes survive as the body of a request and of a response.
func FuzzBody(f *testing.F) {
	for _, s := range seeds.JSON {
		f.Add([]byte(s))
	}
	for _, s := range seeds.Strings {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		it := &interaction.Interaction{
			Request:  interaction.Request{Method: "POST", URL: "https://example.com/", Body: b},
			Response: interaction.Response{Status: 200, Body: b},
		}
		checkRoundTrip(t, it)
	})
}

// FuzzStrings: any string survives wherever a cassette holds one.
func FuzzStrings(f *testing.F) {
	for _, s := range seeds.Strings {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkRoundTrip(t, seeds.Interactions(s)...) })
}

// FuzzParse: no input makes Parse panic, and what it accepts can be formatted
// and means the same then.
func FuzzParse(f *testing.F) {
	for _, s := range seeds.Strings {
		data, _ := cassetteOf(f, seeds.Interactions(s)...)
		f.Add(data)
	}
	for _, h := range handEdited {
		f.Add([]byte(withBody(h.body)))
	}
	if golden, err := os.ReadFile("../testdata/golden.yaml"); err == nil {
		f.Add(golden)
	}
	for _, b := range broken {
		f.Add([]byte(b.text))
	}
	for _, h := range handEdited {
		f.Add([]byte(h.body))
	}
	for _, g := range listOfValues() {
		f.Add([]byte(headOf(f, g) + strings.TrimPrefix(minimal, "version: 1\n")))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		checkParse(t, data)
		checkParse(t, []byte(withBody(string(data))))
	})
}

func checkParse(t *testing.T, data []byte) {
	c, err := Parse("x.yaml", Normalize(data), nil)
	if err == nil {
		checkRoundTrip(t, c.Interactions...)
		headOf(t, c.RecordedValues)
	} else if c != nil || !strings.HasPrefix(err.Error(), "x.yaml:") {
		t.Fatalf("error %q with %v", err, c)
	}
}
