// Package websocket has the frames and the handshake of the WebSocket protocol (RFC 6455),
// for a recorder that stands between a client and a server.
//
// While the recorder records, bytes pass unchanged, and a [Parser] for each direction reads
// the messages in them. In replay, a Parser reads what the client writes, and [AppendFrame]
// makes the frames of a server. The package reads and writes no connection: its functions
// take bytes and return bytes.
//
// Extensions are not supported, so no frame is compressed. The recorder has to remove
// Sec-WebSocket-Extensions from the handshake.
//
// Libraries for WebSocket are not used: they read from a connection, which here takes a
// goroutine and a pipe for each direction, and a test would link another module.
// docs/design/decisions/websocket-frames.md compares them.
package websocket
