package proxy

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
)

// A Refusal says that a client could not use the proxy for a host.
type Refusal struct {
	Kind    Kind
	Address string // the host and the port
	Agent   string // the client, as it describes itself; may be ""
	Why     string // what the client did
}

// A Kind says how a client came to refuse the proxy.
type Kind int

const (
	// Refused: the client does not trust the authority, or it expects a certain certificate
	// (pinning).
	Refused Kind = iota

	// Closed: the client closed the connection before its first request. Node.js refuses a
	// certificate so, since it looks at it only when the handshake has succeeded. Others close a
	// connection that they have no need of.
	Closed

	// Unable: the client has no version of TLS, or no cipher, in common with the proxy.
	Unable
)

// Host returns the host without the port.
func (r Refusal) Host() string {
	host, _, err := net.SplitHostPort(r.Address)
	if err != nil {
		return r.Address
	}
	return host
}

// Text describes a refusal, for a report. passThrough is the option that lets connections to the
// host pass unread.
func (r Refusal) Text(passThrough string) string {
	return r.problem() + "\n  to let it pass unread, and not recorded: " + passThrough
}

// problem says what happened. It names the variable with the file that clients must trust, and not
// the file, which is another one in each run.
func (r Refusal) problem() string {
	agent := cmp.Or(r.Agent, "a client")
	if r.Kind == Unable {
		return fmt.Sprintf("%s cannot speak TLS with the proxy for %s (%s)", agent, r.Address, r.Why)
	}
	did := "did not accept"
	if r.Kind == Closed {
		did = "seems not to accept"
	}
	return fmt.Sprintf("%s %s the certificate of the proxy for %s (%s): it does not trust the authority "+
		"of the run, or expects a certain certificate\n"+
		"  if it has a setting for trusted certificates, give it the file of its variable SSL_CERT_FILE",
		agent, did, r.Address, r.Why)
}

// refusals are the refusals of a run, each once. Its methods may be called concurrently.
type refusals struct {
	mu   sync.Mutex // guards what follows
	list []Refusal
	used map[string]bool // addresses to which a request came
}

// add adds a refusal by the client of a connection.
func (r *refusals) add(dest *destination, one Refusal) {
	one.Address = dest.address
	one.Agent = dest.agent
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.list, one) {
		r.list = append(r.list, one)
	}
}

// noteUse notes that a request came to an address: its certificate was accepted.
func (r *refusals) noteUse(address string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.used == nil {
		r.used = map[string]bool{}
	}
	r.used[address] = true
}

// all returns the refusals. A connection that was closed is left out if a request came to its
// address on another one.
func (r *refusals) all() (list []Refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range r.list {
		if one.Kind != Closed || !r.used[one.Address] {
			list = append(list, one)
		}
	}
	return list
}

// refusalIn returns the reason in the error of a handshake that a client has ended by an alert
// (RFC 8446, section 6.2). It returns "" for any other error, such as that of a client that closed
// the connection: clients also open connections that they do not need.
//
// OpenSSL 3 sends its alert without encryption, which crypto/tls reports as a record that it cannot
// decrypt.
func refusalIn(err error) (why string) {
	var failed *net.OpError
	if !errors.As(err, &failed) {
		return ""
	}
	switch failed.Op {
	case opOfAlert:
		return failed.Err.Error()
	case opOfOwnAlert:
		return "it ended the handshake"
	}
	return ""
}

// isDisagreement reports whether a handshake was ended by the proxy, and not by the client or the
// network.
func isDisagreement(err error) bool {
	var network net.Error
	isEnd := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	return err != nil && !isEnd && !errors.As(err, &network)
}

// These are the operations of the errors in which crypto/tls reports an alert.
const (
	opOfAlert    = "remote error" // the peer has sent it
	opOfOwnAlert = "local error"
)
