package uploads_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// An upload of more than 256 KB is in the cassette as its length, media type and SHA-256.
func TestLargeUploadIsStoredAsItsDigest(t *testing.T) {
	t.Parallel()
	forEachLargeUpload(t, func(t *testing.T, u largeUpload) {
		s := provider.Digests(t, new(atomic.Int32))
		file := filepath.Join(t.TempDir(), "a.yaml")
		content := wav(u.size)
		u.send(t, s.URL, file, promptecho.ModeAll, content)

		text := must.Read(t, file)
		digest := fmt.Sprintf("(upload of %d bytes, audio/wav, sha256 %s)", len(content), sha256Of(content))
		if len(text) > 4<<10 || !strings.Contains(text, digest) {
			t.Errorf("the cassette has %d bytes, and not %s:\n%.3000s", len(text), digest, text)
		}
		assets := strings.TrimSuffix(file, ".yaml") + ".assets"
		if _, err := os.Stat(assets); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("there are assets: %v", err)
		}
	})
}

// limit is how many bytes an upload has that is stored whole (docs/CASSETTE.md).
const limit = 256 << 10

// formType is the media type of forms in these tests.
const formType = "multipart/form-data; boundary=B"

// A largeUpload is a way to upload a sound that is beyond the limit.
type largeUpload struct {
	name      string
	mediaType string
	body      func(content string) string
	size      int // of the sound
	once      bool
}

// forEachLargeUpload runs a subtest for sounds just beyond the limit and beyond what is held in
// memory, which are a part of a form, base64 in JSON, or the body; the body can be had again or once.
func forEachLargeUpload(t *testing.T, test func(*testing.T, largeUpload)) {
	t.Helper()
	whole := func(content string) string { return content }
	beyondMemory := full.Cases(4<<20+4, 10<<20)
	for _, u := range []largeUpload{
		{name: "a part of a form", mediaType: formType, body: formWith, size: limit + 4},
		{name: "a part of a form", mediaType: formType, body: formWith, size: limit + 4, once: true},
		{name: "base64 in JSON", mediaType: "application/json", body: jsonWith, size: limit + 4},
		{name: "base64 in JSON", mediaType: "application/json", body: jsonWith, size: limit + 4, once: true},
		{name: "the body", mediaType: "", body: whole, size: limit + 4},
		{name: "the body", mediaType: "", body: whole, size: limit + 4, once: true},
		{name: "a part of a form", mediaType: formType, body: formWith, size: beyondMemory, once: true},
		{name: "base64 in JSON", mediaType: "application/json", body: jsonWith, size: beyondMemory},
		{name: "the body", mediaType: "audio/wav", body: whole, size: beyondMemory, once: true},
	} {
		u.run(t, test)
		if full.Set() && u.size == beyondMemory {
			u.once = !u.once
			u.run(t, test)
		}
	}
}

func (u largeUpload) run(t *testing.T, test func(*testing.T, largeUpload)) {
	name := fmt.Sprintf("%s, %d bytes, once: %v", u.name, u.size, u.once)
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		test(t, u)
	})
}

// send uploads a sound to a server of provider.Digests through a recorder of its own, and returns
// the answer: the SHA-256 of the body.
func (u largeUpload) send(
	t *testing.T, base, file string, mode promptecho.Mode, content string, opts ...promptecho.Option,
) string {
	t.Helper()
	newRequest := upload
	if u.once {
		newRequest = uploadOnce
	}
	return must.Upload(t, file, mode, newRequest(t, base+"/v1/upload", u.mediaType, u.body(content)), opts...)
}

// wav returns bytes that begin like a sound.
func wav(size int) string { return "RIFF1234WAVE" + strings.Repeat("\x00\x01\x02\x03", size/4) }

// formWith returns a form with a text and a file.
func formWith(content string) string {
	return "--B\r\n" +
		"Content-Disposition: form-data; name=\"model\"\r\n\r\n" +
		"m\r\n" +
		"--B\r\n" +
		"Content-Disposition: form-data; name=\"file\"; filename=\"x.wav\"\r\n" +
		"Content-Type: application/octet-stream\r\n\r\n" +
		content + "\r\n" +
		"--B--\r\n"
}

