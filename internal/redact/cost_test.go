package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/redact/carrier"
	"github.com/promptecho/promptecho/internal/testing/encode"
	"github.com/promptecho/promptecho/internal/testing/full"
)

// costly returns texts of a size that would cost most: beginnings that come to nothing,
// nesting, escapes, and what looks like base64.
func costly(size int) map[string]func() string {
	repeated := func(s string) string { return strings.Repeat(s, size/len(s)+1)[:size] }
	quoted := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	random := make([]byte, size*3/4)
	source := rand.NewChaCha8([32]byte{1})
	_, _ = source.Read(random)
	words := repeated("The quick brown fox jumps over the lazy dog. ")

	nested := words[:size/8]
	for len(nested) < size/2 {
		nested = `{"a":` + quoted(nested+`"`) + `}`
	}
	inBase64 := words[:size/8]
	for len(inBase64) < size*3/4 {
		inBase64 = base64.StdEncoding.EncodeToString([]byte(inBase64))
	}
	image := base64.StdEncoding.EncodeToString(random)
	var lines strings.Builder
	for len(image) > 76 {
		lines.WriteString(image[:76] + "\r\n")
		image = image[76:]
	}
	return map[string]func() string{
		"words":               func() string { return words },
		"JSON of words":       func() string { return `{"text":` + quoted(words) + `}` },
		"JSON of lines":       func() string { return `{"text":` + quoted(repeated("a line of a file\n\t")) + `}` },
		"JSON of numbers":     func() string { return "[" + strings.TrimSuffix(repeated("0.123456,"), ",") + "1]" },
		"JSON of strings":     func() string { return "[" + repeated(`"ab","abc","a longer text",`) + `"x"]` },
		"JSON of objects":     func() string { return "[" + strings.Repeat(`{"value":{"text":"abcd"},"name":"x y"},`, size/40) + `{}]` },
		"JSON nested as text": func() string { return nested },
		"an image":            func() string { return `{"data":"` + base64.StdEncoding.EncodeToString(random) + `"}` },
		"an image in lines":   func() string { return lines.String() },
		"base64 of base64":    func() string { return `{"data":"` + inBase64 + `"}` },
		"hexadecimal":         func() string { return `{"data":"` + hex.EncodeToString(random[:size/2]) + `"}` },
		"runs of 16":          func() string { return repeated("aGVsbG8gd29ybGQh ") },
		"paths":               func() string { return repeated("abcdefghijkl/mnopqrstuvwx-") },
		"open objects":        func() string { return repeated(`{"a":`) },
		"open quotes":         func() string { return repeated(`{"`) },
		"open brackets":       func() string { return repeated("[{") },
		"backslashes":         func() string { return repeated(`\`) },
		"escapes of all":      func() string { return repeated(`\u0026amp;%26`) },
		"percent signs":       func() string { return repeated("%25") },
		"open tags":           func() string { return "<r>" + repeated(`<a x="y">`) },
		"entities":            func() string { return "<a>" + repeated("&amp;lt;") },
		"events": func() string {
			return repeated("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" word\"}}]}\n\n")
		},
		"event lines": func() string { return repeated("data: x\n") },
		"prefixes":    func() string { return repeated("sk-eyJghp_") },
		"tokens":      func() string { return repeated("eyJhbGciOiJIUzI1NiJ9.") },
		"names":       func() string { return repeated("password:api_key=") },
		"names in JSON": func() string {
			return "[" + strings.Repeat(`{"api_key":"password","password":"api_key"},`, size/45) + `{}]`
		},
		"URLs":     func() string { return repeated("https://a:b@c?d=e&f=%20 ") },
		"one URL":  func() string { return "https://a.example/?" + repeated("sig=a&sv=b&") },
		"one form": func() string { return repeated("api_key=a&b=c+d&") },
		"multipart": func() string {
			return repeated("--b0undary\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n")
		},
		"members of gzip":  func() string { return repeated(encode.Gzip("a")) },
		"dots":             func() string { return repeated("a.b-c_d~") },
		"keys of PEM":      func() string { return repeated("-----BEGIN PRIVATE KEY-----\n") },
		"known beginnings": func() string { return repeated("echo-secret-") },
		"at signs":         func() string { return repeated("://:@") },
	}
}

// knowing returns a policy that knows a secret.
func knowing() *Policy {
	p := new(Policy)
	p.AddSecret(secret)
	return p
}

// redactedFor returns what is written for a text of an answer, and an error of a bound.
func redactedFor(p *Policy, text string) (string, error) {
	return p.redact(text, scope{fields: anywhere, isResponse: true}, carrier.Place{})
}

// TestCostGrowsWithSize: a text that is 16 times as long takes about 16 times as long.
// Both are measured in one run.
func TestCostGrowsWithSize(t *testing.T) {
	full.Only(t, "TestCostlyTextsAreSearched")
	small, large := costly(1<<16), costly(1<<20)
	for name := range large {
		took := func(text string) time.Duration {
			best := time.Hour
			for range 5 {
				start := time.Now()
				_, err := redactedFor(knowing(), text)
				if err != nil && !errors.Is(err, carrier.ErrTooMuch) {
					t.Errorf("%s: %v", name, err)
				}
				best = min(best, time.Since(start))
			}
			return best
		}
		a, b := took(small[name]()), took(large[name]())
		t.Logf("%-20s %6.1f ms a MB", name, b.Seconds()*1000)
		if b > 64*a && b > 300*time.Millisecond {
			t.Errorf("%s: %v for 64 KB, %v for 1 MB", name, a, b)
		}
	}
}

// A text that is costly to search is searched to its end or refused, so no secret hides in it.
func TestCostlyTextsAreSearched(t *testing.T) {
	t.Parallel()
	for name, make := range costly(1 << 12) {
		text := make()
		out, err := redactedFor(knowing(), text+" "+secret)
		if err == nil && strings.Contains(out, secret) {
			t.Errorf("%s: the secret is left", name)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// BenchmarkCost is the cost of the texts that cost most, of 1 MB and of 64 MB.
//
//	go test -run '^$' -bench 'Cost/64MB' -benchtime 1x ./internal/redact
func BenchmarkCost(b *testing.B) {
	for _, size := range []int{1, 64} {
		b.Run(fmt.Sprintf("%dMB", size), func(b *testing.B) {
			texts := costly(size << 20)
			for _, name := range slices.Sorted(maps.Keys(texts)) {
				b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
					text, p := texts[name](), knowing()
					b.SetBytes(int64(len(text)))
					b.ReportAllocs()
					for b.Loop() {
						_, err := redactedFor(p, text)
						if err != nil && !errors.Is(err, carrier.ErrTooMuch) {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}
