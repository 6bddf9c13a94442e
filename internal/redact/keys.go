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

// keys has private keys that were made to stand for others.
//
//go:embed keys.pem
var keys string

// keyLike returns the key of ours that has the label and the kind of a key in PEM, with its
// lines ended as in that.
func keyLike(text string) string {
	m := pemStart().FindStringSubmatch(text)
	switch {
	case m == nil:
		return Placeholder
	case !strings.Contains(m[1], "PRIVATE KEY"):
		return text // everybody may have a certificate
	}
	label, lineEnd := m[1], m[2]
	theirs, _ := encoding.Decode([]byte(strings.ReplaceAll(text, lineEnd, "\n")))
	var found *encoding.Block
	for block, rest := encoding.Decode([]byte(keys)); block != nil; block, rest = encoding.Decode(rest) {
		if block.Type == label && (found == nil || theirs != nil && algorithm(block) == algorithm(theirs)) {
			found = block
		}
	}
	if found == nil {
		return Placeholder
	}
	out := strings.TrimSuffix(string(encoding.EncodeToMemory(found)), "\n")
	return strings.ReplaceAll(out, "\n", lineEnd) + text[len(strings.TrimRight(text, `\nr `+"\r\n")):]
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

var pemStart = memo.Regexp(`^-----BEGIN ([A-Z0-9 ]+)-----((?:\\+r)?\\+n|\r?\n)`)

// isStandIn reports whether what looks like a secret stands for one.
func isStandIn(b string) bool {
	if strings.HasPrefix(b, "LS0tLS1CRUdJTi") { // pemBegin in base64
		plain, _ := base64.StdEncoding.DecodeString(b)
		b = string(plain)
	}
	isTyped := mayHoldTyped(b) && onlyTyped().MatchString(b)
	return isTyped || strings.HasPrefix(b, pemBegin) && keyLike(b) == b
}
