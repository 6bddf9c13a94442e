package fakeprovider

import (
	"encoding/base64"
	"strings"
)

// imageSettings are the settings of a picture: those of the request where it does
// not leave them to the model.
func imageSettings(request object, picture Media) []field {
	setting := func(name, usual string) field {
		asked := request.text(name)
		if asked == "" || asked == "auto" {
			asked = usual
		}
		return field{name, asked}
	}
	format, ok := strings.CutPrefix(picture.Type, "image/")
	if !ok {
		format = "png"
	}
	return []field{
		setting("background", "opaque"),
		{"output_format", format},
		setting("quality", "high"),
		setting("size", "1024x1024"),
	}
}

// picture returns the media of a reply for a request that can be answered by a
// picture only, whatever type they have. A reply without media gets a picture of one
// gray pixel.
func (r *Reply) picture() Media {
	if r.Media != nil {
		return *r.Media
	}
	return Media{Type: "image/png", Data: decoded(pixel)}
}

// sound returns the media of a reply for a request that can be answered by a sound
// only, whatever type they have. A reply without media gets a silence of 1 ms.
func (r *Reply) sound() Media {
	if r.Media != nil {
		return *r.Media
	}
	return Media{Type: "audio/wav", Data: decoded(silence)}
}

const (
	// A PNG file of 1x1 pixels of 8 bits of gray.
	pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="

	// A WAV file of 8 samples of 8 bits, at 8,000 a second.
	silence = "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA=="
)

func decoded(text string) []byte {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic("fakeprovider: internal error: " + err.Error())
	}
	return data
}
