package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	cohere "github.com/cohere-ai/cohere-go/v2"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/promptecho/promptecho"
	goopenai "github.com/sashabaranov/go-openai"
	"google.golang.org/genai"
)

// A file that SDKs upload knows its name.
type namedFile struct {
	io.Reader
	name, media string
}

func (f namedFile) Name() string        { return f.name }
func (f namedFile) Filename() string    { return f.name }
func (f namedFile) ContentType() string { return f.media }

const (
	onePixel = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01"
	aBatch   = `{"custom_id":"1","method":"POST","url":"/v1/chat/completions","body":{"model":"m"}}` + "\n" +
		`{"custom_id":"2","method":"POST","url":"/v1/chat/completions","body":{"model":"m"}}` + "\n"
)

// loud returns a file that is longer than what is kept of one.
func loud() io.Reader { return strings.NewReader("ID3" + strings.Repeat("\x00\x01\x02", 100_000)) }

func small(start string) string { return start + strings.Repeat("\x00\xff", 1000) }

// uploads are calls of SDKs that upload something.
var uploads = []struct {
	name string
	call func(ctx context.Context, client *http.Client, base string) error
}{
	{"openai-files", func(ctx context.Context, client *http.Client, base string) error {
		_, err := openaiUploads(client, base).Files.New(ctx, openai.FileNewParams{Purpose: "batch", File: namedFile{strings.NewReader(aBatch), "batch.jsonl", "application/jsonl"}})
		return err
	}},
	{"openai-batches", func(ctx context.Context, client *http.Client, base string) error {
		_, err := openaiUploads(client, base).Batches.New(ctx, openai.BatchNewParams{InputFileID: "file-1", Endpoint: "/v1/chat/completions", CompletionWindow: "24h"})
		return err
	}},
	{"openai-transcriptions", func(ctx context.Context, client *http.Client, base string) error {
		_, err := openaiUploads(client, base).Audio.Transcriptions.New(ctx, openai.AudioTranscriptionNewParams{Model: "whisper-1", Prompt: openai.String("Rome,\nParis"), File: namedFile{loud(), "x.mp3", "application/octet-stream"}})
		return err
	}},
	{"openai-translations", func(ctx context.Context, client *http.Client, base string) error {
		//lint:ignore SA1019 programs that use it are recorded, too
		_, err := openaiUploads(client, base).Audio.Translations.New(ctx, openai.AudioTranslationNewParams{Model: "whisper-1", File: namedFile{strings.NewReader(small("RIFF1234WAVE")), "x.wav", "audio/wav"}})
		return err
	}},
	{"openai-speech", func(ctx context.Context, client *http.Client, base string) error {
		resp, err := openaiUploads(client, base).Audio.Speech.New(ctx, openai.AudioSpeechNewParams{Model: "tts-1", Input: "Hi.", Voice: openai.AudioSpeechNewParamsVoiceUnion{OfString: openai.String("alloy")}})
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if got, err := io.ReadAll(resp.Body); err != nil || string(got) != small("ID3") {
			return fmt.Errorf("the speech is %.10q, %w", got, err)
		}
		return nil
	}},
	{"openai-image-edits", func(ctx context.Context, client *http.Client, base string) error {
		images := []io.Reader{namedFile{strings.NewReader(small(onePixel)), "a.png", "image/png"}, namedFile{strings.NewReader(onePixel), "b.png", "image/png"}}
		_, err := openaiUploads(client, base).Images.Edit(ctx, openai.ImageEditParams{Prompt: "a cat", Model: "gpt-image-1", N: openai.Int(1), Image: openai.ImageEditParamsImageUnion{OfFileArray: images}})
		return err
	}},
	{"openai-image-variations", func(ctx context.Context, client *http.Client, base string) error {
		//lint:ignore SA1019 programs that use it are recorded, too
		_, err := openaiUploads(client, base).Images.NewVariation(ctx, openai.ImageNewVariationParams{N: openai.Int(2), Image: namedFile{strings.NewReader(onePixel), "a.png", "image/png"}})
		return err
	}},
	{"openai-upload-parts", func(ctx context.Context, client *http.Client, base string) error {
		_, err := openaiUploads(client, base).Uploads.Parts.New(ctx, "upload_1", openai.UploadPartNewParams{Data: loud()})
		return err
	}},
	{"openai-containers", func(ctx context.Context, client *http.Client, base string) error {
		_, err := openaiUploads(client, base).Containers.Files.New(ctx, "cntr_1", openai.ContainerFileNewParams{File: namedFile{strings.NewReader("a,b\n1,2\n"), "t.csv", "text/csv"}})
		return err
	}},
	{"openai-vector-stores", func(ctx context.Context, client *http.Client, base string) error {
		_, err := openaiUploads(client, base).VectorStores.Files.New(ctx, "vs_1", openai.VectorStoreFileNewParams{FileID: "file-1"})
		return err
	}},
	{"anthropic-files", func(ctx context.Context, client *http.Client, base string) error {
		c := anthropic.NewClient(anthropicoption.WithHTTPClient(client), anthropicoption.WithBaseURL(base), anthropicoption.WithAPIKey(fakeKey))
		_, err := c.Beta.Files.Upload(ctx, anthropic.BetaFileUploadParams{File: namedFile{strings.NewReader("%PDF-1.7 " + strings.Repeat("\xff", 2000)), "a.pdf", "application/pdf"}})
		return err
	}},
	{"anthropic-picture", func(ctx context.Context, client *http.Client, base string) error {
		c := anthropic.NewClient(anthropicoption.WithHTTPClient(client), anthropicoption.WithBaseURL(base), anthropicoption.WithAPIKey(fakeKey))
		picture := strings.Repeat("iVBO", 100_000)
		_, err := c.Messages.New(ctx, anthropic.MessageNewParams{Model: "claude-x", MaxTokens: 5, Messages: []anthropic.MessageParam{
			anthropic.NewUserMessage(anthropic.NewImageBlockBase64("image/png", picture), anthropic.NewTextBlock("What is this?"))}})
		return err
	}},
	{"genai-resumable", func(ctx context.Context, client *http.Client, base string) error {
		c, err := genaiAt(ctx, client, base)
		if err != nil {
			return err
		}
		_, err = c.Files.Upload(ctx, strings.NewReader(strings.Repeat("A line of text.\n", 600_000)), &genai.UploadFileConfig{MIMEType: "text/plain", DisplayName: "lines"})
		return err
	}},
	{"cohere-datasets", func(ctx context.Context, client *http.Client, base string) error {
		_, err := cohereAt(client, base).Datasets.Create(ctx, &cohere.DatasetsCreateRequest{Name: "d", Type: "embed-input", Data: namedFile{strings.NewReader(`{"text":"a"}` + "\n"), "d.jsonl", ""}})
		return err
	}},
	{"mistral-files", func(ctx context.Context, client *http.Client, base string) error {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		_ = form.WriteField("purpose", "ocr")
		w, err := form.CreateFormFile("file", "scan.pdf")
		if err == nil {
			_, err = w.Write([]byte("%PDF-1.7 \xff"))
		}
		if err != nil {
			return err
		}
		form.Close()
		req, err := http.NewRequestWithContext(ctx, "POST", base+"/v1/files", &body)
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", form.FormDataContentType())
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	}},
	{"ollama-blobs", func(ctx context.Context, client *http.Client, base string) error {
		c, err := ollamaAt(client, base)
		if err != nil {
			return err
		}
		return c.CreateBlob(ctx, "sha256:29fdb92e57cf0827ded04ae6461b5931d01fa595843f55d36f5b275a52087dd2", strings.NewReader("GGUF"+strings.Repeat("\x00\x01", 200_000)))
	}},
	{"go-openai-transcriptions", func(ctx context.Context, client *http.Client, base string) error {
		_, err := goOpenAIClient(env{client: client, base: base}).CreateTranscription(ctx, goopenai.AudioRequest{Model: "whisper-1", FilePath: "x.mp3", Language: "en", Reader: loud()})
		return err
	}},
	{"go-openai-files", func(ctx context.Context, client *http.Client, base string) error {
		_, err := goOpenAIClient(env{client: client, base: base}).CreateFileBytes(ctx, goopenai.FileBytesRequest{Name: "batch.jsonl", Purpose: "batch", Bytes: []byte(aBatch)})
		return err
	}},
}

