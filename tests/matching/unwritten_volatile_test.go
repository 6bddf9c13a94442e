package matching_test

import (
	"encoding/base64"
	"path/filepath"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Recording accepts equal requests that differ in a trace, an attempt, a time, a nonce or a Referer.
func TestHeaderThatSelectsNothingMayDiffer(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, header, first, second string }{
		{"a request id", "X-Ms-Client-Request-Id", "1", "2"},
		{"a trace", "traceparent", "00-1", "00-2"},
		{"a trace of B3", "X-B3-TraceId", "1", "2"},
		{"an attempt", "X-Stainless-Retry-Count", "0", "1"},
		{"an attempt of AWS", "Amz-Sdk-Request", "attempt=1", "attempt=2"},
		{"a count of attempts", "X-Attempts-So-Far-Count", "1", "2"},
		{"a count of polls", "X-Poll", "1", "2"},
		{"the rest of a deadline", "X-Remaining-Ms", "2999", "1877"},
		{"a date", "X-Amz-Date", "20260102T030405Z", "20260102T030406Z"},
		{
			"a UUID under a name that says nothing",
			"X-Ray", "9022bbce-7872-4001-991b-d872b93f257d", "1f2a3b4c-5d6e-4001-8a9b-0c1d2e3f4a5b",
		},
		{"a number under a name that says nothing", "X-Ray", "89601180", "41776023"},
		{"a one-time password", "X-GitHub-OTP", "123456", "654321"},
		{"a nonce", "X-Nonce", "1", "2"},
		{"an idempotency key", "Idempotency-Key", "1", "2"},
		{"User-Agent", "User-Agent", "a", "b"},
		{"Referer", "Referer", "first", "second"},
		{"Origin", "Origin", "first", "second"},
		{"Cache-Control", "Cache-Control", "first", "second"},
		{"Pragma", "Pragma", "first", "second"},
		{"Priority", "Priority", "first", "second"},
		{"DNT", "DNT", "first", "second"},
		{"Save-Data", "Save-Data", "first", "second"},
		{"Upgrade-Insecure-Requests", "Upgrade-Insecure-Requests", "first", "second"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wantReport(t, "", pairOf(tt.header, tt.first, tt.second))
		})
	}
}

// Recording accepts equal requests whose credential was renewed for the same key or subject.
func TestRenewedCredentialMayDiffer(t *testing.T) {
	t.Parallel()
	for name, tokens := range map[string][2]string{
		"a bearer token that stays":    {"Bearer NOTREAL-red", "Bearer NOTREAL-red"},
		"a signature of AWS":           {awsSignature("AKIANOTREALRED", "1"), awsSignature("AKIANOTREALRED", "2")},
		"a digest":                     {digest("1", "a"), digest("2", "b")},
		"a shared key":                 {"SharedKey account:MTIz", "SharedKey account:NDU2"},
		"a web token of a subject":     {webToken(`{"sub":"red","exp":1}`), webToken(`{"sub":"red","exp":2}`)},
		"a web token with times alone": {webToken(`{"iat":1,"exp":1}`), webToken(`{"iat":2,"exp":2}`)},
		"a web token of a key": {
			webToken(`{"api_key":"red","exp":1,"timestamp":1}`),
			webToken(`{"api_key":"red","exp":2,"timestamp":2}`),
		},
		"a web token of an application": {
			webToken(`{"application_id":"red","iat":1,"nbf":1,"jti":"a"}`),
			webToken(`{"application_id":"red","iat":2,"nbf":2,"jti":"b"}`),
		},
		"a key before a signature":  {"Qiniu RED:" + base64Text + "a=", "Qiniu RED:" + base64Text + "b="},
		"a signature of Baidu":      {baiduSignature("red", "05Z", "1"), baiduSignature("red", "06Z", "2")},
		"a shared access signature": {sharedAccessSignature("1", "red"), sharedAccessSignature("2", "red")},
		"a signature of Cosmos DB": {
			"type%3dmaster%26ver%3d1.0%26sig%3da",
			"type%3dmaster%26ver%3d1.0%26sig%3db",
		},
		"a signature of Akamai": {
			"EG1-HMAC-SHA256 client_token=a;access_token=b;nonce=1;signature=1",
			"EG1-HMAC-SHA256 client_token=a;access_token=b;nonce=2;signature=2",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantReport(t, "", pairOf("Authorization", tokens[0], tokens[1]))
		})
	}
	for name, asked := range map[string][]must.Request{
		"a header that is a signature": pairOf("OK-Access-Sign", base64Text+"a=", base64Text+"b="),
		"a signed URL": {
			request(unknownURL + "?X-Amz-Credential=AKIANOTREAL%2F20260101&X-Amz-Date=1&X-Amz-Signature=aa11"),
			request(unknownURL + "?X-Amz-Credential=AKIANOTREAL%2F20260102&X-Amz-Date=2&X-Amz-Signature=bb22"),
		},
		"cookies of a content delivery network": pairOf("Cookie", "__cf_bm=1; AWSALB=1", "__cf_bm=2; AWSALB=2"),
		"a cookie that only one request has": {
			request(unknownURL),
			request(unknownURL, "Cookie", "sid=red"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantReport(t, "", asked)
		})
	}
}

// Recording accepts equal requests to a model with other unwritten headers: models answer by chance.
func TestUnwrittenHeaderOfAModelAPIMayDiffer(t *testing.T) {
	t.Parallel()
	wantReport(t, "", []must.Request{
		chatWith("OpenAI-Organization", "a"),
		chatWith("OpenAI-Organization", "b"),
	})
}

// Recording accepts a request that is sent again with a new token after a failure.
func TestRetryWithANewTokenIsRecorded(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 429, 503} {
		upstream := promptecho.Upstream(provider.Statuses(`"x"`, status, 200))
		r := recordAll(t, filepath.Join(t.TempDir(), "c.yaml"), upstream)
		request(unknownURL, "Authorization", "Bearer NOTREAL-old").Ask(t, r)
		request(unknownURL, "Authorization", "Bearer NOTREAL-new").Ask(t, r)
		must.Close(t, r)
	}
}

// base64Text is a text that looks like a signature.
const base64Text = "QmFzZTY0IG9mIGEgc2lnbmF0dXJl"

// awsSignature returns the Authorization header of a request to AWS.
func awsSignature(key, signature string) string {
	return "AWS4-HMAC-SHA256 Credential=" + key + "/20260102/us-east-1/s3/aws4_request, " +
		"SignedHeaders=host, Signature=" + signature
}

// baiduSignature returns the Authorization header of a request to Baidu.
func baiduSignature(key, seconds, signature string) string {
	return "bce-auth-v1/" + key + "/2026-01-02T03:04:" + seconds + "/1800/host/" + signature
}

// sharedAccessSignature returns the Authorization header of a request to Azure. The signature
// expires at a time that is its number.
func sharedAccessSignature(number, key string) string {
	return "SharedAccessSignature sr=a&sig=" + number + "&se=" + number + "&skn=" + key
}

// digest returns the Authorization header of HTTP's digest authentication.
func digest(nonce, response string) string {
	return `Digest username="u", nonce="` + nonce + `", response="` + response + `"`
}

// webToken returns the Authorization header with a JSON web token of these claims.
func webToken(claims string) string {
	encode := base64.RawURLEncoding.EncodeToString
	return "Bearer " + encode([]byte(`{"alg":"none"}`)) + "." + encode([]byte(claims)) + "." + encode([]byte("NOTREAL"))
}
