package authority

import (
	"bytes"
	"cmp"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
)

// A Trust is a folder with the certificates that make programs trust an authority.
type Trust struct {
	Dir  string // of mode 0700
	Own  string // a file with the certificate of the authority only
	Full string // a file with the certificates that the system trusts, and that of the authority
}

// extraVariables name a file with certificates that a program trusts in addition to those
// of the system.
var extraVariables = []string{
	"NODE_EXTRA_CA_CERTS", // https://nodejs.org/api/cli.html#node_extra_ca_certsfile
	"DENO_CERT",           // https://docs.deno.com/runtime/reference/env_variables/
}

// bundleVariables name a file with all certificates that a program trusts.
var bundleVariables = []string{
	"SSL_CERT_FILE",                    // OpenSSL, Go (not on Windows and macOS), rustls-native-certs
	"REQUESTS_CA_BUNDLE",               // https://requests.readthedocs.io/en/latest/user/advanced/
	"CURL_CA_BUNDLE",                   // https://curl.se/docs/sslcerts.html
	"AWS_CA_BUNDLE",                    // https://docs.aws.amazon.com/sdkref/latest/guide/feature-gen-config.html
	"GIT_SSL_CAINFO",                   // https://git-scm.com/docs/git-config, http.sslCAInfo
	"GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", // https://grpc.github.io/grpc/core/md_doc_environment_variables.html
	"PIP_CERT",                         // https://pip.pypa.io/en/stable/topics/https-certificates/
	"CARGO_HTTP_CAINFO",                // https://doc.rust-lang.org/cargo/reference/config.html
	"npm_config_cafile",                // https://docs.npmjs.com/cli/v11/using-npm/config#cafile
}

// systemBundles are the files in which operating systems keep the certificates that they
// trust: the list of crypto/x509 (root_linux.go, root_bsd.go), and that of macOS.
var systemBundles = []string{
	"/etc/ssl/certs/ca-certificates.crt",
	"/etc/pki/tls/certs/ca-bundle.crt",
	"/etc/ssl/ca-bundle.pem",
	"/etc/pki/tls/cacert.pem",
	"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
	"/etc/ssl/cert.pem",
	"/usr/local/etc/ssl/cert.pem",
	"/usr/local/share/certs/ca-root-nss.crt",
}

// WriteTrust writes the certificates of the authority into a new folder of this user.
// [Trust.Remove] removes the folder. getenv returns the values of variables before the run:
// programs still trust the certificates in the files that these name.
func (a *Authority) WriteTrust(getenv func(string) string) (*Trust, error) {
	// Programs may run in another folder, and TMPDIR may be relative.
	parent, err := filepath.Abs(os.TempDir())
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(parent, "promptecho-trust-") // of mode 0700
	if err != nil {
		return nil, fmt.Errorf("the certificates of the proxy need a folder for temporary files: %w", err)
	}
	t := &Trust{
		Dir:  dir,
		Own:  filepath.Join(dir, "promptecho.pem"),
		Full: filepath.Join(dir, "all.pem"),
	}

	var own, full bundle
	own.add(a.PEM()) // first, because keytool of Java imports one certificate of a file
	own.addFiles(getenv, extraVariables)
	full.addFiles(getenv, bundleVariables)
	var system bundle
	hasOwnSystem := system.addFile(getenv("SSL_CERT_FILE")) // in the place of the system's
	if !hasOwnSystem {
		full.addSystem()
	}
	full.add(own.text.Bytes())

	err = cmp.Or(
		os.WriteFile(t.Own, own.text.Bytes(), 0o600),
		os.WriteFile(t.Full, full.text.Bytes(), 0o600),
	)
	if err != nil {
		t.Remove()
		return nil, err
	}
	return t, nil
}

// A bundle is a text with certificates, each of them once.
type bundle struct {
	text bytes.Buffer
	has  map[string]bool // by the bytes of certificates
}

// add adds the certificates in a text, which may also have comments and keys. It reports
// whether there are some.
func (b *bundle) add(text []byte) (found bool) {
	if b.has == nil {
		b.has = map[string]bool{}
	}
	for {
		var block *pem.Block
		block, text = pem.Decode(text)
		if block == nil {
			return found
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		found = true
		if !b.has[string(block.Bytes)] {
			b.has[string(block.Bytes)] = true
			_ = pem.Encode(&b.text, &pem.Block{Type: block.Type, Bytes: block.Bytes}) // a buffer does not fail
		}
	}
}

// addFile adds the certificates in a file. A file that cannot be read has none.
func (b *bundle) addFile(name string) (found bool) {
	text, err := os.ReadFile(name)
	if err != nil {
		return false
	}
	return b.add(text)
}

// addFiles adds the certificates in the files that some variables name.
func (b *bundle) addFiles(getenv func(string) string, variables []string) {
	for _, v := range variables {
		if name := getenv(v); name != "" {
			b.addFile(name)
		}
	}
}

// addSystem adds the certificates that the operating system trusts.
func (b *bundle) addSystem() {
	for _, name := range systemBundles {
		if b.addFile(name) {
			return
		}
	}
}

// Env returns the variables that make programs trust the authority, as "NAME=value".
func (t *Trust) Env() (env []string) {
	for _, name := range extraVariables {
		env = append(env, name+"="+t.Own)
	}
	for _, name := range bundleVariables {
		env = append(env, name+"="+t.Full)
	}
	return env
}

// Remove removes the folder.
func (t *Trust) Remove() { _ = os.RemoveAll(t.Dir) } // what is left is of no use: the key is gone
