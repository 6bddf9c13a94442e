package serve

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// sign signs a request for its upstream if the client has signed it for the listener (AWS
// Signature Version 4, https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html).
// The secret key is that of the environment, if the client's signature proves that it is
// the same. Otherwise sign returns why the request must not be sent.
func sign(in, out *http.Request) (unsendable string) {
	m := authorization().FindStringSubmatch(in.Header.Get("Authorization"))
	if m == nil {
		return ""
	}
	s := signature{scope: m[2], headers: strings.Split(m[3], ";"), date: in.Header.Get("X-Amz-Date")}
	var body []byte
	if out.Body != nil {
		var err error
		if body, err = io.ReadAll(out.Body); err != nil {
			return "its body could not be read: " + err.Error()
		}
		out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	s.payload = cmp.Or(in.Header.Get("X-Amz-Content-Sha256"), fmt.Sprintf("%x", sha256.Sum256(body)))
	secret := os.Getenv("AWS_SECRET_ACCESS_KEY")
	if !hmac.Equal([]byte(s.of(in, in.Host, len(body), secret)), []byte(m[4])) {
		return fmt.Sprintf("it is signed for %s with the AWS key %s, and AWS_SECRET_ACCESS_KEY is not the secret of that key, so promptecho cannot sign it again for %s: run\n\teval \"$(aws configure export-credentials --format env)\"\nand record again", in.Host, m[1], out.Host)
	}
	out.Header.Set("Authorization", strings.TrimSuffix(m[0], m[4])+s.of(in, out.Host, len(body), secret))
	return ""
}

// authorization matches the header with a signature: the key, the scope, the names of the
// signed headers, the signature.
var authorization = memo.Regexp(`^AWS4-HMAC-SHA256 Credential=([^/,\s]+)/([^,\s]+), ?SignedHeaders=([^,\s]+), ?Signature=([0-9a-f]{64})$`)

// A signature is what goes into one beside the request.
type signature struct {
	scope   string   // 20260131/us-east-1/bedrock/aws4_request
	headers []string // the names of those that are signed
	date    string   // 20260131T235959Z
	payload string   // the hash of the body
}

// of returns the signature of a request to a host.
func (s *signature) of(r *http.Request, host string, length int, secret string) string {
	// Every service but S3 wants the path escaped once more, up to the unreserved characters of RFC 3986, and the
	// parameters escaped and then sorted.
	path := strings.NewReplacer("+", "%20", "%2F", "/").Replace(url.QueryEscape(cmp.Or(r.URL.EscapedPath(), "/")))
	query := strings.Split(strings.ReplaceAll(r.URL.Query().Encode(), "+", "%20"), "&")
	slices.Sort(query)
	lines := []string{r.Method, path, strings.Join(query, "&")}
	for _, name := range s.headers {
		value := strings.Join(r.Header.Values(name), ",")
		switch name {
		case "host":
			value = host
		case "content-length":
			value = strconv.Itoa(length)
		}
		lines = append(lines, name+":"+strings.Join(strings.Fields(value), " "))
	}
	lines = append(lines, "", strings.Join(s.headers, ";"), s.payload)
	key := []byte("AWS4" + secret)
	for part := range strings.SplitSeq(s.scope, "/") {
		key = sum(key, part)
	}
	hash := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return fmt.Sprintf("%x", sum(key, fmt.Sprintf("AWS4-HMAC-SHA256\n%s\n%s\n%x", s.date, s.scope, hash)))
}

func sum(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
