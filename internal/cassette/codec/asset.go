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
	minAssetBody   = 1 << 10  // a binary body longer than this, in bytes, is an asset
	minAssetString = 16 << 10 // base64 within JSON longer than this, in characters, is one
)

var (
	assetName   = memo.Regexp(`^[0-9a-f]{16}\.[a-z0-9]{1,8}$`)
	assetPrefix = memo.Regexp(`^data:[A-Za-z0-9!#$&^_.+/;=-]*;base64,`)
)

// IsAssetName reports whether a file is named like an asset.
func IsAssetName(name string) bool { return assetName().MatchString(name) }

// NameAsset returns the name of the asset with this content.
func NameAsset(content []byte) string { return nameAsset(content, "", "") }

// nameAsset is NameAsset for the content of a file whose name and media type may be known.
func nameAsset(content []byte, file, media string) string {
	ext, _ := upload.Format(content, file, media)
	return hashAsset(content) + "." + ext
}

func hashAsset(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8])
}

// AddAsset adds an asset to those of a file. It is an error if another one has its name.
func AddAsset(assets map[string][]byte, name string, content []byte) error {
	if old, ok := assets[name]; ok && !bytes.Equal(old, content) {
		return fmt.Errorf("two assets have the same name %q", name)
	}
	assets[name] = content
	return nil
}

// cutBase64 splits a string that is large base64, with a data: prefix or
// without, into prefix and content. Encoding the content gives the same text.
func cutBase64(s string) (prefix string, content []byte, ok bool) {
	if len(s) <= minAssetString {
		return "", nil, false
	}
	if strings.HasPrefix(s, "data:") {
		prefix = assetPrefix().FindString(s[:min(len(s), 256)])
	}
	text := s[len(prefix):]
	if len(text) <= minAssetString || len(text)%4 != 0 || strings.ContainsAny(text[:64], "\r\n ") {
		return "", nil, false
	}
	content, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || base64.StdEncoding.EncodedLen(len(content)) != len(text) {
		return "", nil, false // the decoder skips line ends: then the length differs
	}
	return prefix, content, true
}

func encodeBase64(b []byte) string { return base64.StdEncoding.EncodeToString(b) }
