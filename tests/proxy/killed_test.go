//go:build unix

package proxy_test

import (
	"bufio"
	"bytes"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho/tests/internal/must"
)

// A process is a run of tests in a process of its own.
type process struct {
	served
	cmd       *exec.Cmd
	stdout    *bufio.Reader
	temporary string // its folder for temporary files
	cassettes string // the folder of its cassette
}

// startProcess starts a run of tests that serves.
func startProcess(t *testing.T) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{temporary: t.TempDir(), cassettes: t.TempDir()}
	p.cmd = exec.CommandContext(t.Context(), self, serveCommand, filepath.Join(p.cassettes, "c.yaml"))
	p.cmd.Env = append(p.cmd.Environ(), "TMPDIR="+p.temporary)
	p.cmd.Stderr = os.Stderr
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	err = p.cmd.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.kill() })
	p.stdout = bufio.NewReader(stdout)
	err = json.Unmarshal([]byte(p.line(t)), &p.served)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// line returns the next line that the process prints.
func (p *process) line(t *testing.T) string {
	t.Helper()
	line, err := p.stdout.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// kill kills the process, and returns when it has ended.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait() // it was killed
}

// get asks for a URL through the proxy of the process, and returns the certificate of the host.
func (p *process) get(t *testing.T, url string) (*x509.Certificate, error) {
	t.Helper()
	c := clientOf(t, p.Env, p.CertificateFile)
	resp, err := (&http.Client{Transport: c.transport("HTTP/1.1")}).Get(url)
	if err != nil {
		return nil, err
	}
	if got := must.Body(t, resp); got != url+" " {
		t.Errorf("got %q", got)
	}
	return resp.TLS.PeerCertificates[0], nil
}

// moments are when a process is killed. Each function brings the process to the moment.
var moments = []struct {
	name  string
	reach func(t *testing.T, p *process)
}{
	{"before the first request", func(*testing.T, *process) {}},
	{"after an answer", func(t *testing.T, p *process) {
		_, err := p.get(t, "https://api.example.com/v1")
		if err != nil {
			t.Error(err)
		}
	}},
	{"in a handshake", func(t *testing.T, p *process) {
		c := clientOf(t, p.Env, p.CertificateFile)
		hello := clientHello(t)
		conn := then(t, c.connect(t), hello[:len(hello)/2])
		t.Cleanup(func() { conn.Close() })
	}},
	{"in a request", func(t *testing.T, p *process) {
		c := clientOf(t, p.Env, p.CertificateFile)
		conn := then(t, c.shakeHands(t, "http/1.1"), "GET /hangs HTTP/1.1\r\nHost: api.example.com\r\n\r\n")
		t.Cleanup(func() { conn.Close() })
		p.line(t) // the recorder has sent it
	}},
}

// A run that is killed at any moment leaves at most certificates for one day, whose key is
// nowhere. Nothing serves any more.
func TestKilledRunLeavesNothingThatIsTrusted(t *testing.T) {
	t.Parallel()
	for _, moment := range moments {
		t.Run(moment.name, func(t *testing.T) {
			t.Parallel()
			p := startProcess(t)
			moment.reach(t, p)
			p.kill()

			_, err := p.get(t, "https://api.example.com/v1")
			if err == nil {
				t.Error("the proxy still answers")
			}
			own := onlyCertificates(t, p)
			if lifetime := time.Until(own.NotAfter); lifetime > 24*time.Hour {
				t.Errorf("the certificate is valid for %s", lifetime)
			}
			wantNoKey(t, p, own)
		})
	}
}

// The keys of the authority and of its certificates are in no file, no variable and no cassette,
// while the run is going on.
func TestKeysStayInMemory(t *testing.T) {
	t.Parallel()
	t.Run("the search finds keys", findsKeys)
	p := startProcess(t)
	host, err := p.get(t, "https://api.example.com/v1")
	if err != nil {
		t.Fatal(err)
	}
	own := onlyCertificates(t, p)
	err = host.CheckSignatureFrom(own)
	if err != nil {
		t.Fatal(err)
	}
	wantNoKey(t, p, own, host)
}

