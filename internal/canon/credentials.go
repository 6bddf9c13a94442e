package canon

import (
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// Credential exchanges that pass through the same client: OAuth 2.0 token
// endpoints (RFC 6749, RFC 7523; IBM's gives a token for an API key,
// https://cloud.ibm.com/apidocs/iam-identity-token-api) and AWS STS, which others
// have too (https://docs.aws.amazon.com/STS/latest/APIReference; it speaks the Query
// protocol only). What is secret in them is redacted before it gets here; what is
// signed anew for every request does not match. Whose credential it is, only origin
// and path may tell: a tenant, a realm.
func credentialFamilies() []*Family {
	return []*Family{
		{
			Name:       "credentials.token",
			Paths:      []string{"/{endpoint=token}", "/{endpoint=access_token}"}, // /oauth2/v2.0/token, /identity/token
			Needs:      []string{"grant_type"},
			TakesForms: true,
			Server:     true,
			Bookkeeping: []string{
				"apikey", "assertion", "client_assertion", "client_secret", "code", "code_verifier", "device_code", "password",
				"refresh_token", "subject_token", "actor_token",
			},
			Acts: []string{"*"},
		},
		{
			Name:        "credentials.sts",
			Paths:       []string{""},
			Needs:       []string{"RoleArn Action=AssumeRole*"},
			TakesForms:  true,
			Server:      true,
			Bookkeeping: []string{"RoleSessionName", "SAMLAssertion", "TokenCode", "WebIdentityToken"},
			Rewrites:    []Rewrite{stsRegion},
			Acts:        []string{"*"},
		},
	}
}

// stsRegion makes the regional endpoints of AWS STS one, which give the same
// credentials (https://docs.aws.amazon.com/general/latest/gr/sts.html): the host only
// chooses, as it does for a model API.
func stsRegion(r *request, _ *exactjson.Value) {
	host := r.Origin
	dots := strings.Count(host, ".")
	r.anyHost = strings.HasPrefix(host, "sts.") && strings.HasSuffix(host, ".amazonaws.com") && dots <= 3
}
