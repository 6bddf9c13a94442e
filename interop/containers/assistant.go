// Package containers has the code of docs/CONTAINERS.md for testcontainers-go. No Docker runs
// where promptecho is tested, so no container is started: the tests look at what one would get.
package containers

import (
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/testcontainers/testcontainers-go"

	"github.com/promptecho/promptecho/echotest"
)

// TestAssistant is the test of a user.
func TestAssistant(t *testing.T) {
	server := echotest.Serve(t, echotest.New(t), echotest.Proxy(),
		echotest.Listen("127.0.0.1:0", testcontainers.HostInternal))
	assistant, err := testcontainers.Run(t.Context(), "example.com/assistant:1", reach(t, server)...)
	testcontainers.CleanupContainer(t, assistant)
	if err != nil {
		t.Fatal(err)
	}
	// ... ask the assistant, and check its answer
}

// reach returns what a container needs to reach the server of a test.
func reach(t *testing.T, server *echotest.Server) (options []testcontainers.ContainerCustomizer) {
	env := map[string]string{}
	for _, variable := range server.Env() {
		name, value, _ := strings.Cut(variable, "=")
		env[name] = value
	}
	address, err := url.Parse(server.URL("https://api.openai.com/v1"))
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(address.Port())
	if err != nil {
		t.Fatal(err)
	}
	certificates, err := filepath.Glob(filepath.Join(filepath.Dir(server.CertificateFile()), "*.pem"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range certificates {
		options = append(options, testcontainers.WithFiles(testcontainers.ContainerFile{
			HostFilePath: path, ContainerFilePath: path, FileMode: 0o644,
		}))
	}
	return append(options, testcontainers.WithHostPortAccess(port), testcontainers.WithEnv(env))
}
