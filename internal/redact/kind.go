package redact

import "cmp"

// A kind is a kind of secret. Decisions compare kinds; the words of String are
// for messages.
type kind uint8

const (
	noKind kind = iota

	// By the name next to the value.
	awsSecretKey
	awsSessionToken // has percent escapes in a URL
	azureKey
	signatureOfURL // new with each signature
	apiKey         // may be a UUID
	namedSecret
	namedToken
	authorization // a scheme may precede the value
	// What a name calls a secret that may as well be data, if it does not look
	// random: the routing key of an alarm, and of a queue.
	namedCredential
	namedPassword // has other characters than keys
	variableCredential
	schemeBearer // the name is a scheme of HTTP authentication (RFC 6750)
	schemeBasic  // the same (RFC 7617)

	// By its place.
	bearerToken
	basicAuthentication
	passwordInURL

	ofKnownFormat // its format tells whose it is, and has the words

	// Known values, by how they are spelled.
	kindPlain
	kindUTF16
	kindLine // of several
)

var kindWords = [...]string{
	awsSecretKey:       "AWS secret access key",
	awsSessionToken:    "AWS session token",
	azureKey:           "Azure key",
	signatureOfURL:     "signature of a URL",
	apiKey:             "API key",
	namedSecret:        "secret",
	namedToken:         "token",
	authorization:      "authorization",
	namedCredential:    "credential",
	namedPassword:      "password",
	variableCredential: "credential in a variable",

	bearerToken:         "bearer token",
	basicAuthentication: "basic authentication",
	passwordInURL:       "password in a URL",

	kindPlain: "plain",
	kindUTF16: "UTF-16",
	kindLine:  "line",
}

func (k kind) String() string { return kindWords[k] }

// kindName returns what a match is, for messages.
func (m match) kindName() string { return cmp.Or(m.formatName, m.kind.String()) }