func openaiUploads(client *http.Client, base string) *openai.Client {
	c := openai.NewClient(option.WithHTTPClient(client), option.WithBaseURL(base+"/v1"), option.WithAPIKey(fakeKey), option.WithMaxRetries(0))
	return &c
}

// A taker takes uploads and keeps the requests.
type taker struct {
	mu       sync.Mutex
	requests []*http.Request // their bodies are those that came
}

func (s *taker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.mu.Lock()
	s.requests = append(s.requests, r)
	s.mu.Unlock()
	switch {
	case strings.HasSuffix(r.URL.Path, "/speech"):
		w.Header().Set("Content-Type", "audio/mpeg")
		io.WriteString(w, small("ID3"))
		return
	case r.Header.Get("X-Goog-Upload-Command") == "start":
		w.Header().Set("X-Goog-Upload-Url", "http://"+r.Host+"/upload/1")
	case strings.Contains(r.Header.Get("X-Goog-Upload-Command"), "finalize"):
		w.Header().Set("X-Goog-Upload-Status", "final")
	case r.Header.Get("X-Goog-Upload-Command") != "":
		w.Header().Set("X-Goog-Upload-Status", "active")
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"id":"x","file":{"name":"files/x"},"bytes":%d}`, len(body))
}

var volatileBoundary = regexp.MustCompile(`boundary=[0-9a-zA-Z]+`)

// What SDKs upload can be read in the cassette, is replayed, and a miss names the field that
// differs. The cassettes are in testdata/uploads.txt.
func TestUploads(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, u := range uploads {
		server := new(taker)
		s := httptest.NewServer(server)
		dir := t.TempDir()
		file := filepath.Join(dir, u.name+".yaml")
		for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
			rec, err := promptecho.Open(file, promptecho.InMode(mode), promptecho.Alias(s.URL, "provider"))
			if err != nil {
				t.Fatal(err)
			}
			if err := u.call(t.Context(), rec.Client(), s.URL); err != nil {
				t.Errorf("%s, mode %s: %v", u.name, mode, err)
			}
			if err := rec.Close(); err != nil {
				t.Fatalf("%s, mode %s: %v", u.name, mode, err)
			}
			if mode == promptecho.ModeAll {
				s.Close() // a replay needs none
			}
		}
		noKey(t, dir)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > 4<<10 {
			t.Errorf("%s: the cassette has %d bytes", u.name, len(text))
		}
		_, items, _ := strings.Cut(string(text), "interactions:\n")
		items, _, _ = strings.Cut(items, "seals:")
		fmt.Fprintf(&all, "-- %s --\n%s", u.name, volatileBoundary.ReplaceAllString(regexp.MustCompile(`(?m)^  (latency_ms|recorded).*\n`).ReplaceAllString(items, ""), "boundary=B"))
		for _, req := range server.requests {
			mutate(t, u.name, file, s.URL, req)
		}
	}
	golden := filepath.Join("testdata", "uploads.txt")
	if want, _ := os.ReadFile(golden); string(want) != all.String() {
		if os.Getenv("UPDATE_GOLDEN") == "" {
			t.Errorf("%s is not what is recorded; UPDATE_GOLDEN=1 writes it", golden)
		} else if err := os.WriteFile(golden, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// mutate sends a recorded request with each of its fields changed, and expects a miss that names it.
func mutate(t *testing.T, name, file, base string, req *http.Request) {
	t.Helper()
	body, _ := io.ReadAll(req.Body)
	contentType := req.Header.Get("Content-Type")
	ask := func(field string, body []byte) {
		rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeNone), promptecho.Alias(base, "provider"))
		if err != nil {
			t.Fatal(err)
		}
		out, _ := http.NewRequest(req.Method, base+req.URL.String(), bytes.NewReader(body))
		out.Header = req.Header.Clone()
		resp, err := rec.Client().Do(out)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		misses := rec.Misses()
		_ = rec.Close()
		if len(misses) != 1 || !strings.Contains(misses[0].Error(), field) {
			t.Errorf("%s: a request with another %s: %v", name, field, misses)
			return
		}
		if testing.Verbose() {
			t.Logf("%s: %v", name, misses[0])
		}
	}
	media, params, _ := mime.ParseMediaType(contentType)
	var object map[string]any
	switch {
	case len(body) == 0:
	case strings.HasPrefix(media, "multipart/"):
		r := multipart.NewReader(bytes.NewReader(body), params["boundary"])
		for {
			part, err := r.NextRawPart()
			if err != nil {
				break
			}
			content, _ := io.ReadAll(part)
			if i := bytes.Index(body, append([]byte("\r\n\r\n"), content...)); i >= 0 {
				ask(part.FormName(), slices.Concat(body[:i+4], []byte("changed "), body[i+4:]))
			}
		}
	case json.Unmarshal(body, &object) == nil:
		for field := range object {
			if field == "max_tokens" || field == "metadata" {
				continue // they do not match
			}
			was := object[field]
			object[field] = "changed"
			changed, _ := json.Marshal(object)
			ask(field, changed)
			object[field] = was
		}
	default:
		ask("body", append([]byte("changed "), body...))
	}
}
