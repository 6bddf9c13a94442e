package answer

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// Whole returns an answer to a request that no server gave: all of it is there at once.
func Whole(req *http.Request, status int, header http.Header, body []byte) *http.Response {
	return &http.Response{
		StatusCode: status,
		Status:     statusText(status),
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        header,
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
		Request:       req,
	}
}

// statusText returns a status as net/http has it: "404 Not Found".
func statusText(status int) string {
	return strings.TrimSpace(strconv.Itoa(status) + " " + http.StatusText(status))
}
