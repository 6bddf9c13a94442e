// Package foreign reads the cassettes of other tools: go-vcr, vcrpy, the VCR of Ruby and R,
// betamax, httprr, AgentTape and dd-apm-test-agent. It also reads traffic that browsers and proxies
// have captured: HAR files and the flows of mitmproxy. It returns their content byte for byte, and
// lists what they have not kept. It does not decide what may be written.
//
// There is a file for each format; detect.go tells the formats apart. Most formats are YAML, which
// documents.go and reader.go read. traffic.go selects what is imported of captured traffic, and
// websocket.go writes its sessions. convert.go makes interactions.
package foreign

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/cassette/yaml"
)

// Options say how files are read.
type Options struct {
	// Asset reads a file that a tool has written for a cassette: from the folder of long texts of
	// AgentTape, and from the folder of the HAR file of Playwright.
	Asset func(name string) ([]byte, error)

	// Hosts are the hosts whose requests are wanted, as patterns of path.Match; all if there are none.
	Hosts []string
}

// Read reads a cassette of another tool. name is that of the file, for messages. asset reads a file
// that the tool has written next to it. Read returns nil if data is not a cassette of a known tool.
// A cassette that it cannot read exactly is an error, a [*codec.SyntaxError].
func Read(name string, data []byte, asset func(name string) ([]byte, error)) (*Cassette, error) {
	return Options{Asset: asset}.Read(name, data)
}

// Read reads a file like the function Read.
func (o Options) Read(name string, data []byte) (*Cassette, error) {
	c := &Cassette{hosts: o.Hosts}
	if o.Asset == nil {
		o.Asset = func(string) ([]byte, error) { return nil, errors.New("the file is not known") }
	}
	isRead, err := c.readCapture(name, data, o.Asset)
	if err != nil {
		return nil, err
	}
	if isRead {
		return c, nil
	}
	return c.readCassette(name, data, o.Asset)
}

// readCapture reads captured traffic. It returns false if the file is of another format.
func (c *Cassette) readCapture(
	name string, data []byte, asset func(name string) ([]byte, error),
) (isRead bool, err error) {
	if isFlowFile(data) {
		return true, readMitmproxy(c, name, data)
	}
	if isHAR(data) {
		return true, readHAR(c, name, data, asset)
	}
	if !bytes.HasPrefix(data, []byte(zipStart)) {
		return false, nil
	}
	har, attached, err := harOfArchive(data)
	if err != nil {
		return false, codec.ErrorAt(name, "", 0, "", "the HAR file of the archive: %v", err)
	}
	if !isHAR(har) {
		return false, nil
	}
	return true, readHAR(c, name, har, attached)
}

// readCassette reads a cassette of a tool that replays it, not traffic that was captured. It returns
// nil if the data is not a cassette of a tool that is known.
func (c *Cassette) readCassette(
	name string, data []byte, asset func(name string) ([]byte, error),
) (*Cassette, error) {
	text, err := plain(data)
	if err != nil {
		return nil, codec.ErrorAt(name, "", 0, "", "%v", err)
	}
	looksLike, mayBe, isCertain := mayBeCassette(text)
	if looksLike == cassette.HTTPRR {
		return readHTTPRR(c, name, text)
	}
	if !mayBe {
		return nil, nil
	}
	text = codec.Normalize([]byte(text))
	roots, broken := documents(text)
	if broken != nil && !isCertain {
		return nil, nil
	}
	if broken != nil {
		return nil, codec.ErrorAt(name, text, broken.Offset, "", "%s", broken.Msg)
	}
	r := &reader{name: name, text: text, asset: asset, cassette: c}
	for _, root := range roots {
		tool := toolOf(looksLike, root)
		if tool != "" {
			r.cassette.Tool = string(tool)
		}
		r.document(tool, root)
	}
	if r.err != nil {
		return nil, r.err
	}
	if r.cassette.Tool == "" {
		return nil, nil
	}
	return r.cassette, nil
}

// document reads a document of a cassette by the reader of its tool. It reads nothing if tool is "".
func (r *reader) document(tool cassette.Tool, root *yaml.Node) {
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
			tool, r.name)
	}
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
