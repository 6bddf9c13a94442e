package upload

import (
	"bytes"
	"mime"
	"path"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// formats are the formats of files that models read and write. A file of a format has
// the bytes of magic at an offset.
var formats = []struct {
	ext, media string
	offset     int
	magic      string
}{
	{"png", "image/png", 0, "\x89PNG\r\n\x1a\n"},
	{"jpg", "image/jpeg", 0, "\xff\xd8\xff"},
	{"webp", "image/webp", 8, "WEBP"},
	{"gif", "image/gif", 0, "GIF8"},
	{"pdf", "application/pdf", 0, "%PDF-"},
	{"wav", "audio/wav", 8, "WAVE"},
	{"mp3", "audio/mpeg", 0, "ID3"},
	{"mp3", "audio/mpeg", 0, "\xff\xfb"},
	{"mp3", "audio/mpeg", 0, "\xff\xf3"},
	{"mp3", "audio/mpeg", 0, "\xff\xf2"},
	{"m4a", "audio/mp4", 4, "ftypM4A"},
	{"mp4", "video/mp4", 4, "ftyp"},
	{"ogg", "audio/ogg", 0, "OggS"},
	{"flac", "audio/flac", 0, "fLaC"},
	{"webm", "video/webm", 0, "\x1aE\xdf\xa3"},
}

// maxStart is how many bytes of a file Format needs to know its format.
const maxStart = 16

const unknown = "application/octet-stream"

var (
	extension = memo.Regexp(`^[a-z0-9]{1,8}$`)
	mediaType = memo.Regexp(`^[\w.+-]+/[\w.+-]+$`)
)

// Format returns the extension and the media type of content. The first bytes of the
// content decide, or else the filename and the Content-Type from the client, which may
// be empty.
func Format(content []byte, name, contentType string) (ext, media string) {
	ext = strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	media, _, _ = mime.ParseMediaType(contentType)
	for _, f := range formats {
		if len(content) > f.offset && bytes.HasPrefix(content[f.offset:], []byte(f.magic)) {
			return f.ext, f.media
		}
	}
	for _, f := range formats {
		isUnknown := media == "" || media == unknown
		switch {
		case ext == f.ext && isUnknown:
			media = f.media
		case ext == "" && media == f.media:
			ext = f.ext
		}
	}
	if !extension().MatchString(ext) {
		ext = "bin"
	}
	if !mediaType().MatchString(media) {
		media = unknown
	}
	return ext, media
}
