package redact

import (
	"crypto/x509"
	_ "embed" // for the keys
	"encoding/base64"
	encoding "encoding/pem"
	"fmt"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// keys has private keys that were made to stand for others.
//
//go:embed keys.pem
var keys string

// keyPlaceholder returns the key of ours that has the label and the kind of a key in PEM, with its
// lines ended as in that.
func keyPlaceholder(text string) string {
	m := pemStart().FindStringSubmatch(text)
	switch {
	case m == nil:
		return Placeholder
	case !strings.Contains(m[1], "PRIVATE KEY"):
		return text // everybody may have a certificate
	}
	label, lineEnd := m[1], m[2]
	kindOf := func(block *encoding.Block) string {
		key, _ := x509.ParsePKCS8PrivateKey(block.Bytes)
		return fmt.Sprintf("%T", key)
	}
	theirs, _ := encoding.Decode([]byte(strings.ReplaceAll(text, lineEnd, "\n")))
	var found *encoding.Block
	for block, rest := encoding.Decode([]byte(keys)); block != nil; block, rest = encoding.Decode(rest) {
		if block.Type == label && (found == nil || theirs != nil && kindOf(block) == kindOf(theirs)) {
			found = block
		}
	}
	if found == nil {
		return Placeholder
	}
	out := strings.TrimSuffix(string(encoding.EncodeToMemory(found)), "\n")
	return strings.ReplaceAll(out, "\n", lineEnd) + text[len(strings.TrimRight(text, `\nr `+"\r\n")):]
}

var pemStart = memo.Regexp(`^-----BEGIN ([A-Z0-9 ]+)-----((?:\\+r)?\\+n|\r?\n)`)

// isTypedPlaceholder reports whether what looks like a secret stands for one.
func isTypedPlaceholder(b string) bool {
	if strings.HasPrefix(b, "LS0tLS1CRUdJTi") { // pemBegin in base64
		plain, _ := base64.StdEncoding.DecodeString(b)
		b = string(plain)
	}
	isTyped := mayHaveTyped(b) && onlyTyped().MatchString(b)
	return isTyped || strings.HasPrefix(b, pemBegin) && keyPlaceholder(b) == b
}
