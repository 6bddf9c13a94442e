package carrier

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
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
	const short = "Wq7rT2nK"    // the shortest value that is looked for
	w := known(secret, number, short)
	for _, tt := range []struct{ name, value, body string }{
		{"a number that is hexadecimal", number, `{"n":[1,` + hex.EncodeToString([]byte(number)) + `]}`},
		{"a number with a name", number, `{"n":` + hex.EncodeToString([]byte(number)) + `}`},
		{"base64 in lines within a path", secret, "/files/" + lines[:76] + "\n" + lines[76:] + "/lines"},
		{"gzip in base64 with a path behind it", secret, packed + "/v1/more"},
		{"gzip with bytes behind it", secret, whole + "\x00\x01 and more"},
		{"gzip that is cut off", secret, cut},
		{"two members of gzip", secret, encode.Gzip("the first") + whole},
		{"gzip with a member that ends within it", secret, encode.Gzip("key "+secret[:9]) + encode.Gzip(secret[9:]+" end")},
		{"hexadecimal of bytes", secret, hex.EncodeToString([]byte("\x00\x01\x02\x03" + secret))},
		{"the shortest value in base64", short, `{"k":"` + base64.RawStdEncoding.EncodeToString([]byte(short)) + `"}`},
		{"base64 before a word with other marks", secret, base64.StdEncoding.EncodeToString([]byte(">>>???"+secret)) + "-and_more"},
		{"a folded header of a mail", secret, strings.Replace(mailHead, "\r\n\r\n", "\r\n "+secret+"\r\n\r\n", 1) + "text"},
	} {
		if !encode.Holds(tt.body, tt.value) {
			t.Errorf("%s: the secret is not in the body", tt.name)
		}
		out := redact(t, w, tt.body)
		if out == tt.body || encode.Holds(out, tt.value) {
			t.Errorf("%s: %q has the secret, from %q", tt.name, out, tt.body)
		}
		if strings.HasPrefix(tt.body, `{"n"`) && !strings.Contains(out, "0]}") && out != `{"n":0}` {
			t.Errorf("%s: a number becomes %q", tt.name, out)
		}
	}
}

// TestReplacementIsEscapedLikeTheText: what replaces a part of a text is escaped in each of the
// ways in which that part is, and not escaped if it is not.
func TestReplacementIsEscapedLikeTheText(t *testing.T) {
	t.Parallel()
	const text = `[<"x/y">]`
	for raw, want := range map[string]string{
		"plain":         text,
		"a & b \\ 5 %":  text, // marks without an escape
		"a%2Fb":         "[%3C%22x/y%22%3E]",
		"a&amp;b":       "[&lt;&#34;x/y&#34;&gt;]",
		`a\"b`:          `[<\"x/y\">]`,
		`a\u0022b&amp;`: `[&lt;&#34;x/y&#34;&gt;]`,
	} {
		if got := escapeLike(text, raw); got != want {
			t.Errorf("in the place of %q: %q, want %q", raw, got, want)
		}
	}
}

// TestLinesOfBase64: base64 may go on in lines of one length, up to a shorter one, which may also
// be a word.
func TestLinesOfBase64(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("QUJD", 19) // 76 digits
	for name, tt := range map[string]struct {
		text string
		want []int
	}{
		"one line":                     {line, []int{76}},
		"two lines":                    {line + "\n" + line, []int{76, 153}},
		"a line and a short one":       {line + "\nQUJD", []int{76, 81}},
		"two lines and a short one":    {line + "\n" + line + "\nQUJD", []int{76, 153, 158}},
		"three lines and a short one":  {line + "\n" + line + "\n" + line + "\nQUJD", []int{76, 230, 235}},
		"nothing goes on behind those": {line + "\nQUJD\nQUJD", []int{76, 81}},
		"a longer line does not go on": {line + "\n" + line + "QUJD", []int{76}},
		"an empty line":                {line + "\n\n" + line, []int{76}},
		"a line break at the end":      {line + "\r\n", []int{76}},
	} {
		if got := lineEnds(tt.text, 0, 76); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}
