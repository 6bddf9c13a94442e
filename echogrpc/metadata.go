package echogrpc

import (
	"encoding/base64"
	"net/http"
	"strings"

	"google.golang.org/grpc/metadata"
)

// headerOf returns metadata as headers. Binary values are in base64 there, as in HTTP/2
// (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md).
func headerOf(md metadata.MD) http.Header {
	header := http.Header{}
	for name, values := range md {
		if isOfTransport(name) {
			continue
		}
		for _, value := range values {
			if isBinary(name) {
				value = base64.StdEncoding.EncodeToString([]byte(value))
			}
			header.Add(name, value)
		}
	}
	return header
}

// metadataOf is the reverse of headerOf.
func metadataOf(header http.Header) metadata.MD {
	md := metadata.MD{}
	for name, values := range header {
		name = strings.ToLower(name)
		if isOfTransport(name) {
			continue
		}
		for _, value := range values {
			if isBinary(name) {
				decoded, err := base64.StdEncoding.DecodeString(value)
				if err == nil { // else it was edited, or redacted
					value = string(decoded)
				}
			}
			md.Append(name, value)
		}
	}
	return md
}

// isOfTransport reports whether metadata of a name belong to the transport: pseudo-headers, the name of
// the library, and the type of the body, which is another one in the cassette.
func isOfTransport(name string) bool {
	switch name {
	case "content-type", "content-length", "te", "trailer", "user-agent":
		return true
	}
	return strings.HasPrefix(name, ":") || strings.HasPrefix(name, "grpc-")
}

func isBinary(name string) bool { return strings.HasSuffix(name, "-bin") }
