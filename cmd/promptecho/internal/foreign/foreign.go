// Package foreign reads the cassettes of other tools: go-vcr, vcrpy, the VCR of Ruby and R,
// betamax, httprr, AgentTape and dd-apm-test-agent. It returns their content byte for byte, and
// lists what they have not kept. It does not decide what may be written.
//
// There is a file for each format; detect.go tells the formats apart. All but that of httprr are
// YAML, which documents.go and reader.go read. convert.go makes interactions.
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

// Read reads a cassette of another tool. name is that of the file, for messages. asset reads a file
// that the tool has written next to it. Read returns nil if data is not a cassette of a known tool.
// A cassette that it cannot read exactly is an error, a [*codec.SyntaxError].
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

// maxText is the largest size in bytes of a decompressed file.
const maxText = 1 << 30

// plain returns the text of a file. Of a file compressed with gzip, it returns "" unless that is one
// of httprr, as the first bytes show.
func plain(data []byte) (string, error) {
	if !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return string(data), nil
	}
	zr, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return "", nil // not a gzip file
	}
	head := make([]byte, 64)
	n, err := io.ReadFull(zr, head)
	if err != nil && err != io.ErrUnexpectedEOF {
		return "", nil
	}
	if cassette.Foreign(string(head[:n])) != cassette.HTTPRR {
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
