package codec

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/nethttp/upload"
)

// Assets are the large binary parts of a cassette, each a file named for its
// content: 16 hex digits of the content's sha256, and an extension.

const (
	minAssetBody   = 1 << 10  // a binary body with more bytes is an asset
	minAssetString = 16 << 10 // a string of JSON with more characters of base64 is an asset
)

var (
	assetName   = memo.Regexp(`^[0-9a-f]{16}\.[a-z0-9]{1,8}$`)
	assetPrefix = memo.Regexp(`^data:[A-Za-z0-9!#$&^_.+/;=-]*;base64,`)
)

// IsAssetName reports whether name is that of an asset.
func IsAssetName(name string) bool { return assetName().MatchString(name) }

// NameAsset returns the name of the asset with this content.
func NameAsset(content []byte) string { return nameAsset(content, "", "") }

// nameAsset returns the name of the asset with this content. file and media are the name and the
// media type of an uploaded file with the content; both may be empty.
func nameAsset(content []byte, file, media string) string {
	ext, _ := upload.Format(content, file, media)
	return hashAsset(content) + "." + ext
}

// hashAsset returns the hash in the name of the asset with this content.
func hashAsset(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8])
}

// AddAsset adds an asset to assets, whose keys are names. It is an error if they have an asset with
// this name and another content.
func AddAsset(assets map[string][]byte, name string, content []byte) error {
	old, exists := assets[name]
	if exists && !bytes.Equal(old, content) {
		return fmt.Errorf("two assets have the same name %q", name)
	}
	assets[name] = content
	return nil
}

// cutBase64 splits a string that is much base64, such as "data:image/png;base64,iVBORw0...", into
// the prefix before the base64 and the decoded content. The prefix may be empty. Encoding the content
// gives the same string again. cutBase64 returns false for any other string.
func cutBase64(s string) (prefix string, content []byte, ok bool) {
	if len(s) <= minAssetString {
		return "", nil, false
	}
	if strings.HasPrefix(s, "data:") {
		prefix = assetPrefix().FindString(s[:min(len(s), 256)])
	}
	text := s[len(prefix):]
	if len(text) <= minAssetString || len(text)%4 != 0 {
		return "", nil, false
	}
	hasLines := strings.ContainsAny(text[:64], "\r\n ") // base64 of MIME has lines of 76 characters
	if hasLines {
		return "", nil, false
	}
	content, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || base64.StdEncoding.EncodedLen(len(content)) != len(text) {
		return "", nil, false // the decoder skips line ends: with any, the length differs
	}
	return prefix, content, true
}

func encodeBase64(b []byte) string { return base64.StdEncoding.EncodeToString(b) }