// onlyCertificates fails the test unless all temporary files of a process have certificates and
// nothing else, in folders that no other user can open. It returns the certificate of the proxy.
func onlyCertificates(t *testing.T, p *process) (own *x509.Certificate) {
	t.Helper()
	for path, content := range filesBelow(t, p.temporary) {
		info, err := os.Stat(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o700 {
			t.Errorf("the folder of %s has mode %o", path, mode)
		}

		var again bytes.Buffer
		rest := content
		for {
			var block *pem.Block
			block, rest = pem.Decode(rest)
			if block == nil {
				break
			}
			certificate, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			err = pem.Encode(&again, &pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw})
			if err != nil {
				t.Fatal(err)
			}
			if certificate.Subject.CommonName == "promptecho, for one run" {
				own = certificate
			}
		}
		if !bytes.Equal(again.Bytes(), content) {
			t.Errorf("%s has more than certificates", path)
		}
	}
	if own == nil || !own.IsCA {
		t.Fatal("the certificate of the proxy is not found")
	}
	return own
}

// wantNoKey fails the test if the private key of a certificate is in the cassette of a process or
// in the variables that it sets.
func wantNoKey(t *testing.T, p *process, certificates ...*x509.Certificate) {
	t.Helper()
	texts := filesBelow(t, p.cassettes)
	texts["the environment"] = []byte(strings.Join(p.Env, "\n"))
	for name, text := range texts {
		for _, c := range certificates {
			if hasKeyOf(t, text, c) {
				t.Errorf("%s has the key of %q", name, c.Subject)
			}
		}
	}
}

// hasKeyOf reports whether a text has the private key of a certificate on the curve P-256: as 32
// bytes, in base64, or as a block of PEM with any key.
func hasKeyOf(t *testing.T, text []byte, c *x509.Certificate) bool {
	t.Helper()
	public, err := c.PublicKey.(*ecdsa.PublicKey).ECDH()
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte("PRIVATE KEY")) || hasScalar(text, public) {
		return true
	}
	for word := range bytes.FieldsFuncSeq(text, isNoBase64) {
		decoded, err := base64.RawStdEncoding.DecodeString(string(word))
		if err == nil && hasScalar(decoded, public) {
			return true
		}
	}
	return false
}

// hasScalar reports whether 32 bytes of a text are the private key of a public one.
func hasScalar(text []byte, public *ecdh.PublicKey) bool {
	const size = 32
	for i := range max(0, len(text)-size+1) {
		key, err := ecdh.P256().NewPrivateKey(text[i : i+size])
		if err == nil && key.PublicKey().Equal(public) {
			return true
		}
	}
	return false
}

// isNoBase64 reports whether a character is none of base64 without padding.
func isNoBase64(r rune) bool {
	isLetter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	isDigit := '0' <= r && r <= '9'
	return !isLetter && !isDigit && r != '+' && r != '/'
}

// filesBelow returns the contents of all files below a folder, by path.
func filesBelow(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files[path], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// findsKeys tests that hasKeyOf finds a key in each form in which it could be written.
func findsKeys(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{PublicKey: key.Public()}
	sec1, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for form, text := range map[string][]byte{
		"SEC 1":      sec1,
		"PKCS 8":     pkcs8,
		"as PEM":     pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: sec1}),
		"as base64":  []byte(base64.StdEncoding.EncodeToString(pkcs8)),
		"in a field": fmt.Appendf(nil, "key: %s\n", base64.StdEncoding.EncodeToString(sec1)),
	} {
		if !hasKeyOf(t, text, c) {
			t.Errorf("the key is not found %s", form)
		}
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	if hasKeyOf(t, public, c) {
		t.Error("a public key is taken for the private one")
	}
}
