package redact

import (
	"reflect"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

const (
	headURL    = "https://api.example.com/v1/chat?name=Kz8fQ2mN4vB7xW1cR5tY"
	headSecret = "Kz8fQ2mN4vB7xW1cR5tY"
)

func headRequest(authorization string) *interaction.Request {
	return &interaction.Request{Method: "POST", URL: headURL, Headers: interaction.Headers{
		{Name: "authorization", Values: []string{authorization}},
		{Name: "content-type", Values: []string{"text/plain"}},
	}}
}

// A remembered head is redacted as by a policy that remembers none, also when a secret
// in it has become known since.
func TestSameHeadAgain(t *testing.T) {
	t.Parallel()
	p := new(Policy)
	for range 3 {
		got, want := headRequest("Bearer x"), headRequest("Bearer x")
		p.RedactHead(got)
		new(Policy).RedactHead(want)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		got.Headers[0].Values[0] = "changed by the caller"
	}

	other, wantOther := headRequest("Bearer x"), headRequest("Bearer x")
	for _, req := range []*interaction.Request{other, wantOther} {
		req.Headers[1].Values = []string{"application/json"}
	}
	p.RedactHead(other)
	new(Policy).RedactHead(wantOther)
	if !reflect.DeepEqual(other, wantOther) {
		t.Errorf("another head becomes %v, want %v", other, wantOther)
	}

	fresh := new(Policy)
	fresh.AddSecret(headSecret)
	p.AddSecret(headSecret)
	got, want := headRequest("Bearer x"), headRequest("Bearer x")
	p.RedactHead(got)
	fresh.RedactHead(want)
	if got.URL != want.URL {
		t.Errorf("URL is %s, want %s", got.URL, want.URL)
	}
}

// The values of a signature are known for a while only, so each request makes its own
// known again.
func TestSignedHeadIsLearnedAgain(t *testing.T) {
	t.Parallel()
	const signature = "7f3a9c1e5b8d2f604a6c8e0b1d3f5a79"
	signed := "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260101/us-east-1/bedrock/aws4_request, " +
		"SignedHeaders=host, Signature=" + signature
	p := new(Policy)
	for range 2 {
		_, before := p.counts()
		p.RedactHead(headRequest(signed))
		_, after := p.counts()
		if after == before {
			t.Fatal("the signature was not made known")
		}
	}
}
