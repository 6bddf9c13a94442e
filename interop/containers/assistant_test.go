package containers

import (
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/testcontainers/testcontainers-go"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
)

// A container of testcontainers-go gets the variables of the server, access to its port, and each
// file that a variable names.
func TestContainerReachesTheServer(t *testing.T) {
	t.Parallel()
	rec, err := promptecho.Open(filepath.Join(t.TempDir(), "c.yaml"), promptecho.AllowUnused())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rec.Close() })
	server := echotest.Serve(t, rec, echotest.Proxy(),
		echotest.Listen("127.0.0.1:0", testcontainers.HostInternal))
	var request testcontainers.GenericContainerRequest
	for _, option := range reach(t, server) {
		err := option.Customize(&request)
		if err != nil {
			t.Fatal(err)
		}
	}

	base, err := url.Parse(request.Env["OPENAI_BASE_URL"])
	if err != nil || base.Hostname() != "host.testcontainers.internal" {
		t.Errorf("OPENAI_BASE_URL is %s, %v", base, err)
	}
	if ports := request.HostAccessPorts; len(ports) != 1 || strconv.Itoa(ports[0]) != base.Port() {
		t.Errorf("ports %d, want that of %s", ports, base)
	}
	copied := map[string]bool{}
	for _, file := range request.Files {
		copied[file.ContainerFilePath] = true
		_, err := os.Stat(file.HostFilePath)
		if err != nil || file.HostFilePath != file.ContainerFilePath {
			t.Errorf("the file %+v: %v", file, err)
		}
	}
	named := 0
	for name, value := range request.Env {
		if strings.HasSuffix(value, ".pem") {
			named++
			if !copied[value] {
				t.Errorf("%s names %s, which the container does not get", name, value)
			}
		}
	}
	if named == 0 {
		t.Error("no variable names certificates")
	}
}