// jsonWith returns JSON with a data URL.
func jsonWith(content string) string {
	encoded := base64.StdEncoding.EncodeToString([]byte(content))
	return `{"model":"m","input":[{"data":"data:audio/wav;base64,` + encoded + `","text":"a, b"}]}`
}

func sha256Of(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// upload returns a request whose body net/http can get again, and whose length is known.
func upload(t *testing.T, url, mediaType, body string) *http.Request {
	t.Helper()
	req := must.NewRequest(t, t.Context(), "POST", url, body)
	req.Header.Set("Content-Type", mediaType)
	return req
}

// uploadOnce returns a request whose body can be read once, and whose length is unknown.
func uploadOnce(t *testing.T, url, mediaType, body string) *http.Request {
	t.Helper()
	req := upload(t, url, mediaType, body)
	req.GetBody = nil
	req.ContentLength = -1
	return req
}

// An upload of more than 256 KB matches by its content, and another content is a miss.
func TestLargeUploadMatchesByItsContent(t *testing.T) {
	t.Parallel()
	forEachLargeUpload(t, func(t *testing.T, u largeUpload) {
		s := provider.Digests(t, new(atomic.Int32))
		content := wav(u.size)
		other := []byte(content)
		other[len(other)/2]++
		mask := promptecho.Mask("[0-9a-f]+", "x") // must not apply to the digest in the cassette

		digest, whole := filepath.Join(t.TempDir(), "a.yaml"), filepath.Join(t.TempDir(), "b.yaml")
		u.send(t, s.URL, digest, promptecho.ModeAll, content)
		files := []string{digest}
		if u.size == limit+4 {
			u.send(t, s.URL, whole, promptecho.ModeAll, content, promptecho.KeepUploads())
			files = append(files, whole)
		}
		for _, file := range files {
			for _, opts := range [][]promptecho.Option{nil, {promptecho.KeepUploads()}, {mask}} {
				got := u.send(t, s.URL, file, promptecho.ModeNone, content, opts...)
				if want := sha256Of(u.body(content)); got != want {
					t.Errorf("%s, %d options: replayed %s, want %s", filepath.Base(file), len(opts), got, want)
				}
			}
			got := u.send(t, s.URL, file, promptecho.ModeNone, string(other), mask)
			if !strings.Contains(got, "not recorded") {
				t.Errorf("%s: another sound is answered: %.200s", filepath.Base(file), got)
			}
		}
	})
}

// KeepUploads stores a large upload whole, to look at or edit.
func TestKeepUploadsStoresALargeUploadWhole(t *testing.T) {
	t.Parallel()
	s := provider.Digests(t, new(atomic.Int32))
	for _, tt := range []struct {
		name, mediaType string
		body            func(content string) string
	}{
		{name: "a part of a form", mediaType: formType, body: formWith},
		{name: "base64 in JSON", mediaType: "application/json", body: jsonWith},
		{name: "the body", mediaType: "audio/wav", body: func(content string) string { return content }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := tt.body(wav(limit + 4))
			file := filepath.Join(t.TempDir(), "a.yaml")
			req := upload(t, s.URL, tt.mediaType, body)
			must.Upload(t, file, promptecho.ModeAll, req, promptecho.KeepUploads())
			if got := string(must.Load(t, file).Interactions[0].Request.Body); got != body {
				t.Errorf("stored are %d bytes, want %d", len(got), len(body))
			}
		})
	}
}

// A text of 8 MB and more that is neither JSON nor a form is stored as its digest.
func TestTextOf8MBIsStoredAsItsDigest(t *testing.T) {
	t.Parallel()
	s := provider.Digests(t, new(atomic.Int32))
	text := strings.Repeat("All work and no play.\n", 8<<20/22+1)
	file := filepath.Join(t.TempDir(), "a.yaml")
	must.Upload(t, file, promptecho.ModeAll, upload(t, s.URL, "text/plain", text))
	want := fmt.Sprintf("(upload of %d bytes, text/plain, sha256 %s)", len(text), sha256Of(text))
	if got := string(must.Load(t, file).Interactions[0].Request.Body); got != want {
		t.Errorf("stored is %.200s, want %s", got, want)
	}
}

