package canon

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// CutAudio splits a message that the client sends in a session into the message
// without its audio, and the audio, which the message has in base64. The URL is
// that of the handshake. It returns false for a message that has no audio. A piece
// of no bytes is audio, too.
//
//	{"type":"input_audio_buffer.append","audio":"AAEC"}   the message
//	{"type":"input_audio_buffer.append","audio":""}       the message without audio
//	00 01 02                                              the audio
//
// A program cuts a stream of audio into other pieces in each run, so the pieces
// must be compared as one run of bytes. The paths are those of [Family.Audio].
func CutAudio(url string, message []byte) (without, audio []byte, ok bool) {
	paths := addresses.Get(url).audio
	mayHaveAudio := slices.ContainsFunc(paths, func(p audioPath) bool { return p.mayBeIn(message) })
	if !mayHaveAudio {
		return nil, nil, false
	}

	text := string(message)
	audio = []byte{}
	end := 0
	for _, found := range findAudio(text, paths) {
		piece, err := decodeBase64(text[found.start:found.end])
		if err != nil {
			return nil, nil, false
		}
		audio = append(audio, piece...)
		without = append(without, text[end:found.start]...)
		end = found.end
		ok = true
	}
	if !ok {
		return nil, nil, false
	}
	return append(without, text[end:]...), audio, true
}

// An audioPath is a path of [Family.Audio].
type audioPath struct {
	names  []string // its segments
	quoted [][]byte // the names of members among them, in quotes
}

func newAudioPath(path string) audioPath {
	p := audioPath{names: strings.Split(path, "/")}
	for _, name := range p.names {
		if name != "*" {
			p.quoted = append(p.quoted, []byte(`"`+name+`"`))
		}
	}
	return p
}

// mayBeIn reports whether a message may have the path. Most messages without
// audio lack one of the names, and need not be scanned.
func (p *audioPath) mayBeIn(message []byte) bool {
	for _, name := range p.quoted {
		if !bytes.Contains(message, name) {
			return false
		}
	}
	return true
}

// isOfObject reports whether a path, which has "" for an array, is that of a
// member of the object that has the audio: the audio itself, or any other member.
func (p *audioPath) isOfObject(path []string) bool {
	if len(p.names) != len(path) {
		return false
	}
	for i, name := range p.names[:len(path)-1] {
		isElement := name == "*" && path[i] == ""
		if !isElement && name != path[i] {
			return false
		}
	}
	return true
}

// A span is a range of offsets in a text.
type span struct{ start, end int }

// findAudio returns the contents of the strings at the paths, in the order of the
// text. It returns nil if the text is not valid JSON.
func findAudio(text string, paths []audioPath) (found []span) {
	objects := []int{} // for each open array and object, the length of found at its start
	isOther := false   // the current object has a type that is not audio
	s := exactjson.Scan(text)
	for s.Next() {
		switch s.Token {
		case exactjson.Open:
			objects = append(objects, len(found))
			isOther = false
		case exactjson.Close:
			last := len(objects) - 1
			if isOther {
				found = found[:objects[last]]
			}
			objects = objects[:last]
			isOther = false
		case exactjson.Scalar:
			isMember := s.Kind == exactjson.String && len(s.Path) > 0
			if !isMember {
				continue
			}
			content := span{s.Start + 1, s.End - 1}
			isAudio, isOfObject := positionOf(s.Path, paths)
			switch {
			case isAudio:
				found = append(found, content)
			case isOfObject && isOtherType(s.Path, text[content.start:content.end]):
				isOther = true
			}
		}
	}

	isValid := len(objects) == 0 && strings.TrimSpace(text[s.End:]) == ""
	if !isValid {
		return nil
	}
	return found
}

// positionOf reports whether the string at path is audio, and whether it is a
// member of an object that has audio.
func positionOf(path []string, paths []audioPath) (isAudio, isOfObject bool) {
	last := len(path) - 1
	for i := range paths {
		if !paths[i].isOfObject(path) {
			continue
		}
		isOfObject = true
		if path[last] == paths[i].names[last] {
			isAudio = true
		}
	}
	return isAudio, isOfObject
}

// isOtherType reports whether a member is the media type of something that is not
// audio. Gemini has pictures where it has audio.
func isOtherType(path []string, value string) bool {
	name := path[len(path)-1]
	isType := name == "mimeType" || name == "mime_type"
	return isType && !strings.HasPrefix(value, "audio/")
}

// decodeBase64 decodes base64 in any of its alphabets, padded or not, that is the
// content of a JSON string.
func decodeBase64(text string) ([]byte, error) {
	if strings.Contains(text, `\`) {
		text = exactjson.UnescapeText(text)
	}
	text = strings.TrimRight(text, "=")
	if strings.ContainsAny(text, "-_") {
		return base64.RawURLEncoding.DecodeString(text)
	}
	return base64.RawStdEncoding.DecodeString(text)
}
