package carrier

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"mime/quotedprintable"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/full"
)

// An encoding is a way to carry a text, and back, by the standard library.
type encoding struct {
	name   string
	encode func(string) string
	decode func(string) (string, error)
}

func broken(s string, width int, lineEnd string) string {
	var b strings.Builder
	for width > 0 && len(s) > width {
		b.WriteString(s[:width] + lineEnd)
		s = s[width:]
	}
	return b.String() + s
}

func base64Encoding(name string, enc *base64.Encoding, width int, lineEnd string) encoding {
	return encoding{name,
		func(s string) string { return broken(enc.EncodeToString([]byte(s)), width, lineEnd) },
		func(s string) (string, error) {
			digits := strings.TrimRight(s, "=")
			n := len(strings.NewReplacer("\r", "", "\n", "").Replace(s))
			if len(digits) < len(s) && n%4 != 0 {
				return "", errors.New("wrong padding")
			}
			// A run without "+", "/", "-" and "_" does not tell its alphabet.
			digits = strings.NewReplacer("-", "+", "_", "/").Replace(digits)
			b, err := base64.RawStdEncoding.DecodeString(digits)
			return string(b), err
		}}
}

// jsonEncoding carries a text in a JSON text, in the string of the last element
// or of the member "content".
func jsonEncoding(name, format string, spell func(string) string) encoding {
	return encoding{name,
		func(s string) string {
			var b bytes.Buffer
			e := json.NewEncoder(&b)
			e.SetEscapeHTML(name == "JSON of Go")
			_ = e.Encode(s)
			return fmt.Sprintf(format, spell(strings.TrimSuffix(b.String(), "\n")))
		},
		func(s string) (string, error) {
			var v any
			if err := json.Unmarshal([]byte(s), &v); err != nil {
				return "", err
			}
			for {
				switch x := v.(type) {
				case map[string]any:
					v = x["content"]
				case []any:
					v = x[len(x)-1]
				case string:
					return x, nil
				default:
					return "", errors.New("no text")
				}
			}
		}}
}

func asIs(s string) string { return s }

