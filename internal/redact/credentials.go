package redact

import (
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/memo"
)

// This file is the only one with names of credentials. names.go says what a name means.
//
//	list                          names of                       the value is a secret
//	secretNames                   fields, headers, parameters    if it looks like one
//	variableEnds, harmlessKeys    environment variables          if it looks like one
//	privateJWKMembers             members of a JSON Web Key      if it looks like one
//	secretFields, exchangeFields, fields of bodies and forms     always, or where secrets
//	grantFields                                                  are exchanged
//	keysInForm                    parameters of forms            if it is a key
//	keyNames                      parameters, by their host      always
//	signatureSchemes              parameters that sign a URL     if the URL is signed
//	openParameters,               parameters of an Authorization always, but for the open
//	signParameters                header                         ones
//	mayHoldCredential             headers, cookies, parameters   if it must not be overlooked
//	credentialVariable            variables that code reads      not known: only the name is

// secretNames are the ends of names whose value is a secret if it looks random, and the
// kind of that secret. They are in lower case and have no "-" and "_". "token" and "key"
// alone are not among them: a piece of text is called a token, and a row of a table has a
// key.
var secretNames = []struct {
	kind kind
	ends []string
}{
	{awsSecretKey, strings.Fields("secretaccesskey awssecretkey awssecret")},
	{awsSessionToken, strings.Fields("awssessiontoken amzsecuritytoken")},
	{azureKey, strings.Fields("sharedaccesskey accountkey subscriptionkey")},
	{signatureOfURL, strings.Fields("amzsignature googsignature")},
	{apiKey, strings.Fields("apikey openaikey anthropickey geminikey accesskey authkey serverkey " +
		"clientkey writekey ingestkey ingestionkey instrumentationkey deploykey applicationkey")},
	{namedSecret, strings.Fields(`secret secretid secretvalue secretstring secretbinary securestring
		secretkey signingkey privatekey encryptionkey masterkey unsealkey hmackey sharedkey
		functionkey recoverycode backupcode`)},
	{namedToken, strings.Fields(`accesstoken refreshtoken sessiontoken securitytoken authtoken
		apitoken bottoken bearertoken privatetoken gitlabtoken githubtoken slacktoken identitytoken
		authorizationtoken oauthtoken verificationtoken deploytoken registrationtoken jointoken
		roottoken usertoken servicetoken logintoken webhooktoken admintoken personaltoken
		secrettoken csrftoken xsrftoken resettoken invitetoken invitationtoken magictoken
		remembertoken npmtoken pypitoken ghtoken jobtoken citoken vaulttoken sastoken idtoken
		tunneltoken connectiontoken mastertoken clientassertion devicecode codeverifier`)},
	{authorization, strings.Fields("authorization")},
	{namedCredential, strings.Fields(`routingkey integrationkey servicekey consumerkey
		licensekey appkey hostkey sessionkey accesscode credential credentials baton`)},
	{namedPassword, strings.Fields(`password passwd passphrase passcode pwd dbpass userpass
		smtppass mailpass`)},
}

var (
	// ofThings are words before "key" and "token" that make these the names of data: of what
	// is stored, sent, cached or traded.
	ofThings = strings.Fields(`object card public item file image document record row cache
		surrogate message issue flag product event translation sell buy from to input output base
		quote source target contract mint pair stop start end pad`)
	// ofSecrets are words at the end of a name that make it the name of a property of a
	// secret, or of its owner.
	ofSecrets = strings.Fields(`email user username name tenant group groups roles issuer realm
		scheme method type address symbol in out length changed before after since words count age
		days min max policy strength hint required expires expiry`)
)

// A hostName is the name of a parameter, and the host that has it.
type hostName struct{ host, name string }

// keyNames are names that have many meanings, and the hosts whose documentation says that
// the parameter is the key.
var keyNames = []hostName{
	{"googleapis.com", "key"},         // https://cloud.google.com/apis/docs/system-parameters
	{"openweathermap.org", "appid"},   // https://openweathermap.org/appid
	{"api.wolframalpha.com", "appid"}, // https://products.wolframalpha.com/api/documentation
	// https://developer.atlassian.com/cloud/trello/guides/rest-api/authorization/
	{"api.trello.com", "key"},
	{"api.trello.com", "token"},
	{"api.weatherapi.com", "key"}, // https://www.weatherapi.com/docs/
	{"finnhub.io", "token"},       // https://finnhub.io/docs/api/authentication
}

// variableEnds are the ends of environment variables such as MISTRAL_API_KEY. harmlessKeys
// are words before these ends that make the variable one of data.
var (
	variableEnds = strings.Fields("_KEY _TOKEN _SECRET _PAT _PASSWORD _PWD")
	harmlessKeys = strings.Fields(`PUBLIC PRIMARY FOREIGN CACHE SORT PARTITION PAGE NEXT IDEMPOTENCY
		PUBLISHABLE ROUTING`)
)

// privateJWKMembers are the private members of a JSON Web Key (RFC 7518, section 6).
var privateJWKMembers = strings.Fields("d p q dp dq qi k")

