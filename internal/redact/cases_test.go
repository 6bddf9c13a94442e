package redact

import (
	"bytes"
	"encoding/base64"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/full"
)

// alphabets are what the cases draw random characters from.
var alphabets = map[string]string{
	"alnum": alnums, "mixed": alnums, "mixedurl": urlSet, "letters": letters, "url": urlSet, "ad": urlSet + "~.", "b64": stdSet, "hex": hexDigits,
	"lower": letters[26:] + digits, "caps": letters[:26] + digits, "b32": base32Set, "age": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", "digits": digits,
}

var macro = regexp.MustCompile(`\{([a-z0-9]+|LF|pem [A-Z]+)(?: (\d*))?\}`)

// expand fills in the random parts of a case, as a provider would draw them.
func expand(rng *rand.Rand, text string) string {
	return macro.ReplaceAllStringFunc(text, func(m string) string {
		sub := macro.FindStringSubmatch(m)
		n, _ := strconv.Atoi(sub[2])
		body := func(set string, n int) string {
			b := make([]byte, n)
			for {
				for i := range b {
					b[i] = alphabets[set][rng.IntN(len(alphabets[set]))]
				}
				if n == 0 || class[b[0]]&alnum != 0 && class[b[n-1]]&alnum != 0 && (!strings.HasPrefix(set, "mixed") || bytes.ContainsAny(b, digits) && bytes.ContainsAny(b[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
					return string(b)
				}
			}
		}
		lines := func(n int, end string) (s string) {
			for range n {
				s += body("b64", 64) + end
			}
			return s
		}
		key := func(label, head, lf string) string {
			return "-----BEGIN " + label + "PRIVATE KEY-----" + lf + head + lines(5, lf) + body("b64", 22) + "==" + lf + "-----END " + label + "PRIVATE KEY-----"
		}
		switch name, label, _ := strings.Cut(sub[1], " "); name {
		case "LF":
			return "\n"
		case "jwt":
			return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","kid":"`+body("hex", 20)+`"}`)) + "." + base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"`+body("digits", 12)+`"}`)) + "." + body("url", 86)
		case "discord":
			return base64.RawURLEncoding.EncodeToString([]byte("1"+body("digits", 17))) + "." + body("url", 6) + "." + body("url", 38)
		case "basic":
			return base64.StdEncoding.EncodeToString([]byte("svc-build:" + body("mixed", 17)))
		case "pem":
			return key(label+" ", "", "\n")
		case "pemesc":
			return key("", "", `\n`)
		case "pemesc2":
			return key("", "", `\\n`)
		case "pemenc":
			return key("RSA ", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,"+body("hex", 32)+"\n\n", "\n")
		case "pemcut":
			return "-----BEGIN " + "RSA PRIVATE KEY-----\n" + strings.TrimSpace(lines(3, "\n"))
		case "pem64":
			return base64.StdEncoding.EncodeToString([]byte(key(strings.Repeat("EC ", rng.IntN(2)), "", "\n") + "\n"))
		case "pem64cut":
			return base64.StdEncoding.EncodeToString([]byte(key("RSA ", "", "\n")))[:301]
		case "pgp":
			return "-----BEGIN " + "PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n" + lines(6, "\n") + "=" + body("b64", 4) + "\n-----END " + "PGP PRIVATE KEY BLOCK-----"
		default:
			if alphabets[name] == "" {
				return m
			}
			return body(name, n)
		}
	})
}

// drawnCases reads the lines of a file of cases, a name and a text each, and
// calls f with each of them drawn many times: a credential is found whatever its
// random part is, or the measure of randomness is wrong.
func drawnCases(t *testing.T, file string, f func(name, text string)) (cases, draws int) {
	t.Helper()
	data, err := os.ReadFile("testdata/shapes/" + file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		name, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " | ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		cases++
		for seed := range uint64(full.Cases(12, 100)) {
			draws++
			f(name, expand(rand.New(rand.NewPCG(seed, 7)), text))
		}
	}
	return cases, draws
}

// Of every credential, what stands between the marks is replaced, and nothing
// else. An unlucky draw looks like text; the log says how many did.
func TestShapesPositive(t *testing.T) {
	t.Parallel()
	missed, last := map[string]int{}, ""
	cases, draws := drawnCases(t, "positive.txt", func(name, text string) {
		before, rest, ok := strings.Cut(text, "«")
		secret, after, ok2 := strings.Cut(rest, "»")
		if !ok || !ok2 {
			t.Fatalf("no « and » in %q", text)
		}
		if got := redactedText(before + secret + after); got != before+Placeholder+after {
			missed[name]++
			last = name + " in " + before + secret + after + "\n gives " + got
		}
	})
	all := 0
	for name, n := range missed {
		if all += n; n > full.Cases(2, 10) {
			t.Errorf("%s: %d draws are not replaced exactly", name, n)
		}
	}
	if all*1000 > draws {
		t.Errorf("%d of %d draws are not replaced exactly: %s", all, draws, last)
	}
	if cases < 200 {
		t.Errorf("%d cases, want 200", cases)
	}
	t.Logf("%d cases, %d draws, %d not replaced exactly %v", cases, draws, all, missed)
}

// Ordinary traffic and talk about keys stay as they are.
func TestShapesNegative(t *testing.T) {
	t.Parallel()
	cases, draws := drawnCases(t, "negative.txt", func(name, text string) {
		if hits := kindsIn(text); hits != nil {
			t.Errorf("%s: %s found: %.300q", name, hits[0], text)
		}
	})
	t.Logf("%d cases, %d draws", cases, draws)
}

// Any two cases beside each other, with anything between: a clean text stays.
func TestShapesCleanStaysClean(t *testing.T) {
	t.Parallel()
	var texts []string
	for _, file := range []string{"positive.txt", "negative.txt"} {
		last := ""
		drawnCases(t, file, func(name, text string) {
			if text = strings.NewReplacer("«", "", "»", "").Replace(text); name+text != last && len(text) < 2000 && len(texts) < full.Cases(2000, 20_000) {
				texts = append(texts, text)
			}
			last = name + text
		})
	}
	rng := rand.New(rand.NewPCG(3, 4))
	between := []string{"", "", "/", ":", "=", " ", ".", "-", "\n", `\n`, "@", `"`, "%", "~", Placeholder}
	for range full.Cases(1000, 20_000) {
		a, b := texts[rng.IntN(len(texts))], texts[rng.IntN(len(texts))]
		text := a[rng.IntN(len(a)):] + between[rng.IntN(len(between))] + b[:rng.IntN(len(b)+1)] + between[rng.IntN(len(between))] + a
		clean := redactedText(text)
		if hits := kindsIn(clean); hits != nil {
			t.Fatalf("%q\ncleaned is %q,\nwith %v", text, clean, hits)
		}
	}
}
