package canon

import (
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// credentialFamilies returns the families of the credential exchanges that
// clients of model APIs make over HTTP:
//
//   - token endpoints of OAuth 2.0 (RFC 6749, RFC 7523). IBM's gives a token for an API key
//     (https://cloud.ibm.com/apidocs/iam-identity-token-api).
//   - AWS STS in the Query protocol (https://docs.aws.amazon.com/STS/latest/APIReference), which
//     other vendors have, too.
//
// Secrets are redacted before, and fields that are signed for each request do
// not match. Only the origin and the path may tell whose credential it is (a
// tenant, a realm), so both match.
func credentialFamilies() []*Family {
	return []*Family{
		{
			Name: "credentials.token",
			// /oauth2/v2.0/token, /identity/token
			Paths:      []string{"/{endpoint=token}", "/{endpoint=access_token}"},
			Needs:      []string{"grant_type"},
			TakesForms: true,
			Server:     true,
			Bookkeeping: []string{
				"apikey", "assertion", "client_assertion", "client_secret", "code", "code_verifier",
				"device_code", "password", "refresh_token", "subject_token", "actor_token",
			},
			SideEffects: []string{"*"},
		},
		{
			Name:       "credentials.sts",
			Paths:      []string{""},
			Needs:      []string{"RoleArn Action=AssumeRole*"},
			TakesForms: true,
			Server:     true,
			Bookkeeping: []string{
				"RoleSessionName", "SAMLAssertion", "TokenCode", "WebIdentityToken",
			},
			Rewrites:    []Rewrite{ignoreSTSRegion},
			SideEffects: []string{"*"},
		},
	}
}

// ignoreSTSRegion makes the hosts of the regional endpoints of AWS STS not
// match: they give the same credentials
// (https://docs.aws.amazon.com/general/latest/gr/sts.html).
func ignoreSTSRegion(r *request, _ *exactjson.Value) {
	host := r.Origin
	isSTS := strings.HasPrefix(host, "sts.") && strings.HasSuffix(host, ".amazonaws.com")
	r.anyHost = isSTS && strings.Count(host, ".") <= 3
}
