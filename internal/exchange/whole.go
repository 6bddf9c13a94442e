package exchange

import (
	"bytes"
	"cmp"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/interaction"
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

// Transfers of bodies; see [interaction.Transfers].
const (
	byLength, byChunks, untilEnd = "length", "chunked", "end"
	uncoded                      = " gzip" // behind another one
)

// transferOf returns how the client of a live response knows where its body ends.
func transferOf(resp *http.Response) string {
	by := untilEnd
	switch {
	case resp.ContentLength >= 0:
		return byLength
	case slices.Contains(resp.TransferEncoding, byChunks):
		by = byChunks
	}
	if resp.Uncompressed {
		by += uncoded
	}
	return by
}

// usualTransfer is the one of a response that names none and has no Content-Length: services
// send JSON compressed over HTTP/2.
func usualTransfer(r *interaction.Response) string {
	isWhole := r.Stream == "" && r.Chunks == nil && r.End == "" && len(r.Trailers) == 0
	switch is2 := strings.HasPrefix(r.Proto, "HTTP/2"); {
	case is2 && isWhole && len(r.Body) > 0:
		return untilEnd + uncoded
	case isWhole:
		return byLength
	case is2:
		return untilEnd
	}
	return byChunks
}

// setLength says of a played response what its client knows of the length of the body.
func setLength(resp *http.Response, r *interaction.Response) {
	by, isUncoded := strings.CutSuffix(cmp.Or(r.Transfer, usualTransfer(r)), uncoded)
	announced, err := strconv.ParseInt(resp.Header.Get("Content-Length"), 10, 64)
	if r.Transfer == "" && err == nil {
		by, isUncoded = byLength, false
	}
	isHead, isNone := resp.Request.Method == http.MethodHead, bodyless("", r.Status)
	resp.Uncompressed = isUncoded
	switch {
	case by != byLength:
		delete(resp.Header, "Content-Length")
		if by == byChunks {
			resp.TransferEncoding = []string{byChunks}
		}
	case isHead, isNone && resp.ProtoMajor != 1, r.End != "" && err == nil:
		resp.ContentLength = announced // of the body that there would be (RFC 9110, section 8.6)
	default:
		if resp.ContentLength = int64(len(r.Body)); len(r.Body) > 0 { // it may have been edited
			resp.Header["Content-Length"] = []string{strconv.Itoa(len(r.Body))}
		}
	}
}

// bodyless reports whether an answer has no body (RFC 9110, section 6.4.1).
func bodyless(method string, status int) bool {
	return method == http.MethodHead || status == http.StatusNoContent || status == http.StatusNotModified || status < 200
}
