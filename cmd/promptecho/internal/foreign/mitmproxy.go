package foreign

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
)

// Mitmproxy is the proxy whose flow files (mitmdump -w FILE) are read. Such a file has a tnetstring
// (https://tnetstrings.info) for each flow, one after the other.
const Mitmproxy cassette.Tool = "mitmproxy"

// oldestFlow is the first version of the format that is read. Older ones differ in what is read here.
const oldestFlow = 7

// flowStart matches the beginning of a flow file: a mapping, whose first key is one of those that
// mitmproxy has written in its versions.
var flowStart = regexp.MustCompile(`^[0-9]{1,12}:[0-9]{1,2}:(?:backup|client_conn|comment|error|id|` +
	`intercepted|is_replay|marked|messages|metadata|mode|request|response|server_conn|` +
	`timestamp_created|type|version|websocket)[;,]`)

// isFlowFile reports whether a file is a flow file, by its beginning.
func isFlowFile(data []byte) bool { return flowStart.Match(data) }

// A tnetstring is a value of a flow file. Values within it are read when they are needed.
type tnetstring struct {
	kind byte // see the constants below; 0 if there is no value
	data []byte
}

// The types of tnetstrings. Mitmproxy has added text.
const (
	tnetText    = ';'
	tnetBytes   = ','
	tnetInt     = '#'
	tnetFloat   = '^'
	tnetBool    = '!'
	tnetNull    = '~'
	tnetList    = ']'
	tnetMapping = '}'
)

var (
	errTnetCut   = errors.New("it is longer than the rest of the file")
	errTnetWrong = errors.New("want the length of a value, a colon, the value and its type")
)

// nextTnetstring returns the first value of data, and what follows it.
func nextTnetstring(data []byte) (value tnetstring, rest []byte, err error) {
	const longest = 12 // digits of a length
	colon := bytes.IndexByte(data[:min(len(data), longest+1)], ':')
	if colon <= 0 {
		return value, nil, errTnetWrong
	}
	length, err := strconv.ParseUint(string(data[:colon]), 10, 62)
	if err != nil {
		return value, nil, errTnetWrong
	}
	data = data[colon+1:]
	if length >= uint64(len(data)) {
		return value, nil, errTnetCut
	}
	value = tnetstring{kind: data[length], data: data[:length]}
	if !strings.ContainsRune(";,#^!~]}", rune(value.kind)) {
		return value, nil, errTnetWrong
	}
	return value, data[length+1:], nil
}

// elements returns the values of a list, or the keys and values of a mapping in turn. It ends before
// the first one that is broken.
func (v tnetstring) elements(yield func(tnetstring) bool) {
	if v.kind != tnetList && v.kind != tnetMapping {
		return
	}
	data := v.data
	for len(data) > 0 {
		element, rest, err := nextTnetstring(data)
		if err != nil || !yield(element) {
			return
		}
		data = rest
	}
}

// member returns the value of a key; a value without a kind if there is none.
func (v tnetstring) member(key string) (value tnetstring) {
	if v.kind != tnetMapping {
		return value
	}
	isKey := true
	isFound := false
	for element := range v.elements {
		if isFound {
			return element
		}
		isFound = isKey && string(element.data) == key
		isKey = !isKey
	}
	return value
}

// isMissing reports whether there is no value, or null.
func (v tnetstring) isMissing() bool { return v.kind == 0 || v.kind == tnetNull }

// text returns a text or bytes; "" for another value.
func (v tnetstring) text() string {
	if v.kind != tnetText && v.kind != tnetBytes {
		return ""
	}
	return string(v.data)
}

// number returns a number; 0 for another value.
func (v tnetstring) number() float64 {
	if v.kind != tnetInt && v.kind != tnetFloat {
		return 0
	}
	n, err := strconv.ParseFloat(string(v.data), 64)
	if err != nil {
		return 0
	}
	return n
}

func (v tnetstring) isTrue() bool { return v.kind == tnetBool && string(v.data) == "true" }

// readMitmproxy reads a flow file into a cassette. Lines in the result are numbers of flows.
func readMitmproxy(c *Cassette, name string, data []byte) error {
	c.Tool = string(Mitmproxy)
	var list []*captured
	fail := func(number int, format string, args ...any) error {
		err := codec.ErrorAt(name, "", 0, "", format, args...)
		err.Line = number
		return err
	}
	for number := 1; len(data) > 0; number++ {
		flow, rest, err := nextTnetstring(data)
		if errors.Is(err, errTnetCut) && number > 1 {
			why := "the file ends inside this flow"
			c.LeftOut = append(c.LeftOut, LeftOut{number, finding.AnswerMissing, why})
			break
		}
		if err != nil {
			return fail(number, "flow %d: %v", number, err)
		}
		data = rest
		version := flow.member("version")
		if version.kind != tnetInt || version.number() < oldestFlow {
			return fail(number, "flow %d is of an old version of mitmproxy; let a new one convert the "+
				"file first: mitmdump -nr %s -w NEW", number, name)
		}
		kind := flow.member("type").text()
		switch kind {
		case "http":
		case "websocket": // mitmproxy before version 7 wrote the messages apart from the request
			c.LeftOut = append(c.LeftOut, LeftOut{number, finding.RequestMissing, "the messages of a " +
				"WebSocket are apart from its request; let a new mitmproxy convert the file first: " +
				"mitmdump -nr " + name + " -w NEW"})
			continue
		default:
			c.skip("a flow of " + yaml.Clip(kind) + ", not of HTTP")
			continue
		}
		x := capturedFlow(flow)
		x.line = number
		if !c.skips(x) {
			list = append(list, x)
		}
	}
	failed, err := c.addTraffic(list)
	if err != nil {
		return fail(failed.line, "flow %d: %v", failed.line, err)
	}
	return nil
}

