package uploads_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A large upload that waits on the disk is encrypted there, in a file without a name.
// /proc shows the files that a process has opened, also those without a name.
func TestUploadOnTheDiskIsEncrypted(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	const secret = "this is a private text of the user. "
	body := strings.Repeat(secret, 9<<20/len(secret))
	var onDisk string
	upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
		names, err := os.ReadDir(folder)
		if err != nil || len(names) > 0 {
			t.Errorf("the folder has %v, %v", names, err)
		}
		onDisk = openedIn(t, folder)
		text, err := digestOf(req.Body)
		return answer(req, text), err
	})

	file := filepath.Join(t.TempDir(), "a.yaml")
	must.Upload(t, file, promptecho.ModeAll, upload(t, "http://h/", "text/plain", "something is recorded"),
		promptecho.Upstream(provider.Says("hello")))
	got := must.Upload(t, file, promptecho.ModeNewEpisodes, uploadOnce(t, "http://h/", "text/plain", body),
		promptecho.Upstream(upstream), promptecho.AllowUnused())
	if got != sha256Of(body) {
		t.Errorf("the server got %s, want %s", got, sha256Of(body))
	}
	if len(onDisk) == 0 {
		t.Error("no file was opened: is the upload kept in memory?")
	}
	if strings.Contains(onDisk, secret) {
		t.Error("the upload is on the disk as it is")
	}
}

// openedIn returns the content of the file of a folder that this process has opened.
func openedIn(t *testing.T, folder string) string {
	t.Helper()
	const descriptors = "/proc/self/fd"
	opened, err := os.ReadDir(descriptors)
	if err != nil {
		t.Fatal(err)
	}
	for _, descriptor := range opened {
		path := filepath.Join(descriptors, descriptor.Name())
		// A descriptor that was closed meanwhile, as that of the listing, has no target.
		target, _ := os.Readlink(path)
		if strings.HasPrefix(target, folder+"/promptecho-") {
			return must.Read(t, path)
		}
	}
	return ""
}
