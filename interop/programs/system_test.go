package programs

import (
	"os/exec"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/full"
)

// shell returns a command that runs a script.
func shell(script string) []string { return []string{"sh", "-ec", script} }

// python returns a command that runs a script of testdata/python with Debian's Python.
func python(t *testing.T, script string) []string {
	return []string{debianPython, absolute(t, "testdata/python/"+script)}
}

const debianPython = "/usr/bin/python3"

// need skips the test where a command does not succeed. CI has all that is needed.
func need(t *testing.T, command string, args ...string) {
	t.Helper()
	err := exec.Command(command, args...).Run()
	if err != nil {
		t.Skipf("%s %q: %v", command, args, err)
	}
}

// curl prints the same in a replay, over HTTP and HTTPS, HTTP/1.1 and HTTP/2, also of a stream.
func TestCurl(t *testing.T) {
	t.Parallel()
	need(t, "curl", "--version")
	t.Run("answers", func(t *testing.T) {
		t.Parallel()
		recordAndReplay(t, newUpstream(t), program{command: shell(`
			curl -sS https://api.example.com/text http://api.example.com/text
			curl -sS --http1.1 -d question=why https://api.example.com/echo
			curl -sS https://api.example.com/large | sha256sum
		`)})
	})
	t.Run("events", func(t *testing.T) {
		t.Parallel()
		recordAndReplay(t, newUpstream(t), program{
			command:  []string{"curl", "-sSN", "https://api.example.com/events"},
			isStream: true,
		})
	})
}

// git clones a repository over HTTPS, and in a replay gets the same commits and files.
func TestGit(t *testing.T) {
	t.Parallel()
	need(t, "git", "--version")
	u := newUpstream(t)
	u.hosts["git.example.com"] = newGitServer(t)
	recordAndReplay(t, u, program{command: shell(`
		git clone -q https://git.example.com/lib.git lib
		git -C lib log --format='%H %s'
		git -C lib ls-tree -r HEAD
		git ls-remote https://git.example.com/lib.git
	`)})
}

// Python's urllib, requests and httpx get the same answers and events in a replay.
func TestPython(t *testing.T) {
	t.Parallel()
	for _, module := range []string{"urllib", "requests", "httpx"} {
		t.Run(module, func(t *testing.T) {
			t.Parallel()
			need(t, debianPython, "-c", "import "+module)
			recordAndReplay(t, newUpstream(t), program{
				command:  python(t, "ask_"+module+".py"),
				isStream: true,
			})
		})
	}
}

// wget, npm, pip and go download the same files in a replay.
func TestDownloads(t *testing.T) {
	t.Parallel()
	full.Only(t, "TestCurl")
	need(t, "wget", "--version")
	need(t, "npm", "--version")
	need(t, debianPython, "-c", "import pip")
	for name, p := range map[string]program{
		// wget with GnuTLS reads no variable for certificates.
		"wget": {command: shell(`
			wget -q -O - --ca-certificate="$SSL_CERT_FILE" https://api.example.com/text
		`)},

		// A setting for certificates, as on machines behind a proxy of a company.
		"npm": {command: shell(`
			echo cafile=/etc/ssl/certs/ca-certificates.crt > ~/.npmrc
			npm view made-up-package version dist.tarball --registry=https://registry.npmjs.org/
		`)},
		"pip": {
			command: shell(`
				/usr/bin/python3 -m pip download -q --no-deps made-up-package
				sha256sum *.whl
			`),
			env: []string{"PIP_CONFIG_FILE=/dev/null", "PIP_DISABLE_PIP_VERSION_CHECK=1"},
		},
		"go": {
			command: shell(`
				go mod init example.com/m
				go get example.com/madeup@v1.2.3
				cat go.mod go.sum
			`),
			env: []string{
				"GOPROXY=https://proxy.golang.org", "GONOSUMDB=*",
				"GOFLAGS=-modcacherw", "GOTOOLCHAIN=local",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recordAndReplay(t, newUpstream(t), p)
		})
	}
}
