// Package foreign reads the cassettes of other tools: go-vcr, vcrpy, the VCR of Ruby and R,
// betamax, httprr, AgentTape and dd-apm-test-agent. It gives what they hold, byte for byte, and says what they do not hold. What
// of that may be written is the business of others.
//
// A file each has the formats, and detect.go tells them apart. All but httprr's are YAML, which
// documents.go and reader.go read; convert.go makes interactions of what they say.
package foreign

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/cassette/codec"
)

// Read reads the file data of another tool; name is its name for messages, and asset reads a
// file that the tool has put beside it. It returns nil if that is no cassette of a tool that it
// knows. A cassette that it cannot give exactly is an error, a [*codec.SyntaxError].
func Read(name string, data []byte, asset func(name string) ([]byte, error)) (*Cassette, error) {
	text, err := plain(data)
	if err != nil {
		return nil, codec.ErrorAt(name, "", 0, "", "%v", err)
	}
	looks, ok, certain := mayBeCassette(text)
	if looks == cassette.HTTPRR {
		return readHTTPRR(name, text)
	}
	if !ok {
		return nil, nil
	}
	text = codec.Normalize([]byte(text))
	roots, broken := documents(text)
	if broken != nil && !certain {
		return nil, nil
	}
	if broken != nil {
		return nil, codec.ErrorAt(name, text, broken.Offset, "", "%s", broken.Msg)
	}
	r := &reader{name: name, text: text, asset: asset, cassette: &Cassette{}}
	for _, root := range roots {
		tool := toolOf(looks, root)
		if tool != "" {
			r.cassette.Tool = string(tool)
		}
		switch tool {
		case cassette.GoVCR:
			r.goVCR(root)
		case cassette.VCRpy:
			r.vcrpy(root)
		case cassette.RubyVCR:
			r.rubyVCR(root)
		case cassette.AgentTape:
			r.agentTape(root)
		case TestAgent:
			r.testAgent(root)
		case oldVCRpy:
			r.failf(root, "", "this is a cassette of %s; let "+
				"vcrpy convert it first: python -m vcr.migration %s",
				tool, name)
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	if r.cassette.Tool == "" {
		return nil, nil
	}
	return r.cassette, nil
}

// maxText is how long a text is at most that is made of a compressed file.
const maxText = 1 << 30

// plain returns the text of a file. One that is compressed with gzip is only read as far as
// it takes to see what it is, unless it is one of httprr.
func plain(data []byte) (string, error) {
	if !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return string(data), nil
	}
	zr, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return "", nil // no gzip file
	}
	head := make([]byte, 64)
	n, err := io.ReadFull(zr, head)
	if err != nil && err != io.ErrUnexpectedEOF || cassette.Foreign(string(head[:n])) != cassette.HTTPRR {
		return "", nil
	}
	var text strings.Builder
	text.Write(head[:n])
	_, err = io.Copy(&text, io.LimitReader(zr, maxText))
	err = cmp.Or(err, zr.Close())
	if err != nil {
		return "", fmt.Errorf("it is compressed, and damaged: %w", err)
	}
	return text.String(), nil
}
