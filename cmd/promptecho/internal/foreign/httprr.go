package foreign

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http/httputil"
	"net/textproto"
	"regexp"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/cassette/yaml"
)

// readHTTPRR reads a file of golang.org/x/oscar's httprr, or of one of its copies: a line
// with two lengths, and a request and an answer of those lengths as they stand on the wire.
func readHTTPRR(name, text string) (*Cassette, error) {
	c := &Cassette{Tool: string(cassette.HTTPRR)}
	at := strings.IndexByte(text, '\n') + 1
	var records []*exchange
	seen := map[string]int{} // of each request, its place
	for at < len(text) {
		start := at
		line, _, _ := strings.Cut(text[at:], "\n")
		at += len(line) + 1
		first, second, _ := strings.Cut(strings.TrimSuffix(line, "\r"), " ")
		n1, err1 := strconv.Atoi(first)
		n2, err2 := strconv.Atoi(second)
		if err1 != nil || err2 != nil || n1 < 0 || n2 < 0 || n1 > len(text)-at || n2 > len(text)-at-n1 {
			return nil, codec.ErrorAt(name, text, start, "", "want a line with two lengths, and "+
				"after it a request and an answer of these lengths; the file was cut, or its line "+
				"ends were changed (git config core.autocrlf)")
		}
		req, resp := text[at:at+n1], text[at+n1:at+n1+n2]
		at += n1 + n2
		x := &exchange{line: 1 + strings.Count(text[:start], "\n"), start: start}
		if err := x.readWire(c, req, resp); err != nil {
			return nil, codec.ErrorAt(name, text, start, "", "%v", err)
		}
		if i, again := seen[req]; again {
			c.lose("the same request was recorded before: only the last answer is kept, which is the " +
				"one that httprr plays (AllowRepeats plays it again)")
			records[i] = x
			continue
		}
		seen[req] = len(records)
		records = append(records, x)
	}
	for _, x := range records {
		if err := c.add(x); err != nil {
			return nil, codec.ErrorAt(name, text, x.start, "", "%v", err)
		}
	}
	return c, nil
}

// readWire reads a request and its answer (RFC 9112). The length of a body is that of the
// text: scrubbers change bodies and forget the header.
func (x *exchange) readWire(c *Cassette, req, resp string) error {
	line, err := x.asked.readWire(c, req)
	if err != nil {
		return fmt.Errorf("the request: %w", err)
	}
	words := strings.Split(line, " ")
	if len(words) != 3 {
		return fmt.Errorf("no request starts with %q", yaml.Clip(line))
	}
	x.method, x.url = words[0], words[1]
	line, err = x.answer.readWire(c, resp)
	if err != nil {
		return fmt.Errorf("the answer: %w", err)
	}
	words = append(strings.Split(line, " "), "")
	x.proto = words[0]
	x.status, err = strconv.ParseInt(words[1], 10, 64)
	if err != nil || !strings.HasPrefix(x.proto, "HTTP/") {
		return fmt.Errorf("no answer starts with %q", yaml.Clip(line))
	}
	return nil
}

// readWire reads a message and returns its first line.
func (m *message) readWire(c *Cassette, text string) (line string, err error) {
	src := bufio.NewReader(strings.NewReader(text))
	head := textproto.NewReader(src)
	line, err = head.ReadLine()
	if err != nil {
		return "", err
	}
	headers, err := head.ReadMIMEHeader()
	if err != nil && err != io.EOF {
		return "", err
	}
	m.headers = headers
	rest, err := io.ReadAll(src)
	if err != nil {
		return "", err
	}
	m.body = rest
	if strings.EqualFold(headers.Get("Transfer-Encoding"), "chunked") {
		return line, m.dechunk(c, rest)
	}
	return line, nil
}

var (
	oneChunk   = regexp.MustCompile(`(?s)^[0-9a-fA-F]+\r\n(.*)\r\n0\r\n\r\n$`)
	chunkStart = regexp.MustCompile(`\r\n[0-9a-fA-F]+\r\n`)
)

// dechunk reads a body in chunks, and its trailers. If one chunk has another length than it
// says, a scrubber has changed it: what stands between its length and the end is it.
func (m *message) dechunk(c *Cassette, rest []byte) error {
	src := bufio.NewReader(bytes.NewReader(rest))
	body, err := io.ReadAll(httputil.NewChunkedReader(src))
	if err == nil {
		m.body = body
		trailers, err := textproto.NewReader(src).ReadMIMEHeader()
		if err != nil && err != io.EOF {
			return fmt.Errorf("its trailers: %w", err)
		}
		m.trailers = trailers
		return nil
	}
	one := oneChunk.FindSubmatch(rest)
	if one == nil || chunkStart.Match(one[1]) {
		return fmt.Errorf("its chunks: %w", err)
	}
	m.body = one[1]
	c.lose("the answer differs in length from its chunk, so it was changed after it was sent: it is kept as it is")
	return nil
}