func escapeASCII(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

func contentOf(s string) (string, error) {
	var v struct{ Content string }
	err := json.Unmarshal([]byte(s), &v)
	return v.Content, err
}

func compressedBy(name string, w func(io.Writer) io.WriteCloser, r func(io.Reader) (io.Reader, error)) encoding {
	return encoding{name,
		func(s string) string {
			var b bytes.Buffer
			z := w(&b)
			_, _ = io.WriteString(z, s)
			_ = z.Close()
			return b.String()
		},
		func(s string) (string, error) {
			z, err := r(strings.NewReader(s))
			if err != nil {
				return "", err
			}
			b, err := io.ReadAll(z)
			return string(b), err
		}}
}

const mailHead = "Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"

// encodings are those of the table in the comment of the package.
func encodings() []encoding {
	slashes := strings.NewReplacer("/", `\/`).Replace
	return []encoding{
		jsonEncoding("JSON of Go", `{"n":1,"content":%s}`, asIs),
		jsonEncoding("JSON of Python", `{"model": "m", "content": [{"role": "user", "content": %s}]}`, escapeASCII),
		jsonEncoding("JSON of PHP", `{"content":%s}`, slashes),
		jsonEncoding("JSON array", `[1,2,["a",%s]]`, asIs),
		{"JSON in prose",
			func(s string) string {
				b, _ := json.Marshal(s)
				return `The tool said {"content": ` + string(b) + "} today."
			},
			func(s string) (string, error) {
				return contentOf(strings.TrimSuffix(strings.TrimPrefix(s, "The tool said "), " today."))
			}},
		{"JSON lines",
			func(s string) string {
				b, _ := json.Marshal(s)
				return `{"n":0,"content":""}` + "\n" + `{"content":` + string(b) + "}\n"
			},
			func(s string) (string, error) { _, line, _ := strings.Cut(s, "\n"); return contentOf(line) }},
		{"form",
			func(s string) string { return "a=1&text=" + url.QueryEscape(s) },
			func(s string) (string, error) { v, err := url.ParseQuery(s); return v.Get("text"), err }},
		{"query",
			func(s string) string { return "see https://h.example/p?a=1&q=" + url.QueryEscape(s) },
			func(s string) (string, error) {
				u, err := url.Parse(strings.TrimPrefix(s, "see "))
				if err != nil {
					return "", err
				}
				v, err := url.ParseQuery(u.RawQuery)
				return v.Get("q"), err
			}},
		{"XML",
			func(s string) string {
				var b strings.Builder
				_ = xml.EscapeText(&b, []byte(s))
				return "<r><a>" + b.String() + "</a></r>"
			},
			func(s string) (string, error) {
				var v struct {
					A string `xml:"a"`
				}
				err := xml.Unmarshal([]byte(s), &v)
				return v.A, err
			}},
		{"attribute",
			func(s string) string {
				var b strings.Builder
				_ = xml.EscapeText(&b, []byte(s))
				return `<r><a x="` + b.String() + `"/></r>`
			},
			func(s string) (string, error) {
				var v struct {
					A struct {
						X string `xml:"x,attr"`
					} `xml:"a"`
				}
				err := xml.Unmarshal([]byte(s), &v)
				return v.A.X, err
			}},
		{"HTML in prose",
			func(s string) string { return "It says " + html.EscapeString(s) + " there" },
			func(s string) (string, error) {
				return html.UnescapeString(strings.TrimSuffix(strings.TrimPrefix(s, "It says "), " there")), nil
			}},
		{"events",
			func(s string) string {
				b, _ := json.Marshal(map[string]string{"content": s})
				return "event: x\ndata: {\"start\":1}\n\nevent: x\ndata: " + string(b) + "\n\ndata: [DONE]\n\n"
			},
			func(s string) (string, error) {
				_, s, _ = strings.Cut(s, "\ndata: {\"start\":1}\n\nevent: x\ndata: ")
				s, _, _ = strings.Cut(s, "\n\n")
				return contentOf(s)
			}},
		{"pieces",
			func(s string) string {
				var b strings.Builder
				for len(s) > 0 {
					n := min(len(s), 3)
					text, _ := json.Marshal(s[:n])
					fmt.Fprintf(&b, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%s}}]}\n\n", text)
					s = s[n:]
				}
				return b.String() + "data: [DONE]\n\n"
			},
			func(s string) (string, error) {
				text := ""
				for line := range strings.SplitSeq(s, "\n") {
					data, ok := strings.CutPrefix(line, "data: {")
					if !ok {
						continue
					}
					var v struct {
						Choices []struct{ Delta struct{ Content string } }
					}
					if err := json.Unmarshal([]byte("{"+data), &v); err != nil {
						return "", err
					}
					text += v.Choices[0].Delta.Content
				}
				return text, nil
			}},
		{"multipart",
			func(s string) string {
				return "--b0undary\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n" + s + "\r\n--b0undary--\r\n"
			},
			func(s string) (string, error) {
				_, s, _ = strings.Cut(s, "\r\n\r\n")
				s, ok := strings.CutSuffix(s, "\r\n--b0undary--\r\n")
				if !ok {
					return "", errors.New("no end")
				}
				return s, nil
			}},
		{"quoted-printable",
			func(s string) string {
				var b strings.Builder
				w := quotedprintable.NewWriter(&b)
				_, _ = w.Write([]byte(s))
				_ = w.Close()
				return mailHead + b.String()
			},
			func(s string) (string, error) {
				b, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(strings.TrimPrefix(s, mailHead))))
				return string(b), err
			}},
		base64Encoding("base64", base64.StdEncoding, 0, ""),
		base64Encoding("base64 without padding", base64.RawStdEncoding, 0, ""),
		base64Encoding("base64url", base64.URLEncoding, 0, ""),
		base64Encoding("base64url without padding", base64.RawURLEncoding, 0, ""),
		base64Encoding("base64 of 76", base64.StdEncoding, 76, "\n"),
		base64Encoding("base64 of MIME", base64.StdEncoding, 76, "\r\n"),
		base64Encoding("base64 of GitHub", base64.StdEncoding, 60, "\n"),
		base64Encoding("base64 of PEM", base64.StdEncoding, 64, "\n"),
		{"hexadecimal",
			func(s string) string { return hex.EncodeToString([]byte(s)) },
			func(s string) (string, error) { b, err := hex.DecodeString(s); return string(b), err }},
		{"hexadecimal in capitals",
			func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
			func(s string) (string, error) { b, err := hex.DecodeString(s); return string(b), err }},
		compressedBy("gzip", func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
			func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }),
		compressedBy("zlib", func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
			func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) }),
	}
}

const (
	secret       = "Zq3vT8mKx2Lw9pRb4NcY7dHsUe5JfAg6QhWk1MiOo0XzCvBn"
	markedSecret = `Zq3v&T8mKx<2Lw9"pRb4/+~`
)

// known returns a walker that replaces known values and nothing else.
func known(values ...string) *Walker {
	return &Walker{WantsBytes: true, Find: func(l *Leaf) []Match {
		var found []Match
		for _, v := range values {
			at := 0
			for {
				i := strings.Index(l.Text[at:], v)
				if i < 0 {
					break
				}
				at += i
				text := "[REDACTED]"
				if l.Kind == Number {
					text = "0"
				}
				found = append(found, Match{Start: at, End: at + len(v), Text: text})
				at += len(v)
			}
		}
		return found
	}}
}

