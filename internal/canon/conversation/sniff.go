package conversation

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// signatures are the bytes at fixed offsets that tell the media type of data. The first row
// that matches decides.
var signatures = []struct {
	offset    int
	bytes     string
	mediaType string
}{
	{0, "\x89PNG\r\n\x1a\n", "image/png"},
	{0, "\xff\xd8\xff", "image/jpeg"},
	{0, "GIF8", "image/gif"},
	{8, "WEBP", "image/webp"},
	{8, "WAVE", "audio/wav"},
	{0, "ID3", "audio/mpeg"},
	{0, "\xff\xfb", "audio/mpeg"},
	{0, "\xff\xf3", "audio/mpeg"},
	{0, "OggS", "audio/ogg"},
	{0, "fLaC", "audio/flac"},
	{4, "ftypM4A", "audio/mp4"},
	{4, "ftyp", "video/mp4"},
	{0, "\x1aE\xdf\xa3", "video/webm"},
	{0, "%PDF-", "application/pdf"},
}

// mediaTypeOf returns the media type of a picture, a sound, a film or a PDF by its first bytes,
// or "" if the type is unknown.
func mediaTypeOf(data []byte) string {
	for _, s := range signatures {
		if len(data) >= s.offset && bytes.HasPrefix(data[s.offset:], []byte(s.bytes)) {
			return s.mediaType
		}
	}
	return ""
}

// base64Size returns the number of bytes that a base64 text has when decoded.
func base64Size(text string) int { return len(strings.TrimRight(text, "=")) * 3 / 4 }

// fromBase64 decodes base64 that may be media, with or without padding and with or without
// "data:TYPE;base64," before it. It returns nil for a shorter or any other text.
func fromBase64(text string) []byte {
	const least = 64 // characters: a picture has more
	if rest, ok := strings.CutPrefix(text, "data:"); ok {
		_, text, _ = strings.Cut(rest, ",")
	}
	mayBeBase64 := len(text) >= least && !strings.ContainsAny(text[:least], " \n{")
	if !mayBeBase64 {
		return nil
	}
	text = strings.TrimRight(text, "=")
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		data, err = base64.RawURLEncoding.DecodeString(text)
	}
	if err != nil {
		return nil
	}
	return data
}
