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

// readHTTPRR reads a file of golang.org/x/oscar's httprr, or of one of its copies. The file has, for
// each exchange, a line with two lengths, and then a request and an answer of these lengths as they
// were sent.
func readHTTPRR(c *Cassette, name, text string) (*Cassette, error) {
	c.Tool = string(cassette.HTTPRR)
	at := strings.IndexByte(text, '\n') + 1
	var records []*exchange
	seen := map[string]int{} // the indices of records, by request
	for at < len(text) {
		start := at
		line, _, _ := strings.Cut(text[at:], "\n")
		at += len(line) + 1
		first, second, _ := strings.Cut(strings.TrimSuffix(line, "\r"), " ")
		hasLineEnd := at <= len(text)
		rest := text[min(at, len(text)):]
		req, rest, okReq := takeLength(first, rest)
		resp, rest, okResp := takeLength(second, rest)
		if !hasLineEnd || !okReq || !okResp {
			return nil, codec.ErrorAt(name, text, start, "", "want a line with two lengths, and "+
				"after it a request and an answer of these lengths; the file was cut, or its line "+
				"ends were changed (git config core.autocrlf)")
		}
		at = len(text) - len(rest)
		x := &exchange{line: 1 + strings.Count(text[:start], "\n"), offset: start}
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
			return nil, codec.ErrorAt(name, text, x.offset, "", "%v", err)
		}
	}
	return c, nil
}

// takeLength cuts as many bytes from the beginning of a text as a number says. ok is false if it is not
// a number, or if the text has fewer bytes.
func takeLength(number, text string) (taken, rest string, ok bool) {
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n > len(text) {
		return "", text, false
	}
	return text[:n], text[n:], true
}

// readWire reads a request and its answer (RFC 9112). A body is all that follows the headers: scrubbers
// change bodies and leave the header Content-Length as it was.
func (x *exchange) readWire(c *Cassette, req, resp string) error {
	line, err := x.request.readWire(c, req)
	if err != nil {
		return fmt.Errorf("the request: %w", err)
	}
	words := strings.Split(line, " ")
	if len(words) != 3 {
		return fmt.Errorf("no request starts with %q", yaml.Clip(line))
	}
	x.method = words[0]
	x.url = words[1]
	line, err = x.response.readWire(c, resp)
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
		return line, m.readChunked(c, rest)
	}
	return line, nil
}

// editedChunk matches a chunked body of a single chunk (RFC 9112, section 7.1),
// also if the length of the chunk is wrong. The group is the data of the chunk:
//
//	"10\r\n" + `{"key":"[REDACTED]"}` + "\r\n0\r\n\r\n"
var editedChunk = regexp.MustCompile(`(?s)^[0-9a-fA-F]+\r\n(.*)\r\n0\r\n\r\n$`)

// chunkLength matches the length of a chunk that follows other data.
var chunkLength = regexp.MustCompile(`\r\n[0-9a-fA-F]+\r\n`)

// readChunked decodes a chunked body and its trailers into the message.
//
// A scrubber that edits the body of a file may leave the length of its chunk as
// it was. If there is only one chunk, its data is what stands between its length
// and the last chunk, which is empty. If there are several, an error is
// returned: where each of them ends is not known.
func (m *message) readChunked(c *Cassette, chunked []byte) error {
	src := bufio.NewReader(bytes.NewReader(chunked))
	body, chunkErr := io.ReadAll(httputil.NewChunkedReader(src))
	if chunkErr != nil {
		data, ok := dataOfEditedChunk(chunked)
		if !ok {
			return fmt.Errorf("its chunks: %w", chunkErr)
		}
		m.body = data
		c.lose("the answer differs in length from its chunk, so it was changed after it was sent: it is kept as it is")
		return nil
	}

	m.body = body
	trailers, err := textproto.NewReader(src).ReadMIMEHeader()
	if err != nil && err != io.EOF {
		return fmt.Errorf("its trailers: %w", err)
	}
	m.trailers = trailers
	return nil
}

// dataOfEditedChunk returns the data of a chunked body that has a single chunk
// with a wrong length. ok is false if the body has several chunks, or none.
func dataOfEditedChunk(chunked []byte) (data []byte, ok bool) {
	groups := editedChunk.FindSubmatch(chunked)
	if groups == nil {
		return nil, false
	}
	data = groups[1]
	hasSeveralChunks := chunkLength.Match(data)
	if hasSeveralChunks {
		return nil, false
	}
	return data, true
}
