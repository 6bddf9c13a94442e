package canon

// Credential exchanges that pass through the same client: OAuth 2.0 token
// endpoints (RFC 6749, RFC 7523; IBM's gives a token for an API key,
// https://cloud.ibm.com/apidocs/iam-identity-token-api) and AWS STS
// (https://docs.aws.amazon.com/STS/latest/APIReference). What is secret in them
// is redacted before it gets here; what is signed anew for every request does
// not match.
var credentialFamilies = []*Family{
	{
		Name:  "credentials.token",
		Paths: []string{"/token", "/access_token"}, // /oauth2/v2.0/token, /identity/token
		Has:   []string{"grant_type"},
		Forms: true, NoModel: true,
		Bookkeeping: []string{
			"apikey", "assertion", "client_assertion", "client_secret", "code", "code_verifier", "device_code", "password",
			"refresh_token", "subject_token", "actor_token",
		},
	},
	{
		Name:        "credentials.sts",
		Paths:       []string{""},
		Has:         []string{"RoleArn"},
		Forms:       true,
		NoModel:     true,
		Bookkeeping: []string{"RoleSessionName", "SAMLAssertion", "TokenCode", "WebIdentityToken"},
	},
}
