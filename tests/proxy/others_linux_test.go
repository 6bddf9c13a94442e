package proxy_test

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/promptecho/promptecho/tests/internal/must"
)

// Another user of this machine cannot read the certificates and the secret of a run, and gets no
// answer of the proxy.
func TestOtherUsersCannotUseTheProxy(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only the superuser can run programs as another user: run the tests as root")
	}
	p := startProcess(t)
	secret := clientOf(t, p.Env, p.CertificateFile).proxy

	// A program of the run waits with the variables in its environment.
	program := exec.CommandContext(t.Context(), "cat")
	program.Env = p.Env
	stdin, err := program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	err = program.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		_ = program.Wait()
	})
	environment := fmt.Sprintf("/proc/%d/environ", program.Process.Pid)

	for _, path := range []string{p.CertificateFile, environment} {
		must.Read(t, path) // this user can read it
		out, err := asOther(t, nil, "cat", path)
		if err == nil || len(out) > 0 {
			t.Errorf("another user reads %q in %s, %v", out, path, err)
		}
	}
	out, err := asOther(t, nil, "ls", filepath.Dir(p.CertificateFile))
	if err == nil || len(out) > 0 {
		t.Errorf("another user sees %q, %v", out, err)
	}
	password, _ := secret.User.Password()
	commandLine := fmt.Sprintf("/proc/%d/cmdline", program.Process.Pid)
	out, err = asOther(t, nil, "cat", commandLine)
	if err != nil || strings.Contains(string(out), password) {
		t.Errorf("the arguments of the program are %q, %v", out, err)
	}

	asks := copyOfThisProgram(t)
	for _, tt := range []struct {
		user *url.Userinfo
		want string
	}{
		{nil, "407 Proxy Authentication Required\n"},
		{url.UserPassword("promptecho", "guessed"), "407 Proxy Authentication Required\n"},
		{url.UserPassword("promptecho", ""), "407 Proxy Authentication Required\n"},
		{secret.User, "http://api.example.com/v1 "}, // the way is open, only the secret is missing
	} {
		proxy := url.URL{Scheme: "http", Host: secret.Host, User: tt.user}
		out, err := asOther(t, []string{"HTTP_PROXY=" + proxy.String()}, asks, askCommand, "http://api.example.com/v1")
		if err != nil || string(out) != tt.want {
			t.Errorf("with the user %v another user gets %q, %v", tt.user, out, err)
		}
	}
	out, err = asOther(t, []string{"HTTPS_PROXY=http://" + secret.Host}, asks, askCommand, "https://api.example.com/v1")
	if err == nil || len(out) > 0 {
		t.Errorf("another user gets %q, %v", out, err)
	}
}

// asOther runs a command as the user nobody, and returns what it prints.
func asOther(t *testing.T, env []string, args ...string) ([]byte, error) {
	t.Helper()
	const nobody = 65534
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir = "/"
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	return cmd.Output()
}

// copyOfThisProgram returns the path of a copy that other users can run.
func copyOfThisProgram(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "promptecho-other-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	err = os.Chmod(dir, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program")
	// If this process wrote the copy, a program that another test starts meanwhile would have it
	// open, and it could not be run (go.dev/issue/22315).
	out, err := exec.Command("cp", self, program).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}
