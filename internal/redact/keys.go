package redact

import (
	"crypto/x509/pkix"
	_ "embed" // for the keys
	"encoding/asn1"
	"encoding/base64"
	encoding "encoding/pem"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// keys has private keys in PEM, one for each type of key. They are public: they are
// the placeholders for private keys.
//
//go:embed keys.pem
var keys string

// keyPlaceholder returns the placeholder for a private key in PEM: a key of the same
// label and, if there is one, of the same algorithm. It has the line ends of the
// private key. A certificate is not a secret, and is returned as it is.
func keyPlaceholder(text string) string {
	m := pemStart().FindStringSubmatch(text)
	if m == nil {
		return Placeholder
	}
	label, lineEnd := m[1], m[2]
	if !strings.Contains(label, "PRIVATE KEY") {
		return text
	}
	secret, _ := encoding.Decode([]byte(strings.ReplaceAll(text, lineEnd, "\n")))
	placeholder := keyOfType(label, secret)
	if placeholder == nil {
		return Placeholder
	}
	out := strings.TrimSuffix(string(encoding.EncodeToMemory(placeholder)), "\n")
	ending := text[len(strings.TrimRight(text, `\nr `+"\r\n")):]
	return strings.ReplaceAll(out, "\n", lineEnd) + ending
}

// keyOfType returns the first of the placeholder keys that has a label, or the last one
// that has the algorithm of a secret key, too. The secret is nil if it cannot be decoded.
func keyOfType(label string, secret *encoding.Block) *encoding.Block {
	var found *encoding.Block
	for rest := []byte(keys); ; {
		var block *encoding.Block
		block, rest = encoding.Decode(rest)
		if block == nil {
			return found
		}
		if block.Type != label {
			continue
		}
		if found == nil || secret != nil && algorithm(block) == algorithm(secret) {
			found = block
		}
	}
}

// algorithm returns the OID of the algorithm of a key in PKCS #8 (RFC 5958, section 2), or "".
// To parse the key itself would link all of signing into every test.
func algorithm(block *encoding.Block) string {
	var key struct {
		Version    int
		Algorithm  pkix.AlgorithmIdentifier
		PrivateKey []byte
		// Optional attributes follow.
	}
	_, err := asn1.Unmarshal(block.Bytes, &key)
	if err != nil {
		return ""
	}
	return key.Algorithm.Algorithm.String()
}

// pemStart matches the first line of PEM. Its groups are the label and the line end,
// which may be escaped several times.
var pemStart = memo.Regexp(`^-----BEGIN ([A-Z0-9 ]+)-----((?:\\+r)?\\+n|\r?\n)`)

// isTypedPlaceholder reports whether a value is a typed placeholder: a text of typedExpr,
// or one of the placeholder keys, as PEM or as base64 of PEM. Such a value may look like a
// secret.
func isTypedPlaceholder(value string) bool {
	isPEMInBase64 := strings.HasPrefix(value, "LS0tLS1CRUdJTi") // pemBegin in base64
	if isPEMInBase64 {
		plain, _ := base64.StdEncoding.DecodeString(value)
		value = string(plain)
	}
	if mayHaveTyped(value) && onlyTyped().MatchString(value) {
		return true
	}
	return strings.HasPrefix(value, pemBegin) && keyPlaceholder(value) == value
}