// capturedFlow returns a flow as a request and its answer.
func capturedFlow(flow tnetstring) *captured {
	x := &captured{}
	req, resp := flow.member("request"), flow.member("response")
	x.method = strings.ToUpper(req.member("method").text())
	x.request = flowMessage(req)
	x.request.hasAllHeaders = len(x.request.headers) > 0
	x.url = flowURL(req, &x.request)
	x.start = secondsOf(req.member("timestamp_start").number())
	if req.member("content").isMissing() {
		x.leaveOut(finding.RequestMissing, "mitmproxy passed the body of the request on without keeping it")
	}

	x.failure = flow.member("error").member("msg").text()
	if resp.isMissing() {
		x.leaveOut(finding.AnswerMissing, "the request was not answered"+inQuotes(x.failure))
		return x
	}
	x.status = int64(resp.member("status_code").number())
	x.proto = protoOf(resp.member("http_version").text())
	x.response = flowMessage(resp)
	answered := secondsOf(resp.member("timestamp_start").number())
	x.end = secondsOf(resp.member("timestamp_end").number())
	if !x.start.IsZero() && !answered.IsZero() {
		x.latencyMS = answered.Sub(x.start).Milliseconds()
	}

	session := flow.member("websocket")
	switch {
	case !session.isMissing():
		x.readFlowSession(session)
	case x.status == 101:
		x.leaveOut(finding.AnswerMissing,
			"the connection changed to another protocol, and what followed is not in the flow")
	case resp.member("content").isMissing():
		x.leaveOut(finding.AnswerMissing, "mitmproxy passed the body of the answer on without "+
			"keeping it, or the connection failed"+inQuotes(x.failure))
	}
	return x
}

// flowMessage returns the headers, the trailers and the body of a request or an answer.
func flowMessage(m tnetstring) message {
	return message{
		headers:  flowHeaders(m.member("headers")),
		trailers: flowHeaders(m.member("trailers")),
		body:     []byte(m.member("content").text()),
	}
}

// flowHeaders returns headers, which are a list of pairs.
func flowHeaders(list tnetstring) map[string][]string {
	headers := map[string][]string{}
	for pair := range list.elements {
		var texts []string
		for element := range pair.elements {
			texts = append(texts, element.text())
		}
		if len(texts) == 2 && !strings.HasPrefix(texts[0], ":") {
			headers[texts[0]] = append(headers[texts[0]], texts[1])
		}
	}
	return headers
}

// flowURL returns the URL to which the client sent a request. The name in its header Host counts, or
// in :authority: a transparent proxy knows only the address of the server.
func flowURL(req tnetstring, m *message) string {
	scheme := req.member("scheme").text()
	host := req.member("host").text()
	port := strconv.Itoa(int(req.member("port").number()))
	address := net.JoinHostPort(host, port)
	defaultPorts := map[string]string{"http": "80", "https": "443"}
	if defaultPorts[scheme] == port {
		address = strings.TrimSuffix(address, ":"+port)
	}
	named := interaction.HeadersOf(m.headers).Get("host")
	if named == "" {
		named = req.member("authority").text()
	}
	if named != "" {
		address = named
	}
	path, _, _ := strings.Cut(req.member("path").text(), "#")
	if path == "*" { // of OPTIONS
		path = ""
	}
	return fmt.Sprintf("%s://%s%s", scheme, address, path)
}

// readFlowSession reads the messages of a WebSocket.
func (x *captured) readFlowSession(session tnetstring) {
	x.asHandshake()
	x.failure = ""
	for m := range session.member("messages").elements {
		var fields []tnetstring // opcode, whether the client sent it, content, time, whether it was dropped
		for field := range m.elements {
			fields = append(fields, field)
		}
		if len(fields) < 4 {
			continue
		}
		message := timedMessage{at: secondsOf(fields[3].number())}
		message.Sent = fields[1].isTrue()
		message.Data = fields[2].text()
		switch fields[0].number() {
		case 1:
		case 2:
			message.Kind = interaction.Bytes
		default:
			continue
		}
		x.messages = append(x.messages, message)
	}
	x.end = secondsOf(session.member("timestamp_end").number())
	code := session.member("close_code")
	const abnormal = 1006 // the connection broke: no side sent a close frame (RFC 6455, section 7.1.5)
	if code.kind != tnetInt || code.number() == abnormal {
		return
	}
	isByClient := session.member("closed_by_client").isTrue()
	x.close(isByClient, int(code.number()), session.member("close_reason").text())
}

// close adds the close frames of both sides. A side that gets one answers with the same code (RFC
// 6455, section 5.5.1).
func (x *captured) close(byClient bool, code int, reason string) {
	data := strings.TrimSpace(strconv.Itoa(code) + " " + reason)
	answer := strconv.Itoa(code)
	const noCode = 1005 // the frame had no code (RFC 6455, section 7.1.5)
	if code == noCode {
		data = ""
		answer = ""
	}
	var at time.Time
	if len(x.messages) > 0 {
		at = x.messages[len(x.messages)-1].at
	}
	first := interaction.Message{Sent: byClient, Kind: interaction.Close, Data: data}
	second := interaction.Message{Sent: !byClient, Kind: interaction.Close, Data: answer}
	x.messages = append(x.messages, timedMessage{first, at}, timedMessage{second, at})
}
