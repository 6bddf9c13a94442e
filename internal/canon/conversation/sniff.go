package conversation

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// signs are how the bytes of pictures and sounds begin, after so many others.
var signs = []struct {
	after      int
	sign, kind string
}{
	{0, "\x89PNG\r\n\x1a\n", "image/png"}, {0, "\xff\xd8\xff", "image/jpeg"}, {0, "GIF8", "image/gif"}, {8, "WEBP", "image/webp"}, {8, "WAVE", "audio/wav"},
	{0, "ID3", "audio/mpeg"}, {0, "\xff\xfb", "audio/mpeg"}, {0, "\xff\xf3", "audio/mpeg"}, {0, "OggS", "audio/ogg"}, {0, "fLaC", "audio/flac"},
	{4, "ftypM4A", "audio/mp4"}, {4, "ftyp", "video/mp4"}, {0, "\x1aE\xdf\xa3", "video/webm"}, {0, "%PDF-", "application/pdf"},
}

// mediaOf returns the type of a picture, a sound or a film by its first bytes, "" if it is none
// that is known.
func mediaOf(data []byte) string {
	for _, s := range signs {
		if len(data) >= s.after && bytes.HasPrefix(data[s.after:], []byte(s.sign)) {
			return s.kind
		}
	}
	return ""
}

// fromBase64 decodes a text that may be a medium, with or without "data:TYPE;base64," before
// it. It returns nil if it is none.
func fromBase64(text string) []byte {
	const least = 64 // bytes of the smallest picture
	if rest, ok := strings.CutPrefix(text, "data:"); ok {
		_, text, _ = strings.Cut(rest, ",")
	}
	if len(text) < least || strings.ContainsAny(text[:least], " \n{") {
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
