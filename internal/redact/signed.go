package redact

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/coding"
	"github.com/promptecho/promptecho/internal/redact/carrier"
)

// A scheme is a way of signing URLs: a URL that has all the parameters of has is signed,
// and those that sign it are the ones of names as well. They are new with every signature;
// what is asked for is in the others, also in those that start like them.
type scheme struct{ has, names string }

var schemes = []scheme{
	// AWS Signature Version 4, https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
	{"x-amz-signature", `x-amz-algorithm x-amz-credential x-amz-date x-amz-expires x-amz-region-set
		x-amz-s3session-token x-amz-security-token x-amz-signedheaders`},
	// The same by Google, https://cloud.google.com/storage/docs/authentication/signatures
	{"x-goog-signature", "x-goog-algorithm x-goog-credential x-goog-date x-goog-expires x-goog-signedheaders"},
	// And by Alibaba, https://www.alibabacloud.com/help/en/oss/developer-reference/add-signatures-to-urls
	{"x-oss-signature", `x-oss-additional-headers x-oss-credential x-oss-date x-oss-expires x-oss-security-token
		x-oss-signature-version`},
	// By Volcengine, https://www.volcengine.com/docs/6349/74876, and by Tencent, https://www.tencentcloud.com/document/product/436/7778
	{"x-tos-signature", "x-tos-algorithm x-tos-credential x-tos-date x-tos-expires x-tos-security-token x-tos-signedheaders"},
	{"q-signature q-sign-time", "q-sign-algorithm q-ak q-key-time q-header-list q-url-param-list"},
	// Version 2, which Google and Alibaba had too.
	{"awsaccesskeyid signature", "expires x-amz-security-token"},
	{"googleaccessid signature", "expires"},
	{"ossaccesskeyid signature", "expires security-token"},
	// Amazon CloudFront, signed URLs.
	{"key-pair-id signature", "expires policy hash-algorithm"},
	// Azure Storage: shared access signatures of a service, an account, a user.
	{"sig sv", "se st sp sr sip spr ss srt sdd si ses ske skt sks skv skoid sktid skdutid sduoid saoid suoid scid"},
}

// signing returns the names in lower case of the parameters of a query that sign it: none
// if it is not signed.
func signing(pairs []string) []string {
	var names []string
	for _, pair := range pairs {
		name, _, _ := strings.Cut(pair, "=")
		names = append(names, strings.ToLower(coding.UnescapeQuery(name)))
	}
	isMissing := func(name string) bool { return !slices.Contains(names, name) }
	for _, s := range schemes {
		if has := strings.Fields(s.has); !slices.ContainsFunc(has, isMissing) {
			return append(has, strings.Fields(s.names)...)
		}
	}
	return nil
}

// signingNames are the names in lower case of all parameters that may sign a URL.
var signingNames = func() map[string]bool {
	names := map[string]bool{}
	for _, s := range schemes {
		for name := range strings.FieldsSeq(s.has + " " + s.names) {
			names[name] = true
		}
	}
	return names
}()

// isSignature reports whether a leaf is a parameter that signs a URL. In a request, that
// is not only the signature itself: a URL that is signed again for the same picture is the
// same. In an answer everything but the signature stays.
func (f *finder) isSignature(l *carrier.Leaf) bool {
	if l.In != carrier.Query && l.In != carrier.Form {
		return false
	}
	name := strings.ToLower(l.Name)
	isWanted := !f.side.isAnswer || name == "sig" || strings.HasSuffix(name, "signature")
	if !isWanted || !signingNames[name] || l.Text == "" || isHidden(l.Text) || isStandIn(l.Text) {
		return false
	}
	if len(l.Members) == 0 {
		return false
	}
	if f.query != &l.Members[0] {
		var pairs []string
		for _, m := range l.Members {
			pairs = append(pairs, m.Name)
		}
		f.query, f.signs = &l.Members[0], signing(pairs)
	}
	return slices.Contains(f.signs, name)
}
