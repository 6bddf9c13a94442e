package authority

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func newAuthority(t *testing.T) *Authority {
	t.Helper()
	a, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// rootsOf returns the certificates in a text, as a program that trusts them has them.
func rootsOf(t *testing.T, text []byte) *x509.CertPool {
	t.Helper()
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		t.Fatalf("no certificate in %q", text)
	}
	return pool
}

// verify verifies a certificate as a client of a host does.
func verify(t *testing.T, c *tls.Certificate, host string, roots *x509.CertPool) error {
	t.Helper()
	leaf, err := x509.ParseCertificate(c.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	_, err = leaf.Verify(x509.VerifyOptions{DNSName: host, Roots: roots})
	return err
}

// A client that trusts the authority accepts its certificate for the host, and for no other host.
// A client that trusts the authority of another run does not.
func TestCertificateIsOfItsHost(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	roots := rootsOf(t, a.PEM())
	ofOtherRun := rootsOf(t, newAuthority(t).PEM())
	for _, host := range []string{
		"api.openai.com", "API.OpenAI.com", "api.openai.com.", "localhost", "xn--bcher-kva.example",
		"192.0.2.7", "2001:db8::7", strings.Repeat("a.", 100) + "example.com",
	} {
		c, err := a.Certificate(host)
		if err != nil {
			t.Errorf("%s: %v", host, err)
			continue
		}
		if err := verify(t, c, host, roots); err != nil {
			t.Errorf("%s: %v", host, err)
		}
		if err := verify(t, c, "other.example.com", roots); err == nil {
			t.Errorf("%s: the certificate is good for another host", host)
		}
		if err := verify(t, c, host, ofOtherRun); err == nil {
			t.Errorf("%s: a program that trusts another run accepts the certificate", host)
		}
	}
}

// What is not the name of a host gets no certificate.
func TestNoCertificateWithoutHost(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	for _, host := range []string{"", ".", strings.Repeat("a", 300), "bücher.example"} {
		_, err := a.Certificate(host)
		if err == nil {
			t.Errorf("%q has a certificate", host)
		}
	}
}

// The certificates of a run are of no use a day later.
func TestCertificatesAreValidForADay(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	c, err := a.Certificate("api.openai.com")
	if err != nil {
		t.Fatal(err)
	}
	for _, der := range c.Certificate {
		parsed, err := x509.ParseCertificate(der)
		if err != nil {
			t.Fatal(err)
		}
		if parsed.NotAfter.Sub(parsed.NotBefore) > 25*time.Hour {
			t.Errorf("%s is valid from %s to %s", parsed.Subject, parsed.NotBefore, parsed.NotAfter)
		}
	}
}

// The folder of a run has certificates only, and only its user may read it.
func TestKeyIsNotWritten(t *testing.T) {
	t.Parallel()
	trust, err := newAuthority(t).WriteTrust(func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	defer trust.Remove()
	info, err := os.Stat(trust.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 && runtime.GOOS != "windows" { // which has no such modes
		t.Errorf("the folder has mode %s", info.Mode())
	}
	files, err := os.ReadDir(trust.Dir)
	if err != nil || len(files) != 2 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(trust.Dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
			if block.Type != "CERTIFICATE" {
				t.Errorf("%s has a %s", f.Name(), block.Type)
			}
		}
	}
	trust.Remove()
	if _, err := os.Stat(trust.Dir); !os.IsNotExist(err) {
		t.Errorf("the folder is left: %v", err)
	}
}

// The certificates of the system stay trusted if SSL_CERT_FILE names a file that is not there: many programs read
// other variables, which lead them to our file instead.
func TestMissingFileOfTheUser(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	sizes := map[string]int{}
	for _, file := range []string{"", filepath.Join(t.TempDir(), "not there")} {
		trust, err := a.WriteTrust(func(name string) string {
			if name == "SSL_CERT_FILE" {
				return file
			}
			return ""
		})
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(trust.Full)
		trust.Remove()
		if err != nil {
			t.Fatal(err)
		}
		sizes[filepath.Base(file)] = bytes.Count(text, []byte("BEGIN CERTIFICATE"))
	}
	if sizes["."] != sizes["not there"] {
		t.Errorf("certificates: %v", sizes)
	}
}

// A program finds the certificates from each folder, also if TMPDIR is relative.
func TestFilesHaveAbsolutePaths(t *testing.T) {
	// Not parallel: it changes the folder and a variable of the process.
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", ".")
	trust, err := newAuthority(t).WriteTrust(func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	defer trust.Remove()
	for _, path := range []string{trust.Dir, trust.Own, trust.Full} {
		if !filepath.IsAbs(path) {
			t.Errorf("%s is relative", path)
		}
	}
}

// An error says what a folder that is not there was for.
func TestNoFolderForTemporaryFiles(t *testing.T) {
	// Not parallel: it changes variables of the process.
	missing := filepath.Join(t.TempDir(), "missing")
	t.Setenv("TMPDIR", missing)
	t.Setenv("TMP", missing) // on Windows
	_, err := newAuthority(t).WriteTrust(func(string) string { return "" })
	const want = "the certificates of the proxy need a folder for temporary files: "
	if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), missing) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A program still trusts the certificates that the variables of the user name, and each is written once.
func TestCertificatesOfTheUserStayTrusted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string, texts ...[]byte) string {
		file := filepath.Join(dir, name)
		err := os.WriteFile(file, bytes.Join(texts, []byte("# a comment\n")), 0o600)
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	system, company, extra := newAuthority(t), newAuthority(t), newAuthority(t)
	variables := map[string]string{
		"SSL_CERT_FILE":       write("system.pem", system.PEM()),
		"REQUESTS_CA_BUNDLE":  write("company.pem", system.PEM(), company.PEM()),
		"NODE_EXTRA_CA_CERTS": write("extra.pem", extra.PEM()),
		"CURL_CA_BUNDLE":      filepath.Join(dir, "not there"),
	}
	a := newAuthority(t)
	trust, err := a.WriteTrust(func(name string) string { return variables[name] })
	if err != nil {
		t.Fatal(err)
	}
	defer trust.Remove()

	for _, tt := range []struct {
		file string
		want []*Authority
	}{
		{trust.Full, []*Authority{system, company, extra, a}},
		{trust.Own, []*Authority{extra, a}},
	} {
		text, err := os.ReadFile(tt.file)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(text, []byte("BEGIN CERTIFICATE")); n != len(tt.want) {
			t.Errorf("%s has %d certificates, want %d", tt.file, n, len(tt.want))
		}
		roots := rootsOf(t, text)
		for i, signer := range tt.want {
			c, err := signer.Certificate("api.openai.com")
			if err != nil {
				t.Fatal(err)
			}
			if err := verify(t, c, "api.openai.com", roots); err != nil {
				t.Errorf("%s does not have certificate %d: %v", tt.file, i, err)
			}
		}
	}
	for _, v := range trust.Env() {
		_, file, _ := strings.Cut(v, "=")
		if file != trust.Own && file != trust.Full {
			t.Errorf("%s names another file", v)
		}
	}
}