// secretFields are the names of fields that have a secret in any body: of OAuth 2.0 (RFC
// 6749, RFC 7521, RFC 8693), of AWS STS, Secrets Manager, ECR and instance metadata, and of
// Docker registries. No model API has a field of such a name.
const secretFields = `access_token|refresh_token|client_secret|client_assertion|` +
	`subject_token|actor_token|WebIdentityToken|SAMLAssertion|TokenCode|` +
	`secretAccessKey|SecretAccessKey|sessionToken|SessionToken|` +
	`SecretString|SecretBinary|IdentityToken|identitytoken|authorizationToken`

// exchangeFields are the names of fields that have a secret where secrets are exchanged,
// and may have data elsewhere: a test has assertions, too. They are those of RFC 6749, RFC
// 7521, RFC 7636, RFC 8628 and OpenID Connect, as Google, Microsoft, IBM, AWS and GitHub
// spell them.
const exchangeFields = secretFields + `|assertion|id_token|device_code|code_verifier|` +
	`private_key|apikey|token|accessToken|refreshToken|idToken|clientSecret|` +
	`deviceCode|codeVerifier|secret_id|session_id|sessionId|otp`

// grantFields are the names of fields that have a secret in a request for an exchange. They
// include "code", which is the code of an error in a response.
const grantFields = exchangeFields + `|code|password`

// keysInForm are the names of fields of a URL-encoded form that may have data or a key.
var keysInForm = strings.Fields("token key secret auth session ticket code")

// A signatureScheme is a way of signing URLs. A URL that has all required parameters is
// signed. These and the others sign it, and have new values with each signature. All
// other parameters select the object, even if their names begin alike.
type signatureScheme struct{ required, others string }

var signatureSchemes = []signatureScheme{
	// AWS Signature Version 4,
	// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
	{"x-amz-signature", `x-amz-algorithm x-amz-credential x-amz-date x-amz-expires x-amz-region-set
		x-amz-s3session-token x-amz-security-token x-amz-signedheaders`},
	// The same by Google, https://cloud.google.com/storage/docs/authentication/signatures
	{"x-goog-signature", `x-goog-algorithm x-goog-credential x-goog-date x-goog-expires
		x-goog-signedheaders`},
	// The same by Alibaba,
	// https://www.alibabacloud.com/help/en/oss/developer-reference/add-signatures-to-urls
	{"x-oss-signature", `x-oss-additional-headers x-oss-credential x-oss-date x-oss-expires
		x-oss-security-token x-oss-signature-version`},
	// The same by Volcengine, https://www.volcengine.com/docs/6349/74876, and by Tencent,
	// https://www.tencentcloud.com/document/product/436/7778
	{"x-tos-signature", `x-tos-algorithm x-tos-credential x-tos-date x-tos-expires
		x-tos-security-token x-tos-signedheaders`},
	{"q-signature q-sign-time", "q-sign-algorithm q-ak q-key-time q-header-list q-url-param-list"},
	// AWS Signature Version 2, and the same by Google and Alibaba.
	{"awsaccesskeyid signature", "expires x-amz-security-token"},
	{"googleaccessid signature", "expires"},
	{"ossaccesskeyid signature", "expires security-token"},
	// Amazon CloudFront, signed URLs.
	{"key-pair-id signature", "expires policy hash-algorithm"},
	// Azure Storage: shared access signatures of a service, an account, a user.
	{"sig sv", `se st sp sr sip spr ss srt sdd si ses ske skt sks skv skoid sktid skdutid
		sduoid saoid suoid scid`},
}

// signingNames are the names of all parameters that may sign a URL, in lower case.
var signingNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, s := range signatureSchemes {
		for name := range strings.FieldsSeq(s.required + " " + s.others) {
			names[name] = true
		}
	}
	return names
})

// The parameters of an Authorization header that are public, and those that sign one
// request only.
var (
	openParameters = strings.Fields(`realm uri username username* algorithm qop nc domain
		signedheaders headers timestamp version signature_method created expires sr skn`)
	signParameters = strings.Fields("signature response nonce cnonce opaque sig verifier")
)

// randomNames are the last words of names whose values look random and are not secrets.
var randomNames = strings.Fields(`id ids uuid guid arn sha sha256 hash digest checksum commit
	revision build seed`)

// mayHoldCredential matches the names of headers, cookies and parameters that may have a
// credential.
var mayHoldCredential = memo.Regexp(`auth|^appid$|key|token|secret|passw|credential|` +
	`cookie|session|jwt`)

// MayHoldCredential reports whether a header, a cookie or a parameter of this name may have
// a credential. It is for decisions in which a credential must not be overlooked, and
// includes names such as "x-author".
func MayHoldCredential(name string) bool {
	return mayHoldCredential().MatchString(strings.ToLower(name))
}

// credentialVariable matches the names of environment variables from which code reads
// credentials.
var credentialVariable = memo.Regexp(`KEY|TOKEN|SECRET|CREDENTIAL`)

// IsCredentialVariable reports whether the name of an environment variable says that code
// reads a credential from it. variableEnds has fewer names, since it decides about values:
// AWS_ACCESS_KEY_ID is not a secret.
func IsCredentialVariable(name string) bool { return credentialVariable().MatchString(name) }
