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

// Whole returns a response that no server has sent. All of its body is there at once.
func Whole(req *http.Request, status int, header http.Header, body []byte) *http.Response {
	return &http.Response{
		StatusCode:    status,
		Status:        statusText(status),
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        header,
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
		Request:       req,
	}
}

// statusText returns a status as net/http writes it: "404 Not Found".
func statusText(status int) string {
	return strings.TrimSpace(strconv.Itoa(status) + " " + http.StatusText(status))
}

// Transfers are the ways in which a client knows where a body ends; see
// [interaction.Transfers].
const (
	byLength  = "length"
	byChunks  = "chunked"
	untilEnd  = "end"
	gzipCoded = " gzip" // a suffix of byChunks and untilEnd: the transport decoded the body
)

// transferOf returns the transfer of a live response.
func transferOf(resp *http.Response) string {
	if resp.ContentLength >= 0 {
		return byLength
	}
	transfer := untilEnd
	if slices.Contains(resp.TransferEncoding, byChunks) {
		transfer = byChunks
	}
	if resp.Uncompressed {
		transfer += gzipCoded
	}
	return transfer
}

// usualTransfer returns the transfer of a recorded response that names none and has no
// Content-Length:
//
//	                       HTTP/1.1   HTTP/2
//	a body in one piece    length     end gzip, as services send JSON
//	an empty body          length     length
//	any other body         chunked    end
func usualTransfer(r *interaction.Response) string {
	isHTTP2 := strings.HasPrefix(r.Proto, "HTTP/2")
	inPieces := r.Stream != "" || r.Chunks != nil
	isPlain := !inPieces && r.End == "" && len(r.Trailers) == 0
	switch {
	case isPlain && isHTTP2 && len(r.Body) > 0:
		return untilEnd + gzipCoded
	case isPlain:
		return byLength
	case isHTTP2:
		return untilEnd
	}
	return byChunks
}

// setLength sets the fields of a replayed response that say how long its body is, as
// net/http set them for the recorded one: ContentLength, TransferEncoding, Uncompressed
// and the header Content-Length. A client may choose by them how it reads the body.
func setLength(resp *http.Response, r *interaction.Response) {
	recorded := cmp.Or(r.Transfer, usualTransfer(r)) // such as "chunked" or "chunked gzip"
	transfer, isUncompressed := strings.CutSuffix(recorded, gzipCoded)
	announced, err := strconv.ParseInt(resp.Header.Get("Content-Length"), 10, 64)
	isAnnounced := err == nil
	if isAnnounced && r.Transfer == "" {
		transfer = byLength
		isUncompressed = false
	}
	resp.Uncompressed = isUncompressed

	if transfer != byLength {
		delete(resp.Header, "Content-Length")
		if transfer == byChunks {
			resp.TransferEncoding = []string{byChunks}
		}
		return
	}
	// These responses announce the length of a body that does not come, or not all of
	// it (RFC 9110, section 8.6).
	isHead := resp.Request.Method == http.MethodHead
	isBodylessHTTP2 := isBodyless("", r.Status) && resp.ProtoMajor != 1
	isCutOff := r.End != "" && isAnnounced
	if isHead || isBodylessHTTP2 || isCutOff {
		resp.ContentLength = announced
		return
	}
	// The body may have been edited, so its length may differ from the recorded header.
	resp.ContentLength = int64(len(r.Body))
	if len(r.Body) > 0 {
		resp.Header["Content-Length"] = []string{strconv.Itoa(len(r.Body))}
	}
}

// isBodyless reports whether the response to a request has no body (RFC 9110, section
// 6.4.1).
func isBodyless(method string, status int) bool {
	if method == http.MethodHead || status < 200 {
		return true
	}
	return status == http.StatusNoContent || status == http.StatusNotModified
}
