// Package webserver makes the web servers of recorders: those that listen for programs, and
// those whose connections come from elsewhere.
package webserver

import (
	"io"
	"log"
	"net/http"
	"time"
)

// HeaderTimeout is how long a client may take to send the headers of a request.
const HeaderTimeout = time.Minute

// New returns a server that speaks HTTP/1.1, and HTTP/2 without TLS. It logs nothing: the log
// would have clients that closed their connections.
func New(handler http.Handler) *http.Server {
	s := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: HeaderTimeout,
		Protocols:         new(http.Protocols),
		ErrorLog:          log.New(io.Discard, "", 0),
	}
	s.Protocols.SetHTTP1(true)
	s.Protocols.SetUnencryptedHTTP2(true)
	return s
}
