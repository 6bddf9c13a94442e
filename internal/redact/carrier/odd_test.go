package carrier

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/encode"
)

// A secret in a text that is cut off, glued to another one, or mislabeled is found, too.
func TestSecretInOddCarriersIsReplaced(t *testing.T) {
	t.Parallel()
	const number = "4929153870264815"
	whole := encode.Gzip("the key is " + secret)
	packed := base64.RawStdEncoding.EncodeToString([]byte(whole))
	lines := base64.StdEncoding.EncodeToString([]byte("# settings of the bot, see the wiki, part one\nKEY=" + secret + "\n"))
	cut := whole[:len(whole)-8] // RFC 1952: the checksum and the length are the last 8 bytes
	w := known(secret, number)
	for _, tt := range []struct{ name, value, body string }{
		{"a number that is hexadecimal", number, `{"n":[1,` + hex.EncodeToString([]byte(number)) + `]}`},
		{"a number with a name", number, `{"n":` + hex.EncodeToString([]byte(number)) + `}`},
		{"base64 in lines within a path", secret, "/files/" + lines[:76] + "\n" + lines[76:] + "/lines"},
		{"gzip in base64 with a path behind it", secret, packed + "/v1/more"},
		{"gzip with bytes behind it", secret, whole + "\x00\x01 and more"},
		{"gzip that is cut off", secret, cut},
	} {
		if !encode.Holds(tt.body, tt.value) {
			t.Errorf("%s: the secret is not in the body", tt.name)
		}
		out := redact(t, w, tt.body)
		if out == tt.body || encode.Holds(out, tt.value) {
			t.Errorf("%s: %q has the secret, from %q", tt.name, out, tt.body)
		}
		if strings.HasPrefix(tt.body, "{") && !strings.Contains(out, "0]}") && out != `{"n":0}` {
			t.Errorf("%s: a number becomes %q", tt.name, out)
		}
	}
}
