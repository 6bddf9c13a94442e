package redact

import "cmp"

// A kind is a kind of secret. Code decides by the kind; String returns its name
// for messages.
type kind uint8

const (
	noKind kind = iota

	// Kinds that the name next to a value says.
	awsSecretKey
	awsSessionToken // may have percent escapes, in a URL
	azureKey
	signatureOfURL // differs each time that a URL is signed
	apiKey         // may be a UUID
	namedSecret
	namedToken
	authorization // a scheme may precede the value
	// namedCredential has a name that may also be one of data. It is a secret only if
	// it looks random. The routing key of an alarm is a secret, that of a queue is not.
	namedCredential
	namedPassword      // may have any visible characters
	variableCredential // the value of an environment variable
	schemeBearer       // the name is a scheme of HTTP authentication (RFC 6750)
	schemeBasic        // the same (RFC 7617)

	// Kinds that the place of a value says.
	bearerToken
	basicAuthentication
	passwordInURL

	ofKnownFormat // the format has a name of its own

	// Known secrets, by how they are spelled in the text.
	kindPlain
	kindUTF16
	kindLine // one line of a secret that has several
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

// kindName returns the name of the kind of a match, for messages.
func (m match) kindName() string { return cmp.Or(m.formatName, m.kind.String()) }
