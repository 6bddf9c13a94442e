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

// A Refusal says that a client did not accept the certificate of the proxy for a host: it does not
// trust the authority, or it expects a certain certificate (pinning).
type Refusal struct {
	Address string // the host and the port
	Agent   string // the client, as it describes itself; may be ""
	Why     string // what the client did

	// Certain is false if the client may also have had no need of the connection. Node.js looks at
	// the certificate only when the handshake has succeeded, and then closes the connection.
	Certain bool

	// Unable is true if the client did not get so far: it has no version of TLS, or no cipher, in
	// common with the proxy.
	Unable bool
}

// Host returns the host without the port.
func (r Refusal) Host() string {
	host, _, err := net.SplitHostPort(r.Address)
	if err != nil {
		return r.Address
	}
	return host
}

// Text describes a refusal, for a report. It names the variable with the file that clients must
// trust, and not the file, which is another one in each run. passThrough is the option that lets
// connections to the host pass unread.
func (r Refusal) Text(passThrough string) string {
	const pass = "\n  to let it pass unread, and not recorded: "
	if r.Unable {
		return fmt.Sprintf("%s cannot speak TLS with the proxy for %s (%s)",
			cmp.Or(r.Agent, "a client"), r.Address, r.Why) + pass + passThrough
	}
	did := "did not accept"
	if !r.Certain {
		did = "seems not to accept"
	}
	return fmt.Sprintf("%s %s the certificate of the proxy for %s (%s): it does not trust the authority "+
		"of the run, or expects a certain certificate\n"+
		"  if it has a setting for trusted certificates, give it the file of its variable SSL_CERT_FILE",
		cmp.Or(r.Agent, "a client"), did, r.Address, r.Why) + pass + passThrough
}

// refusals are the refusals of a run, each once. Its methods may be called concurrently.
type refusals struct {
	mu   sync.Mutex // guards what follows
	list []Refusal
	used map[string]bool // addresses to which a request came
}

// add adds a refusal by the client of a connection.
func (r *refusals) add(in *inside, one Refusal) {
	one.Address = in.address
	one.Agent = in.agent
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

// all returns the refusals. An uncertain one is left out if a request came to its address: clients
// open connections that they do not need.
func (r *refusals) all() (list []Refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range r.list {
		if one.Certain || !r.used[one.Address] {
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