// An answer is stored and replayed whole, however large it is.
func TestLargeAnswerIsStoredWhole(t *testing.T) {
	t.Parallel()
	sound := wav(limit + 4)
	upstream := provider.Func(func(*http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode:    200,
			Header:        http.Header{"Content-Type": {"audio/wav"}},
			Body:          io.NopCloser(strings.NewReader(sound)),
			ContentLength: int64(len(sound)),
		}, nil
	})
	file := filepath.Join(t.TempDir(), "a.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		req := upload(t, "http://h/v1/audio/speech", "application/json", `{"input":"hi"}`)
		if got := must.Upload(t, file, mode, req, promptecho.Upstream(upstream)); got != sound {
			t.Errorf("mode %s: %d bytes, want %d", mode, len(got), len(sound))
		}
	}
}

// Texts of less than 8 MB, and uploads of up to 256 KB, are stored whole.
func TestTextsAndSmallUploadsAreStoredWhole(t *testing.T) {
	t.Parallel()
	s := provider.Digests(t, new(atomic.Int32))
	base64url := base64.URLEncoding.EncodeToString([]byte(strings.Repeat("\xfb\xef\xff", limit/3+1)))
	for _, tt := range []struct{ name, mediaType, body string }{
		{
			name:      "a part of a form at the limit",
			mediaType: formType,
			body:      formWith(wav(limit - 12)),
		},
		{
			name:      "a long prompt",
			mediaType: "application/json",
			body:      `{"prompt":"` + strings.Repeat("All work and no play. ", 13_000) + `"}`,
		},
		{
			name:      "a text",
			mediaType: "text/plain",
			body:      strings.Repeat("All work and no play.\n", 13_000),
		},
		{
			name:      "lines of JSON",
			mediaType: "application/x-ndjson",
			body:      strings.Repeat(`{"a":1}`+"\n", 35_000),
		},
		{
			name:      "base64url in JSON",
			mediaType: "application/json",
			body:      `{"data":"` + base64url + `"}`,
		},
		{
			name:      "base64 with line ends in JSON",
			mediaType: "application/json",
			body:      `{"data":"` + strings.Repeat(strings.Repeat("A", 76)+`\n`, limit/57+100) + `"}`,
		},
		{
			name:      "a long list of words",
			mediaType: "application/json",
			body:      `["` + strings.Repeat(`word","`, 40_000) + `"]`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "a.yaml")
			live := must.Upload(t, file, promptecho.ModeAll, upload(t, s.URL+"/v1/upload", tt.mediaType, tt.body))
			again := uploadOnce(t, s.URL+"/v1/upload", tt.mediaType, tt.body)
			if replayed := must.Upload(t, file, promptecho.ModeNone, again); live != replayed {
				t.Errorf("%s, then %s", live, replayed)
			}
			if strings.Contains(must.Read(t, file), "(upload of") {
				t.Error("it is stored as its digest")
			}
		})
	}
}

// A secret in a form is replaced, however large the upload next to it is.
func TestSecretInAFormWithAnUploadIsReplaced(t *testing.T) {
	t.Parallel()
	const token, password = "ghp_" + "Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7j", "Tr0ub4dor&3"
	s := provider.Digests(t, new(atomic.Int32))
	for _, size := range []int{10, limit + 1, 10 << 20} {
		t.Run(fmt.Sprint(size, " bytes"), func(t *testing.T) {
			t.Parallel()
			var body bytes.Buffer
			form := multipart.NewWriter(&body)
			_ = form.WriteField("note", "the key is "+token)
			_ = form.WriteField("client_secret", password)
			part, _ := form.CreateFormFile("file", "x.bin")
			_, _ = io.CopyN(part, provider.Zeros{}, int64(size))
			form.Close()

			file := filepath.Join(t.TempDir(), "a.yaml")
			for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
				req := uploadOnce(t, s.URL+"/form", form.FormDataContentType(), body.String())
				if got := must.Upload(t, file, mode, req); len(got) != 64 {
					t.Errorf("mode %s: %.300s is no SHA-256", mode, got)
				}
			}
			text := must.Read(t, file)
			if strings.Contains(text, token) || strings.Contains(text, "Tr0ub4dor") {
				t.Errorf("a secret is in the cassette:\n%.2000s", text)
			}
			if !strings.Contains(text, `- client_secret: "[REDACTED]"`) {
				t.Errorf("the cassette has no placeholder:\n%.2000s", text)
			}
		})
	}
}
