package proxy

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
)

// A Refusal tells of a client that did not accept the certificate of the proxy for a host: it
// does not trust the authority, or it expects a certain certificate (pinning).
type Refusal struct {
	User    string
	Address string // the host and the port
	Agent   string // the client, as it describes itself; may be ""
	Alert   string // what the client sent in the place of an answer, in words
}

// Host returns the host without the port.
func (r Refusal) Host() string {
	host, _, err := net.SplitHostPort(r.Address)
	if err != nil {
		return r.Address
	}
	return host
}

// Text describes a refusal, for a report. certificates is the file that clients must trust, and
// passThrough is the option that lets connections to the host pass unread.
func (r Refusal) Text(certificates, passThrough string) string {
	return fmt.Sprintf("%s did not accept the certificate of the proxy for %s (%s): it does not trust the authority "+
		"of the run, or expects a certain certificate\n"+
		"  if it has a setting for trusted certificates, give it %s\n"+
		"  to let it pass unread, and not recorded: %s",
		cmp.Or(r.Agent, "a client"), r.Address, r.Alert, certificates, passThrough)
}

// refusals are the refusals of a run, each once. Its methods may be called concurrently.
type refusals struct {
	mu   sync.Mutex // guards what follows
	list []Refusal
}

func (r *refusals) add(one Refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.list, one) {
		r.list = append(r.list, one)
	}
}

func (r *refusals) all() []Refusal {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

// alertIn returns the alert with which a client has ended a handshake (RFC 8446, section 6.2), in
// words. It returns "" for an error of another kind: clients close connections that they do not
// need.
func alertIn(err error) string {
	var failed *net.OpError
	isAlert := errors.As(err, &failed) && failed.Op == opOfAlert
	if !isAlert {
		return ""
	}
	return failed.Err.Error()
}

// opOfAlert is the operation of the errors in which crypto/tls reports an alert of the peer.
const opOfAlert = "remote error"
