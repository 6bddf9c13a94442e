// Package authority makes certificates for the hosts in whose place a proxy
// answers. Each run has an authority of its own. Its key stays in memory, so that
// other processes cannot make certificates that the programs of the run trust.
package authority

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"strings"
	"sync"
	"time"
)

const (
	// lifetime is how long an authority and its certificates are valid: longer than
	// any test run.
	lifetime = 24 * time.Hour

	// skew is how far the clock of a container or of a virtual machine may be behind.
	skew = time.Hour
)

// An Authority signs certificates. Its methods may be called concurrently.
type Authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey // of the authority
	hostKey     *ecdsa.PrivateKey // of all certificates of hosts

	mu    sync.Mutex // guards what follows
	hosts map[string]*tls.Certificate
}

// New returns an authority with a new key. It is valid for a day.
func New() (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	hostKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := newTemplate("promptecho, for one run")
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.MaxPathLenZero = true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &Authority{
		certificate: certificate,
		key:         key,
		hostKey:     hostKey,
		hosts:       map[string]*tls.Certificate{},
	}, nil
}

// newTemplate returns what the certificates of the authority and of hosts have in common.
func newTemplate(name string) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		// RFC 5280, section 4.1.2.2: a serial number has at most 20 octets.
		SerialNumber: new(big.Int).SetBytes(randomBytes(16)),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    now.Add(-skew),
		NotAfter:     now.Add(lifetime),
	}
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // never fails (since Go 1.24)
	return b
}

// maxName is the longest name of a host (RFC 1035, section 2.3.4).
const maxName = 253

// Certificate returns a certificate for a host: a name, or an IP address without brackets.
// It makes one for each host, when the host is first asked for.
func (a *Authority) Certificate(host string) (*tls.Certificate, error) {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "" || len(host) > maxName {
		return nil, errors.New("not the name of a host")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.hosts[host]; c != nil {
		return c, nil
	}

	template := newTemplate("")
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(
		rand.Reader, template, a.certificate, a.hostKey.Public(), a.key)
	if err != nil {
		return nil, fmt.Errorf("certificate for %q: %w", host, err)
	}
	c := &tls.Certificate{
		Certificate: [][]byte{der, a.certificate.Raw},
		PrivateKey:  a.hostKey,
	}
	a.hosts[host] = c
	return c, nil
}

// PEM returns the certificate of the authority, without its key.
func (a *Authority) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw})
}
