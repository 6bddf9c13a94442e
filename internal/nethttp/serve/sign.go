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
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// sign signs a request for its upstream if the client has signed it for the listener
// (AWS Signature Version 4,
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html).
// It uses the secret key of the environment, if the signature of the client proves that
// the client has used the same key. Otherwise it returns why the request must not be sent.
func sign(in, out *http.Request) (unsendable string) {
	m := authorization().FindStringSubmatch(in.Header.Get("Authorization"))
	if m == nil {
		return ""
	}
	keyID, scope := m[1], m[2]
	signedHeaders, signature := m[3], m[4]
	setRegion(out, scope)

	var body []byte
	if out.Body != nil {
		var err error
		body, err = io.ReadAll(out.Body)
		if err != nil {
			return "its body could not be read: " + err.Error()
		}
		out.Body = io.NopCloser(bytes.NewReader(body))
		out.ContentLength = int64(len(body))
	}
	s := signer{
		scope:   scope,
		headers: strings.Split(signedHeaders, ";"),
		date:    in.Header.Get("X-Amz-Date"),
		payload: cmp.Or(in.Header.Get("X-Amz-Content-Sha256"), fmt.Sprintf("%x", sha256.Sum256(body))),
		length:  len(body),
		secret:  os.Getenv("AWS_SECRET_ACCESS_KEY"),
	}
	isSameKey := hmac.Equal([]byte(s.sign(in, in.Host)), []byte(signature))
	if !isSameKey {
		return fmt.Sprintf("it is signed for %s with the AWS key %s, and AWS_SECRET_ACCESS_KEY is not the secret of "+
			"that key, so promptecho cannot sign it again for %s: run\n"+
			"\t%s\nand record again", in.Host, keyID, out.Host, exportCredentials(runtime.GOOS))
	}
	s.headers = signedUpstream(s.headers)
	out.Header.Set("Authorization", fmt.Sprintf("AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%s",
		keyID, scope, strings.Join(s.headers, ";"), s.sign(in, out.Host)))
	return ""
}

// signedUpstream returns the names of the headers that the new signature covers, for the names that
// the client has signed. They differ in one: AWS's SDK for JavaScript signs :authority in place of
// host over HTTP/2, and the request to the upstream may be one of HTTP/1.1, which has no :authority.
func signedUpstream(headers []string) []string {
	names := slices.Clone(headers)
	for i, name := range names {
		if name == ":authority" {
			names[i] = "host"
		}
	}
	slices.Sort(names)
	return names
}

// authorization matches the header with a signature: the key, the scope, the names of the
// signed headers, the signature.
var authorization = memo.Regexp(`^AWS4-HMAC-SHA256 ` +
	`Credential=([^/,\s]+)/([^,\s]+), ?SignedHeaders=([^,\s]+), ?Signature=([0-9a-f]{64})$`)

// setRegion sends a request to the region for which the client has signed it. A program may
// have another region in its code than in its environment, which has led it to the listener.
// The scope is "20260131/us-east-1/bedrock/aws4_request".
func setRegion(out *http.Request, scope string) {
	_, region, _ := strings.Cut(scope, "/")
	region, _, _ = strings.Cut(region, "/")
	host := regionalHost().FindStringSubmatch(out.URL.Host)
	if host == nil || !isRegion().MatchString(region) {
		return
	}
	out.URL.Host = host[1] + region + host[2]
	out.Host = out.URL.Host
}

// isRegion matches the name of a region.
var isRegion = memo.Regexp(`^[a-z0-9-]+$`)

// regionalHost matches the hosts of Bedrock that have their region in the name: what stands
// before the region, and what stands behind it.
var regionalHost = memo.Regexp(`^(bedrock-runtime\.|bedrock-agent-runtime\.|bedrock-mantle\.)` +
	`[a-z0-9-]+(\.amazonaws\.com|\.api\.aws)$`)

// A signer has what a signature depends on, apart from the request and its host.
type signer struct {
	scope   string   // 20260131/us-east-1/bedrock/aws4_request
	headers []string // the names of the signed headers
	date    string   // 20260131T235959Z
	payload string   // the hash of the body
	length  int      // of the body
	secret  string
}

// sign returns the signature of a request to a host.
func (s *signer) sign(r *http.Request, host string) string {
	// All services but S3 want the path escaped once more, except for the unreserved
	// characters of RFC 3986, and the parameters escaped and then sorted.
	path := strings.NewReplacer("+", "%20", "%2F", "/").Replace(url.QueryEscape(cmp.Or(r.URL.EscapedPath(), "/")))
	query := strings.Split(strings.ReplaceAll(r.URL.Query().Encode(), "+", "%20"), "&")
	slices.Sort(query)
	lines := []string{r.Method, path, strings.Join(query, "&")}
	for _, name := range s.headers {
		value := strings.Join(r.Header.Values(name), ",")
		switch name {
		case "host", ":authority":
			value = host
		case "content-length":
			value = strconv.Itoa(s.length)
		}
		lines = append(lines, name+":"+strings.Join(strings.Fields(value), " "))
	}
	lines = append(lines, "", strings.Join(s.headers, ";"), s.payload)
	hash := sha256.Sum256([]byte(strings.Join(lines, "\n")))

	key := []byte("AWS4" + s.secret)
	for part := range strings.SplitSeq(s.scope, "/") {
		key = hmacSHA256(key, part)
	}
	text := fmt.Sprintf("AWS4-HMAC-SHA256\n%s\n%s\n%x", s.date, s.scope, hash)
	return fmt.Sprintf("%x", hmacSHA256(key, text))
}

func hmacSHA256(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// exportCredentials returns the command that sets the variables of AWS to the credentials of a
// profile, in PowerShell on Windows (https://docs.aws.amazon.com/cli/latest/reference/configure/export-credentials.html).
func exportCredentials(goos string) string {
	if goos == "windows" {
		return "aws configure export-credentials --format powershell | Out-String | Invoke-Expression"
	}
	return `eval "$(aws configure export-credentials --format env)"`
}