// redact replaces what a walker finds until there is nothing left.
func redact(t *testing.T, w *Walker, body string) string {
	t.Helper()
	for range 4 {
		edits, err := w.Edits(body, Place{})
		if err != nil {
			t.Fatalf("%v: %.200q", err, body)
		}
		if len(edits) == 0 {
			return body
		}
		body = Splice(body, edits)
	}
	t.Fatalf("there is no end: %.200q", body)
	return ""
}

var (
	befores = []string{"", "the header is: ", "the header is:\n", "a\tb\r\n", "<auth>", "bot:", "KEY=", `say "`, "日本語 ", `C:\new\`, "a & b; ", "100% ", "x=y "}
	afters  = []string{"", "\n", "\nPORT=8080\n", " and more", `"`, "</auth>", "&b=c", `\n`, "."}
)

// A secret in nested formats, such as JSON in base64, is replaced, and all else reads the same.
func TestSecretInNestedCarriersIsReplaced(t *testing.T) {
	t.Parallel()
	every := full.Cases(97, 1)
	w := known(secret, markedSecret)
	all := encodings()
	plain := encoding{"plain", asIs, func(s string) (string, error) { return s, nil }}
	n, faults := 0, map[string]int{}
	for _, value := range []string{secret, markedSecret} {
		for _, before := range befores {
			for _, after := range afters {
				text := before + value + after
				want := before + "[REDACTED]" + after
				for _, inner := range append([]encoding{plain}, all...) {
					for _, outer := range all {
						n++
						if n%every != 0 || cannotCarry(outer, inner, text) {
							continue
						}
						pair := outer.name + " of " + inner.name
						fault := checkNested(t, w, outer, inner, text, want)
						if fault == "" {
							continue
						}
						faults[pair]++
						if faults[pair] == 1 {
							t.Errorf("%s: %s", pair, fault)
						}
					}
				}
			}
		}
	}
	t.Logf("%d texts, %d pairs with faults", n/every, len(faults))
}

// checkNested returns what is wrong with what a walk makes of a text in two
// carriers, or "".
func checkNested(t *testing.T, w *Walker, outer, inner encoding, text, want string) string {
	body := outer.encode(inner.encode(text))
	out := redact(t, w, body)
	got, err := outer.decode(out)
	if err == nil {
		got, err = inner.decode(got)
	}
	// Dots make the length of base64 one that every reader takes.
	undotted := func(s string) string { return dots.ReplaceAllString(s, "]") }
	isSame := undotted(got) == undotted(want) || sameLines(outer, inner, undotted(got), undotted(want))
	switch {
	case err != nil:
		return fmt.Sprintf("%v:\n%q\n%q", err, body, out)
	case !isSame:
		return fmt.Sprintf("\ngot  %q\nwant %q\nfrom %q", got, want, body)
	}
	return ""
}

var dots = regexp.MustCompile(`\]\.+`)

// cannotCarry reports whether the standard library does not read what it has
// written of a pair.
func cannotCarry(outer, inner encoding, text string) bool {
	inside := inner.encode(text)
	isXML := outer.name == "XML" || outer.name == "attribute"
	isBinary := inner.name == "gzip" || inner.name == "zlib"
	takesBytes := strings.Contains(outer.name, "base64") || strings.Contains(outer.name, "hexadecimal")
	isASCII := strings.IndexFunc(inside, func(r rune) bool { return r >= 0x80 }) < 0
	switch {
	case isXML && strings.ContainsAny(inside, "\r\x1f\x00"), outer.name == "multipart" && inner.name == "multipart":
		return true
	case isBinary:
		return !takesBytes
	case outer.name == "HTML in prose" && inner.name == "pieces":
		return true // a stream begins its text
	case outer.name == "quoted-printable":
		return inner.name == "quoted-printable" || inner.name == "events" || inner.name == "pieces" || strings.Contains(inside, "\r")
	}
	return outer.name == "pieces" && !isASCII
}

// sameLines reports whether texts differ only in line ends that a carrier cannot
// keep.
func sameLines(outer, inner encoding, got, want string) bool {
	unify := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
	pair := outer.name + inner.name
	changesLines := strings.Contains(pair, "quoted") || strings.Contains(pair, "XML") || strings.Contains(pair, "attribute")
	return changesLines && unify(got) == unify(want)
}

// TestTextWithoutSecretKeepsItsBytes: nothing is written differently that holds
// no secret.
func TestTextWithoutSecretKeepsItsBytes(t *testing.T) {
	t.Parallel()
	w := known(secret, markedSecret)
	for _, before := range befores[:full.Cases(2, len(befores))] {
		for _, outer := range encodings() {
			for _, inner := range encodings() {
				body := outer.encode(inner.encode(before + "no secret here; access_token: none"))
				if out := redact(t, w, body); out != body {
					t.Errorf("%s of %s: %q becomes %q", outer.name, inner.name, body, out)
				}
			}
		}
	}
}
