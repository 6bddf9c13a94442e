package redact

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testing/full"
)

// TestGluedTexts: names, values, stand-ins and marks that stand together without a space, in any order, are no
// reason to panic, and a password that has its name is replaced, whatever follows.
func TestGluedTexts(t *testing.T) {
	t.Parallel()
	pieces := []string{"Authorization:", "authorization", "kLmN2pRsT7vWztex", "REDACTED", "[REDACTED]", "IdentityToken", "_token", "api_key", "password", "secret", "value",
		"\\", "\"", "'", ",", ":", "=", "{", "}", "[", "]", " ", "\n", "%3D", "%22", "&quot;", "<", "/", ">", "Bearer ", "é"}
	rng := rand.New(rand.NewPCG(9, 9))
	texts := []string{`Authorization:kLmN2pRsT7vWztex,REDACTEDREDACTEDIdentityToken\`}
	for range full.Cases(1000, 20_000) {
		text := ""
		for range 2 + rng.IntN(10) {
			text += pieces[rng.IntN(len(pieces))]
		}
		texts = append(texts, text)
	}
	const password = `"password":"Zq8vN3xKw7Rt2Lm9"`
	for _, text := range texts {
		body := []byte(password + " " + text)
		it := &interaction.Interaction{Request: interaction.Request{Method: "POST", URL: "https://h/", Body: body}, Response: interaction.Response{Status: 200, Body: []byte(text)}}
		new(Policy).Interaction(it)
		if strings.Contains(string(it.Request.Body), "Zq8vN3xKw7Rt2Lm9") {
			t.Errorf("%s: the password stays", body)
		}
	}
}

// TestKeyGluedToTheNameOfAnother: a key that ends in what the name of another one begins with is
// replaced, and so is the other one, which is seen only without the first.
func TestKeyGluedToTheNameOfAnother(t *testing.T) {
	t.Parallel()
	const first = "gsk_" + "T9HWTESBareIRIc8W8rWCprZAljt6UEO0HB121AWS"
	const second = "z3ZtuBK1zkbPqMfX3SkJP/skEgM4/YwGSi8RAf4I"
	got := redactedText(first + "_SECRET_" + "ACCESS_KEY=" + second)
	if want := "[REDACTED]_SECRET_ACCESS_KEY=[REDACTED]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
