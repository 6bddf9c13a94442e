package fakeprovider

import (
	"bufio"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strings"
)

// frames reads the events of a stream as its content type demands. Each call
// reads no further than the event that it returns.
func frames(resp *http.Response) func() (event, error) {
	r := bufio.NewReader(resp.Body)
	var next func(*bufio.Reader) (event, error)
	switch kind := resp.Header.Get("Content-Type"); kind {
	case "text/event-stream; charset=utf-8":
		next = nextEvent
	case "text/event-stream":
		next = nextCRLF
		if strings.HasSuffix(resp.Request.URL.Path, "/v2/chat") {
			next = nextData
		}
	case "application/x-ndjson", "application/stream+json":
		next = nextLine
	case "application/json; charset=UTF-8":
		next = nextElement
	case "application/vnd.amazon.eventstream":
		next = nextMessage
	default:
		return func() (event, error) { return event{}, fmt.Errorf("a stream of %q", kind) }
	}
	return func() (event, error) { return next(r) }
}

// nextLine reads a line of newline-delimited JSON.
func nextLine(r *bufio.Reader) (event, error) {
	line, err := r.ReadString('\n')
	return event{data: strings.TrimSuffix(line, "\n")}, err
}

// nextCRLF reads an event without a name, as Gemini ends its lines.
func nextCRLF(r *bufio.Reader) (event, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return event{}, err
	}
	end, err := r.ReadString('\n')
	if err == nil && (!strings.HasPrefix(line, "data: ") || !strings.HasSuffix(line, "\r\n") || end != "\r\n") {
		err = fmt.Errorf("no event of Gemini: %q %q", line, end)
	}
	return event{data: strings.TrimSpace(strings.TrimPrefix(line, "data: "))}, err
}

// nextData reads an event to the end of its data; the blank line comes later.
func nextData(r *bufio.Reader) (event, error) {
	var e event
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return event{}, err
		}
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "event: "):
			e.name = line[len("event: "):]
		case strings.HasPrefix(line, "data: "):
			e.data = line[len("data: "):]
			return e, nil
		case line != "":
			return e, io.ErrNoProgress
		}
	}
}

// nextElement reads an element of a JSON array, or the bracket that ends it.
func nextElement(r *bufio.Reader) (event, error) {
	var text []byte
	depth, quoted, escaped := 0, false, false
	for {
		b, err := r.ReadByte()
		if err != nil {
			return event{}, err
		}
		if depth == 0 && strings.IndexByte("[,\r\n", b) >= 0 {
			continue
		}
		text = append(text, b)
		switch {
		case escaped:
			escaped = false
		case b == '\\':
			escaped = true
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '{':
			depth++
		case b == '}' && depth == 1, b == ']' && depth == 0:
			return event{data: string(text)}, nil
		case b == '}':
			depth--
		}
	}
}

// nextMessage reads a message of an AWS event stream and checks it.
func nextMessage(r *bufio.Reader) (event, error) {
	prelude := make([]byte, 12)
	if _, err := io.ReadFull(r, prelude); err != nil {
		return event{}, err
	}
	total, headers := binary.BigEndian.Uint32(prelude), binary.BigEndian.Uint32(prelude[4:])
	if crc32.ChecksumIEEE(prelude[:8]) != binary.BigEndian.Uint32(prelude[8:]) {
		return event{}, errors.New("wrong checksum of a prelude")
	}
	rest := make([]byte, total-12)
	if _, err := io.ReadFull(r, rest); err != nil {
		return event{}, err
	}
	end := len(rest) - 4
	if crc32.ChecksumIEEE(append(prelude, rest[:end]...)) != binary.BigEndian.Uint32(rest[end:]) {
		return event{}, errors.New("wrong checksum of a message")
	}
	values := map[string]string{}
	for h := rest[:headers]; len(h) > 0; {
		n := int(h[0])
		name, kind := string(h[1:1+n]), h[1+n]
		size := int(binary.BigEndian.Uint16(h[2+n:]))
		if kind != 7 {
			return event{}, fmt.Errorf("header %s of type %d", name, kind)
		}
		values[name] = string(h[4+n : 4+n+size])
		h = h[4+n+size:]
	}
	if values[":message-type"] != "event" || values[":content-type"] != "application/json" {
		return event{}, fmt.Errorf("headers %v", values)
	}
	return unwrap(event{values[":event-type"], string(rest[headers:end])})
}

// unwrap takes the event out of a chunk, named by its type if it has one.
func unwrap(e event) (event, error) {
	if e.name != "chunk" {
		return e, nil
	}
	v, err := decode([]byte(e.data))
	if err != nil {
		return e, err
	}
	data, err := base64.StdEncoding.DecodeString(v.(object).text("bytes"))
	if err != nil {
		return e, err
	}
	inner, err := decode(data)
	if err != nil {
		return e, err
	}
	if kind := inner.(object).text("type"); kind != "" {
		e.name = kind
	}
	e.data = string(data)
	return e, nil
}
